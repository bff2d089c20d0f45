/*
 * Results of a comparison that need roots and logarithms: for hosts, which have a mathematics
 * library.
 */
#include <math.h>

#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"
#include "numerics/upstream_gap.h"

/* 0, or NaN if the means are NaN. */
static double nothing(const struct ets_comparison *comparison)
{
    const double mean = ets_comparison_mse(comparison);
    return isnan(mean) ? mean : 0;
}

double ets_comparison_snr(const struct ets_comparison *comparison)
{
    const double signal = comparison->reference_square_sum, noise = comparison->error_square_sum;
    const double gone = nothing(comparison);
    if (noise == 0) return signal > 0 ? (double)INFINITY + gone : (double)NAN;
    return 10 * log10(signal / noise) + gone;
}

double ets_comparison_rmse(const struct ets_comparison *comparison)
{
    return sqrt(ets_comparison_mse(comparison));
}

double ets_comparison_relative_rms(const struct ets_comparison *comparison)
{
    if (comparison->broken_count > 0) return (double)INFINITY;
    if (comparison->error_square_sum == 0) return 0;
    return sqrt(comparison->error_square_sum / comparison->reference_square_sum);
}

double ets_comparison_cosine(const struct ets_comparison *comparison)
{
    const double sizes =
        sqrt(comparison->reference_square_sum) * sqrt(comparison->other_square_sum);
    return (sizes > 0 ? comparison->product_sum / sizes : (double)NAN) + nothing(comparison);
}

double ets_gap_snr(const struct ets_gap *gap)
{
    if (gap->mse == 0) return gap->signal > 0 ? (double)INFINITY : (double)NAN;
    return 10 * log10(gap->signal / gap->mse);
}
