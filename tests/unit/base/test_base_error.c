/* Statuses and the bounded printing of messages. */
#include "test_inspect_support.h"

#include <limits.h>

#include "base/error.h"

static void test_base_error__every_status_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (int i = 0; i <= ETS_RUNTIME; i++) {
        assert_string_not_equal(ets_status_name((enum ets_status)i), "UNKNOWN");
        assert_true(strlen(ets_status_meaning((enum ets_status)i)) > 0);
    }
    assert_string_equal(ets_status_name(ETS_MALFORMED), "MALFORMED");
    assert_string_equal(ets_status_name((enum ets_status)999), "UNKNOWN");
}

static void test_base_error__prints_what_printf_prints(void **state)
{
    (void)state;
    char text[256], expected[256];
    const int long_size = 3;
    const size_t size =
        ets_print_text(text, sizeof text, "%d %i %u %x %ld %lu %lld %llu %zu %.*s %s %c %%",
                       INT_MIN, -1, UINT_MAX, 0xbeefu, LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX,
                       SIZE_MAX, long_size, "abcdef", "s", 'c');
    snprintf(expected, sizeof expected, "%d %i %u %x %ld %lu %lld %llu %zu %.*s %s %c %%", INT_MIN,
             -1, UINT_MAX, 0xbeefu, LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX, SIZE_MAX, long_size,
             "abcdef", "s", 'c');
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
}

static void test_base_error__never_writes_past_its_buffer(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity < 12; capacity++) {
        char text[16];
        memset(text, '#', sizeof text);
        const size_t size = ets_print_text(text, capacity, "%s%d", "abcdef", -123);
        assert_true(capacity == 0 ? size == 0 : size < capacity);
        if (capacity > 0) assert_int_equal(text[size], '\0');
        for (size_t i = capacity; i < sizeof text; i++) assert_int_equal(text[i], '#');
    }
}

static void test_base_error__advice_is_a_clause_with_the_callers_word(void **state)
{
    (void)state;
    char text[64];
    struct ets_error error = {.advice = ETS_ADVICE_METHOD};
    for (int i = ETS_ADVICE_NONE + 1; i < ETS_ADVICE_COUNT; i++) {
        const size_t size = ets_advice_print((enum ets_advice)i, "WORD", text, sizeof text);
        assert_int_equal(size, strlen(text));
        assert_non_null(strstr(text, "WORD"));
    }
    assert_int_equal(ets_advice_print(ETS_ADVICE_METHOD, "--method", text, sizeof text), 23);
    assert_string_equal(text, " (choose with --method)");
    assert_int_equal(ets_advice_print(ETS_ADVICE_METHOD, NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(ets_advice_print(ETS_ADVICE_NONE, "WORD", text, sizeof text), 0);
    assert_int_equal(ets_advice_print(ETS_ADVICE_COUNT, "WORD", text, sizeof text), 0);
    assert_int_equal(ets_advice_print(ETS_ADVICE_METHOD, "--method", text, 6), 5);
    assert_string_equal(text, " (cho");
    (void)ets_fail(&error, ETS_IO, 0, "nothing helps");
    assert_int_equal(error.advice, ETS_ADVICE_NONE);
    assert_int_equal(ets_fail_advising(&error, ETS_ADVICE_INPUTS, ETS_NOT_FOUND, 0, "%d", 7),
                     ETS_NOT_FOUND);
    assert_int_equal(error.advice, ETS_ADVICE_INPUTS);
    assert_string_equal(error.message, "7");
}

static void test_base_error__messages_are_one_line_without_control_characters(void **state)
{
    (void)state;
    struct ets_error error;
    const enum ets_status status =
        ets_fail(&error, ETS_MALFORMED, 77, "name \"%s\" and %.*s", "a\nb\033[2J\x7f", 2, "xyz");
    assert_int_equal(status, ETS_MALFORMED);
    assert_int_equal(error.status, ETS_MALFORMED);
    assert_int_equal(error.offset, 77);
    assert_string_equal(error.message, "name \"a?b?[2J?\" and xy");
    assert_int_equal(ets_fail(NULL, ETS_IO, 0, "nobody listens"), ETS_IO);
    char name[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)ets_fail(&error, ETS_LIMIT, 0, "%s", name);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_error__every_status_has_a_name_and_a_meaning),
        cmocka_unit_test(test_base_error__prints_what_printf_prints),
        cmocka_unit_test(test_base_error__never_writes_past_its_buffer),
        cmocka_unit_test(test_base_error__advice_is_a_clause_with_the_callers_word),
        cmocka_unit_test(test_base_error__messages_are_one_line_without_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
