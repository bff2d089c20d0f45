/* Warm-up, steady state, drift and outliers of made series; what a sample's spread is. */
#include "test_inspect_support.h"

#include <math.h>

#include "inspect/accounting/accounting.h"
#include "inspect/accounting/trend.h"

enum { MOST = 400 };

static uint32_t seed;

static double uniform(void) /* 0 to 1 */
{
    seed = seed * 1664525u + 1013904223u;
    return ((double)(seed >> 8) + 0.5) / (1 << 24);
}

static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

/* A million ticks with noise of 1 %. */
static void fill_steady(int64_t *ticks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) ticks[i] = (int64_t)(1e6 * (1 + 0.01 * normal()));
}

static struct ets_run_phases find(const int64_t *ticks, uint32_t count)
{
    struct ets_run_phases phases;
    assert_int_equal(ets_run_phases_find(ticks, count, NULL, &phases, NULL), ETS_OK);
    assert_int_equal(phases.run_count, count);
    uint32_t outliers = 0;
    for (uint32_t i = 0; i < count; i++) {
        outliers += ets_run_phases_is_outlier(&phases, i, ticks[i]) ? 1 : 0;
    }
    assert_int_equal(outliers, phases.outliers);
    return phases;
}

static void test_run_phases__steady_noise_is_steady(void **state)
{
    (void)state;
    static const uint32_t counts[] = {8, 10, 20, 50, 400};
    for (size_t c = 0; c < COUNT(counts); c++) {
        for (seed = 1; seed <= 200000000; seed += 20000000) {
            int64_t ticks[MOST];
            const uint32_t kept = seed;
            fill_steady(ticks, counts[c]);
            const struct ets_run_phases phases = find(ticks, counts[c]);
            assert_int_equal(phases.state, ETS_PHASE_STEADY);
            assert_int_equal(phases.warm_up, 0);
            assert_int_equal(phases.outliers, 0);
            assert_true(fabs(phases.first_ratio - 1) < 0.05);
            seed = kept;
        }
    }
}

static void test_run_phases__a_slow_first_run_is_warm_up(void **state)
{
    (void)state;
    for (uint32_t count = 8; count <= 40; count++) {
        int64_t ticks[MOST];
        seed = count;
        fill_steady(ticks, count);
        ticks[0] = 3100000;
        const struct ets_run_phases phases = find(ticks, count);
        assert_int_equal(phases.state, ETS_PHASE_STEADY);
        assert_int_equal(phases.warm_up, 1);
        assert_int_equal(phases.outliers, 0);
        assert_true(fabs(phases.first_ratio - 3.1) < 0.1);
    }
}

static void test_run_phases__a_slow_decay_is_warm_up_until_it_is_flat(void **state)
{
    (void)state;
    int64_t ticks[MOST];
    seed = 3;
    fill_steady(ticks, 200);
    for (uint32_t i = 0; i < 200; i++) ticks[i] += (int64_t)(400000 * exp(-(double)i / 15));
    const struct ets_run_phases phases = find(ticks, 200);
    assert_int_equal(phases.state, ETS_PHASE_STEADY);
    assert_in_range(phases.warm_up, 20, 80);
}

static void test_run_phases__a_trend_that_does_not_end_is_drift(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t ticks[MOST];
        seed = 9;
        fill_steady(ticks, 100);
        for (uint32_t i = 0; i < 100; i++) ticks[i] += sign * (int64_t)i * 2000;
        const struct ets_run_phases phases = find(ticks, 100);
        assert_int_equal(phases.state, ETS_PHASE_DRIFTING);
        assert_true(phases.trend_p < 1e-6);
        assert_true(sign * phases.drift > 0.08 && sign * phases.drift < 0.2);
    }
    int64_t slight[MOST]; /* certain, but too small to matter */
    seed = 9;
    for (uint32_t i = 0; i < 400; i++) slight[i] = 1000000 + 20 * (int64_t)i;
    const struct ets_run_phases phases = find(slight, 400);
    assert_int_equal(phases.state, ETS_PHASE_STEADY);
    assert_true(phases.trend_p < 1e-6 && phases.drift > 0);
}

static void test_run_phases__outliers_are_counted_on_both_sides(void **state)
{
    (void)state;
    int64_t ticks[MOST];
    seed = 4;
    fill_steady(ticks, 60);
    ticks[17] = 1500000;
    ticks[44] = 700000;
    const struct ets_run_phases phases = find(ticks, 60);
    assert_int_equal(phases.outliers, 2);
    assert_true(ets_run_phases_is_outlier(&phases, 17, ticks[17]));
    assert_true(ets_run_phases_is_outlier(&phases, 44, ticks[44]));
    assert_int_equal(phases.state, ETS_PHASE_STEADY);
}

static void test_run_phases__few_runs_claim_nothing(void **state)
{
    (void)state;
    int64_t ticks[] = {900, 100, 100, 100, 100, 100, 100, 100};
    for (uint32_t count = 0; count < 8; count++) {
        const struct ets_run_phases phases = find(ticks, count);
        assert_int_equal(phases.state, ETS_PHASE_TOO_FEW);
        assert_true(phases.warm_up == 0 && isnan(phases.trend_p) && isnan(phases.low));
        assert_true(count < 2 ? isnan(phases.first_ratio) : phases.first_ratio == 9);
    }
    assert_int_equal(find(ticks, 8).warm_up, 1);
}

static void test_run_phases__equal_and_zero_times_are_steady(void **state)
{
    (void)state;
    int64_t ticks[MOST] = {0};
    assert_int_equal(find(ticks, 50).state, ETS_PHASE_STEADY);
    for (uint32_t i = 0; i < 50; i++) ticks[i] = 1000 + i % 3; /* steps of the clock */
    const struct ets_run_phases phases = find(ticks, 50);
    assert_true(phases.state == ETS_PHASE_STEADY && phases.warm_up == 0 && phases.outliers == 0);
}

/* The same by the definition: all pairs, ties counted. */
static double slow_trend_p(const double *values, uint32_t count)
{
    double s = 0, variance = (double)count * (count - 1) * (2.0 * count + 5);
    for (uint32_t i = 0; i < count; i++) {
        double equal = 0, before = 0;
        for (uint32_t j = 0; j < count; j++) {
            if (j > i) s += (values[j] > values[i]) - (values[j] < values[i]);
            equal += values[j] == values[i] ? 1 : 0;
            before += values[j] == values[i] && j < i ? 1 : 0;
        }
        if (before == 0) variance -= equal * (equal - 1) * (2 * equal + 5);
    }
    if (variance <= 0) return 1;
    const double distance = fabs(s) > 1 ? fabs(s) - 1 : 0;
    return erfc(distance / sqrt(variance / 18) / sqrt(2));
}

static void test_run_phases__trend_test_is_mann_and_kendalls(void **state)
{
    (void)state;
    double values[MOST], sorted[MOST], merged[MOST];
    const struct ets_trend_scratch scratch = {sorted, merged};
    seed = 11;
    for (uint32_t count = 1; count < 70; count++) {
        for (int kind = 0; kind < 3; kind++) {
            for (uint32_t i = 0; i < count; i++) {
                values[i] = kind == 0   ? normal()
                            : kind == 1 ? floor(4 * uniform())
                                        : normal() + 0.05 * i;
            }
            const double p = ets_trend_p(values, count, &scratch);
            assert_true(fabs(p - slow_trend_p(values, count)) <= 1e-12);
            for (uint32_t i = 1; i < count; i++) assert_true(sorted[i - 1] <= sorted[i]);
        }
    }
}

static void test_run_phases__every_failed_allocation_is_told(void **state)
{
    (void)state;
    int64_t ticks[MOST] = {0};
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        struct ets_run_phases phases;
        const enum ets_status status =
            ets_run_phases_find(ticks, MOST, &allocator, &phases, &error);
        succeeded = status == ETS_OK;
        if (!succeeded) assert_true(status == ETS_NO_MEMORY && error.status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    assert_true(n > 1);
}

/* k of the interval, from exact integers: the most tails of which are at most 2.5 % of 2^n. */
static void test_spread__interval_of_the_median_is_the_binomials(void **state)
{
    (void)state;
    static const uint32_t expected[][2] = {
        {1, 0},   {5, 0},    {6, 1},    {7, 1},      {8, 1},      {9, 2},
        {10, 2},  {11, 2},   {12, 3},   {20, 6},     {25, 8},     {50, 18},
        {51, 19}, {100, 40}, {101, 41}, {1000, 469}, {1001, 470}, {5000, 2431}};
    static double values[5000];
    for (uint32_t i = 0; i < COUNT(values); i++) values[i] = i + 1;
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct ets_spread spread;
        const uint32_t n = expected[i][0], k = expected[i][1];
        ets_spread_compute(values, n, &spread);
        if (k == 0) {
            assert_true(isnan(spread.median_low) && isnan(spread.median_high));
        } else {
            assert_true(spread.median_low == k && spread.median_high == n + 1 - k);
        }
    }
}

static void test_spread__is_pythons(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4, 7, 11, 16}; /* statistics.stdev, numpy.percentile */
    struct ets_spread spread;
    ets_spread_compute(values, 6, &spread);
    assert_true(fabs(spread.sd - 5.776388721914988) < 1e-12);
    assert_true(fabs(spread.p99 - 15.75) < 1e-12);
    ets_spread_compute(values, 1, &spread);
    assert_true(isnan(spread.sd) && spread.p99 == 1);
    ets_spread_compute(values, 0, &spread);
    assert_true(isnan(spread.sd) && isnan(spread.p99) && isnan(spread.median_low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_phases__steady_noise_is_steady),
        cmocka_unit_test(test_run_phases__a_slow_first_run_is_warm_up),
        cmocka_unit_test(test_run_phases__a_slow_decay_is_warm_up_until_it_is_flat),
        cmocka_unit_test(test_run_phases__a_trend_that_does_not_end_is_drift),
        cmocka_unit_test(test_run_phases__outliers_are_counted_on_both_sides),
        cmocka_unit_test(test_run_phases__few_runs_claim_nothing),
        cmocka_unit_test(test_run_phases__equal_and_zero_times_are_steady),
        cmocka_unit_test(test_run_phases__trend_test_is_mann_and_kendalls),
        cmocka_unit_test(test_run_phases__every_failed_allocation_is_told),
        cmocka_unit_test(test_spread__interval_of_the_median_is_the_binomials),
        cmocka_unit_test(test_spread__is_pythons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
