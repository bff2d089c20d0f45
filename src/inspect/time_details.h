/* Times of rows in detail: their clocks, units and the cost of recording. */
#ifndef ETSCOPE_INSPECT_TIME_DETAILS_H
#define ETSCOPE_INSPECT_TIME_DETAILS_H

#include "etscope/inspect.h"

/*
 * What recording the events of one run took, in nanoseconds: their number, without a delegate's
 * own, times the cost of a begin and end pair; NaN where the trace does not tell it.
 * `*is_subtracted_out` (may be NULL): 1 where times are without it.
 */
double ets_inspection_run_overhead(const struct ets_inspection *inspection, uint32_t run,
                                   int *is_subtracted_out);

/*
 * What ets_inspection_row_statistics describes, run by run in file order: fills `ticks_out`, which
 * has room for the runs of the row's block, and returns how many there are.
 */
uint32_t ets_inspection_row_ticks(const struct ets_inspection *inspection, uint32_t row,
                                  uint32_t run, double *ticks_out);

/* What the times of a row are in: "trace", or of a delegate's "fitted", "unknown", "overlapping".
 */
const char *ets_row_clock(const struct ets_row *row);

/* Units in one second; 1 for cycles. */
double ets_time_unit_per_second(enum ets_time_unit unit);

#endif
