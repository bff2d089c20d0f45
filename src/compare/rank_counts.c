/* Counts how many ways to draw ranks give each rank sum: the exact distribution for few runs. */
#include "compare/rank_counts.h"

#include <string.h>

void ets_rank_counts_fill(struct ets_rank_counts *counts, const uint32_t *ranks, uint32_t count,
                          uint32_t drawn)
{
    uint32_t reach = 0; /* the largest sum of the values so far */
    memset(counts->ways, 0, (drawn + 1) * sizeof counts->ways[0]);
    counts->drawn = drawn;
    counts->all = 0;
    counts->ways[0][0] = 1;
    for (uint32_t i = 0; i < count; i++) { /* each value is drawn or not */
        reach += ranks[i];
        if (reach > ETS_RANK_MAX_SUM) reach = ETS_RANK_MAX_SUM;
        for (uint32_t k = i < drawn ? i + 1 : drawn; k > 0; k--) {
            for (uint32_t sum = ranks[i]; sum <= reach; sum++) {
                counts->ways[k][sum] += counts->ways[k - 1][sum - ranks[i]];
            }
        }
    }
    for (uint32_t sum = 0; sum <= ETS_RANK_MAX_SUM; sum++) {
        counts->all += counts->ways[drawn][sum];
    }
}

double ets_rank_at_most(const struct ets_rank_counts *counts, uint32_t sum)
{
    double ways = 0;
    for (uint32_t i = 0; i <= sum && i <= ETS_RANK_MAX_SUM; i++) {
        ways += counts->ways[counts->drawn][i];
    }
    return ways / counts->all;
}

double ets_rank_at_least(const struct ets_rank_counts *counts, uint32_t sum)
{
    double ways = 0;
    for (uint32_t i = sum; i <= ETS_RANK_MAX_SUM; i++) ways += counts->ways[counts->drawn][i];
    return ways / counts->all;
}
