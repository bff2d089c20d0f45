/* Builds text in the caller's buffer. */
#include "host/text_builder.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The length of a cut text without an incomplete last character. */
static size_t whole_characters(const char *text, size_t size)
{
    size_t at = size;
    while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80) at--;
    if (at == 0) return size;
    at--;
    return ets_utf8_length(text + at, size - at) > 0 ? size : at;
}

static void add(struct ets_text_builder *builder, const char *format, va_list arguments)
    ETS_PRINTF(2, 0);
static void add(struct ets_text_builder *builder, const char *format, va_list arguments)
{
    if (builder->used < builder->room) builder->text[builder->used] = '\0';
    if (builder->used + 1 >= builder->room) return;
    const size_t room = builder->room - builder->used;
    const int size = vsnprintf(builder->text + builder->used, room, format, arguments);
    if (size <= 0) return;
    if ((size_t)size < room) {
        builder->used += (size_t)size;
        return;
    }
    builder->used = whole_characters(builder->text, builder->room - 1);
    builder->text[builder->used] = '\0';
    builder->room = builder->used + 1; /* ignore all text after a cut */
}

void ets_add_text(struct ets_text_builder *builder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(builder, format, arguments);
    va_end(arguments);
}

void ets_add_plain_text(struct ets_text_builder *builder, const char *format, ...)
{
    va_list arguments;
    const size_t start = builder->used;
    const bool has_breaks = strchr(format, '\n') != NULL;
    va_start(arguments, format);
    add(builder, format, arguments);
    va_end(arguments);
    size_t kept = start;
    for (size_t i = start; i < builder->used;) {
        const char *at = builder->text + i;
        const size_t plain = ets_plain_length(at, builder->used - i);
        const size_t whole = ets_utf8_length(at, builder->used - i);
        const size_t length = whole > 0 ? whole : 1;
        const bool is_kept = plain > 0 || (has_breaks && *at == '\n');
        if (is_kept) memmove(builder->text + kept, at, length);
        else builder->text[kept] = '?';
        kept += is_kept ? length : 1;
        i += length;
    }
    if (kept == builder->used) return;
    builder->used = kept;
    builder->text[kept] = '\0';
}

void ets_add_shown_text(struct ets_text_builder *builder, struct ets_text text)
{
    for (size_t i = 0; i < text.size && builder->used + 4 < builder->room;) {
        const char *at = text.data + i;
        const size_t length = ets_plain_length(at, text.size - i);
        if (length == 0) ets_add_text(builder, "\\x%02x", (unsigned char)*at);
        else ets_add_text(builder, "%.*s", (int)length, at);
        i += length == 0 ? 1 : length;
    }
}

void ets_add_bytes(struct ets_text_builder *builder, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    ets_add_text(builder, "%.*f %s", unit > 0 ? 1 : 0, size, units[unit]);
}
