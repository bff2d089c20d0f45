/*
 * The events of a trace added up by call: what flame graphs are made of.
 *
 *     struct ets_row_sums sums;
 *     if (!ets_row_sums_collect(&arena, inspection, &sums)) return no_memory();
 *     for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
 *         if (sums.items[row].is_shown) show(row, sums.items[row].self_ns);
 *     }
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_ROW_SUMS_H
#define ETSCOPE_OUTPUT_EXPORT_ROW_SUMS_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"

struct ets_row_sum {
    uint64_t calls;   /* over all runs */
    uint64_t self_ns; /* over all runs, without what is inside; 0 where that reports more */
    bool is_shown;    /* it has the trace's clock, and so has what is around it */
};

struct ets_row_sums {
    struct ets_row_sum *items; /* [row] */
    uint32_t depth;            /* of the deepest row, plus 1 */
};

/* False where memory ran out. */
bool ets_row_sums_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                          struct ets_row_sums *sums_out);

/*
 * The rows from the outermost to `row`; `stack` has room for `depth`. Returns their number.
 */
uint32_t ets_row_stack(const struct ets_inspection *inspection, uint32_t row, uint32_t *stack);

/* The name of a run's method, or of the run where the method is not known. */
struct ets_text ets_run_method(const struct ets_inspection *inspection, uint32_t run);

/* Nanoseconds of a tick; 1 for cycles. */
uint64_t ets_tick_ns(const struct ets_inspection *inspection);

#endif
