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

/* The rest of a run: the time between its operators, or all of a run of which none is recorded. */
#define ETS_REST_BETWEEN "(between operators)"
#define ETS_REST_NOT_RECORDED "(not recorded)"

/*
 * ets_inspection_ticks of the events of a row in their order: those of the first run of the row's
 * block, of which there are calls_per_run, and then those of each further run.
 */
const uint64_t *ets_inspection_row_lengths(const struct ets_inspection *inspection, uint32_t row);

/*
 * The values behind ets_inspection_row_statistics, run by run in file order: fills `ticks_out`,
 * which has room for the runs of the row's block, and returns their number.
 */
uint32_t ets_inspection_row_ticks(const struct ets_inspection *inspection, uint32_t row,
                                  uint32_t run, double *ticks_out);

/*
 * By how many ticks the true time may be less, or more, than what clocks reported. It is the same
 * for each statistic of a run's time; whoever adds up times adds up these.
 */
struct ets_clock_error {
    double below, above;
    uint32_t call;  /* row of the call that a part belongs to, or that this is the rest of */
    double of_call; /* of `above`, what parts of it may take, which its rest then does not */
};

/* Of a row's time in a run: a clock that is read in steps reports each call less than a step short.
 */
static inline struct ets_clock_error ets_row_clock_error(const struct ets_row *row)
{
    const double above = (double)row->quantum_ticks * row->calls_per_run;
    return (struct ets_clock_error){
        .above = above, .call = row->parent, .of_call = row->parent == ETS_NO_INDEX ? 0 : above};
}

/* What is left of row number `call` without a part of it is uncertain as the part is, the other
 * way. */
static inline void ets_clock_error_take(struct ets_clock_error *left, uint32_t call,
                                        struct ets_clock_error part)
{
    left->below += part.above;
    left->above += part.below;
    left->call = call;
    left->of_call = 0;
}

/* Of a sum of times. The parts of a call come before its rest: what one takes, the other lacks. */
static inline void ets_clock_error_add(struct ets_clock_error *sum, struct ets_clock_error error)
{
    double known = 0;
    if (sum->call != error.call) sum->of_call = 0;
    else if (error.below > 0) known = sum->of_call < error.below ? sum->of_call : error.below;
    sum->below += error.below - known;
    sum->above += error.above - known;
    sum->call = error.call;
    sum->of_call += error.of_call - known;
}

/*
 * The clock of the times of a row: "trace"; for a delegate's row also "fitted", "unknown",
 * "overlapping", "device", "estimated" or "counted".
 */
const char *ets_row_clock(const struct ets_row *row);

/* 1: the lengths of its events are no times of the trace's unit (fitted, unknown, counted). */
int ets_row_is_untimed(const struct ets_row *row);
/* 1: its times are a measured whole divided by a prediction. */
int ets_row_is_estimate(const struct ets_row *row);

/* Threads that kernels and delegates ran on, the caller included; 0: the trace does not say. */
uint32_t ets_inspection_pool_threads(const struct ets_inspection *inspection);

/* Units in one second; 1 for cycles. */
double ets_time_unit_per_second(enum ets_time_unit unit);

#endif
