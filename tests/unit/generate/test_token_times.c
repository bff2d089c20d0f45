/* Sums, medians, slopes and means of a generation's calls, against numbers computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "generate/greedy.h"
#include "generate/token_times.h"

enum { MOST = 64 };

static struct ets_phase_times times_of(const double *ns, uint32_t count)
{
    struct ets_generation_call calls[MOST];
    struct ets_phase_times times;
    struct ets_arena arena;
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = (struct ets_generation_call){
            .phase = ETS_PHASE_DECODE, .position = 8 + i, .tokens = 1, .ns = ns[i]};
    }
    const struct ets_generation generation = {.calls = calls, .call_count = count};
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_phase_times_of(&generation, ETS_PHASE_DECODE, &arena, &times));
    ets_arena_reset(&arena);
    return times;
}

static void test_token_times__the_first_call_is_in_the_sum_alone(void **state)
{
    (void)state;
    const struct ets_phase_times times = times_of((double[]){900, 100, 110, 120}, 4);
    assert_int_equal(times.calls, 4);
    assert_int_equal(times.tokens, 4);
    assert_true(times.total_ns == 1230 && times.first_ns == 900 && times.median_ns == 110);
    assert_true(isnan(times.slope_ns.value)); /* three calls are too few */
}

/* 3.3 a position; the squares of what is left add up to 9.1; t is 3.182 for 3 degrees of freedom.
 */
static void test_token_times__the_slope_is_of_the_calls_but_the_first(void **state)
{
    (void)state;
    const double ns[] = {5000, 10, 13, 16, 19, 22};
    const struct ets_phase_times times = times_of(ns, 6);
    assert_true(fabs(times.slope_ns.value - 3) < 1e-9);
    assert_true(isnan(times.slope_ns.low)); /* five calls are too few for an interval */
}

static void test_token_times__equal_times_have_no_slope(void **state)
{
    (void)state;
    double ns[MOST];
    for (int i = 0; i < MOST; i++) ns[i] = 100;
    const struct ets_phase_times flat = times_of(ns, MOST);
    assert_false(ets_slope_is_clear(&flat.slope_ns));
    for (int i = 0; i < MOST; i++) ns[i] = 100 + (i * i * 7919 + i * 31) % 101 % 13 + 2 * i;
    const struct ets_phase_times steep = times_of(ns, MOST);
    assert_true(ets_slope_is_clear(&steep.slope_ns));
    for (int i = 0; i < MOST; i++) ns[i] = 100 + (i * i * 7919 + i * 31) % 101 % 13;
    const struct ets_phase_times noise = times_of(ns, MOST);
    assert_false(ets_slope_is_clear(&noise.slope_ns));
}

static void test_token_times__no_call_has_no_times(void **state)
{
    (void)state;
    const struct ets_phase_times times = times_of(NULL, 0);
    assert_true(times.calls == 0 && times.total_ns == 0 && isnan(times.median_ns));
    assert_false(ets_slope_is_clear(&times.slope_ns));
}

static void test_token_times__a_mean_has_students_interval(void **state)
{
    (void)state;
    double deviation;
    const double values[] = {10, 12, 14, 16, 18};
    const struct ets_ranged mean = ets_mean_of(values, 5, &deviation);
    assert_true(mean.value == 14 && fabs(deviation - sqrt(10)) < 1e-12);
    assert_true(fabs(mean.high - 14 - 2.776 * sqrt(10) / sqrt(5)) < 1e-9);
    assert_true(fabs(mean.high + mean.low - 28) < 1e-9);
    const struct ets_ranged one = ets_mean_of(values, 1, &deviation);
    assert_true(one.value == 10 && isnan(one.low) && isnan(one.high) && deviation == 0);
    /* 2.0 for 60 values: the series behind the table */
    const struct ets_ranged many = ets_mean_interval(0, sqrt(60), 60);
    assert_true(fabs(many.high - 2.001) < 1e-3);
}

/* The numbers as a tensor holds them: little-endian. */
static struct ets_tensor row_of(const float *numbers, int64_t rows, int64_t vocabulary)
{
    static uint8_t bytes[4 * 1200];
    for (int64_t i = 0; i < rows * vocabulary; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int k = 0; k < 4; k++) bytes[4 * i + k] = (uint8_t)(bits >> 8 * k);
    }
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT, .rank = 2};
    tensor.sizes[0] = rows;
    tensor.sizes[1] = vocabulary;
    ets_tensor_set_contiguous(&tensor);
    tensor.data = bytes;
    tensor.data_bytes = (size_t)(rows * vocabulary) * sizeof *numbers;
    return tensor;
}

static void test_token_times__the_greedy_token_is_the_first_of_the_largest(void **state)
{
    (void)state;
    int64_t token = -1;
    struct ets_error error;
    const float numbers[] = {0, 3, 3, 1, 9, -1, -2, -1};
    struct ets_tensor tensor = row_of(numbers, 2, 4);
    assert_int_equal(ets_greedy_token(&tensor, 0, 2, &token, &error), ETS_OK);
    assert_int_equal(token, 1);
    assert_int_equal(ets_greedy_token(&tensor, 1, 2, &token, &error), ETS_OK);
    assert_int_equal(token, 0);
    assert_int_equal(ets_greedy_token(&tensor, 0, 1, &token, &error), ETS_MISMATCH);
    tensor.data_bytes--;
    assert_int_equal(ets_greedy_token(&tensor, 0, 2, &token, &error), ETS_MISMATCH);
}

static void test_token_times__broken_logits_choose_no_token(void **state)
{
    (void)state;
    int64_t token = -1;
    struct ets_error error;
    float numbers[1200];
    for (int i = 0; i < 1200; i++) numbers[i] = (float)i;
    struct ets_tensor tensor = row_of(numbers, 1, 1200);
    assert_int_equal(ets_greedy_token(&tensor, 0, 1, &token, &error), ETS_OK);
    assert_int_equal(token, 1199);
    numbers[700] = NAN;
    tensor = row_of(numbers, 1, 1200);
    assert_int_equal(ets_greedy_token(&tensor, 0, 1, &token, &error), ETS_RUNTIME);
    assert_string_equal(error.message, "logit 700 is NaN: no token can be chosen");
    for (int i = 0; i < 1200; i++) numbers[i] = -INFINITY;
    tensor = row_of(numbers, 1, 1200);
    assert_int_equal(ets_greedy_token(&tensor, 0, 1, &token, &error), ETS_RUNTIME);
    tensor.scalar_type = ETS_SCALAR_BITS8;
    assert_int_equal(ets_greedy_token(&tensor, 0, 1, &token, &error), ETS_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token_times__the_first_call_is_in_the_sum_alone),
        cmocka_unit_test(test_token_times__the_slope_is_of_the_calls_but_the_first),
        cmocka_unit_test(test_token_times__equal_times_have_no_slope),
        cmocka_unit_test(test_token_times__no_call_has_no_times),
        cmocka_unit_test(test_token_times__a_mean_has_students_interval),
        cmocka_unit_test(test_token_times__the_greedy_token_is_the_first_of_the_largest),
        cmocka_unit_test(test_token_times__broken_logits_choose_no_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
