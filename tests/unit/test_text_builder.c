/* The text builder: bounded, in whole characters, and plain whatever a file names things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/text_builder.h"

static void test_text_builder__adds_what_printf_prints(void **state)
{
    (void)state;
    char text[32] = "";
    const struct ets_text name = {"linear_1.out", 8};
    struct ets_text_builder line = {text, sizeof text, 0};
    ets_add_text(&line, "%.*s takes ", ETS_TEXT(name));
    ets_add_text(&line, "%.1f %%", 12.34);
    assert_string_equal(text, "linear_1 takes 12.3 %");
    assert_int_equal(ets_built_text(&line).size, strlen(text));
}

static void test_text_builder__never_writes_past_its_room(void **state)
{
    (void)state;
    for (size_t room = 0; room < 12; room++) {
        char text[16];
        memset(text, '#', sizeof text);
        struct ets_text_builder line = {text, room, 0};
        for (int i = 0; i < 3; i++)
            ets_add_text(&line, "%s",
                         "\xc3\xa4"
                         "bc");
        assert_true(room == 0 ? line.used == 0 : line.used < room);
        if (room > 0) assert_int_equal(strlen(text), line.used);
        if (room == 2) assert_int_equal(line.used, 0); /* no half of a character */
        for (size_t i = room; i < sizeof text; i++) assert_int_equal(text[i], '#');
    }
    char text[8];
    struct ets_text_builder line = {text, sizeof text, 0};
    ets_add_text(&line, "%s", "abcdef\xc3\xa4");
    ets_add_text(&line, "more");
    assert_string_equal(text, "abcdef");
}

static void test_text_builder__control_characters_are_replaced(void **state)
{
    (void)state;
    char text[64];
    struct ets_text_builder line = {text, sizeof text, 0};
    ets_add_text(&line, "%s|", "a\nb\033[2J\x7f\xff");
    ets_add_text(&line, "%s|",
                 "\xe2\x80\xae"
                 "c"); /* turns the direction of the text */
    ets_add_text(&line, "end\n");
    assert_string_equal(text, "a?b?[2J??|?c|end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_builder__adds_what_printf_prints),
        cmocka_unit_test(test_text_builder__never_writes_past_its_room),
        cmocka_unit_test(test_text_builder__control_characters_are_replaced),
    };
    return cmocka_run_group_tests_name("text_builder", tests, NULL, NULL);
}
