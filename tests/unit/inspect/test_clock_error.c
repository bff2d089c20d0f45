/* How uncertain times are that were added up: the operators of a delegate call, and its rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inspect/time_details.h"

enum { CALL = 4, STEP = 1000 };

static struct ets_clock_error part_of(uint32_t call, uint32_t calls)
{
    const struct ets_row row = {.parent = call, .quantum_ticks = STEP, .calls_per_run = calls};
    return ets_row_clock_error(&row);
}

static struct ets_clock_error rest_of(uint32_t call, uint32_t parts)
{
    struct ets_clock_error rest = {.call = call};
    for (uint32_t i = 0; i < parts; i++) ets_clock_error_take(&rest, call, part_of(call, 1));
    return rest;
}

static void test_clock_error__operators_may_take_more_and_their_rest_less(void **state)
{
    struct ets_clock_error sum = {.below = 0};
    (void)state;
    ets_clock_error_add(&sum, part_of(CALL, 3));
    assert_true(sum.below == 0 && sum.above == 3 * STEP);
    sum = rest_of(CALL, 2);
    assert_true(sum.below == 2 * STEP && sum.above == 0);
}

static void test_clock_error__a_whole_call_is_exact(void **state)
{
    struct ets_clock_error sum = {.below = 0};
    (void)state;
    for (uint32_t call = CALL; call < CALL + 3; call++) {
        ets_clock_error_add(&sum, part_of(call, 1));
        ets_clock_error_add(&sum, part_of(call, 1));
        ets_clock_error_add(&sum, rest_of(call, 2));
    }
    assert_true(sum.below == 0 && sum.above == 0);
}

static void test_clock_error__a_rest_with_some_of_its_parts_lacks_the_others(void **state)
{
    struct ets_clock_error sum = {.below = 0};
    (void)state;
    ets_clock_error_add(&sum, part_of(CALL, 1));
    ets_clock_error_add(&sum, rest_of(CALL, 3));
    assert_true(sum.below == 2 * STEP && sum.above == 0);
}

static void test_clock_error__parts_and_rests_of_different_calls_bound_both_ends(void **state)
{
    struct ets_clock_error sum = {.below = 0};
    (void)state;
    ets_clock_error_add(&sum, part_of(CALL, 1));
    ets_clock_error_add(&sum, rest_of(CALL + 1, 2));
    assert_true(sum.below == 2 * STEP && sum.above == STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_error__operators_may_take_more_and_their_rest_less),
        cmocka_unit_test(test_clock_error__a_whole_call_is_exact),
        cmocka_unit_test(test_clock_error__a_rest_with_some_of_its_parts_lacks_the_others),
        cmocka_unit_test(test_clock_error__parts_and_rests_of_different_calls_bound_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
