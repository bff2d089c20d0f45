/* The numbers of the numeric gap of ExecuTorch's Inspector. */
#ifndef ETSCOPE_NUMERICS_UPSTREAM_GAP_H
#define ETSCOPE_NUMERICS_UPSTREAM_GAP_H

#include "etscope/tensor.h"

/*
 * The result of ExecuTorch's Inspector.calculate_numeric_gap for a pair of tensors. If a tensor has
 * a NaN, its NaNs count as 0 and its infinities as the largest double; otherwise infinities stay.
 * Means are over all pairs.
 */
struct ets_gap {
    uint64_t count;
    double mse;    /* NaN if count is 0 */
    double l1;     /* the sum, not a mean */
    double signal; /* mean of reference^2 */
};
ETS_API enum ets_status ets_gap_of(const struct ets_tensor *reference,
                                   const struct ets_tensor *other, struct ets_gap *gap_out,
                                   struct ets_error *error);

/* For hosts: 10 * log10(signal / mse); infinite if nothing differs, NaN if both are 0. */
ETS_API double ets_gap_snr(const struct ets_gap *gap);

#endif
