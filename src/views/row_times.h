/*
 * The time of each row of an inspection over all runs of its block, and its self time.
 *
 *     struct ets_row_times *times = ets_row_times_collect(&arena, inspection);
 *     if (times == NULL) return no_memory;
 *     for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
 *         show(times[row].statistics.mean, times[row].self);
 *     }
 *
 * Times are ticks of the trace. A row with its own clock (ets_row_has_own_clock) has ticks of that
 * clock, which are not part of any other row.
 */
#ifndef ETSCOPE_VIEWS_ROW_TIMES_H
#define ETSCOPE_VIEWS_ROW_TIMES_H

#include "host/arena.h"
#include "inspect/time_details.h"

struct ets_row_times {
    struct ets_statistics statistics;
    double middle; /* mean over the middle half of the block's runs, by how long they took */
    double self, self_middle; /* the mean and `middle` minus those of the rows inside */
    struct ets_clock_error error, self_error;
    uint32_t children; /* rows inside, one level deep */
};

/* [row] in `arena`; NULL: no memory. */
struct ets_row_times *ets_row_times_collect(struct ets_arena *arena,
                                            const struct ets_inspection *inspection);

#endif
