/* Texts that grow in a room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/text_builder.h"

static void test_text_builder__adds_one_behind_the_other(void **state)
{
    (void)state;
    char room[32];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_text(&text, "%s", "");
    ets_add_text(&text, "%.*s takes ", ETS_TEXT(((struct ets_text){"addmm.out", 5})));
    ets_add_text(&text, "%.1f %%", 12.34);
    assert_string_equal(room, "addmm takes 12.3 %");
    assert_int_equal(ets_built_text(&text).size, strlen(room));
}

static void test_text_builder__ends_with_a_whole_character(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 12; bytes++) {
        char room[12];
        struct ets_text_builder text = {room, bytes, 0};
        static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
        room[0] = '\0';
        ets_add_text(&text, "a%s", "\xc3\xa4\xe2\x80\xa6\xf0\x9f\x98\x80");
        assert_int_equal(text.used, whole[bytes - 1]);
        assert_int_equal(strlen(room), text.used);
        if (bytes < 11) {
            ets_add_text(&text, "b");
            assert_int_equal(text.used, whole[bytes - 1]);
        }
    }
}

static void test_text_builder__replaces_control_characters(void **state)
{
    (void)state;
    char room[64];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_plain_text(&text, "%s|", "a\nb\033[2J\x7f\xff");
    ets_add_plain_text(&text, "%s|",
                       "\xe2\x80\xae"
                       "c"); /* turns the direction of the text */
    ets_add_plain_text(&text, "end\n");
    assert_string_equal(room, "a?b?[2J??|?c|end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_builder__adds_one_behind_the_other),
        cmocka_unit_test(test_text_builder__ends_with_a_whole_character),
        cmocka_unit_test(test_text_builder__replaces_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
