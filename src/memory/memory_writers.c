/*
 * Remembers which tensor wrote to a place of planned memory last. Exporters turn views into second
 * values at the bytes of the first, and write no instruction for them: a value that is read before
 * it is written shows what lies there.
 */
#include <stdlib.h>

#include "memory/memory_parts.h"

/* Places begin where tensors do; a tensor covers those from its own to the first behind its end. */
struct place {
    uint32_t arena;
    uint64_t offset;
};

/*
 * A tree over the places, as a heap with the places as leaves: each part has the last write that
 * covered all of it.
 */
struct ets_plan_writers {
    const struct ets_memory_plan *plan;
    struct place *places;
    uint32_t count, leaves; /* leaves: a power of 2, at least `count` */
    uint32_t *writer;       /* [2 * leaves] a tensor */
    uint32_t *when;         /* [2 * leaves] number of its write, from 1; 0: none */
    uint32_t writes;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->arena != b->arena) return a->arena < b->arena ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void list_places(struct ets_plan_writers *w)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < w->plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &w->plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || tensor->bytes == 0) continue;
        w->places[count++] = (struct place){tensor->arena, tensor->offset};
    }
    if (count > 1) qsort(w->places, count, sizeof *w->places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        if (w->count > 0 && compare_places(&w->places[w->count - 1], &w->places[i]) == 0) continue;
        w->places[w->count++] = w->places[i];
    }
}

enum ets_status ets_plan_writers_new(const struct ets_memory_plan *plan, struct ets_arena *arena,
                                     struct ets_plan_writers **writers_out, struct ets_error *error)
{
    static const char what[] = "what lies in planned memory";
    struct ets_plan_writers *w = ets_arena_alloc(arena, sizeof *w);
    if (w == NULL) return ets_fail_memory(error, what);
    w->plan = plan;
    w->places = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *w->places);
    if (w->places == NULL) return ets_fail_memory(error, what);
    list_places(w);
    for (w->leaves = 1; w->leaves < w->count;) w->leaves *= 2;
    w->writer = ets_arena_alloc_array(arena, 2 * (size_t)w->leaves, sizeof *w->writer);
    w->when = ets_arena_alloc_array(arena, 2 * (size_t)w->leaves, sizeof *w->when);
    if (w->writer == NULL || w->when == NULL) return ets_fail_memory(error, what);
    *writers_out = w;
    return ETS_OK;
}

/* The first place that is not before an offset. */
static uint32_t place_at(const struct ets_plan_writers *w, uint32_t arena, uint64_t offset)
{
    const struct place wanted = {arena, offset};
    uint32_t low = 0, high = w->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_places(&w->places[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool has_place(const struct ets_plan_tensor *tensor)
{
    return tensor->arena != ETS_PLAN_NONE && tensor->bytes > 0;
}

void ets_plan_writers_add(struct ets_plan_writers *w, uint32_t number)
{
    const struct ets_plan_tensor *tensor = &w->plan->tensors[number];
    if (!has_place(tensor)) return;
    uint32_t low = w->leaves + place_at(w, tensor->arena, tensor->offset);
    uint32_t high = w->leaves + place_at(w, tensor->arena, tensor->offset + tensor->bytes);
    w->writes++;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            w->writer[low] = number;
            w->when[low++] = w->writes;
        }
        if (high & 1) {
            w->writer[--high] = number;
            w->when[high] = w->writes;
        }
    }
}

uint32_t ets_plan_writers_find(const struct ets_plan_writers *w, uint32_t number)
{
    const struct ets_plan_tensor *tensor = &w->plan->tensors[number];
    uint32_t found = ETS_PLAN_NONE, when = 0;
    if (!has_place(tensor)) return ETS_PLAN_NONE;
    uint32_t part = w->leaves + place_at(w, tensor->arena, tensor->offset);
    for (; part > 0; part /= 2) {
        if (w->when[part] <= when) continue;
        when = w->when[part];
        found = w->writer[part];
    }
    if (found == ETS_PLAN_NONE) return ETS_PLAN_NONE;
    const struct ets_plan_tensor *writer = &w->plan->tensors[found];
    const uint64_t end = writer->offset + writer->bytes;
    return tensor->offset + tensor->bytes <= end ? found : ETS_PLAN_NONE;
}
