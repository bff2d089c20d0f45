/* Tests for the slow tail of runs: p90 and maximum, which the rank test hardly sees. */
#ifndef ETSCOPE_COMPARE_BUDGET_TAILS_H
#define ETSCOPE_COMPARE_BUDGET_TAILS_H

#include <stdbool.h>

#include "etscope/experimental/difference.h"

/* 90 % interval of p90 after - before, in ticks; infinite on a side with too few runs. */
struct ets_tail_shift {
    double low, high;
};

/* `scratch` must have room for the runs of either side. */
struct ets_tail_shift ets_tail_shift_of(const struct ets_difference_line *line, double *scratch);

/* The runs per side for an interval of +-`room`, if times are normally distributed. */
double ets_tail_runs(double deviation, double room);

/*
 * Whether so many new runs are above the slowest run of the base, `slowest`, that chance explains
 * it with a probability of at most 5 %.
 */
bool ets_tail_is_slower(const struct ets_difference_line *line, double slowest);
/* The same for the base's own runs, each slower by `room`: whether that change would show. */
bool ets_tail_would_show(const struct ets_difference_line *line, double room);

#endif
