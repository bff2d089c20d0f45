/* Writes markup and text of a page. */
#include "output/page/page_markup.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

void ets_page_put(struct ets_output *output, const char *markup)
{
    ets_output_write(output, markup, strlen(markup));
}

void ets_page_put_shown(struct ets_output *output, struct ets_text text)
{
    for (size_t i = 0; i < text.size;) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        const uint32_t code = length > 0 ? ets_utf8_code(text.data + i, length) : 0xfffd;
        const bool is_hidden = code < 0x20 || (code >= 0x7f && code < 0xa0) ||
                               (code >= 0x200e && code <= 0x200f) ||
                               (code >= 0x2028 && code <= 0x202e) ||
                               (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
        if (code == '&') ets_page_put(output, "&amp;");
        else if (code == '<') ets_page_put(output, "&lt;");
        else if (code == '>') ets_page_put(output, "&gt;");
        else if (length == 0) ets_page_put(output, "\xef\xbf\xbd");
        else if (is_hidden) ets_output_print(output, "\\u%04x", (unsigned)code);
        else ets_output_write(output, text.data + i, length);
        i += length > 0 ? length : 1;
    }
}
