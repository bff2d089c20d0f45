/* The entry UNTRACED of the extra block: how much longer runs take with tracing. */
#ifndef ETSCOPE_DUMP_EXTRA_UNTRACED_H
#define ETSCOPE_DUMP_EXTRA_UNTRACED_H

#include "dump/extra_growth.h"
#include "etscope/trace_extra.h"

/* Runs with tracing, and as many without, that were timed in turns. */
struct ets_untraced_runs {
    struct ets_text method;
    int32_t test_case; /* -1: none */
    uint32_t pairs;
    double median_ns, low_ns, high_ns; /* of the differences, with the median's 95 % interval */
};

/* False: no memory. */
bool ets_untraced_runs_add(struct ets_extra_growth *growth, const struct ets_untraced_runs *runs);
/*
 * Iterates over the entries, as ets_trace_extra_next_run does; those that are not whole or make no
 * sense are skipped.
 */
int ets_untraced_runs_next(const struct ets_trace_extra *extra, size_t *at,
                           struct ets_untraced_runs *runs_out);

#endif
