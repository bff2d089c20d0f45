/* Lengths of single characters: of valid UTF-8, and of characters that are safe to print. */
#include "etscope/base.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

size_t ets_utf8_length(const char *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) return 1;
    const size_t length = ets_utf8_wanted(at[0]);
    if (length == 1 || length > size || at[0] > 0xf4) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    const uint32_t code = ets_utf8_code(text, length);
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}

size_t ets_plain_length(const char *at, size_t size)
{
    static const uint16_t others[][2] = {{0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
                                         {0x2028, 0x202e}, {0x2066, 0x206f}, {0, 0x1f}};
    const size_t length = ets_utf8_length(at, size);
    const uint32_t code = ets_utf8_code(at, length > 0 ? length : 1);
    if (code >= 0x20 && code < 0x7f) return length;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (code >= others[i][0] && code <= others[i][1]) return 0;
    }
    return length;
}

size_t ets_utf8_copy(const char *text, size_t size, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        const size_t length = ets_utf8_length(text + i, size - i);
        const size_t written = length > 0 ? length : 3;
        if (out != NULL) memcpy(out + used, length > 0 ? text + i : "\xef\xbf\xbd", written);
        used += written;
        i += length > 0 ? length : 1;
    }
    return used;
}
