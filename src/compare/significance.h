/*
 * significance.h - tests whether two samples differ, by how much, and with what certainty.
 *
 *     double before[] = {10, 11, 12, 13, 14}, after[] = {15, 16, 17, 18, 19}; // ascending
 *     struct ets_rank_test test;
 *     struct ets_interval interval;
 *     ets_rank_test(before, 5, after, 5, &test);
 *     interval = ets_median_change(before, 5, after, 5);
 *     printf("+5 (%g to %g), p %.3f\n", interval.low, interval.high, test.p);
 *
 * Times are not normally distributed: they have a floor, a long tail and the steps of their clock.
 * So means are not used here. Samples must be ascending and without NaN. There is no state: any
 * thread may call.
 */
#ifndef ETSCOPE_COMPARE_SIGNIFICANCE_H
#define ETSCOPE_COMPARE_SIGNIFICANCE_H

#include "etscope/experimental/difference.h"

/* The test of Mann and Whitney (Wilcoxon's rank sum), two-sided. */
struct ets_rank_test {
    double u; /* pairs in which `after` is larger, ties counted half; NaN: a sample is empty */
    double p; /* probability of a difference this large by chance; 1 for empty samples */
    double least_p; /* the smallest p of samples of these sizes without ties */
    int is_exact;   /* 1: exact, ties included; 0: normal approximation, corrected for ties
                       and continuity */
};

/*
 * Exact if the size of the smaller sample times the size of both is at most 300 (12 and 13, 3 and
 * 97), else from the normal distribution.
 */
void ets_rank_test(const double *before, uint32_t before_count, const double *after,
                   uint32_t after_count, struct ets_rank_test *test_out);

/* 95 % interval of the change of the median; NaN: fewer than 6 values on a side. */
struct ets_interval ets_median_change(const double *before, uint32_t before_count,
                                      const double *after, uint32_t after_count);

/*
 * Adjusts the p values of `count` tests by Benjamini and Hochberg: among the tests with an adjusted
 * p below 0.05, at most 5 % are expected to be false. NaN means no test and stays NaN. Status:
 * NO_MEMORY.
 */
enum ets_status ets_false_discovery(const double *p, uint32_t count,
                                    const struct ets_allocator *allocator, double *adjusted_out,
                                    struct ets_error *error);

#endif
