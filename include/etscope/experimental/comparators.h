/*
 * comparators.h - further ways to compare two tensors: units in the last place, top-k agreement and
 * quantization steps.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_ulps ulps;
 *     if (ets_ulps_of(&reference, &other, &ulps, &error) == ETS_OK) {
 *         printf("at most %llu units in the last place apart\n", (unsigned long long)ulps.max);
 *     }
 *
 * As in numerics.h, the functions run on devices and keep no state, numbers are doubles, scalar
 * types and strides of the two tensors may differ, and indices are of elements in logical
 * (row-major) order. All functions return the statuses of ets_comparison_of, and do not change
 * their result on failure.
 */
#ifndef ETSCOPE_COMPARATORS_H
#define ETSCOPE_COMPARATORS_H

#include "etscope/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Distances in units in the last place: the number of steps between representable numbers of the
 * type. 0 and -0 are one number. Over pairs of finite numbers.
 */
struct ets_ulps {
    uint64_t count; /* pairs of finite numbers */
    uint64_t max;
    uint64_t max_index; /* of the first such pair; 0 for none */
    double mean;        /* NaN if no pair is finite */
};

/*
 * For two tensors of one type: float64, float32, float16, bfloat16 or a complex type of these.
 * Statuses: UNSUPPORTED (another type), MISMATCH (the types differ).
 */
ETS_API enum ets_status ets_ulps_of(const struct ets_tensor *reference,
                                    const struct ets_tensor *other, struct ets_ulps *ulps_out,
                                    struct ets_error *error);

/* The largest k of top-k agreement. */
#define ETS_TOP_K_LIMIT 64

/*
 * Whether two tensors have their largest numbers at the same places, row by row along the last
 * dimension.
 */
struct ets_top_k {
    uint64_t row_count;    /* 1 for a tensor without dimensions; 0 for one without elements */
    uint64_t first_agrees; /* rows with the largest number at the same place */
    uint64_t all_agree;    /* rows with the k largest at the same places, in any order */
    double overlap;        /* mean over rows of the share of common places; NaN: no rows */
    uint64_t first_unlike; /* the first row with different places; row_count: none */
};

/*
 * A NaN is larger than every number, as in torch.topk. Of equal numbers the first counts as larger.
 * Rows shorter than k are compared as a whole. Statuses: INVALID_ARGUMENT (k is 0 or above
 * ETS_TOP_K_LIMIT), UNSUPPORTED (complex types).
 */
ETS_API enum ets_status ets_top_k_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *other, uint32_t k,
                                     struct ets_top_k *top_k_out, struct ets_error *error);

/* Errors in quantization steps, rounded to whole steps (halves to even). */
struct ets_steps {
    uint64_t count;     /* pairs of finite numbers */
    uint64_t within[3]; /* of these: 0, 1 and 2 steps apart */
    double max;         /* steps of the largest error */
    uint64_t max_index; /* 0 for none */
    double mean;        /* NaN if no pair is finite */
};

/*
 * `step` is the scale of the quantization for floating-point numbers, and 1 for quantized or plain
 * integers. Status: INVALID_ARGUMENT (a step that is not finite and above 0).
 */
ETS_API enum ets_status ets_steps_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *other, double step,
                                     struct ets_steps *steps_out, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
