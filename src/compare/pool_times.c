#include "compare/pool_parts.h"

/* Nanoseconds in a tick of a trace; 1 for cycles. */
static double tick_of(const struct ets_inspection *inspection)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    return unit == ETS_UNIT_CYCLES ? 1 : 1e9 / ets_time_unit_per_second(unit);
}

/* Adds what the row `index` of a part took in each run, in units of `tick`. */
static void add_row(const struct ets_inspection *inspection, uint32_t index, double tick,
                    const uint32_t *run_number, const struct ets_pool_part *part, double *times)
{
    const uint32_t *events;
    const uint32_t *run = ets_inspection_events(inspection)->run;
    uint32_t count;
    ets_inspection_row_events(inspection, index, &events, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = run_number[run[events[i]]];
        if (number < part->left_out) continue;
        times[part->first_run + number - part->left_out] +=
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

/* The row of an operator in a part of its block. */
static uint32_t row_in(const struct ets_pool *pool, const struct ets_pool_part *part,
                       const struct ets_pool_operator *op)
{
    const struct ets_inspection *inspection = pool->inspections[part->inspection];
    return ets_inspection_block(inspection, part->block)->first_row + op->row_offset;
}

/* One clock for all parts: where it is the delegate's own in one, its ticks are compared in all. */
static void find_clock(const struct ets_pool *pool, const struct ets_pool_block *block,
                       struct ets_pool_operator *op)
{
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        const struct ets_inspection *inspection = pool->inspections[part->inspection];
        const struct ets_row *row = ets_inspection_row(inspection, row_in(pool, part, op));
        op->has_own_clock |= ets_row_has_own_clock(row);
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
        find_clock(pool, block, op);
        for (uint32_t p = 0; p < block->part_count; p++) {
            const struct ets_pool_part *part = &block->parts[p];
            const struct ets_inspection *inspection = pool->inspections[part->inspection];
            const uint32_t index = row_in(pool, part, op);
            const struct ets_row *row = ets_inspection_row(inspection, index);
            const double tick = op->has_own_clock ? 1 : tick_of(inspection);
            const double resolution = (double)row->quantum_ticks * row->calls_per_run * tick;
            if (resolution > op->resolution) op->resolution = resolution;
            add_row(inspection, index, tick, run_number[part->inspection], part, times);
        }
    }
    return ETS_OK;
}
