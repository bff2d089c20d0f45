/* The numeric gap of a pair of tensors as ExecuTorch's Inspector computes it. */
#include <stdbool.h>

#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"
#include "numerics/upstream_gap.h"

/* The value that a number counts as; `is_on`: its tensor has a NaN. */
static double replace(bool is_on, double value)
{
    const double most = 0x1.fffffffffffffp1023;
    if (!is_on || value - value == 0) return value;
    return value != value ? 0 : value > 0 ? most : -most;
}

/* Adds all pairs one by one, if a number is NaN or infinite. */
static void sum_replaced(const struct ets_tensor *reference, const struct ets_tensor *other,
                         bool left_replaced, bool right_replaced, struct ets_gap *gap)
{
    struct ets_elements left, right;
    double a, b;
    if (ets_elements_init(&left, reference, NULL) != ETS_OK ||
        ets_elements_init(&right, other, NULL) != ETS_OK) {
        return; /* both were walked before */
    }
    while (ets_elements_next(&left, &a) && ets_elements_next(&right, &b)) {
        a = replace(left_replaced, a);
        b = replace(right_replaced, b);
        gap->mse += (a - b) * (a - b);
        gap->l1 += __builtin_fabs(a - b);
        gap->signal += a * a;
    }
}

enum ets_status ets_gap_of(const struct ets_tensor *reference, const struct ets_tensor *other,
                           struct ets_gap *gap_out, struct ets_error *error)
{
    struct ets_comparison sums;
    const enum ets_status status = ets_comparison_of(reference, other, &sums, error);
    if (status != ETS_OK) return status;
    struct ets_gap gap = {.count = sums.count};
    if (sums.finite_count == sums.count) {
        gap.mse = sums.error_square_sum;
        gap.l1 = sums.error_absolute_sum;
        gap.signal = sums.reference_square_sum;
    } else {
        sum_replaced(reference, other, sums.reference_nan_count > 0, sums.other_nan_count > 0,
                     &gap);
    }
    const double count = (double)gap.count;
    gap.mse = count > 0 ? gap.mse / count : __builtin_nan("");
    gap.signal = count > 0 ? gap.signal / count : __builtin_nan("");
    *gap_out = gap;
    return ETS_OK;
}
