/*
 * significance.h - whether two samples differ, by how much, and how sure that is.
 *
 *     double before[] = {10, 11, 12, 13, 14}, after[] = {15, 16, 17, 18, 19}; // ascending
 *     struct ets_rank_test test;
 *     struct ets_shift shift;
 *     ets_rank_test(before, 5, after, 5, &test);
 *     ets_shift_of(before, 5, after, 5, 0.95, &shift);
 *     printf("+%g (%g to %g), p %.3f\n", shift.estimate, shift.low, shift.high, test.p);
 *
 * Times are no normal distributions: they have a floor, a long tail and steps of their clock. So
 * nothing here looks at means. Samples are ascending and hold no NaN. Nothing keeps state: any
 * thread may call.
 */
#ifndef ETSCOPE_SIGNIFICANCE_H
#define ETSCOPE_SIGNIFICANCE_H

#include "etscope/allocator.h"
#include "etscope/status.h"

ETS_DECLARATIONS_BEGIN

/* The test of Mann and Whitney (Wilcoxon's rank sum), two-sided. */
struct ets_rank_test {
    double u; /* pairs in which `after` is larger, ties counted half; NaN: a sample is empty */
    double p; /* so far apart, or farther, by chance; 1 for empty samples */
    double least_p; /* the smallest that samples of these sizes can reach without ties */
    int is_exact;   /* 1: counted over all ways to draw the samples, ties included; 0: by the normal
                       distribution, with the correction for ties and for continuity */
};

/*
 * Exact where the smaller sample's size times the size of both is at most 300 (12 and 13, 3 and
 * 97), else by the normal distribution.
 */
ETS_API void ets_rank_test(const double *before, uint32_t before_count, const double *after,
                           uint32_t after_count, struct ets_rank_test *test_out);

/* The estimate of Hodges and Lehmann: the median of all differences after - before. */
struct ets_shift {
    double estimate;  /* NaN: a sample is empty */
    double low, high; /* its confidence interval (Moses); NaN: too few values for this confidence */
};

/* `confidence`: of the interval, as 0.95. Time n log n: the differences are never listed. */
ETS_API void ets_shift_of(const double *before, uint32_t before_count, const double *after,
                          uint32_t after_count, double confidence, struct ets_shift *shift_out);

/*
 * Adjusts the p values of `count` tests by Benjamini and Hochberg: calling those significant that
 * come out below 0.05 has, in expectation, at most 5 % of false ones among them. Values that are
 * NaN are no tests and stay NaN. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_false_discovery(const double *p, uint32_t count,
                                            const struct ets_allocator *allocator,
                                            double *adjusted_out, struct ets_error *error);

ETS_DECLARATIONS_END

#endif
