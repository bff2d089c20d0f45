/* Sorts the lines of a difference, each after the line that encloses it. */
#include "views/difference_order.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* A line and what it is sorted by. */
struct entry {
    uint32_t parent; /* number within the block + 1; 0 at the top */
    bool is_first;   /* a frame, or something that changed */
    double weight;   /* the largest first */
    struct ets_text name;
    uint32_t number; /* within the block */
};

const struct ets_pool_operator *ets_difference_operator(const struct ets_difference_line *line)
{
    const struct ets_difference_side *side =
        line->after.operator_count > 0 ? &line->after : &line->before;
    return &side->block->operators[side->operators[0]];
}

int32_t ets_difference_instruction(const struct ets_pool_operator *op)
{
    const bool is_work = op != NULL && op->role == ETS_POOL_WORK && op->row != NULL;
    return is_work ? op->row->instruction : -1;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->parent != b->parent) return (a->parent > b->parent) - (a->parent < b->parent);
    if (a->is_first != b->is_first) return a->is_first ? -1 : 1;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    const int order = ets_text_compare(a->name, b->name);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static struct entry describe(const struct ets_difference_line *line, uint32_t number,
                             uint32_t first_line, enum ets_sort_by sort)
{
    const bool has_changed = line->change != ETS_CHANGE_NONE ||
                             line->verdict == ETS_VERDICT_FASTER ||
                             line->verdict == ETS_VERDICT_SLOWER;
    struct entry entry = {
        .parent = line->parent == ETS_NO_INDEX ? 0 : line->parent - first_line + 1,
        .is_first = line->role == ETS_POOL_FRAME,
        .number = number,
    };
    if (sort == ETS_SORT_NAME) entry.name = ets_difference_operator(line)->name;
    if (sort != ETS_SORT_CHANGE && sort != ETS_SORT_RATIO) return entry;
    entry.is_first |= has_changed;
    const double change = line->has_own_clock ? 0 : line->change_of_median;
    entry.weight = fabs(sort == ETS_SORT_CHANGE ? change : line->ratio);
    if (isnan(entry.weight)) entry.weight = HUGE_VAL; /* there was nothing before */
    return entry;
}

/* Hands out entries sorted by their parents as a tree: parents, then theirs. */
static bool walk(struct ets_arena *arena, const struct ets_difference *difference,
                 const struct ets_difference_block *block, const struct entry *entries,
                 uint32_t top, struct ets_shown_lines *out)
{
    const size_t bytes = sizeof(uint32_t);
    const uint32_t count = block->line_count;
    uint32_t *start = ets_arena_alloc_array(arena, (size_t)count + 2, bytes);
    struct ets_shown_line *stack = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *stack);
    if (start == NULL || stack == NULL) return false;
    for (uint32_t i = 0; i < count; i++) start[entries[i].parent + 1]++;
    for (uint32_t i = 1; i <= count + 1; i++) start[i] += start[i - 1];
    uint32_t used = 0, left = top;
    for (uint32_t i = start[1]; i-- > start[0];) {
        stack[used++] = (struct ets_shown_line){entries[i].number, 0};
    }
    while (used > 0) { /* the stack holds lines whose order is right from its end */
        const struct ets_shown_line at = stack[--used];
        const struct ets_difference_line *line =
            ets_difference_line(difference, block->first_line + at.line);
        if (line->role != ETS_POOL_FRAME && top > 0) {
            if (left == 0) continue;
            left--;
        }
        out->items[out->count++] = (struct ets_shown_line){block->first_line + at.line, at.depth};
        for (uint32_t i = start[at.line + 2]; i-- > start[at.line + 1];) {
            stack[used++] = (struct ets_shown_line){entries[i].number, at.depth + 1};
        }
    }
    return true;
}

bool ets_difference_order(struct ets_arena *arena, const struct ets_difference *difference,
                          uint32_t block, const struct ets_difference_order_options *options,
                          struct ets_shown_lines *lines_out)
{
    const struct ets_difference_block *b = ets_difference_block(difference, block);
    struct entry *entries = ets_arena_alloc_array(arena, b->line_count, sizeof *entries);
    lines_out->items = ets_arena_alloc_array(arena, b->line_count, sizeof *lines_out->items);
    lines_out->count = 0;
    if (entries == NULL || lines_out->items == NULL) return false;
    for (uint32_t i = 0; i < b->line_count; i++) {
        const struct ets_difference_line *line = ets_difference_line(difference, b->first_line + i);
        entries[i] = describe(line, i, b->first_line, options->sort);
    }
    if (b->line_count > 0) qsort(entries, b->line_count, sizeof *entries, compare_entries);
    return walk(arena, difference, b, entries, options->top, lines_out);
}
