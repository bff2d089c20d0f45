/*
 * summary.h - one tensor in a few numbers: its range, its sums, what is broken in it, its hash.
 *
 *     struct ets_summary summary;
 *     if (ets_summary_of_tensor(&tensor, 4, &summary) == ETS_OK) {
 *         printf("%g to %g, mean %g, std %g, %llu NaN, hash %016llx\n", summary.min, summary.max,
 *                ets_summary_mean(&summary), ets_summary_std(&summary),
 *                (unsigned long long)summary.nan_count, (unsigned long long)summary.hash);
 *     }
 *
 * Runs on devices: no heap, no stdio, no mathematics library, about 1,700 bytes of stack. Only
 * ets_summary_std and ets_summary_l2 take a root; they are the host's. Nothing keeps state outside
 * of the caller's struct, so that any thread may call.
 */
#ifndef ETSCOPE_SUMMARY_H
#define ETSCOPE_SUMMARY_H

#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* First values that a summary can keep. */
#define ETS_SUMMARY_FIRST_LIMIT 8

/*
 * Numbers are those of ets_element_load (numerics.h): quantized types count as their stored
 * integers, bool as 0 and 1, and a complex element is two numbers, its real and its imaginary part.
 * Range and sums are over the finite numbers; NaNs and infinities are counted and else left out.
 * Sums are added up in blocks of 64 numbers, and the deviation never as a difference of two large
 * sums. Numbers beyond 1e154, which float64 alone has, make the sums of squares infinite.
 */
struct ets_summary {
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
    uint32_t first_count;                  /* min(first_count asked for, count) */
    double first[ETS_SUMMARY_FIRST_LIMIT]; /* in logical order; NaNs and infinities as they are */
};

/*
 * Goes over the tensor once, whatever its strides. Statuses: UNSUPPORTED (elements that are no
 * numbers: quint4x2, quint2x4, the bits types), INVALID_ARGUMENT (rank over the limit, negative or
 * overflowing sizes or strides, first_count above ETS_SUMMARY_FIRST_LIMIT), TRUNCATED (sizes and
 * strides reach past data_bytes, or data is NULL). `*summary_out` is untouched on failure.
 */
ETS_API enum ets_status ets_summary_of_tensor(const struct ets_tensor *tensor, uint32_t first_count,
                                              struct ets_summary *summary_out);

/* How many numbers are finite. */
ETS_API uint64_t ets_summary_finite_count(const struct ets_summary *summary);

/* Mean over the finite numbers; NaN where there are none. */
ETS_API double ets_summary_mean(const struct ets_summary *summary);

/* Standard deviation over the finite numbers, divided by their count as NumPy does; NaN as above.
 */
ETS_API double ets_summary_std(const struct ets_summary *summary);

/* Root of the sum of squares of the finite numbers; 0 where there are none. */
ETS_API double ets_summary_l2(const struct ets_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
