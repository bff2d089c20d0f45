/* p99, standard deviation, and a confidence interval of the median that assumes no distribution. */
#include <math.h>

#include "base/quantile.h"
#include "inspect/accounting/accounting.h"

/* Each end of a two-sided interval of 95 %. */
#define TAIL 0.025

static double deviation(const double *values, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) sum += values[i];
    const double mean = sum / count;
    for (uint32_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    return count < 2 ? NAN : sqrt(squares / (count - 1));
}

void ets_spread_compute(const double *sorted, uint32_t count, struct ets_spread *spread_out)
{
    *spread_out = (struct ets_spread){NAN, NAN, NAN, NAN};
    if (count == 0) return;
    spread_out->p99 = ets_quantile(sorted, count, 0.99);
    spread_out->sd = deviation(sorted, count);
    const uint32_t k = ets_interval_rank(count, TAIL);
    if (k == 0) return;
    spread_out->median_low = sorted[k - 1];
    spread_out->median_high = sorted[count - k];
}
