/* What patterns of names match. */
#include "test_faults_support.h"

#include "base/text.h"
#include "base/text_pattern.h"

static bool matches(const char *pattern, const char *text)
{
    return ets_text_matches(ets_text_of(pattern), ets_text_of(text));
}

static void pattern__matches_the_whole_text(void **state)
{
    (void)state;
    assert_true(matches("conv.out", "conv.out"));
    assert_false(matches("conv", "conv.out"));
    assert_false(matches("conv.out", "conv"));
    assert_true(matches("", ""));
    assert_false(matches("", "a"));
}

static void star__is_any_text_and_question_mark_one_byte(void **state)
{
    (void)state;
    assert_true(matches("*", ""));
    assert_true(matches("*.experts.*", "layers.3.experts.0.w1"));
    assert_false(matches("*.experts.*", "experts.0.w1"));
    assert_true(matches("a*b*c", "a-b-b-c-c"));
    assert_false(matches("a*b*c", "a-c-b"));
    assert_true(matches("l?yers.?", "layers.3"));
    assert_false(matches("l?yers.?", "layers."));
    assert_true(matches("**a**", "bab"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern__matches_the_whole_text),
        cmocka_unit_test(star__is_any_text_and_question_mark_one_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
