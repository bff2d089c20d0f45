/*
 * Rank tests, shifts and false discoveries; the expectations are SciPy's (1.17.1): mannwhitneyu,
 * with its exact method where there are no ties, else an enumeration over scipy.stats.rankdata;
 * the median and order statistics of numpy.subtract.outer; false_discovery_control.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/quantile.h"
#include "compare/significance.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST = 2000 };

static const struct {
    uint64_t before_seed;
    uint32_t before_count;
    uint64_t after_seed;
    uint32_t after_count, modulus, offset;
    double u, p;
    int is_exact;
    double estimate, low, high;
} cases[] = {
    {1, 5, 2, 5, 1000, 300, 20.0, 0.15079365079365079, 1, 560.0, -114.0, 1006.0},
    {3, 4, 4, 6, 1000, 900, 23.0, 0.01904761904761905, 1, 933.5, 402.0, 1612.0},
    {5, 8, 6, 9, 6, 2, 51.0, 0.15606746194981488, 1, 1.0, -1.0, 3.0},
    {7, 10, 8, 10, 50, 20, 76.0, 0.049882006538353285, 1, 15.5, -1.0, 29.0},
    {9, 3, 10, 97, 100, 5, 117.5, 0.5939641311069882, 1, -8.0, -38.0, 27.0},
    {11, 30, 12, 40, 20, 2, 706.5, 0.20748316609743733, 0, 2.0, -1.0, 5.0},
    {13, 100, 14, 90, 1000, 150, 5319.0, 0.030572717583854016, 0, 95.0, 13.0, 177.0},
    {15, 1000, 16, 1000, 5000, 100, 521736.0, 0.09233558516171261, 0, 111.0, -18.0, 237.0},
    {17, 12, 18, 13, 4, 0, 74.0, 0.8344649347153049, 1, 0.0, -1.0, 1.0},
    {19, 1, 20, 1, 10, 0, 0.0, 1.0, 1, -3.0, NAN, NAN},
    {21, 7, 22, 9, 1, 0, 31.5, 1.0, 1, 0.0, 0.0, 0.0},
    {23, 2000, 24, 3, 100000, 0, 3286.0, 0.7754794831395089, 0, 6363.5, -48655.0, 54364.0},
};

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whole numbers of Knuth's generator, times `scale`, in order. */
static void fill(double *values, uint32_t count, uint64_t seed, uint32_t modulus, double offset,
                 double scale)
{
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[i] = ((double)((seed >> 33) % modulus) + offset) * scale;
    }
    qsort(values, count, sizeof *values, ascending);
}

static void assert_near(double value, double expected)
{
    if (isnan(expected)) assert_true(isnan(value));
    else assert_true(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)));
}

static void rank_test__is_scipys(void **state)
{
    (void)state;
    static double before[MOST], after[MOST];
    for (size_t i = 0; i < COUNT(cases); i++) {
        fill(before, cases[i].before_count, cases[i].before_seed, cases[i].modulus, 0, 1);
        fill(after, cases[i].after_count, cases[i].after_seed, cases[i].modulus, cases[i].offset,
             1);
        struct ets_rank_test test, back;
        ets_rank_test(before, cases[i].before_count, after, cases[i].after_count, &test);
        assert_near(test.u, cases[i].u);
        assert_near(test.p, cases[i].p);
        assert_int_equal(test.is_exact, cases[i].is_exact);
        assert_true(test.least_p <= test.p);
        ets_rank_test(after, cases[i].after_count, before, cases[i].before_count, &back);
        assert_near(back.p, test.p);
        assert_near(back.u + test.u, (double)cases[i].before_count * cases[i].after_count);
    }
}

/* The interval of a change of medians has the change inside. */
static void median_change__is_inside_of_its_interval(void **state)
{
    (void)state;
    static double before[MOST], after[MOST];
    for (size_t c = 0; c < COUNT(cases); c++) {
        fill(before, cases[c].before_count, cases[c].before_seed, cases[c].modulus, 0, 1);
        fill(after, cases[c].after_count, cases[c].after_seed, cases[c].modulus, cases[c].offset,
             1);
        const struct ets_interval interval =
            ets_median_change(before, cases[c].before_count, after, cases[c].after_count);
        const double change = ets_quantile(after, cases[c].after_count, 0.5) -
                              ets_quantile(before, cases[c].before_count, 0.5);
        const int is_small = cases[c].before_count < 6 || cases[c].after_count < 6;
        assert_int_equal(isnan(interval.low), is_small);
        assert_true(is_small || (interval.low <= change && interval.high >= change));
    }
}

static void empty_samples__have_no_evidence(void **state)
{
    (void)state;
    static const double values[] = {1, 2};
    struct ets_rank_test test;
    ets_rank_test(values, 0, values, 2, &test);
    assert_true(isnan(test.u) && test.p == 1 && test.least_p == 1);
    ets_rank_test(values, 2, values, 0, &test);
    assert_true(isnan(test.u) && test.p == 1);
    assert_true(isnan(ets_median_change(values, 2, values, 0).low));
}

/* Four and four can just reach 5 %; three and three cannot. */
static void few_values__can_tell_only_so_much(void **state)
{
    (void)state;
    static const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
    struct ets_rank_test test;
    ets_rank_test(low, 4, high, 4, &test);
    assert_near(test.p, 2.0 / 70);
    assert_near(test.least_p, 2.0 / 70);
    ets_rank_test(low, 3, high, 3, &test);
    assert_near(test.least_p, 0.1);
}

static void false_discovery__is_scipys(void **state)
{
    (void)state;
    static const double p[] = {0.34,  0.008, 0.039, NAN,   0.041, 0.042, 0.06,  0.074,
                               0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275, 0.001};
    static const double wanted[] = {0.34,
                                    0.06,
                                    0.126,
                                    NAN,
                                    0.126,
                                    0.126,
                                    0.15,
                                    0.15857142857142856,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.29464285714285715,
                                    0.015};
    double adjusted[COUNT(p)];
    assert_int_equal(ets_false_discovery(p, COUNT(p), NULL, adjusted, NULL), ETS_OK);
    for (size_t i = 0; i < COUNT(p); i++) assert_near(adjusted[i], wanted[i]);
    assert_int_equal(ets_false_discovery(p, 0, NULL, adjusted, NULL), ETS_OK);
}

static void *no_memory(void *context, void *pointer, size_t bytes)
{
    (void)context;
    (void)pointer;
    (void)bytes;
    return NULL;
}

static void release(void *context, void *pointer)
{
    (void)context;
    assert_null(pointer);
}

static void false_discovery__says_when_there_is_no_memory(void **state)
{
    (void)state;
    const struct ets_allocator none = {no_memory, release, NULL};
    struct ets_error error;
    double p = 0.5;
    assert_int_equal(ets_false_discovery(&p, 1, &none, &p, &error), ETS_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_test__is_scipys),
        cmocka_unit_test(median_change__is_inside_of_its_interval),
        cmocka_unit_test(empty_samples__have_no_evidence),
        cmocka_unit_test(few_values__can_tell_only_so_much),
        cmocka_unit_test(false_discovery__is_scipys),
        cmocka_unit_test(false_discovery__says_when_there_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
