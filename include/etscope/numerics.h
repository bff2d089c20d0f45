/*
 * numerics.h - reads the elements of any tensor as doubles, compares two tensors, checks them
 * against a tolerance, and computes statistics of one tensor.
 *
 *     struct ets_comparison sums;
 *     struct ets_error error;
 *     if (ets_comparison_of(&reference, &recorded, &sums, &error) != ETS_OK) {
 *         fprintf(stderr, "%s\n", error.message);
 *         return;
 *     }
 *     printf("mse %g, snr %g dB, cosine %g, worst by %g at element %llu\n",
 *            ets_comparison_mse(&sums), ets_comparison_snr(&sums), ets_comparison_cosine(&sums),
 *            sums.max_error, (unsigned long long)sums.max_error_index);
 *
 * Runs on devices: no heap, no stdio, no mathematics library. Only ets_comparison_snr, _cosine,
 * _rmse and _relative_rms take roots and logarithms; they are for hosts. Results are sums and
 * counts, so partial results can be merged. Nothing keeps state outside the caller's structs, so
 * any thread may call.
 *
 * Numbers are doubles, for all types of tensors. Blocks of 512 pairs (64 if compiled for size) are
 * summed in four lanes, and the sums of the blocks with Neumaier's compensation: the relative
 * rounding error of a sum of squares is below 1e-14 for tensors of any length. Two tensors of one
 * layout are summed in memory order, others in an order that suits both. For the same order,
 * processors with AVX2 give the same sums as others, except for the rounding of the last three
 * pairs of a tensor and of relative errors of 8-bit integers. Other comparators are in
 * experimental/comparators.h.
 */
#ifndef ETSCOPE_NUMERICS_H
#define ETSCOPE_NUMERICS_H

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Iterates over all numbers of a tensor in logical (row-major) order, for any strides. */
struct ets_elements {
    const struct ets_tensor *tensor;
    uint64_t index;           /* of the element that the last `next` returned a number of */
    uint64_t remaining;       /* elements not yet finished */
    uint64_t begun;           /* inner: elements started */
    uint32_t component;       /* inner */
    uint32_t component_count; /* numbers per element */
    uint64_t at;              /* inner: element offset of the next element */
    int64_t position[ETS_TENSOR_MAX_RANK]; /* inner */
};

/*
 * Starts an iteration; `tensor` must live until its end. Statuses: UNSUPPORTED (a type whose
 * elements are not numbers), INVALID_ARGUMENT (negative sizes or strides, rank over the limit),
 * TRUNCATED (sizes and strides reach past data_bytes).
 */
ETS_API enum ets_status ets_elements_init(struct ets_elements *elements,
                                          const struct ets_tensor *tensor, struct ets_error *error);

/* 1 and the next number, or 0 at the end. A complex element gives its real part first. */
ETS_API int ets_elements_next(struct ets_elements *elements, double *value_out);

/*
 * The comparison of two tensors. Sums are over pairs of two finite numbers. Other pairs are
 * counted: two NaNs, or the same infinity twice, are equal.
 */
struct ets_comparison {
    uint64_t count;         /* pairs of numbers; a complex element is two */
    uint64_t finite_count;  /* pairs of two finite numbers */
    uint64_t unequal_count; /* pairs that differ; -0 equals 0 */
    uint64_t broken_count;  /* pairs that differ and have a NaN or an infinity */
    uint64_t reference_nan_count, reference_infinite_count;
    uint64_t other_nan_count, other_infinite_count;
    double error_square_sum;     /* of (other - reference)^2 */
    double error_absolute_sum;   /* of |other - reference| */
    double reference_square_sum; /* of reference^2 */
    double other_square_sum;     /* of other^2 */
    double product_sum;          /* of reference * other */
    double max_error;            /* largest |other - reference|; 0 if no pair is finite */
    uint64_t max_error_index;    /* logical element index of the first such pair; 0 for none */
    /*
     * |other - reference| / max(|reference|, |other|, 1e-8), as in ExecuTorch's
     * compute_method_output_error_stats: never more than 2.
     */
    double relative_error_sum, max_relative_error;
    uint64_t max_relative_error_index;
    uint64_t first_broken_index; /* of the pairs in broken_count; 0 for none */
    int types_differ;            /* 1: the scalar types differ; numbers were compared */
    int layouts_differ;          /* 1: the strides differ; logical elements were compared */
};

/*
 * Compares two tensors element by element, in logical order. Scalar types and strides may differ;
 * the result notes it. With AVX2 it is as fast as memory for wide types (docs/benchmarks.md).
 * Stack: about 19 KB (3.7 KB if compiled for size). Statuses: those of ets_elements_init; MISMATCH
 * if the shapes differ or only one tensor is complex. `*comparison_out` is not changed on failure.
 */
ETS_API enum ets_status ets_comparison_of(const struct ets_tensor *reference,
                                          const struct ets_tensor *other,
                                          struct ets_comparison *comparison_out,
                                          struct ets_error *error);

/* Means over the finite pairs; NaN if there are none or if broken_count is not 0. */
ETS_API double ets_comparison_mse(const struct ets_comparison *comparison);
ETS_API double ets_comparison_l1(const struct ets_comparison *comparison);
ETS_API double ets_comparison_mean_relative(const struct ets_comparison *comparison);

/*
 * For hosts. Signal-to-noise ratio in dB, 10 * log10(sum of reference^2 / sum of error^2). Infinite
 * if nothing differs; NaN if also all of the reference is 0, if no pair is finite, or if
 * broken_count is not 0.
 */
ETS_API double ets_comparison_snr(const struct ets_comparison *comparison);
/* Root of the mean squared error. */
ETS_API double ets_comparison_rmse(const struct ets_comparison *comparison);
/*
 * The "error" of docs/numerics.md: root mean square of the error over root mean square of the
 * reference. 0 if all pairs are equal; infinite if only one side of a pair is NaN or infinite, or
 * if the reference is all 0.
 */
ETS_API double ets_comparison_relative_rms(const struct ets_comparison *comparison);
/*
 * Cosine of the angle between both; NaN if one of them is all 0, if no pair is finite, or if
 * broken_count is not 0.
 */
ETS_API double ets_comparison_cosine(const struct ets_comparison *comparison);

/*
 * Whether two tensors are close. Statuses: those of ets_comparison_of.
 *
 *     const struct ets_tolerance tolerance = {.relative = 1e-3, .absolute = 1e-5};
 *     struct ets_closeness closeness;
 *     if (ets_closeness_of(&expected, &actual, &tolerance, &closeness, &error) == ETS_OK &&
 *         closeness.outside_count > 0) {
 *         printf("%llu of %llu elements are over the tolerance, the worst is %llu\n",
 *                (unsigned long long)closeness.outside_count, (unsigned long long)closeness.count,
 *                (unsigned long long)closeness.worst_index);
 *     }
 */

/* Close is |actual - expected| <= absolute + relative * |expected|. Neither may be negative. */
struct ets_tolerance {
    double relative, absolute;
    int nan_differs; /* 1: a NaN is never close, as in NumPy; 0: two NaNs are close */
    double of_rms;   /* verify.h adds of_rms * (root mean square of expected) to `absolute`;
                        ets_closeness_of does not */
};

struct ets_closeness {
    uint64_t count;         /* pairs of numbers; a complex element is two */
    uint64_t outside_count; /* pairs that are not close */
    uint64_t first_index;   /* of the first pair that is not close; 0 if there is none */
    uint64_t worst_index;   /* of the pair with the largest excess; 0 if there is none */
    double worst_excess;    /* its |actual - expected| / (absolute + relative * |expected|) */
};

/*
 * An infinity is close only to itself, and a number is never close to a NaN or an infinity: these
 * pairs have an infinite excess. Status: INVALID_ARGUMENT (a negative or NaN tolerance).
 */
ETS_API enum ets_status ets_closeness_of(const struct ets_tensor *expected,
                                         const struct ets_tensor *actual,
                                         const struct ets_tolerance *tolerance,
                                         struct ets_closeness *closeness_out,
                                         struct ets_error *error);

/*
 * Statistics of one tensor: its range, sums, NaNs, infinities and hash.
 *
 *     struct ets_tensor_statistics statistics;
 *     if (ets_tensor_statistics_of(&tensor, 4, &statistics) == ETS_OK) {
 *         printf("%g to %g, mean %g, std %g, %llu NaN, hash %016llx\n", statistics.min,
 *                statistics.max, ets_tensor_statistics_mean(&statistics),
 *                ets_tensor_statistics_std(&statistics),
 *                (unsigned long long)statistics.nan_count, (unsigned long long)statistics.hash);
 *     }
 *
 * Runs on devices: no heap, no stdio, no mathematics library, about 1,700 bytes of stack. Only
 * ets_tensor_statistics_std and ets_tensor_statistics_l2 take a root; they are for hosts. Any
 * thread may call.
 */

/* The most first values that statistics can keep. */
#define ETS_TENSOR_STATISTICS_FIRST_LIMIT 8

/*
 * Quantized types count as their stored integers, bool as 0 and 1, and a complex element as two
 * numbers (real, imaginary). Range and sums are over the finite numbers. NaNs and infinities are
 * only counted. Sums are accumulated in blocks of 64 numbers, and the deviation is never a
 * difference of two large sums. Numbers beyond 1e154, which only float64 has, make the sums of
 * squares infinite.
 */
struct ets_tensor_statistics {
    uint64_t count;          /* numbers: elements, or twice as many for complex types */
    uint64_t nan_count;      /* NaNs among them */
    uint64_t infinite_count; /* infinities among them, of both signs */
    uint64_t zero_count;     /* zeros among them, of both signs */
    double min, max;         /* NaN if no number is finite; so is absolute_max */
    double absolute_max;
    double sum, absolute_sum, square_sum;
    double deviation_square_sum; /* of (x - mean)^2 */
    /*
     * XXH64 with seed 0 of the elements' bytes in logical (row-major) order, so that it does not
     * depend on the layout. In Python: xxhash.xxh64(array.tobytes()).intdigest(). Equal values with
     * different bits, such as 0 and -0, have different hashes.
     */
    uint64_t hash;
    uint32_t first_count;                            /* min(first_count asked for, count) */
    double first[ETS_TENSOR_STATISTICS_FIRST_LIMIT]; /* in logical order, with NaNs and
                                                        infinities */
};

/*
 * Computes the statistics in one pass, for any strides. Statuses: UNSUPPORTED (elements that are
 * not numbers: quint4x2, quint2x4, the bits types), INVALID_ARGUMENT (rank over the limit, negative
 * or overflowing sizes or strides, first_count above ETS_TENSOR_STATISTICS_FIRST_LIMIT), TRUNCATED
 * (sizes and strides reach past data_bytes, or data is NULL). `*statistics_out` is not changed on
 * failure.
 */
ETS_API enum ets_status ets_tensor_statistics_of(const struct ets_tensor *tensor,
                                                 uint32_t first_count,
                                                 struct ets_tensor_statistics *statistics_out);

/* Mean of the finite numbers; NaN if there are none. */
ETS_API double ets_tensor_statistics_mean(const struct ets_tensor_statistics *statistics);

/*
 * Standard deviation of the finite numbers, divided by their count as in NumPy; NaN if there are
 * none.
 */
ETS_API double ets_tensor_statistics_std(const struct ets_tensor_statistics *statistics);

/* Root of the sum of squares of the finite numbers; 0 if there are none. */
ETS_API double ets_tensor_statistics_l2(const struct ets_tensor_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
