/*
 * Order statistics of all differences after - before, which are too many to list. For a difference
 * d, one pass over both samples counts the differences that are at most d. The k-th difference is
 * found by bisection over integers, or over doubles, whose order is that of their bits.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compare/normal.h"
#include "compare/rank_counts.h"
#include "compare/significance.h"

struct samples {
    const double *before, *after; /* ascending */
    uint32_t before_count, after_count;
    bool are_whole; /* ticks are integers, so bisection has fewer steps */
};

static bool are_whole(const double *values, uint32_t count)
{
    const double most = (double)(INT64_C(1) << 52);
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] != floor(values[i]) || fabs(values[i]) > most) return false;
    }
    return true;
}

/* Doubles as integers of the same order. */
static int64_t order_of(const struct samples *s, double value)
{
    int64_t bits;
    if (s->are_whole) return (int64_t)value;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double value_of(const struct samples *s, int64_t order)
{
    if (s->are_whole) return (double)order;
    const int64_t bits = order >= 0 ? order : INT64_MIN - order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t count_at_most(const struct samples *s, double difference)
{
    uint64_t count = 0;
    uint32_t j = 0;
    for (uint32_t i = 0; i < s->before_count; i++) { /* a larger `before` admits more */
        while (j < s->after_count && s->after[j] - s->before[i] <= difference) j++;
        count += j;
    }
    return count;
}

/* Difference number `k`, from 1, of all in order. */
static double difference_at(const struct samples *s, uint64_t k)
{
    int64_t low = order_of(s, s->after[0] - s->before[s->before_count - 1]);
    int64_t high = order_of(s, s->after[s->after_count - 1] - s->before[0]);
    while (low < high) {
        const int64_t middle = (low & high) + ((low ^ high) >> 1); /* rounded down */
        if (count_at_most(s, value_of(s, middle)) >= k) high = middle;
        else low = middle + 1;
    }
    return value_of(s, low);
}

/* The rank, from either end, of the difference that bounds the interval; 0: none. */
static uint64_t interval_rank(uint32_t left, uint32_t right, double tail)
{
    const double n = left, m = right, pairs = n * m;
    if (!ets_rank_is_small(left, right)) {
        const double spread = ets_normal_quantile(tail) * sqrt(pairs * (n + m + 1) / 12);
        const double k = floor(pairs / 2 - spread);
        return k < 1 ? 0 : (uint64_t)k;
    }
    struct ets_rank_counts counts;
    uint32_t ranks[ETS_RANK_MAX_WORK];
    const uint32_t drawn = left < right ? left : right;
    for (uint32_t i = 0; i < left + right; i++) ranks[i] = 2 * (i + 1);
    ets_rank_counts_fill(&counts, ranks, left + right, drawn);
    const uint32_t least = drawn * (drawn + 1); /* the smallest doubled sum */
    uint64_t k = 0;
    while (ets_rank_at_most(&counts, least + 2 * (uint32_t)k) <= tail) k++;
    return k;
}

void ets_shift_of(const double *before, uint32_t before_count, const double *after,
                  uint32_t after_count, double confidence, struct ets_shift *shift_out)
{
    *shift_out = (struct ets_shift){NAN, NAN, NAN};
    if (before_count == 0 || after_count == 0) return;
    const struct samples s = {before, after, before_count, after_count,
                              are_whole(before, before_count) && are_whole(after, after_count)};
    const uint64_t pairs = (uint64_t)before_count * after_count;
    const double lower = difference_at(&s, (pairs + 1) / 2);
    const double upper = pairs % 2 != 0 ? lower : difference_at(&s, pairs / 2 + 1);
    shift_out->estimate = (lower + upper) / 2;
    const uint64_t k = interval_rank(before_count, after_count, (1 - confidence) / 2);
    if (k == 0) return;
    shift_out->low = difference_at(&s, k);
    shift_out->high = difference_at(&s, pairs + 1 - k);
}
