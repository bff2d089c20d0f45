/* A text that grows in a room of the caller's. */
#include "host/text_builder.h"

#include <stdarg.h>
#include <stdio.h>

void ets_add_text(struct ets_text_builder *builder, const char *format, ...)
{
    va_list arguments;
    if (builder->used + 1 >= builder->room) return;
    const size_t room = builder->room - builder->used;
    va_start(arguments, format);
    const int size = vsnprintf(builder->text + builder->used, room, format, arguments);
    va_end(arguments);
    if (size > 0) builder->used += (size_t)size < room ? (size_t)size : room - 1;
}
