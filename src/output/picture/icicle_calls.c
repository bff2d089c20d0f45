/* The calls of a run as nodes of an icicle. */
#include "base/error.h"
#include "base/text.h"
#include "inspect/patterns.h"
#include "output/picture/icicle_tree.h"
#include "views/account_lines.h"
#include "views/account_words.h"

static enum ets_ink ink_of(const struct ets_account_line *line)
{
    if (line->node == NULL || line->node->kind != ETS_ACCOUNT_ROW) return ETS_INK_REST;
    if (line->row->is_delegated) return ETS_INK_INSIDE;
    if (ets_text_is(ets_row_operator(line->row), "DELEGATE_CALL")) return ETS_INK_DELEGATE;
    return line->node->is_leaf ? ETS_INK_KERNEL : ETS_INK_FRAME;
}

/* A name of its own, or a copy of what was put together for this line. */
static bool copy_name(struct ets_plot *plot, const struct ets_account_line *line,
                      struct ets_text *name_out)
{
    char text[ETS_ACCOUNT_NAME];
    *name_out = ets_account_line_name(line, text, sizeof text);
    if (name_out->data != text) return true;
    name_out->data = ets_arena_copy_text(&plot->arena, text, name_out->size);
    return name_out->data != NULL;
}

static bool add_node(struct ets_plot *plot, const struct ets_account_line *line, uint32_t parent,
                     struct ets_icicle *icicle)
{
    const struct ets_account_times *times = &line->inclusive;
    const struct ets_span ticks = ets_account_span(times->middle, times->below, times->above);
    struct ets_icicle_node *node = &icicle->items[icicle->count++];
    *node = (struct ets_icicle_node){.parent = parent,
                                     .depth = line->depth,
                                     .ink = ink_of(line),
                                     .ticks = ticks,
                                     .share = {ticks.lower / line->root, ticks.upper / line->root}};
    if (parent == ETS_NO_INDEX) icicle->ticks += times->middle;
    return copy_name(plot, line, &node->name);
}

static bool add_nodes(struct ets_plot *plot, const struct ets_account_lines *lines,
                      struct ets_icicle *icicle)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (lines->items[i].depth > deepest) deepest = lines->items[i].depth;
    }
    uint32_t *above = ets_arena_alloc_array(&plot->arena, (size_t)deepest + 1, sizeof *above);
    icicle->items = ets_arena_alloc_array(&plot->arena, lines->count, sizeof *icicle->items);
    if (above == NULL || icicle->items == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_account_line *line = &lines->items[i];
        const uint32_t parent = line->depth > 0 ? above[line->depth - 1] : ETS_NO_INDEX;
        const bool is_inside = line->depth > 0;
        above[line->depth] = ETS_NO_INDEX;
        if (!ets_account_line_is_added(line) || (is_inside && parent == ETS_NO_INDEX)) {
            icicle->without_time++;
            continue;
        }
        above[line->depth] = icicle->count;
        if (!add_node(plot, line, parent, icicle)) return false;
    }
    return true;
}

enum ets_status ets_icicle_calls(struct ets_plot *plot, struct ets_icicle *icicle_out,
                                 struct ets_error *error)
{
    const struct ets_account_options options = {
        .block = ETS_NO_INDEX, .run = plot->options->run, .steady = plot->options->steady};
    struct ets_account_lines lines;
    *icicle_out = (struct ets_icicle){.count = 0};
    ETS_TRY(ets_account_lines_open(&plot->arena, plot->inspection, &options, plot->block->block,
                                   &lines, error));
    const bool ok = add_nodes(plot, &lines, icicle_out);
    ets_account_lines_close(&lines);
    return ok ? ETS_OK : ets_fail_memory(error, "the calls of a picture");
}
