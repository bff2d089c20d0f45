#include "export/xml_text.h"

#include <stdbool.h>
#include <string.h>

#include "export/table_cells.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

void ets_xml_put_text(struct ets_output *output, struct ets_text text)
{
    for (size_t i = 0; i < text.size;) {
        const unsigned char *at = (const unsigned char *)text.data + i;
        const size_t length = ets_utf8_length(at, text.size - i);
        /* U+FFFE and U+FFFF are no characters of XML either. */
        const bool is_none = length == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
        if (length == 0 || *at < 0x20 || is_none) put(output, "?");
        else if (*at == '&') put(output, "&amp;");
        else if (*at == '<') put(output, "&lt;");
        else if (*at == '>') put(output, "&gt;");
        else if (*at == '"') put(output, "&quot;");
        else ets_output_write(output, at, length);
        i += length == 0 ? 1 : length;
    }
}
