/* The test of Mann and Kendall for a monotone trend. */
#ifndef ETSCOPE_INSPECT_ACCOUNTING_TREND_H
#define ETSCOPE_INSPECT_ACCOUNTING_TREND_H

#include <stdint.h>

struct ets_trend_scratch {
    double *sorted, *merged; /* as many values as are tested */
};

/*
 * Probability that `count` values in any order have as much of a trend, up or down: by the normal
 * distribution, corrected for ties and continuity (good from 8 values on). Time n log n.
 */
double ets_trend_p(const double *values, uint32_t count, const struct ets_trend_scratch *scratch);

#endif
