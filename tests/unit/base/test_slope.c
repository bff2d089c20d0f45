/* Slopes as medians of slopes: exact lines, outliers, noise, and the interval of few points. */
#include "test_faults_support.h"

#include <math.h>

#include "base/slope.h"

enum { POINTS = 40 };

static struct ets_slope slope_of(double (*y_of)(int), uint32_t count)
{
    double x[POINTS], y[POINTS], scratch[POINTS / 2];
    for (uint32_t i = 0; i < count; i++) {
        x[i] = 10 + i;
        y[i] = y_of((int)i);
    }
    return ets_slope_of(x, y, count, scratch);
}

static double line(int i)
{
    return 5 - 3 * i;
}

static double with_outliers(int i)
{
    return 100 + 2 * i + (i > 30 ? 5000 : 0);
}

static double noise(int i)
{
    return 100 + (i * i * 7919 + i * 31) % 101 % 13;
}

static double rising_noise(int i)
{
    return noise(i) + 4 * i;
}

static void slope__of_a_line_is_exact(void **state)
{
    (void)state;
    const struct ets_slope slope = slope_of(line, POINTS);
    assert_true(slope.value == -3 && slope.low == -3 && slope.high == -3);
    assert_true(ets_slope_is_clear(&slope));
}

static void slope__is_not_that_of_outliers(void **state)
{
    (void)state;
    const struct ets_slope slope = slope_of(with_outliers, POINTS);
    assert_true(slope.value == 2);
    assert_true(slope.low == 2);
}

static void slope__of_noise_is_not_clear(void **state)
{
    (void)state;
    struct ets_slope slope = slope_of(noise, POINTS);
    assert_false(ets_slope_is_clear(&slope));
    slope = slope_of(rising_noise, POINTS);
    assert_true(ets_slope_is_clear(&slope));
    assert_true(slope.low < 4 && slope.high > 4);
}

static void slope__of_few_points_has_no_interval(void **state)
{
    (void)state;
    struct ets_slope slope = slope_of(line, 3);
    assert_true(isnan(slope.value) && isnan(slope.low));
    slope = slope_of(line, 4);
    assert_true(slope.value == -3 && isnan(slope.low) && isnan(slope.high));
    assert_false(ets_slope_is_clear(&slope));
    slope = slope_of(line, 11);
    assert_true(isnan(slope.low));
    slope = slope_of(line, 12);
    assert_true(slope.low == -3);
    double same[4] = {1, 1, 1, 1}, scratch[2];
    slope = ets_slope_of(same, same, 4, scratch);
    assert_true(isnan(slope.value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slope__of_a_line_is_exact),
        cmocka_unit_test(slope__is_not_that_of_outliers),
        cmocka_unit_test(slope__of_noise_is_not_clear),
        cmocka_unit_test(slope__of_few_points_has_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
