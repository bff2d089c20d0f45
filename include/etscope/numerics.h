/*
 * numerics.h - the elements of any tensor as numbers: how far two tensors lie apart, whether they
 * are close, and one tensor in a few numbers.
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
 * Runs on devices: no heap, no stdio, no mathematics library (ets_comparison_snr, _cosine and _rmse
 * take roots and logarithms; they are the host's). What comes out are sums and counts, of which
 * parts can be merged. Nothing keeps state outside of the caller's structs, so that any thread may
 * call. Numbers are doubles, whatever the tensors' types. Blocks of 512 pairs (64 where code is
 * compiled for size) are summed in four lanes, the blocks' sums with Neumaier's compensation: the
 * relative rounding error of a sum of squares is below 1e-14, however long the tensors are. Tensors
 * of one layout are summed in the order of memory, others in one that suits both. Processors with
 * AVX2 give the same sums as others for the same order, but for the roundings of the last three
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

/* A walk over all numbers of a tensor in logical (row-major index) order, whatever its strides. */
struct ets_elements {
    const struct ets_tensor *tensor;
    uint64_t index;           /* of the element that the last `next` gave a number of */
    uint64_t remaining;       /* elements that are not finished */
    uint64_t begun;           /* inner: elements behind the walk */
    uint32_t component;       /* inner */
    uint32_t component_count; /* numbers of an element */
    uint64_t at;              /* inner: element offset of the next element */
    int64_t position[ETS_TENSOR_MAX_RANK]; /* inner */
};

/*
 * Starts a walk; `tensor` is borrowed until its end. Statuses: UNSUPPORTED (a type without
 * numbers), INVALID_ARGUMENT (negative sizes or strides, rank over the limit), TRUNCATED (sizes and
 * strides reach past data_bytes).
 */
ETS_API enum ets_status ets_elements_init(struct ets_elements *elements,
                                          const struct ets_tensor *tensor, struct ets_error *error);

/* 1 and the next number, or 0 at the end. A complex element gives its real part first. */
ETS_API int ets_elements_next(struct ets_elements *elements, double *value_out);

/*
 * What two tensors have in common and what not. Sums are over the pairs of which both numbers are
 * finite. Other pairs are counted: two NaNs, or the same infinity twice, are equal.
 */
struct ets_comparison {
    uint64_t count;         /* pairs of numbers; a complex element is two */
    uint64_t finite_count;  /* pairs that the sums are over */
    uint64_t unequal_count; /* pairs of unlike numbers; -0 and 0 are alike */
    uint64_t broken_count;  /* of these, the pairs with a NaN or an infinity */
    uint64_t reference_nan_count, reference_infinite_count;
    uint64_t other_nan_count, other_infinite_count;
    double error_square_sum;     /* of (other - reference)^2 */
    double error_absolute_sum;   /* of |other - reference| */
    double reference_square_sum; /* of reference^2 */
    double other_square_sum;     /* of other^2 */
    double product_sum;          /* of reference * other */
    double max_error;            /* largest |other - reference|; 0 where no pair is finite */
    uint64_t max_error_index;    /* logical element index of the first such pair; 0 for none */
    /*
     * |other - reference| / max(|reference|, |other|, 1e-8), as in ExecuTorch's
     * compute_method_output_error_stats: never more than 2.
     */
    double relative_error_sum, max_relative_error;
    uint64_t max_relative_error_index;
    uint64_t first_broken_index; /* of the pairs in broken_count; 0 for none */
    int types_differ;            /* 1: two scalar types, whose numbers were compared */
    int layouts_differ;          /* 1: other strides, which hold the same logical elements */
};

/*
 * Compares two tensors element by element, in logical order: scalar types and strides may differ,
 * which is noted. With AVX2 as fast as memory for wide types (docs/benchmarks.md). Stack: about 19
 * KB (3.7 KB where compiled for size). Statuses: those of ets_elements_init; MISMATCH where the
 * shapes differ, and where one is complex and the other is not. `*comparison_out` is untouched on
 * failure.
 */
ETS_API enum ets_status ets_comparison_of(const struct ets_tensor *reference,
                                          const struct ets_tensor *other,
                                          struct ets_comparison *comparison_out,
                                          struct ets_error *error);

/* Means over the finite pairs; NaN where there are none, or where broken_count is not 0. */
ETS_API double ets_comparison_mse(const struct ets_comparison *comparison);
ETS_API double ets_comparison_l1(const struct ets_comparison *comparison);
ETS_API double ets_comparison_mean_relative(const struct ets_comparison *comparison);

/*
 * For hosts. Signal to noise in dB, 10 * log10(sum of reference^2 / sum of error^2): infinite where
 * nothing differs, NaN where in addition all of the reference is 0, where no pair is finite, and
 * where broken_count is not 0.
 */
ETS_API double ets_comparison_snr(const struct ets_comparison *comparison);
/* Root of the mean squared error. */
ETS_API double ets_comparison_rmse(const struct ets_comparison *comparison);
/*
 * What docs/numerics.md calls an error: the root of the mean squared error over that of the
 * reference's numbers. 0 where all are equal; infinite where a number is broken on one side alone,
 * or where the reference is all 0.
 */
ETS_API double ets_comparison_relative_rms(const struct ets_comparison *comparison);
/* Cosine of the angle between both; NaN where one of them is all 0, and as above. */
ETS_API double ets_comparison_cosine(const struct ets_comparison *comparison);

/*
 * Whether two tensors are close; a question as the above, with the statuses of ets_comparison_of.
 *
 *     const struct ets_tolerance tolerance = {.relative = 1e-3, .absolute = 1e-5};
 *     struct ets_closeness closeness;
 *     if (ets_closeness_of(&expected, &actual, &tolerance, &closeness, &error) == ETS_OK &&
 *         closeness.outside_count > 0) {
 *         printf("%llu of %llu elements are off, the worst is %llu\n",
 *                (unsigned long long)closeness.outside_count, (unsigned long long)closeness.count,
 *                (unsigned long long)closeness.worst_index);
 *     }
 */

/* Close is |actual - expected| <= absolute + relative * |expected|. Neither may be negative. */
struct ets_tolerance {
    double relative, absolute;
    int nan_differs; /* 1: a NaN is close to nothing, as in NumPy; 0: two NaNs are close */
    double of_rms;   /* verify.h adds of_rms * (root mean square of expected) to `absolute`;
                        ets_closeness_of does not */
};

struct ets_closeness {
    uint64_t count;         /* pairs of numbers; a complex element is two */
    uint64_t outside_count; /* of these, not close */
    uint64_t first_index;   /* of the first that is not close; 0 for none */
    uint64_t worst_index;   /* of the pair that is farthest off; 0 for none */
    double worst_excess;    /* its |actual - expected| / (absolute + relative * |expected|) */
};

/*
 * Infinities are close to themselves alone, a number is never close to a NaN or an infinity; such a
 * pair has an infinite excess. INVALID_ARGUMENT: a tolerance that is negative or NaN.
 */
ETS_API enum ets_status ets_closeness_of(const struct ets_tensor *expected,
                                         const struct ets_tensor *actual,
                                         const struct ets_tolerance *tolerance,
                                         struct ets_closeness *closeness_out,
                                         struct ets_error *error);

/*
 * One tensor in a few numbers: its range, its sums, what is broken in it, its hash.
 *
 *     struct ets_tensor_statistics statistics;
 *     if (ets_tensor_statistics_of(&tensor, 4, &statistics) == ETS_OK) {
 *         printf("%g to %g, mean %g, std %g, %llu NaN, hash %016llx\n", statistics.min,
 * statistics.max, ets_tensor_statistics_mean(&statistics), ets_tensor_statistics_std(&statistics),
 *                (unsigned long long)statistics.nan_count, (unsigned long long)statistics.hash);
 *     }
 *
 * Runs on devices: no heap, no stdio, no mathematics library, about 1,700 bytes of stack. Only
 * ets_tensor_statistics_std and ets_tensor_statistics_l2 take a root; they are the host's. Nothing
 * keeps state outside of the caller's struct, so that any thread may call.
 */

/* First values that statistics can keep. */
#define ETS_TENSOR_STATISTICS_FIRST_LIMIT 8

/*
 * Numbers are those of ets_element_load: quantized types count as their stored
 * integers, bool as 0 and 1, and a complex element is two numbers, its real and its imaginary part.
 * Range and sums are over the finite numbers; NaNs and infinities are counted and else left out.
 * Sums are added up in blocks of 64 numbers, and the deviation never as a difference of two large
 * sums. Numbers beyond 1e154, which float64 alone has, make the sums of squares infinite.
 */
struct ets_tensor_statistics {
    uint64_t count;          /* numbers: elements, or twice as many for complex types */
    uint64_t nan_count;      /* of these, NaNs */
    uint64_t infinite_count; /* of these, infinities of both signs */
    uint64_t zero_count;     /* of these, zeros of both signs */
    double min, max;         /* NaN where no number is finite, as absolute_max is */
    double absolute_max;
    double sum, absolute_sum, square_sum;
    double deviation_square_sum; /* of (x - mean)^2 */
    /*
     * XXH64 with seed 0 of the elements' bytes in logical (row-major) order, so that layouts do not
     * change it: xxhash.xxh64(array.tobytes()).intdigest() in Python. Equal values of unlike bits,
     * as 0 and -0, have unlike hashes.
     */
    uint64_t hash;
    uint32_t first_count;                            /* min(first_count asked for, count) */
    double first[ETS_TENSOR_STATISTICS_FIRST_LIMIT]; /* in logical order; NaNs and infinities as
                                                        they are */
};

/*
 * Goes over the tensor once, whatever its strides. Statuses: UNSUPPORTED (elements that are no
 * numbers: quint4x2, quint2x4, the bits types), INVALID_ARGUMENT (rank over the limit, negative or
 * overflowing sizes or strides, first_count above ETS_TENSOR_STATISTICS_FIRST_LIMIT), TRUNCATED
 * (sizes and strides reach past data_bytes, or data is NULL). `*statistics_out` is untouched on
 * failure.
 */
ETS_API enum ets_status ets_tensor_statistics_of(const struct ets_tensor *tensor,
                                                 uint32_t first_count,
                                                 struct ets_tensor_statistics *statistics_out);

/* Mean over the finite numbers; NaN where there are none. */
ETS_API double ets_tensor_statistics_mean(const struct ets_tensor_statistics *statistics);

/* Standard deviation over the finite numbers, divided by their count as NumPy does; NaN as above.
 */
ETS_API double ets_tensor_statistics_std(const struct ets_tensor_statistics *statistics);

/* Root of the sum of squares of the finite numbers; 0 where there are none. */
ETS_API double ets_tensor_statistics_l2(const struct ets_tensor_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
