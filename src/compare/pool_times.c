#include "compare/pool_parts.h"

/* Nanoseconds in a tick of a trace; 1 for cycles. */
static double tick_of(const struct ets_inspection *inspection)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    return unit == ETS_UNIT_CYCLES ? 1 : 1e9 / ets_time_unit_per_second(unit);
}

/* Adds what the row `index` of a part took in each run. */
static void add_row(const struct ets_inspection *inspection, uint32_t index,
                    const uint32_t *run_number, const struct ets_pool_part *part, double *times)
{
    const double tick = tick_of(inspection);
    const uint32_t *events;
    const uint32_t *run = ets_inspection_events(inspection)->run;
    uint32_t count;
    ets_inspection_row_events(inspection, index, &events, &count);
    for (uint32_t i = 0; i < count; i++) {
        times[part->first_run + run_number[run[events[i]]]] +=
            (double)ets_inspection_ticks(inspection, events[i]) * tick;
    }
}

/* What the total is longer than the operators right inside of it. */
static void take_rest(const struct ets_pool_block *block, double *times)
{
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_pool_operator *op = &block->operators[i];
        const double sign = i == block->total ? 1 : op->parent == block->total ? -1 : 0;
        if (op->role == ETS_POOL_REST || sign == 0) continue;
        for (uint32_t r = 0; r < block->run_count; r++) times[r] += sign * op->per_run[r];
    }
}

enum ets_status ets_pool_add_times(struct ets_pool *pool, struct ets_pool_block *block,
                                   const uint32_t *const *run_number, struct ets_error *error)
{
    struct ets_pool_operator *operators = (struct ets_pool_operator *)(uintptr_t)block->operators;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        struct ets_pool_operator *op = &operators[i];
        double *times = ets_arena_alloc_array(&pool->arena, block->run_count, sizeof *times);
        if (times == NULL) return ets_fail_pool(error);
        op->per_run = times;
        if (op->role == ETS_POOL_REST) {
            take_rest(block, times);
            continue;
        }
        for (uint32_t p = 0; p < block->part_count; p++) {
            const struct ets_pool_part *part = &block->parts[p];
            const struct ets_inspection *inspection = pool->inspections[part->inspection];
            const uint32_t start = ets_inspection_block(inspection, part->block)->first_row;
            const struct ets_row *row = ets_inspection_row(inspection, start + op->row_offset);
            const double resolution =
                (double)row->quantum_ticks * row->calls_per_run * tick_of(inspection);
            if (resolution > op->resolution) op->resolution = resolution;
            add_row(inspection, start + op->row_offset, run_number[part->inspection], part, times);
        }
    }
    return ETS_OK;
}
