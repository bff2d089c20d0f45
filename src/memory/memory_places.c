/* Numbers the places where tensors begin and end. */
#include "memory/memory_places.h"

#include <stdlib.h>

/* Begin (even) or end (odd) of a tensor. */
struct border {
    uint32_t arena, end_of;
    uint64_t offset;
};

static int compare_borders(const void *left, const void *right)
{
    const struct border *a = left, *b = right;
    if (a->arena != b->arena) return a->arena < b->arena ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Programs are verified: no tensor leaves its arena. */
static uint64_t end_of(const struct ets_memory_plan *plan, const struct ets_plan_tensor *tensor,
                       uint32_t alignment)
{
    const uint64_t end = tensor->offset + tensor->bytes, rest = end & (alignment - 1);
    const uint64_t room = plan->arenas[tensor->arena].planned.bytes - end;
    const uint64_t padding = rest == 0 ? 0 : alignment - rest;
    return end + (padding < room ? padding : room);
}

static uint32_t list_borders(const struct ets_memory_plan *plan, uint32_t alignment,
                             struct border *borders)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || tensor->bytes == 0) continue;
        const uint64_t end = end_of(plan, tensor, alignment);
        borders[count++] = (struct border){tensor->arena, 2 * t, tensor->offset};
        borders[count++] = (struct border){tensor->arena, 2 * t + 1, end};
    }
    if (count > 1) qsort(borders, count, sizeof *borders, compare_borders);
    return count;
}

static void number(struct ets_plan_places *places, const struct border *borders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct border *border = &borders[i];
        if (i == 0 || compare_borders(border - 1, border) != 0) {
            places->offsets[places->count++] = border->offset;
            places->arena_begin[border->arena + 1] = places->count;
        }
        const uint32_t tensor = border->end_of / 2;
        *(border->end_of & 1 ? &places->end[tensor] : &places->begin[tensor]) = places->count - 1;
    }
}

enum ets_status ets_plan_places_init(struct ets_plan_places *places,
                                     const struct ets_memory_plan *plan, uint32_t alignment,
                                     struct ets_arena *arena, struct ets_error *error)
{
    const size_t tensors = plan->tensor_count, arenas = (size_t)plan->arena_count + 1;
    struct border *borders = ets_arena_alloc_array(arena, 2 * tensors, sizeof *borders);
    *places = (struct ets_plan_places){
        .offsets = ets_arena_alloc_array(arena, 2 * tensors, sizeof *places->offsets),
        .arena_begin = ets_arena_alloc_array(arena, arenas, sizeof *places->arena_begin),
        .begin = ets_arena_alloc_array(arena, tensors, sizeof *places->begin),
        .end = ets_arena_alloc_array(arena, tensors, sizeof *places->end),
    };
    if (borders == NULL || places->offsets == NULL || places->arena_begin == NULL ||
        places->begin == NULL || places->end == NULL || tensors > INT32_MAX) {
        return ets_fail_memory(error, "the places of planned memory");
    }
    number(places, borders, list_borders(plan, alignment, borders));
    for (uint32_t a = 0; a < plan->arena_count; a++) { /* arenas without tensors have none */
        if (places->arena_begin[a + 1] == 0) places->arena_begin[a + 1] = places->arena_begin[a];
    }
    return ETS_OK;
}
