/* Counts of numbers in bins of equal width, for histograms. */
#ifndef ETSCOPE_NUMERICS_VALUE_BINS_H
#define ETSCOPE_NUMERICS_VALUE_BINS_H

#include <math.h>
#include <stdint.h>

enum { ETS_VALUE_BINS = 32 };

/* The bin of a finite number from `low` to `high`, which differ; both belong to a bin. */
static inline uint32_t ets_value_bin(double low, double high, double value)
{
    /* Halves, as the span of doubles may be more than a double. */
    const double span = high - low;
    const double share =
        isfinite(span) ? (value - low) / span : (value / 2 - low / 2) / (high / 2 - low / 2);
    const int bin = (int)(share * ETS_VALUE_BINS);
    if (bin < 0) return 0;
    return bin < ETS_VALUE_BINS ? (uint32_t)bin : ETS_VALUE_BINS - 1;
}

#endif
