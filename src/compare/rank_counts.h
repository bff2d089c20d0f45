/* The exact distribution of a sum of ranks, for small samples. */
#ifndef ETSCOPE_COMPARE_RANK_COUNTS_H
#define ETSCOPE_COMPARE_RANK_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ETS_RANK_MAX_WORK = 300, /* smaller size times total size: bounds the sums below */
    ETS_RANK_MAX_DRAWN = 12, /* the smaller size: at most half of the total */
    ETS_RANK_MAX_SUM = 2 * ETS_RANK_MAX_WORK
};

/* The number of ways in which `drawn` ranks have a sum. Ranks are doubled, so ties are integers. */
struct ets_rank_counts {
    double ways[ETS_RANK_MAX_DRAWN + 1][ETS_RANK_MAX_SUM + 1]; /* [drawn][sum] */
    uint32_t drawn;
    double all;
};

/* Whether samples of these sizes are small enough. */
static inline bool ets_rank_is_small(uint32_t left, uint32_t right)
{
    const uint64_t smaller = left < right ? left : right;
    return smaller * ((uint64_t)left + right) <= ETS_RANK_MAX_WORK;
}

/* `ranks[i]`: twice the rank of value i in both samples together; ties share their mean rank. */
void ets_rank_counts_fill(struct ets_rank_counts *counts, const uint32_t *ranks, uint32_t count,
                          uint32_t drawn);

/* The fraction of all ways with a sum of at most (at least) `sum`. */
double ets_rank_at_most(const struct ets_rank_counts *counts, uint32_t sum);
double ets_rank_at_least(const struct ets_rank_counts *counts, uint32_t sum);

#endif
