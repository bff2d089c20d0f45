/*
 * significance.h - tests whether two samples differ, by how much, and with what certainty.
 *
 *     double before[] = {10, 11, 12, 13, 14}, after[] = {15, 16, 17, 18, 19}; // ascending
 *     struct ets_rank_test test;
 *     struct ets_shift shift;
 *     ets_rank_test(before, 5, after, 5, &test);
 *     ets_shift_of(before, 5, after, 5, 0.95, &shift);
 *     printf("+%g (%g to %g), p %.3f\n", shift.estimate, shift.low, shift.high, test.p);
 *
 * Times are not normally distributed: they have a floor, a long tail and the steps of their clock.
 * So means are not used here. Samples must be ascending and without NaN. There is no state: any
 * thread may call.
 */
#ifndef ETSCOPE_COMPARE_SIGNIFICANCE_H
#define ETSCOPE_COMPARE_SIGNIFICANCE_H

#include "etscope/experimental/difference.h"

/*
 * Exact if the size of the smaller sample times the size of both is at most 300 (12 and 13, 3 and
 * 97), else from the normal distribution.
 */
void ets_rank_test(const double *before, uint32_t before_count, const double *after,
                   uint32_t after_count, struct ets_rank_test *test_out);

/* `confidence` is that of the interval: 0.95. Takes time n log n; the differences are never listed.
 */
void ets_shift_of(const double *before, uint32_t before_count, const double *after,
                  uint32_t after_count, double confidence, struct ets_shift *shift_out);

/*
 * Adjusts the p values of `count` tests by Benjamini and Hochberg: among the tests with an adjusted
 * p below 0.05, at most 5 % are expected to be false. NaN means no test and stays NaN. Status:
 * NO_MEMORY.
 */
enum ets_status ets_false_discovery(const double *p, uint32_t count,
                                    const struct ets_allocator *allocator, double *adjusted_out,
                                    struct ets_error *error);

#endif
