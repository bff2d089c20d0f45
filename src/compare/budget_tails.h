/* What runs tell of their slow ends: p90 and the slowest, of which the rank test sees little. */
#ifndef ETSCOPE_COMPARE_BUDGET_TAILS_H
#define ETSCOPE_COMPARE_BUDGET_TAILS_H

#include <stdbool.h>

#include "etscope/experimental/difference.h"

/* 90 % interval of p90 after - before, in ticks; infinite to a side that too few runs bound. */
struct ets_tail_shift {
    double low, high;
};

/* `scratch`: room for the runs of either side. */
struct ets_tail_shift ets_tail_shift_of(const struct ets_difference_line *line, double *scratch);

/* Runs of each side whose interval reaches `room` to each side, if their times are normal. */
double ets_tail_runs(double deviation, double room);

/*
 * Whether so many of the new runs lie above the slowest of the base, `slowest`, that chance puts
 * them there one time in twenty at most.
 */
bool ets_tail_is_slower(const struct ets_difference_line *line, double slowest);
/* The same of the base's own runs, each slower by `room`: whether such a change would show. */
bool ets_tail_would_show(const struct ets_difference_line *line, double room);

#endif
