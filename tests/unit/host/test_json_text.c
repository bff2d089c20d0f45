/* The escapes of JSON's strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/json_text.h"

static void assert_escaped(const char *text, size_t size, const char *expected)
{
    char escaped[64];
    size_t used = 0;
    struct ets_text left = {text, size};
    struct ets_json_piece piece;
    while (ets_json_next(&left, &piece)) {
        assert_true(piece.size > 0 && used + piece.size < sizeof escaped);
        memcpy(escaped + used, piece.data, piece.size);
        used += piece.size;
    }
    escaped[used] = '\0';
    assert_string_equal(escaped, expected);
    assert_true(used + 2 <= ets_json_room(size));
}

static void test_json_text__plain_text_stays(void **state)
{
    (void)state;
    assert_escaped("", 0, "");
    assert_escaped("addmm.out", 9, "addmm.out");
    assert_escaped("\xc3\xa4 \xf0\x9f\x98\x80", 7, "\xc3\xa4 \xf0\x9f\x98\x80");
}

static void test_json_text__syntax_and_control_characters_are_escaped(void **state)
{
    (void)state;
    assert_escaped("\"\\", 2, "\\\"\\\\");
    assert_escaped("a\nb\0c", 5, "a\\u000ab\\u0000c");
    assert_escaped("\x1f\x7f", 2, "\\u001f\\u007f");
    assert_escaped("\xc2\x9f", 2, "\\u009f");
    assert_escaped("\xe2\x80\xae", 3, "\\u202e"); /* would turn the text around it */
}

static void test_json_text__what_is_no_utf8_is_replaced(void **state)
{
    (void)state;
    assert_escaped("\xff", 1, "\\ufffd");
    assert_escaped("a\xe2\x80", 3, "a\\ufffd\\ufffd");
    assert_escaped("\xed\xa0\x80", 3, "\\ufffd\\ufffd\\ufffd"); /* a surrogate */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_text__plain_text_stays),
        cmocka_unit_test(test_json_text__syntax_and_control_characters_are_escaped),
        cmocka_unit_test(test_json_text__what_is_no_utf8_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
