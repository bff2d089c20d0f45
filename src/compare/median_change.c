/*
 * The 95 % interval of a change of medians: the bounds of both medians are order statistics, and
 * their distances combine by roots of sums of squares, so the change is always inside.
 */
#include <math.h>

#include "base/quantile.h"
#include "compare/significance.h"
#include "inspect/accounting/accounting.h"

struct ets_interval ets_median_change(const double *before, uint32_t before_count,
                                      const double *after, uint32_t after_count)
{
    struct ets_spread left, right;
    if (before_count == 0 || after_count == 0) return (struct ets_interval){NAN, NAN};
    ets_spread_compute(before, before_count, &left);
    ets_spread_compute(after, after_count, &right);
    const double from = ets_quantile(before, before_count, 0.5);
    const double to = ets_quantile(after, after_count, 0.5);
    return (struct ets_interval){to - from - hypot(to - right.median_low, left.median_high - from),
                                 to - from + hypot(right.median_high - to, from - left.median_low)};
}
