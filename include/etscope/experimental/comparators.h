/*
 * comparators.h - questions to a pair of tensors that the sums of numerics.h do not answer.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_ulps ulps;
 *     if (ets_ulps_of(&reference, &other, &ulps, &error) == ETS_OK) {
 *         printf("at most %llu units in the last place apart\n", (unsigned long long)ulps.max);
 *     }
 *
 * As in numerics.h: for devices, no state, numbers are doubles, scalar types and strides of the two
 * tensors may differ, indices are of elements in logical (row-major) order. All functions here
 * answer with the statuses of ets_comparison_of and leave their result untouched on failure.
 */
#ifndef ETSCOPE_COMPARATORS_H
#define ETSCOPE_COMPARATORS_H

#include "etscope/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Distances in units in the last place: how many numbers of the type lie from one to the other, 0
 * and -0 being one. Over pairs of finite numbers.
 */
struct ets_ulps {
    uint64_t count; /* pairs of finite numbers */
    uint64_t max;
    uint64_t max_index; /* of the first such pair; 0 for none */
    double mean;        /* NaN where no pair is finite */
};

/*
 * For two tensors of one type: float64, float32, float16, bfloat16 or a complex of these.
 * UNSUPPORTED: another type; MISMATCH: two types.
 */
ETS_API enum ets_status ets_ulps_of(const struct ets_tensor *reference,
                                    const struct ets_tensor *other, struct ets_ulps *ulps_out,
                                    struct ets_error *error);

/* The largest k that top-k agreement takes. */
#define ETS_TOP_K_LIMIT 64

/* Whether two tensors have the same largest numbers, row by row along the last dimension. */
struct ets_top_k {
    uint64_t row_count;    /* 1 for a tensor without dimensions; 0 for one without elements */
    uint64_t first_agrees; /* rows whose largest number is at the same place */
    uint64_t all_agree;    /* rows whose k largest are at the same places, in any order */
    double overlap;        /* mean over rows: share of the k places that both have; NaN: no rows */
    uint64_t first_unlike; /* the first row that does not agree at all k; row_count: all do */
};

/*
 * A NaN is larger than every number, as in torch.topk; of equal numbers the first counts as larger.
 * Rows shorter than k are compared whole. INVALID_ARGUMENT: k is 0 or above ETS_TOP_K_LIMIT;
 * UNSUPPORTED: complex types.
 */
ETS_API enum ets_status ets_top_k_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *other, uint32_t k,
                                     struct ets_top_k *top_k_out, struct ets_error *error);

/* Errors counted in quantization steps, rounded to whole ones (halves to even). */
struct ets_steps {
    uint64_t count;     /* pairs of finite numbers */
    uint64_t within[3]; /* of these: equal, one step off, two steps off */
    double max;         /* steps of the largest error */
    uint64_t max_index; /* 0 for none */
    double mean;        /* NaN where no pair is finite */
};

/*
 * `step`: the scale of the quantization for numbers in floating point, 1 for quantized or plain
 * integers. INVALID_ARGUMENT: a step that is not above 0 and finite.
 */
ETS_API enum ets_status ets_steps_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *other, double step,
                                     struct ets_steps *steps_out, struct ets_error *error);

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

#ifdef __cplusplus
}
#endif

#endif
