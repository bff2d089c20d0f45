/* Which values of a sample enclose the median of what it is drawn from. */
#include "base/quantile.h"

/*
 * Fewer than k of `n` fair coins show heads with a probability of at most `tail`. Counts down from
 * the middle, whose probability is a product of n / 2 factors.
 */
uint32_t ets_interval_rank(uint32_t n, double tail)
{
    uint32_t heads = n / 2;
    double p = 1; /* of exactly that many heads */
    for (uint32_t i = 1; i <= heads; i++) p *= 1 - 0.5 / i;
    if (n % 2 == 1) p *= 0.5 * n / (heads + 1.0);
    double sum = n % 2 == 1 ? 0.5 : (1 + p) / 2; /* of at most that many */
    while (sum > tail && heads > 0) {
        sum -= p;
        p *= heads / (n - heads + 1.0);
        heads--;
    }
    return sum <= tail ? heads + 1 : 0;
}
