/* Keeps the time of each operator in each run, trace by trace, and merges them at the end. */
#include "compare/pool_parts.h"
#include "inspect/time_details.h"

/* Nanoseconds in a tick of a trace; 1 for cycles. */
static double tick_of(const struct ets_inspection *inspection)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    return unit == ETS_UNIT_CYCLES ? 1 : 1e9 / ets_time_unit_per_second(unit);
}

/* Adds the time of row `index` in each run of a part. */
static void add_row(const struct ets_inspection *inspection, uint32_t index,
                    const struct ets_pool_part *part, double *ticks)
{
    const uint32_t calls = ets_inspection_row(inspection, index)->calls_per_run;
    const uint64_t *lengths =
        ets_inspection_row_lengths(inspection, index) + (size_t)part->left_out * calls;
    for (uint32_t r = 0; r < part->run_count; r++) {
        for (uint32_t k = 0; k < calls; k++) ticks[r] += (double)*lengths++;
    }
}

bool ets_pool_keep_times(struct ets_arena *arena, const struct ets_inspection *inspection,
                         struct ets_pool_found *found)
{
    const struct ets_pool_part *part = &found->part;
    const struct ets_block *block = ets_inspection_block(inspection, part->block);
    double *ticks =
        ets_arena_alloc_array(arena, (size_t)block->row_count * part->run_count, sizeof *ticks);
    struct ets_pool_clock *clocks = ets_arena_alloc_array(arena, block->row_count, sizeof *clocks);
    const bool ok = ticks != NULL && clocks != NULL;
    for (uint32_t i = 0; ok && i < block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        clocks[i] = (struct ets_pool_clock){(double)row->quantum_ticks * row->calls_per_run,
                                            ets_row_has_own_clock(row) != 0};
        add_row(inspection, block->first_row + i, part, ticks + (size_t)i * part->run_count);
    }
    found->tick = tick_of(inspection);
    found->ticks = ticks;
    found->clocks = clocks;
    return ok;
}

/* The time of the total minus that of its children. */
static void take_rest(const struct ets_pool_block *block, double *times)
{
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_pool_operator *op = &block->operators[i];
        const double sign = i == block->total ? 1 : op->parent == block->total ? -1 : 0;
        if (op->role == ETS_POOL_REST || sign == 0) continue;
        for (uint32_t r = 0; r < block->run_count; r++) times[r] += sign * op->per_run[r];
    }
}

/* The part's row of an operator; ETS_NO_INDEX: its processor does not need it. */
static uint32_t row_of(const struct ets_pool_found *part, const struct ets_pool_operator *op)
{
    return part->rows == NULL ? op->row_offset : part->rows[op->row_offset];
}

/* Uses one clock for all parts: if one has the delegate's own, its ticks are compared in all. */
static void find_clock(const struct ets_pool_block *block,
                       const struct ets_pool_found *const *parts, struct ets_pool_operator *op)
{
    for (uint32_t p = 0; p < block->part_count; p++) {
        const uint32_t row = row_of(parts[p], op);
        op->has_own_clock |= row != ETS_NO_INDEX && parts[p]->clocks[row].is_own;
    }
}

static void put_times(const struct ets_pool_block *block, const struct ets_pool_found *const *parts,
                      struct ets_pool_operator *op, double *times)
{
    find_clock(block, parts, op);
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_found *from = parts[p];
        const double tick = op->has_own_clock ? 1 : from->tick;
        const uint32_t runs = from->part.run_count, row = row_of(from, op);
        if (row == ETS_NO_INDEX) { /* it takes no time there */
            times += runs;
            continue;
        }
        const double resolution = from->clocks[row].resolution * tick;
        if (resolution > op->resolution) op->resolution = resolution;
        for (uint32_t r = 0; r < runs; r++) {
            *times++ = from->ticks[(size_t)row * runs + r] * tick;
        }
    }
}

enum ets_status ets_pool_add_times(struct ets_pool *pool, struct ets_pool_block *block,
                                   const struct ets_pool_found *const *parts,
                                   struct ets_error *error)
{
    struct ets_pool_operator *operators = (struct ets_pool_operator *)(uintptr_t)block->operators;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        struct ets_pool_operator *op = &operators[i];
        double *times = ets_arena_alloc_array(&pool->arena, block->run_count, sizeof *times);
        if (times == NULL) return ets_fail_pool(error);
        op->per_run = times;
        if (op->role == ETS_POOL_REST) take_rest(block, times);
        else put_times(block, parts, op, times);
    }
    return ETS_OK;
}
