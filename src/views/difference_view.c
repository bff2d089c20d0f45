/* Collects the lines of a difference with their places and parts in the total change. */
#include "views/difference_view.h"

#include <math.h>

const char ets_apart_words[] =
    "one side was recorded after the other, and the machine may have changed in between";

/* The side that names a line: the one after, or before where there is none after. */
static const struct ets_difference_side *naming_side(const struct ets_difference_line *line)
{
    return line->after.operator_count > 0 ? &line->after : &line->before;
}

static const struct ets_row *row_of(const struct ets_difference_side *side, uint32_t index)
{
    return side->block->operators[side->operators[index]].row;
}

static double contribution(const struct ets_difference *difference,
                           const struct ets_difference_line *line)
{
    const uint32_t total = ets_difference_block(difference, line->block)->total;
    if (total == ETS_NO_INDEX || line->has_own_clock) return NAN;
    const double all = ets_difference_line(difference, total)->change_of_median;
    return all == 0 ? NAN : line->change_of_median / all;
}

static enum ets_tie weakest_tie(const struct ets_difference_line *line)
{
    const struct ets_difference_side *sides[] = {&line->before, &line->after};
    enum ets_tie tie = ETS_TIE_NONE;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->operator_count; i++) {
            const struct ets_row *row = row_of(sides[s], i);
            if (row != NULL && row->tie > tie) tie = row->tie;
        }
    }
    return tie;
}

static bool name_operators(struct ets_arena *arena, const struct ets_difference_side *side,
                           struct ets_text_list *names)
{
    names->items = ets_arena_alloc_array(arena, side->operator_count, sizeof *names->items);
    for (uint32_t i = 0; names->items != NULL && i < side->operator_count; i++) {
        names->items[names->count++] = side->block->operators[side->operators[i]].name;
    }
    return names->items != NULL;
}

static void add_all(struct ets_text_list *list, const struct ets_text_list *more)
{
    for (size_t i = 0; i < more->count; i++) ets_text_list_add(list, more->items[i]);
}

static bool find_places(struct ets_arena *arena, struct ets_difference_view_line *line)
{
    const struct ets_difference_side *side = naming_side(line->of);
    size_t room = 0;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_row *row = row_of(side, i);
        room += row == NULL ? 0 : row->node_count;
    }
    line->sources.items = ets_arena_alloc_array(arena, room, sizeof *line->sources.items);
    line->modules.items = ets_arena_alloc_array(arena, room, sizeof *line->modules.items);
    if (line->sources.items == NULL || line->modules.items == NULL) return false;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_row *row = row_of(side, i);
        struct ets_text_list sources, modules;
        if (row == NULL) continue;
        if (!ets_operator_row_places(arena, row, &sources, &modules)) return false;
        add_all(&line->sources, &sources);
        add_all(&line->modules, &modules);
    }
    return true;
}

static bool describe(struct ets_arena *arena, const struct ets_difference *difference,
                     struct ets_shown_line shown, struct ets_difference_view_line *line)
{
    line->index = shown.line;
    line->depth = shown.depth;
    line->of = ets_difference_line(difference, line->index);
    line->named_by = ets_difference_operator(line->of);
    line->instruction = ets_difference_instruction(line->named_by);
    line->contribution = contribution(difference, line->of);
    line->tie = weakest_tie(line->of);
    return name_operators(arena, &line->of->before, &line->before) &&
           name_operators(arena, &line->of->after, &line->after) && find_places(arena, line);
}

bool ets_difference_view_collect(struct ets_arena *arena, const struct ets_difference *difference,
                                 uint32_t block, const struct ets_difference_order_options *order,
                                 struct ets_difference_view *view_out)
{
    struct ets_shown_lines shown;
    const struct ets_difference_block *b = ets_difference_block(difference, block);
    *view_out = (struct ets_difference_view){.block = b,
                                             .named_by = b->after != NULL ? b->after : b->before};
    if (!ets_difference_order(arena, difference, block, order, &shown)) return false;
    view_out->lines = ets_arena_alloc_array(arena, shown.count, sizeof *view_out->lines);
    if (view_out->lines == NULL) return false;
    view_out->count = shown.count;
    for (uint32_t i = 0; i < shown.count; i++) {
        if (!describe(arena, difference, shown.items[i], &view_out->lines[i])) return false;
    }
    return true;
}

/* "addmm.out", "4 operators". */
static void add_side(struct ets_text_builder *text, const struct ets_difference_side *side)
{
    const struct ets_text name = side->block->operators[side->operators[0]].name;
    if (side->operator_count > 1) ets_add_text(text, "%u operators", side->operator_count);
    else ets_add_text(text, "%.*s", ETS_TEXT(name));
}

void ets_difference_add_name(struct ets_text_builder *text,
                             const struct ets_difference_view_line *line)
{
    const size_t room = text->room;
    const uint32_t before = line->of->before.operator_count, after = line->of->after.operator_count;
    if (line->of->change < ETS_CHANGE_REPLACED) {
        ets_add_text(text, "%.*s", ETS_TEXT(line->named_by->name));
        return;
    }
    if (before > 1 && after > 1) {
        ets_add_text(text, "%u -> %u operators", before, after);
        return;
    }
    text->room = room / 2; /* half is left to the other side */
    add_side(text, &line->of->before);
    text->room = room;
    ets_add_text(text, " -> ");
    add_side(text, &line->of->after);
}

void ets_difference_add_reason(struct ets_text_builder *text,
                               const struct ets_difference_line *line)
{
    const bool is_one_sided = line->before.operator_count == 0 || line->after.operator_count == 0;
    if (line->verdict == ETS_VERDICT_NONE) {
        ets_add_text(
            text, is_one_sided ? "only one side has it" : "a delegate's own clock counts one side");
        return;
    }
    switch (line->doubt) {
    case ETS_LINE_DECIDED: break;
    case ETS_LINE_ONE_RECORDING:
        ets_add_text(text, "one recording a side cannot tell the program from the day");
        break;
    case ETS_LINE_FEW_RECORDINGS:
        if (line->recordings_needed == 0) ets_add_text(text, "the recordings differ too much");
        else ets_add_text(text, "about %u recordings a side would decide", line->recordings_needed);
        break;
    case ETS_LINE_SPREAD:
        ets_add_text(text, "recordings of one side differ by more than the change");
        break;
    case ETS_LINE_CLOCK: ets_add_text(text, "the clock is too coarse"); break;
    case ETS_LINE_APART: ets_add_text(text, "%s", ets_apart_words); break;
    }
}

struct ets_difference_contents ets_difference_survey(const struct ets_difference *difference)
{
    struct ets_difference_contents contents = {.has_handles = false};
    for (uint32_t i = 0; i < ets_difference_block_count(difference); i++) {
        contents.has_handles |= ets_difference_block(difference, i)->by_handles != 0;
    }
    for (uint32_t i = 0; i < ets_difference_line_count(difference); i++) {
        contents.has_changes |= ets_difference_line(difference, i)->change != ETS_CHANGE_NONE;
    }
    return contents;
}
