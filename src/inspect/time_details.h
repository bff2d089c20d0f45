/* Details of the times of rows: clocks, units and the cost of recording. */
#ifndef ETSCOPE_INSPECT_TIME_DETAILS_H
#define ETSCOPE_INSPECT_TIME_DETAILS_H

#include "etscope/inspect.h"

/*
 * The cost of recording the events of one run in nanoseconds: their number, without a delegate's
 * own, times the cost of a begin and end pair. NaN if the trace does not state it.
 * `*is_subtracted_out` (may be NULL): 1 if it was subtracted from times.
 */
double ets_inspection_run_overhead(const struct ets_inspection *inspection, uint32_t run,
                                   int *is_subtracted_out);

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

/* Units in one second; 1 for cycles. */
double ets_time_unit_per_second(enum ets_time_unit unit);

#endif
