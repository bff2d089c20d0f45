/* Quantiles of a sample, and how to sort it. */
#ifndef ETSCOPE_BASE_QUANTILE_H
#define ETSCOPE_BASE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Sorts values without NaN, ascending. */
void ets_sort_doubles(double *values, size_t count);

/* `sorted` ascending, `count` at least 1; interpolates as NumPy does, to the last digit. */
static inline double ets_quantile(const double *sorted, uint32_t count, double fraction)
{
    const double rank = fraction * (double)(count - 1);
    const uint32_t below = (uint32_t)rank;
    const uint32_t above = below + 1 < count ? below + 1 : below;
    const double t = rank - (double)below;
    const double difference = sorted[above] - sorted[below];
    return t < 0.5 ? sorted[below] + difference * t : sorted[above] - difference * (1 - t);
}

/*
 * The largest k such that the k-th smallest and the k-th largest of `n` independent values enclose
 * their distribution's median, but for a probability of `tail` at each end; 0: none.
 */
uint32_t ets_interval_rank(uint32_t n, double tail);

#endif
