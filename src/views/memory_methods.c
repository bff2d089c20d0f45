/* Adds up the planned memory of methods. */
#include "views/memory_methods.h"

#include <inttypes.h>

#include "host/text_builder.h"

void ets_memory_methods_add(struct ets_memory_methods *methods, const struct ets_memory_plan *plan)
{
    const uint64_t bytes = plan->planned_bytes, room = UINT64_MAX - methods->sum_bytes;
    if (methods->count++ == 0 || bytes > methods->most_bytes) {
        methods->most_bytes = bytes;
        methods->most = plan->method.name;
    }
    methods->sum_bytes += bytes < room ? bytes : room;
}

size_t ets_memory_methods_headline(const struct ets_memory_methods *methods, char *room,
                                   size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    if (size > 0) room[0] = '\0';
    if (methods->count < 2) return 0;
    ets_add_plain_text(&text, "%" PRIu32 " methods, each with arenas of its own: ", methods->count);
    ets_add_bytes(&text, methods->sum_bytes);
    ets_add_plain_text(&text, " if all are loaded together, ");
    ets_add_bytes(&text, methods->most_bytes);
    ets_add_plain_text(&text, " (%.*s) if one is loaded at a time", ETS_TEXT(methods->most));
    return text.used;
}
