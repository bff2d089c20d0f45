/*
 * The Mann-Whitney test of two samples: exact for few runs, ties included, else by the normal
 * distribution.
 */
#include <math.h>

#include "compare/rank_counts.h"
#include "compare/significance.h"

/* The result of one pass over both sorted samples. */
struct ranking {
    double before_sum;                 /* of the ranks of `before`, doubled */
    double tie_sum;                    /* of t^3 - t over groups of t equal values */
    uint32_t ranks[ETS_RANK_MAX_WORK]; /* doubled, where the samples are small */
};

static uint32_t count_equal(const double *values, uint32_t count, uint32_t from, double value)
{
    uint32_t at = from;
    while (at < count && values[at] == value) at++;
    return at - from;
}

static void rank(const double *before, uint32_t before_count, const double *after,
                 uint32_t after_count, bool is_small, struct ranking *out)
{
    out->before_sum = out->tie_sum = 0;
    for (uint32_t i = 0, j = 0; i < before_count || j < after_count;) {
        const bool is_before = j == after_count || (i < before_count && before[i] <= after[j]);
        const double value = is_before ? before[i] : after[j];
        const uint32_t left = count_equal(before, before_count, i, value);
        const uint32_t equal = left + count_equal(after, after_count, j, value);
        const double doubled = 2.0 * ((double)i + j) + equal + 1; /* the mean of their ranks */
        out->before_sum += doubled * left;
        out->tie_sum += ((double)equal * equal - 1) * equal;
        for (uint32_t k = 0; is_small && k < equal; k++) out->ranks[i + j + k] = (uint32_t)doubled;
        i += left;
        j += equal - left;
    }
}

/* Twice the tail of the standard normal distribution beyond `z`. */
static double two_tails(double z)
{
    return z <= 0 ? 1 : erfc(z / sqrt(2));
}

static double by_normal(double pairs, double count, double tie_sum, double distance)
{
    const double variance = pairs / 12 * (count + 1 - tie_sum / (count * (count - 1)));
    return variance > 0 ? two_tails((distance - 0.5) / sqrt(variance)) : 1;
}

static double by_counting(const struct ranking *ranking, uint32_t before_count,
                          uint32_t after_count)
{
    struct ets_rank_counts counts;
    const uint32_t count = before_count + after_count;
    const double all = (double)count * (count + 1); /* doubled */
    const bool is_smaller = before_count <= after_count;
    const double sum = is_smaller ? ranking->before_sum : all - ranking->before_sum;
    ets_rank_counts_fill(&counts, ranking->ranks, count, is_smaller ? before_count : after_count);
    const double below = ets_rank_at_most(&counts, (uint32_t)sum);
    const double above = ets_rank_at_least(&counts, (uint32_t)sum);
    return fmin(1, 2 * fmin(below, above));
}

/* Two of all ways to draw: one sample entirely below the other. */
static double least_by_counting(uint32_t left, uint32_t right)
{
    const uint32_t smaller = left < right ? left : right;
    double ways = 1;
    for (uint32_t i = 1; i <= smaller; i++) ways *= (double)(left + right - smaller + i) / i;
    return fmin(1, 2 / ways);
}

void ets_rank_test(const double *before, uint32_t before_count, const double *after,
                   uint32_t after_count, struct ets_rank_test *test_out)
{
    *test_out = (struct ets_rank_test){.u = NAN, .p = 1, .least_p = 1};
    if (before_count == 0 || after_count == 0) return;
    struct ranking ranking;
    const bool is_small = ets_rank_is_small(before_count, after_count);
    rank(before, before_count, after, after_count, is_small, &ranking);
    const double n = before_count, m = after_count, pairs = n * m, count = n + m;
    test_out->u = pairs - (ranking.before_sum / 2 - n * (n + 1) / 2);
    test_out->is_exact = is_small;
    if (is_small) {
        test_out->p = by_counting(&ranking, before_count, after_count);
        test_out->least_p = least_by_counting(before_count, after_count);
    } else {
        test_out->p = by_normal(pairs, count, ranking.tie_sum, fabs(test_out->u - pairs / 2));
        test_out->least_p = by_normal(pairs, count, 0, pairs / 2);
    }
}
