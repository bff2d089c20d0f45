/*
 * Statistics equal to NumPy's, digit for digit, because users compare with ExecuTorch's Inspector:
 * quantiles by linear interpolation (numpy.percentile), means by pairwise summation (numpy/core
 * loops).
 */
#include <math.h>
#include <stdlib.h>

#include "base/quantile.h"
#include "etscope/inspect.h"
#include "inspect/time_details.h"

/* NumPy's pairwise sum: eight running sums up to 128 values, halves above. */
static double pairwise_sum(const double *values, uint32_t count)
{
    if (count < 8) {
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) sum += values[i];
        return sum;
    }
    if (count <= 128) {
        double sums[8];
        for (uint32_t k = 0; k < 8; k++) sums[k] = values[k];
        uint32_t i = 8;
        for (; i < count - count % 8; i += 8) {
            for (uint32_t k = 0; k < 8; k++) sums[k] += values[i + k];
        }
        double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                     ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        for (; i < count; i++) sum += values[i];
        return sum;
    }
    const uint32_t half = count / 2 - count / 2 % 8;
    return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
}

void ets_statistics_compute(double *values, uint32_t count, struct ets_statistics *statistics_out)
{
    if (count == 0) {
        *statistics_out = (struct ets_statistics){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        return;
    }
    const double total = pairwise_sum(values, count);
    ets_sort_doubles(values, count);
    *statistics_out = (struct ets_statistics){
        .count = count,
        .min = values[0],
        .max = values[count - 1],
        .mean = total / (double)count,
        .p10 = ets_quantile(values, count, 0.1),
        .p50 = ets_quantile(values, count, 0.5),
        .p90 = ets_quantile(values, count, 0.9),
        .total = total,
    };
}

const char *ets_time_unit_name(enum ets_time_unit unit)
{
    static const char *const names[] = {"ns", "us", "ms", "s", "cycles"};
    return (unsigned)unit < 5 ? names[unit] : NULL;
}

double ets_time_unit_per_second(enum ets_time_unit unit)
{
    static const double scales[] = {1e9, 1e6, 1e3, 1, 1};
    return (unsigned)unit < 5 ? scales[unit] : 1;
}
