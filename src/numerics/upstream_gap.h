/* The numbers of upstream's numeric gap. */
#ifndef ETSCOPE_NUMERICS_UPSTREAM_GAP_H
#define ETSCOPE_NUMERICS_UPSTREAM_GAP_H

#include "etscope/tensor.h"

/*
 * What ExecuTorch's Inspector.calculate_numeric_gap gives for a pair of tensors, NaNs included:
 * where a tensor holds a NaN, its NaNs count as 0 and its infinities as the largest double; where
 * it holds none, infinities stay. Means are over all pairs.
 */
struct ets_gap {
    uint64_t count;
    double mse;    /* NaN where count is 0 */
    double l1;     /* the sum, not a mean */
    double signal; /* mean of reference^2 */
};
ETS_API enum ets_status ets_gap_of(const struct ets_tensor *reference,
                                   const struct ets_tensor *other, struct ets_gap *gap_out,
                                   struct ets_error *error);

/* For hosts: 10 * log10(signal / mse); infinite where nothing differs, NaN where both are 0. */
ETS_API double ets_gap_snr(const struct ets_gap *gap);

#endif
