/* Escapes a text for XML. */
#include "output/text/xml_text.h"

#include <stdbool.h>
#include <string.h>

#include "etscope/base.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

/* XML 1.0 has no control characters but these, no surrogates, and not U+FFFE and U+FFFF. */
static size_t text_length(const char *at, size_t left)
{
    if (*at == '\t' || *at == '\n' || *at == '\r') return 1;
    const size_t length = ets_plain_length(at, left);
    return length == 3 && memcmp(at, "\xef\xbf", 2) == 0 && (unsigned char)at[2] >= 0xbe ? 0
                                                                                         : length;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\n': return "&#10;"; /* an attribute's line break would be read as a space */
    case '\r': return "&#13;";
    case '\t': return "&#9;";
    default: return NULL;
    }
}

void ets_xml_put_text(struct ets_output *output, struct ets_text text)
{
    const char *at = text.data;
    size_t left = text.size;
    while (left > 0) {
        const size_t length = text_length(at, left);
        const char *entity = length > 0 ? entity_of(*at) : "?";
        if (entity != NULL) put(output, entity);
        else ets_output_write(output, at, length);
        const size_t taken = length > 0 ? length : 1;
        at += taken;
        left -= taken;
    }
}
