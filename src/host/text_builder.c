/* A text that grows in a room of the caller's. */
#include "host/text_builder.h"

#include <stdarg.h>
#include <stdio.h>

#include "etscope/base.h"

/* Of a text that was cut: without half of a character at its end. */
static size_t whole_characters(const char *text, size_t size)
{
    size_t at = size;
    while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80) at--;
    if (at == 0) return size;
    at--;
    return ets_utf8_length(text + at, size - at) > 0 ? size : at;
}

void ets_add_text(struct ets_text_builder *builder, const char *format, ...)
{
    va_list arguments;
    if (builder->used + 1 >= builder->room) return;
    const size_t room = builder->room - builder->used;
    va_start(arguments, format);
    const int size = vsnprintf(builder->text + builder->used, room, format, arguments);
    va_end(arguments);
    if (size <= 0) return;
    if ((size_t)size < room) {
        builder->used += (size_t)size;
        return;
    }
    builder->used = whole_characters(builder->text, builder->room - 1);
    builder->text[builder->used] = '\0';
    builder->room = builder->used + 1; /* nothing may follow what was cut */
}
