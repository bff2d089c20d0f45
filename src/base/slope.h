/* How a value grows with another, whatever a few outliers do. */
#ifndef ETSCOPE_BASE_SLOPE_H
#define ETSCOPE_BASE_SLOPE_H

#include <stdbool.h>
#include <stdint.h>

/* NaN: too few points, or all at one place; of the interval alone: fewer than 12 points. */
struct ets_slope {
    double value, low, high; /* with its 95 % interval */
};

/*
 * The median of the slopes between points that are half of the list apart, and the interval of that
 * median, which assumes no distribution (Theil's incomplete method, 1950). `scratch` has room for
 * half as many as points; needs at least 4.
 */
struct ets_slope ets_slope_of(const double *x, const double *y, uint32_t count, double *scratch);

/*
 * Whether it clearly differs from zero: zero is at least twice as far away as an end of the
 * interval. Values that follow each other are alike, so the interval alone is too narrow.
 */
static inline bool ets_slope_is_clear(const struct ets_slope *slope)
{
    return slope->low > slope->value / 2 || slope->high < slope->value / 2;
}

#endif
