/* When two sides were given other work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/other_work.h"

static enum ets_other_work of(struct ets_pool_block before, struct ets_pool_block after)
{
    return ets_other_work_find(&before, &after);
}

static void test_other_work__is_of_tokens_and_positions(void **state)
{
    (void)state;
    const struct ets_pool_block decode = {.tokens = 1, .position = 8, .last_position = 108};
    struct ets_pool_block other = decode;
    assert_int_equal(of(decode, decode), ETS_OTHER_WORK_NONE);
    other.last_position = 100; /* a text ends somewhere */
    assert_int_equal(of(decode, other), ETS_OTHER_WORK_NONE);
    other.last_position = 11;
    assert_int_equal(of(decode, other), ETS_OTHER_WORK_LENGTH);
    assert_int_equal(of(other, decode), ETS_OTHER_WORK_LENGTH);
    other.position = 9;
    assert_int_equal(of(decode, other), ETS_OTHER_WORK_POSITION);
    other.tokens = 2;
    assert_int_equal(of(decode, other), ETS_OTHER_WORK_TOKENS);
}

static void test_other_work__is_not_known_without_tokens(void **state)
{
    (void)state;
    const struct ets_pool_block decode = {.tokens = 1, .position = 8, .last_position = 108};
    assert_int_equal(of(decode, (struct ets_pool_block){.tokens = 0}), ETS_OTHER_WORK_NONE);
    assert_int_equal(ets_other_work_find(NULL, &decode), ETS_OTHER_WORK_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_work__is_of_tokens_and_positions),
        cmocka_unit_test(test_other_work__is_not_known_without_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
