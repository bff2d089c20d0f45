/* Quotes a field of TSV and CSV where it must be quoted. */
#include "output/table/field_text.h"

#include <stdbool.h>
#include <string.h>

#include "etscope/base.h"

void ets_put_field_text(struct ets_output *output, struct ets_text text)
{
    size_t done = 0, i = 0;
    while (i < text.size) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        const bool is_quote = text.data[i] == '"';
        if (length > 0 && !is_quote) {
            i += length;
            continue;
        }
        ets_output_write(output, text.data + done, i - done);
        const char *instead = is_quote ? "\"\"" : "\xef\xbf\xbd";
        ets_output_write(output, instead, strlen(instead));
        done = ++i;
    }
    ets_output_write(output, text.data + done, i - done);
}
