/* Modules as nodes of an icicle. */
#include "base/text.h"
#include "output/picture/icicle_tree.h"

bool ets_icicle_modules(struct ets_plot *plot, struct ets_icicle *icicle_out)
{
    const struct ets_operator_options options = {.group_by = ETS_GROUP_MODULE,
                                                 .sort = ETS_SORT_ORDER};
    const struct ets_timed_block *block = plot->block;
    const double whole = block->runs.whole;
    struct ets_operator_lines lines;
    *icicle_out = (struct ets_icicle){.ticks = whole};
    if (!ets_operator_lines_by_group(&plot->arena, plot->inspection, &options, &block->runs,
                                     block->block, &lines) ||
        !ets_operator_lines_sort(&plot->arena, ETS_SORT_ORDER, &lines)) {
        return false;
    }
    icicle_out->items = ets_arena_alloc_array(&plot->arena, lines.count, sizeof *icicle_out->items);
    if (icicle_out->items == NULL) return false;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_operator_line *line = &lines.items[i];
        const bool is_module = line->depth > 0 || ets_text_is(line->name, "(model)");
        icicle_out->items[icicle_out->count++] = (struct ets_icicle_node){
            .name = line->name,
            .parent = line->parent,
            .depth = line->depth,
            .ink = is_module ? ETS_INK_KERNEL : ETS_INK_REST,
            .ticks = ets_span_of(line->times.middle, line->error, 1),
            .self = ets_span_of(line->self.middle, line->self_error, 1),
            .share = ets_span_part(ets_span_of(line->times.middle, line->error, 1), whole)};
        if (line->parent != ETS_NO_INDEX) icicle_out->items[line->parent].ink = ETS_INK_FRAME;
    }
    return true;
}
