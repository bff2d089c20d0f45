/* Details of the times of rows: clocks, units and the cost of recording. */
#ifndef ETSCOPE_INSPECT_TIME_DETAILS_H
#define ETSCOPE_INSPECT_TIME_DETAILS_H

#include <stdbool.h>

#include "etscope/inspect.h"

/* What tracing costs one run. */
struct ets_tracing_cost {
    double ns;        /* NaN: the trace does not state it */
    double low, high; /* 95 % interval, where it was measured; else as `ns` */
    double events_ns; /* estimate: events, without a delegate's own, times the cost of one */
    uint32_t pairs;   /* runs with tracing, and as many without, that measured it; 0: estimated */
    bool lacks_profilers; /* estimated, without what the profilers of delegates cost */
    bool is_subtracted;   /* `events_ns` was subtracted from times */
};
struct ets_tracing_cost ets_inspection_tracing_cost(const struct ets_inspection *inspection,
                                                    uint32_t run);
/* `events_ns` alone. */
double ets_inspection_events_cost(const struct ets_inspection *inspection, uint32_t run);

/*
 * The values behind ets_inspection_row_statistics, run by run in file order: fills `ticks_out`,
 * which has room for the runs of the row's block, and returns their number.
 */
uint32_t ets_inspection_row_ticks(const struct ets_inspection *inspection, uint32_t row,
                                  uint32_t run, double *ticks_out);

/*
 * The clock of the times of a row: "trace"; for a delegate's row also "fitted", "unknown" or
 * "overlapping".
 */
const char *ets_row_clock(const struct ets_row *row);

/* Threads that kernels and delegates ran on, the caller included; 0: the trace does not say. */
uint32_t ets_inspection_pool_threads(const struct ets_inspection *inspection);

/* Units in one second; 1 for cycles. */
double ets_time_unit_per_second(enum ets_time_unit unit);

#endif
