/* A text that grows in a room of the caller's. */
#include "host/text_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Replaces what a terminal must not see, and ends before half a character. */
static size_t make_plain(char *text, size_t size, int may_break, int is_cut)
{
    for (size_t i = 0; i < size;) {
        const size_t plain = ets_plain_length(text + i, size - i);
        const size_t whole = ets_utf8_length(text + i, size - i);
        if (plain == 0 && whole == 0 && is_cut && size - i < 4) return i;
        if (plain == 0 && !(may_break && text[i] == '\n')) {
            const size_t length = whole > 0 ? whole : 1;
            text[i] = '?';
            memmove(text + i + 1, text + i + length, size - i - length);
            size -= length - 1;
        }
        i += plain > 0 ? plain : 1;
    }
    return size;
}

void ets_add_text(struct ets_text_builder *builder, const char *format, ...)
{
    va_list arguments;
    if (builder->used < builder->room) builder->text[builder->used] = '\0';
    if (builder->used + 1 >= builder->room) return;
    char *end = builder->text + builder->used;
    const size_t room = builder->room - builder->used;
    va_start(arguments, format);
    const int size = vsnprintf(end, room, format, arguments);
    va_end(arguments);
    const int is_cut = size > 0 && (size_t)size >= room;
    const size_t written = size < 0 ? 0 : is_cut ? room - 1 : (size_t)size;
    builder->used += make_plain(end, written, strchr(format, '\n') != NULL, is_cut);
    builder->text[builder->used] = '\0';
    if (is_cut) builder->room = builder->used + 1; /* nothing follows what was cut */
}
