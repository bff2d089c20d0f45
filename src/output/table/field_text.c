/* Quotes a field of TSV and CSV where it must be quoted. */
#include "output/table/field_text.h"
#include "base/utf8.h"
#include "host/output.h"

#include <stdbool.h>
#include <string.h>

#include "etscope/base.h"

/* Of a character: what a field holds in its place; NULL: itself. */
static const char *instead_of(const char *at, size_t length)
{
    if (length == 0) return "\xef\xbf\xbd";
    if (*at == '"') return "\"\"";
    if (*at == '\t' || *at == '\n' || *at == '\r') return NULL;
    return ets_plain_length(at, length) > 0 ? NULL : " ";
}

void ets_put_field_text(struct ets_output *output, struct ets_text text)
{
    size_t done = 0, i = 0;
    while (i < text.size) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        const char *instead = instead_of(text.data + i, length);
        if (instead != NULL) {
            ets_output_write(output, text.data + done, i - done);
            ets_output_write(output, instead, strlen(instead));
        }
        i += length > 0 ? length : 1;
        if (instead != NULL) done = i;
    }
    ets_output_write(output, text.data + done, i - done);
}
