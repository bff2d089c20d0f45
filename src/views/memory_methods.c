/* Adds up the planned memory of methods. */
#include "views/memory_methods.h"

#include <inttypes.h>

#include "host/text_builder.h"

enum { STATE_ARENA = 1 };

/* The bytes of the second and last arena if it holds mutable buffers alone; else 0. */
static uint64_t state_bytes(const struct ets_memory_plan *plan)
{
    if (plan->arena_count != STATE_ARENA + 1) return 0;
    const struct ets_plan_arena *arena = &plan->arenas[STATE_ARENA];
    for (uint32_t i = 0; i < arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
        const bool is_view = tensor->base != ETS_PLAN_NONE;
        if (!is_view && tensor->kind != ETS_PLAN_BUFFER && tensor->kind != ETS_PLAN_UNUSED)
            return 0;
    }
    return arena->planned.bytes;
}

uint64_t ets_memory_methods_shared_bytes(const struct ets_memory_methods *methods)
{
    const bool is_shared =
        methods->sharing_count > 1 && methods->sharing_count == methods->planned_count;
    return is_shared ? methods->state_bytes : 0;
}

void ets_memory_methods_add(struct ets_memory_methods *methods, const struct ets_memory_plan *plan)
{
    const uint64_t bytes = plan->planned_bytes, room = UINT64_MAX - methods->sum_bytes;
    if (methods->count++ == 0 || bytes > methods->most_bytes) {
        methods->most_bytes = bytes;
        methods->most = plan->method.name;
    }
    methods->sum_bytes += bytes < room ? bytes : room;
    if (bytes == 0) return;
    methods->planned_count++;
    const uint64_t state = state_bytes(plan);
    if (state == 0 || (methods->sharing_count > 0 && state != methods->state_bytes)) return;
    methods->state_bytes = state;
    methods->sharing_count++;
}

size_t ets_memory_methods_headline(const struct ets_memory_methods *methods, char *room,
                                   size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    if (size > 0) room[0] = '\0';
    if (methods->count < 2) return 0;
    if (methods->planned_count < 2) {
        ets_add_plain_text(&text, "%" PRIu32 " methods, planned memory in ", methods->count);
        if (methods->planned_count == 0) ets_add_plain_text(&text, "none");
        else ets_add_plain_text(&text, "%.*s alone: ", ETS_TEXT(methods->most));
        if (methods->planned_count > 0) ets_add_bytes(&text, methods->sum_bytes);
        return text.used;
    }
    const uint64_t shared = ets_memory_methods_shared_bytes(methods);
    ets_add_plain_text(
        &text, "%" PRIu32 " methods, each with arenas of its own: ", methods->planned_count);
    ets_add_bytes(&text, methods->sum_bytes - shared * (methods->planned_count - 1));
    ets_add_plain_text(&text, " if all are loaded together, ");
    ets_add_bytes(&text, methods->most_bytes);
    ets_add_plain_text(&text, " (%.*s) if one is loaded at a time", ETS_TEXT(methods->most));
    if (shared > 0) {
        ets_add_plain_text(&text, "; ");
        ets_add_bytes(&text, shared);
        ets_add_plain_text(&text, " are shared state, counted once");
    }
    return text.used;
}
