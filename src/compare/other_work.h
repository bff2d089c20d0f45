/*
 * other_work.h - whether the runs of two sides were given other work: then their times say nothing
 * of the program.
 *
 *     if (ets_other_work_find(before, after) != ETS_OTHER_WORK_NONE) return undecided;
 */
#ifndef ETSCOPE_COMPARE_OTHER_WORK_H
#define ETSCOPE_COMPARE_OTHER_WORK_H

#include "etscope/experimental/pool.h"

enum ets_other_work {
    ETS_OTHER_WORK_NONE,     /* or not known */
    ETS_OTHER_WORK_TOKENS,   /* of a run */
    ETS_OTHER_WORK_POSITION, /* at which they begin */
    ETS_OTHER_WORK_LENGTH,   /* they begin alike, and one goes on much longer: later tokens take
                                longer */
};

static inline enum ets_other_work ets_other_work_find(const struct ets_pool_block *before,
                                                      const struct ets_pool_block *after)
{
    enum { ALLOWED = 10 }; /* percent of the mean position */
    if (before == NULL || after == NULL || before->tokens == 0 || after->tokens == 0) {
        return ETS_OTHER_WORK_NONE;
    }
    if (before->tokens != after->tokens) return ETS_OTHER_WORK_TOKENS;
    if (before->position != after->position) return ETS_OTHER_WORK_POSITION;
    const double mean = ((double)before->position + (double)before->last_position) / 2;
    const double other = ((double)after->position + (double)after->last_position) / 2;
    const double apart = mean > other ? mean - other : other - mean;
    const double most = mean > other ? mean : other;
    return 100 * apart > ALLOWED * most ? ETS_OTHER_WORK_LENGTH : ETS_OTHER_WORK_NONE;
}

#endif
