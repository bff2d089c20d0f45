/* The test of Mann and Kendall for a monotone trend. */
#ifndef ETSCOPE_INSPECT_ACCOUNTING_TREND_H
#define ETSCOPE_INSPECT_ACCOUNTING_TREND_H

#include <stdint.h>

struct ets_trend_scratch {
    double *sorted, *merged; /* room for all tested values */
};

/*
 * The probability that `count` values in random order have this much of a trend, up or down. Uses
 * the normal distribution with corrections for ties and continuity, good for 8 values or more. Time
 * n log n.
 */
double ets_trend_p(const double *values, uint32_t count, const struct ets_trend_scratch *scratch);

#endif
