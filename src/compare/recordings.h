/*
 * The recordings of a block: the traces that it was merged from.
 *
 *     struct ets_recordings recordings;
 *     if (ets_recordings_find(&arena, block, &recordings)) {
 *         ets_recordings_values(&recordings, operator->per_run, ETS_METRIC_P50, scratch, values);
 *     }
 */
#ifndef ETSCOPE_COMPARE_RECORDINGS_H
#define ETSCOPE_COMPARE_RECORDINGS_H

#include <stdbool.h>

#include "etscope/experimental/budget.h"
#include "host/arena.h"

struct ets_recordings {
    const struct ets_pool_block *block;
    uint32_t *of_part; /* [part] number of its recording; ETS_NO_INDEX: a copy of an earlier one */
    uint32_t count;
    uint32_t least_runs, most_runs; /* of one recording */
    uint64_t begin, end; /* of all, nanoseconds since 1970; begin 0: of some, not known */
};

/* `block` NULL: none. False: no memory. */
bool ets_recordings_find(struct ets_arena *arena, const struct ets_pool_block *block,
                         struct ets_recordings *recordings_out);

/*
 * Whether all recordings of one side [ETS_BEFORE, ETS_AFTER] were made after those of the other.
 * What the machine did in between then looks like a difference of the programs. False where times
 * are not known.
 */
bool ets_recordings_are_apart(const struct ets_recordings sides[2]);

/*
 * The metric of each recording, [count] to `values_out`. `per_run` is in order of the block's runs,
 * `scratch` has room for those.
 */
void ets_recordings_values(const struct ets_recordings *recordings, const double *per_run,
                           enum ets_budget_metric metric, double *scratch, double *values_out);

/* All runs but those of copies. Returns their number. */
uint32_t ets_recordings_runs(const struct ets_recordings *recordings, const double *per_run,
                             double *runs_out);

/* min, p10, p50, p90, max or mean; of RATE, the p50; of SHARE, NaN. */
double ets_metric_of(const struct ets_statistics *times, enum ets_budget_metric metric);

#endif
