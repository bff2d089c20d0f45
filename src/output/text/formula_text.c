/* Tells formulas from numbers and texts. */
#include "output/text/formula_text.h"

#include <string.h>

#include "base/text.h"

bool ets_is_formula(struct ets_text text)
{
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                       "\xef\xbc\xa0"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (ets_text_starts_with(text, wide[i])) return true;
    }
    if (text.size == 0 || memchr("=+-@\t\r\n", text.data[0], 7) == NULL) return false;
    if (text.data[0] != '+' && text.data[0] != '-') return true;
    for (size_t i = 1; i < text.size; i++) {
        const bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (!is_digit && text.data[i] != '.') return true;
    }
    return text.size == 1;
}
