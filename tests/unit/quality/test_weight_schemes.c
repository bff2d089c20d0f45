/* Schemes of weights: numbers of torchao's configurations, by hand, and what weights take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "quality/weight_schemes.h"

static const struct ets_weight_scheme rows = {.bits = 4}, pairs = {.bits = 4, .group = 2},
                                      bytes = {.bits = 8}, whole = {.bits = 32},
                                      tensor = {.bits = 8, .is_of_tensor = true};

static void expect(const struct ets_weight_scheme *scheme, const float expected[4])
{
    const float numbers[4] = {0.31f, -1.5f, 0.25f, 0.06f};
    float out[4];
    ets_weight_scheme_round(scheme, numbers, 1, 4, out);
    for (int i = 0; i < 4; i++) {
        if (fabsf(out[i] - expected[i]) > 1e-6f) fail_msg("%g instead of %g", out[i], expected[i]);
    }
}

/* The scale of a row is 1.5 / 7.5: 2, -8 (7.5 to even), 1, 0 steps. */
static void test_weight_schemes__numbers_are_rounded_to_steps(void **state)
{
    (void)state;
    expect(&rows, (const float[]){0.4f, -1.6f, 0.2f, 0});
    expect(&whole, (const float[]){0.31f, -1.5f, 0.25f, 0.06f});
}

/* The second pair has its own scale, 0.25 / 7.5: 7 (7.5 is cut to the most), 2 steps. */
static void test_weight_schemes__groups_have_their_own_scales(void **state)
{
    (void)state;
    const float step = 0.25f / 7.5f;
    expect(&pairs, (const float[]){0.4f, -1.6f, 7 * step, 2 * step});
}

static void test_weight_schemes__bytes_are_nearer(void **state)
{
    (void)state;
    const float step = 1.5f / 127.5f;
    expect(&bytes, (const float[]){26 * step, -128 * step, 21 * step, 5 * step});
    expect(&tensor, (const float[]){26 * step, -128 * step, 21 * step, 5 * step});
}

static void test_weight_schemes__zeros_stay_zeros(void **state)
{
    (void)state;
    float zeros[4] = {0};
    ets_weight_scheme_round(&rows, zeros, 2, 2, zeros);
    for (int i = 0; i < 4; i++) assert_true(zeros[i] == 0);
}

static void test_weight_schemes__groups_divide_rows(void **state)
{
    (void)state;
    const struct ets_weight_scheme wide = {.bits = 4, .group = 64};
    assert_true(ets_weight_scheme_fits(&rows, 5) && ets_weight_scheme_fits(&wide, 128));
    assert_false(ets_weight_scheme_fits(&wide, 96));
    assert_false(ets_weight_scheme_fits(&wide, 32));
    assert_false(ets_weight_scheme_fits(&wide, 0));
}

static void test_weight_schemes__bytes_count_scales(void **state)
{
    (void)state;
    assert_int_equal(ets_weight_scheme_bytes(&rows, 3, 5, false), 3 * (3 + 4));
    assert_int_equal(ets_weight_scheme_bytes(&pairs, 3, 6, false), 3 * (3 + 3 * 2));
    assert_int_equal(ets_weight_scheme_bytes(&pairs, 3, 6, true), 3 * (3 + 3 * 4));
    assert_int_equal(ets_weight_scheme_bytes(&tensor, 3, 6, false), 18 + 4);
    assert_int_equal(ets_weight_scheme_bytes(&whole, 3, 6, true), 72);
}

static void test_weight_schemes__words(void **state)
{
    (void)state;
    char text[ETS_WEIGHT_SCHEME_CHARS];
    const struct ets_weight_scheme unknown = {.bits = 0};
    ets_weight_scheme_describe(&pairs, text);
    assert_string_equal(text, "4 bit, groups of 2");
    ets_weight_scheme_describe(&bytes, text);
    assert_string_equal(text, "8 bit per channel");
    ets_weight_scheme_describe(&tensor, text);
    assert_string_equal(text, "8 bit per tensor");
    ets_weight_scheme_describe(&ets_weight_schemes[ETS_WEIGHT_FLOAT], text);
    assert_string_equal(text, "float");
    ets_weight_scheme_describe(&unknown, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_schemes__numbers_are_rounded_to_steps),
        cmocka_unit_test(test_weight_schemes__groups_have_their_own_scales),
        cmocka_unit_test(test_weight_schemes__bytes_are_nearer),
        cmocka_unit_test(test_weight_schemes__zeros_stay_zeros),
        cmocka_unit_test(test_weight_schemes__groups_divide_rows),
        cmocka_unit_test(test_weight_schemes__bytes_count_scales),
        cmocka_unit_test(test_weight_schemes__words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
