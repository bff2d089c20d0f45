/*
 * Decides during a measurement whether the median of the runs is known well enough to stop.
 *
 * An interval that is computed after every run, until it is narrow, is wrong more often than it
 * says. Therefore the runs are looked at only at counts that grow by half (50, 75, 112...), and
 * look k may err with a probability of 5 % / (k (k + 1)), which adds up to 5 % over all looks.
 *
 * The interval consists of order statistics, so it assumes no distribution. Runs that follow each
 * other are alike; the ranks are those of as many independent runs as the observed ones are worth.
 */
#ifndef ETSCOPE_INSPECT_ACCOUNTING_STOPPING_H
#define ETSCOPE_INSPECT_ACCOUNTING_STOPPING_H

#include <stdint.h>

#include "etscope/base.h"

enum ets_certainty_state {
    ETS_CERTAINTY_TOO_FEW = 0,    /* fewer than 50 runs, or too few steady ones for an interval */
    ETS_CERTAINTY_DRIFTING = 1,   /* the steady runs have a trend: no median holds for all */
    ETS_CERTAINTY_CORRELATED = 2, /* runs depend on each other for too long to tell */
    ETS_CERTAINTY_WIDE = 3,
    ETS_CERTAINTY_SURE = 4
};

struct ets_certainty {
    enum ets_certainty_state state;
    uint32_t looks;   /* at which the runs could have ended, this one included */
    uint32_t warm_up; /* runs before the steady ones, which take no part */
    double median;    /* of the steady runs; NaN: too few */
    double low, high; /* the interval of the median; NaN: too few */
    double width;     /* (high - low) / median; NaN: too few */
    double drift;     /* as in struct ets_run_phases */
    double alike;     /* runs that are worth one independent run; at least 1; NaN: too few */
};

/* The count of runs of the first look after `count` runs. */
uint32_t ets_stopping_next_look(uint32_t count);

/*
 * Looks at the times of `count` runs in order of execution. `width`: sure if the interval is at
 * most this wide, relative to the median: 0.02. A function of its arguments alone; after the last
 * run it may be called for a count that is no look. `allocator` is for scratch memory; NULL: the C
 * library's. Status: NO_MEMORY.
 */
enum ets_status ets_stopping_look(const double *times, uint32_t count, double width,
                                  const struct ets_allocator *allocator,
                                  struct ets_certainty *certainty_out, struct ets_error *error);

#endif
