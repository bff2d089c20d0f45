/* Quantiles of a sample, and the comparison function to sort it with. */
#ifndef ETSCOPE_BASE_QUANTILE_H
#define ETSCOPE_BASE_QUANTILE_H

#include <stdint.h>

/* For qsort of doubles without NaN, ascending. */
static inline int ets_compare_doubles(const void *left, const void *right)
{
    const double one = *(const double *)left, two = *(const double *)right;
    return (one > two) - (one < two);
}

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

#endif
