/*
 * Measures how many bytes of each arena are live at each step: the union of the ranges that live
 * tensors cover. One pass over the steps with a tree over the places where ranges begin and end, so
 * that a tensor costs the logarithm of their number.
 */
#include <string.h>

#include "base/load.h"
#include "memory/memory_parts.h"

/* Cells of all arenas' levels together: a small file may have thousands of arenas. */
enum { CELLS_FLOOR = 1 << 22, CELLS_TIMES = 8 };

/* A part of the places between a border and another; a range that covers all of it stops here. */
struct part {
    uint32_t covers;  /* ranges that cover it whole */
    uint64_t covered; /* bytes of it that are covered */
};

struct sweep {
    struct ets_memory_plan *plan;
    const struct ets_plan_places *places;
    const struct ets_plan_arena *arena;
    uint32_t first_border;   /* in places */
    const uint64_t *borders; /* [border_count] the arena's, ascending */
    uint32_t border_count;
    struct part *parts; /* a heap: part 1 is the whole, those of i are 2i and 2i + 1 */
    /* Tensors of the arena by the first step of a piece and by the step behind its last: [step + 1]
     * where the next step's begin. */
    uint32_t *begins, *ends, *by_begin, *by_end;
};

/* Tensor `index` of the arena; NULL: it never takes anything. */
static const struct ets_plan_tensor *live_tensor(const struct sweep *s, uint32_t index)
{
    const struct ets_plan_tensor *tensor = &s->plan->tensors[s->arena->tensors[index]];
    return tensor->first != ETS_PLAN_NONE && tensor->bytes > 0 ? tensor : NULL;
}

/* Adds `change` ranges from border `from` to `to` in the part `index`, which is `low` to `high`. */
static void cover(struct sweep *s, uint32_t index, uint32_t low, uint32_t high, uint32_t from,
                  uint32_t to, int change)
{
    struct part *part = &s->parts[index];
    const uint32_t middle = low + (high - low) / 2;
    if (from <= low && high <= to) {
        part->covers += (uint32_t)change;
    } else {
        if (from < middle) cover(s, 2 * index, low, middle, from, to, change);
        if (to > middle) cover(s, 2 * index + 1, middle, high, from, to, change);
    }
    if (part->covers > 0) part->covered = s->borders[high] - s->borders[low];
    else if (high - low == 1) part->covered = 0;
    else part->covered = s->parts[2 * index].covered + s->parts[2 * index + 1].covered;
}

static void cover_tensor(struct sweep *s, uint32_t number, int change)
{
    const uint32_t first = s->first_border;
    cover(s, 1, 0, s->border_count - 1, s->places->begin[number] - first,
          s->places->end[number] - first, change);
}

static uint32_t key_of(const struct ets_plan_piece *piece, bool by_end)
{
    return by_end ? piece->last + 1 : piece->first;
}

/* Sorts the arena's tensors by a step, by counting: each as often as its lifetime has pieces. */
static void sort_by_step(const struct sweep *s, bool by_end, uint32_t *starts, uint32_t *sorted)
{
    const uint32_t steps = s->plan->step_count;
    memset(starts, 0, ((size_t)steps + 2) * sizeof *starts);
    for (uint32_t i = 0; i < s->arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = live_tensor(s, i);
        for (uint32_t k = 0; tensor != NULL && k < tensor->piece_count; k++) {
            starts[key_of(&tensor->pieces[k], by_end) + 1]++;
        }
    }
    for (uint32_t i = 0; i <= steps; i++) starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < s->arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = live_tensor(s, i);
        for (uint32_t k = 0; tensor != NULL && k < tensor->piece_count; k++) {
            sorted[starts[key_of(&tensor->pieces[k], by_end)]++] = s->arena->tensors[i];
        }
    }
    memmove(starts + 1, starts, ((size_t)steps + 1) * sizeof *starts);
    starts[0] = 0;
}

/* The most that is live at once in the arena, and the first step with that. `live` NULL: only
 * that. */
static uint64_t run(struct sweep *s, uint64_t *live, uint32_t *peak_step_out)
{
    uint64_t peak = 0;
    sort_by_step(s, false, s->begins, s->by_begin);
    sort_by_step(s, true, s->ends, s->by_end);
    memset(s->parts, 0, 4 * (size_t)s->border_count * sizeof *s->parts);
    for (uint32_t step = 0; step < s->plan->step_count; step++) {
        for (uint32_t i = s->ends[step]; i < s->ends[step + 1]; i++) {
            cover_tensor(s, s->by_end[i], -1);
        }
        for (uint32_t i = s->begins[step]; i < s->begins[step + 1]; i++) {
            cover_tensor(s, s->by_begin[i], 1);
        }
        const uint64_t covered = s->parts[1].covered;
        if (live != NULL) live[step] = covered;
        if (covered <= peak) continue;
        peak = covered;
        *peak_step_out = step;
    }
    return peak;
}

static bool alloc_sweep(struct sweep *s, struct ets_arena *arena)
{
    const size_t tensors = s->plan->tensor_count, steps = (size_t)s->plan->step_count + 2;
    size_t pieces = 0;
    for (uint32_t t = 0; t < tensors; t++) pieces += s->plan->tensors[t].piece_count;
    s->parts = ets_arena_alloc_array(arena, 8 * tensors + 4, sizeof *s->parts);
    s->begins = ets_arena_alloc_array(arena, steps, sizeof *s->begins);
    s->ends = ets_arena_alloc_array(arena, steps, sizeof *s->ends);
    s->by_begin = ets_arena_alloc_array(arena, pieces, sizeof *s->by_begin);
    s->by_end = ets_arena_alloc_array(arena, pieces, sizeof *s->by_end);
    return s->parts != NULL && s->begins != NULL && s->ends != NULL && s->by_begin != NULL &&
           s->by_end != NULL;
}

/* Gives each arena the list of its tensors; returns how many arenas have some. */
static uint32_t list_tensors(struct ets_memory_plan *plan, uint32_t *list)
{
    uint32_t used = 0;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE) continue;
        struct ets_plan_arena *arena = &plan->arenas[tensor->arena];
        const uint64_t end = tensor->offset + tensor->bytes;
        used += arena->tensor_count++ == 0;
        if (end > arena->end_bytes) arena->end_bytes = end;
    }
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        plan->arenas[a].tensors = list;
        list += plan->arenas[a].tensor_count;
        plan->arenas[a].tensor_count = 0;
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        if (plan->tensors[t].arena == ETS_PLAN_NONE) continue;
        struct ets_plan_arena *arena = &plan->arenas[plan->tensors[t].arena];
        arena->tensors[arena->tensor_count++] = t;
    }
    return used;
}

static void add_up(struct ets_memory_plan *plan, uint64_t *live)
{
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        const struct ets_plan_arena *arena = &plan->arenas[a];
        plan->planned_bytes = ets_add_saturated_u64(plan->planned_bytes, arena->planned.bytes);
        plan->bound_bytes = ets_add_saturated_u64(plan->bound_bytes, arena->bound_bytes);
        for (uint32_t s = 0; arena->live != NULL && s < plan->step_count; s++) {
            live[s] = ets_add_saturated_u64(live[s], arena->live[s]);
        }
    }
    for (uint32_t s = 0; s < plan->step_count; s++) {
        if (live[s] <= plan->peak_bytes) continue;
        plan->peak_bytes = live[s];
        plan->peak_step = s;
    }
    plan->live = live;
}

/* Points the sweep at an arena; false: nothing takes bytes of it. */
static bool choose_arena(struct sweep *s, const struct ets_plan_places *places, uint32_t arena)
{
    s->places = places;
    s->arena = &s->plan->arenas[arena];
    s->first_border = places->arena_begin[arena];
    s->borders = places->offsets + s->first_border;
    s->border_count = places->arena_begin[arena + 1] - s->first_border;
    return s->border_count > 1;
}

static enum ets_status measure_arena(struct sweep *s, uint32_t index,
                                     const struct ets_plan_places *places,
                                     const struct ets_plan_places *rounded, struct ets_arena *arena,
                                     struct ets_error *error)
{
    struct ets_plan_arena *of = &s->plan->arenas[index];
    uint32_t step;
    of->peak_step = ETS_PLAN_NONE;
    if (of->tensor_count == 0) return ETS_OK;
    uint64_t *live = ets_arena_alloc_array(arena, s->plan->step_count, sizeof *live);
    if (live == NULL) return ets_fail_memory(error, "the live bytes of a method");
    if (choose_arena(s, places, index)) of->peak_bytes = run(s, live, &of->peak_step);
    if (choose_arena(s, rounded, index)) of->bound_bytes = run(s, NULL, &step);
    of->live = live;
    return ETS_OK;
}

enum ets_status ets_plan_measure(struct ets_memory_plan *plan, const struct ets_plan_places *places,
                                 struct ets_arena *arena, struct ets_error *error)
{
    struct sweep sweep = {.plan = plan};
    struct ets_plan_places rounded;
    uint32_t *list = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *list);
    if (list == NULL) return ets_fail_memory(error, "the live bytes of a method");
    const uint64_t cells = ((uint64_t)list_tensors(plan, list) + 1) * plan->step_count;
    if (cells > CELLS_FLOOR + CELLS_TIMES * (uint64_t)plan->method.program->bytes.size) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "method %.*s: %u planned memories are too many for %u instructions",
                        ETS_TEXT(plan->method.name), plan->arena_count, plan->step_count);
    }
    ETS_TRY(ets_plan_places_init(&rounded, plan, plan->alignment, arena, error));
    uint64_t *live = ets_arena_alloc_array(arena, plan->step_count, sizeof *live);
    if (live == NULL || !alloc_sweep(&sweep, arena)) {
        return ets_fail_memory(error, "the live bytes of a method");
    }
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        ETS_TRY(measure_arena(&sweep, a, places, &rounded, arena, error));
    }
    add_up(plan, live);
    return ETS_OK;
}
