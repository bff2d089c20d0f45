/* Finds the blocks that executed a method, and groups their work. */
#include "views/timed_blocks.h"

#include <string.h>

#include <stdlib.h>

#include "base/text.h"
#include "inspect/time_details.h"
#include "views/work.h"

static int with_operators_first(const void *left, const void *right)
{
    const struct ets_timed_block *a = left, *b = right;
    if (a->has_operators != b->has_operators) return a->has_operators ? -1 : 1;
    const double one = a->times.statistics.total, two = b->times.statistics.total;
    if (one != two) return one < two ? 1 : -1;
    return (a->block > b->block) - (a->block < b->block);
}

/* Adds a block, unless it executed nothing or nothing that took time. */
static bool add_block(struct ets_arena *arena, uint32_t index, uint32_t run, int steady,
                      struct ets_timed_blocks *blocks)
{
    const struct ets_inspection *inspection = blocks->inspection;
    const uint32_t total = ets_inspection_total_row(inspection, index);
    struct ets_timed_block *block = &blocks->items[blocks->count];
    *block = (struct ets_timed_block){.block = index,
                                      .has_operators = ets_work_has_operators(inspection, index)};
    if (total == ETS_NO_INDEX) return true;
    double *ticks = ets_arena_alloc_array(arena, ets_inspection_block(inspection, index)->run_count,
                                          sizeof *ticks);
    if (ticks == NULL ||
        !ets_chosen_runs_find(arena, inspection, index, run, steady, &block->runs)) {
        return false;
    }
    ets_inspection_row_ticks(inspection, total, ETS_NO_INDEX, ticks);
    ets_chosen_runs_summarise(&block->runs, ticks, &block->times);
    if (block->runs.whole > 0) blocks->count++;
    return true;
}

/* Counts the events with tensors in the runs of each block; NULL: no memory. */
static const uint64_t *count_captured(struct ets_arena *arena,
                                      const struct ets_inspection *inspection)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    uint64_t *counts =
        ets_arena_alloc_array(arena, ets_inspection_block_count(inspection), sizeof *counts);
    for (uint32_t i = 0; counts != NULL && i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        counts[ets_inspection_run(inspection, events->run[i])->block]++;
    }
    return counts;
}

bool ets_timed_blocks_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           uint32_t block, uint32_t run, int steady,
                           struct ets_timed_blocks *blocks_out)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    const uint32_t count = ets_inspection_block_count(inspection);
    *blocks_out = (struct ets_timed_blocks){
        .inspection = inspection,
        .tick_ns = unit == ETS_UNIT_CYCLES ? 0 : 1e9 / ets_time_unit_per_second(unit),
        .captured = count_captured(arena, inspection),
        .items = ets_arena_alloc_array(arena, count, sizeof *blocks_out->items)};
    if (blocks_out->captured == NULL || blocks_out->items == NULL) return false;
    for (uint32_t b = 0; b < count; b++) {
        const bool has_run = run == ETS_NO_INDEX || ets_inspection_run(inspection, run)->block == b;
        if (!has_run || (block != ETS_NO_INDEX && block != b)) continue;
        if (!add_block(arena, b, run, steady, blocks_out)) return false;
    }
    if (blocks_out->count > 1) {
        qsort(blocks_out->items, blocks_out->count, sizeof *blocks_out->items,
              with_operators_first);
    }
    return true;
}

bool ets_timed_block_group(struct ets_arena *arena, const struct ets_timed_blocks *blocks,
                           const struct ets_timed_block *block, enum ets_group_by by,
                           const char *backend, struct ets_operator_lines *lines_out)
{
    const struct ets_operator_options options = {.group_by = by, .filter = {.backend = backend}};
    return ets_operator_lines_by_group(arena, blocks->inspection, &options, &block->runs,
                                       block->block, lines_out) &&
           ets_operator_lines_sort(arena, ETS_SORT_TIME, lines_out);
}

struct ets_span ets_timed_block_share(const struct ets_timed_block *block,
                                      const struct ets_operator_line *line)
{
    return ets_span_part(ets_span_of(line->times.middle, line->error, 1), block->runs.whole);
}

bool ets_line_is_between(const struct ets_operator_line *line)
{
    return ets_text_is(line->name, ETS_REST_BETWEEN) ||
           ets_text_is(line->name, ETS_REST_NOT_RECORDED);
}

bool ets_timed_block_has_twin(const struct ets_timed_blocks *blocks,
                              const struct ets_timed_block *block)
{
    const struct ets_block *b = ets_inspection_block(blocks->inspection, block->block);
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct ets_block *other =
            ets_inspection_block(blocks->inspection, blocks->items[i].block);
        if (other == b || !ets_text_same(other->name, b->name) || other->stage != b->stage)
            continue;
        if (b->method == NULL || other->method == NULL) return true;
        if (strcmp(b->method, other->method) == 0) return true;
    }
    return false;
}

void ets_add_timed_block_name(struct ets_text_builder *text, const struct ets_timed_blocks *blocks,
                              const struct ets_timed_block *block)
{
    const struct ets_block *b = ets_inspection_block(blocks->inspection, block->block);
    const bool has_method = b->method_state == ETS_METHOD_FOUND || b->is_method_named;
    if (has_method) ets_add_plain_text(text, "%s", b->method);
    else ets_add_plain_text(text, "%.*s", ETS_TEXT(b->name));
    if (b->stage != ETS_STAGE_NONE) ets_add_plain_text(text, " %s", ets_run_stage_name(b->stage));
    if (ets_timed_block_has_twin(blocks, block)) {
        ets_add_plain_text(text, " (block %u)", block->block);
    }
}
