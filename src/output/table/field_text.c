/* Writes a field of TSV and CSV, quoted where it must be. */
#include "output/table/field_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "etscope/base.h"
#include "host/output.h"
#include "output/text/formula_text.h"

/* Of a character: what a field holds in its place; NULL: itself. */
static const char *instead_of(const char *at, size_t length)
{
    if (length == 0) return "\xef\xbf\xbd";
    if (*at == '"') return "\"\"";
    if (*at == '\t' || *at == '\n' || *at == '\r') return NULL;
    return ets_plain_length(at, length) > 0 ? NULL : " ";
}

static void put_text(struct ets_output *output, struct ets_text text)
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

static bool needs_quotes(struct ets_text text, char separator)
{
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (c == separator || c == '"' || c == '\n' || c == '\r') return true;
    }
    return false;
}

void ets_put_field(struct ets_output *output, const struct ets_text *texts, size_t count,
                   const char *between, char separator)
{
    const struct ets_text joint = ets_text_of(between);
    bool quote = count > 1 && needs_quotes(joint, separator);
    for (size_t i = 0; i < count && !quote; i++) quote = needs_quotes(texts[i], separator);
    if (quote) ets_output_write(output, "\"", 1);
    if (count > 0 && ets_is_formula(texts[0])) ets_output_write(output, "'", 1);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ets_output_write(output, joint.data, joint.size);
        put_text(output, texts[i]);
    }
    if (quote) ets_output_write(output, "\"", 1);
}
