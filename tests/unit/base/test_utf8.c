/* Text with bytes that are no UTF-8. */
#include "test_inspect_support.h"

#include <string.h>

#include "base/utf8.h"

static void test_utf8__a_copy_is_well_formed(void **state)
{
    static const struct {
        const char *text, *copy;
    } cases[] = {{"", ""},
                 {"a\xc3\xa4", "a\xc3\xa4"},
                 {"a\xff", "a\xef\xbf\xbd"},
                 {"\xc3", "\xef\xbf\xbd"},
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xc0\x80z", "\xef\xbf\xbd\xef\xbf\xbdz"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[32];
        const size_t size = strlen(cases[i].text), wanted = strlen(cases[i].copy);
        assert_int_equal(ets_utf8_copy(cases[i].text, size, NULL), wanted);
        assert_int_equal(ets_utf8_copy(cases[i].text, size, copy), wanted);
        assert_memory_equal(copy, cases[i].copy, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_utf8__a_copy_is_well_formed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
