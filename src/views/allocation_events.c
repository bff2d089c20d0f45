/* Allocation events, one by one and by allocator. */
#include "views/allocation_events.h"

#include <stdlib.h>

#include "host/key_table.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "inspect/recorded_memory.h"

/* What is known of an allocator on the way through its runs. */
struct progress {
    uint32_t run;        /* the last one that took of it */
    uint64_t step_bytes; /* of the instruction that goes on */
    uint32_t step;       /* its event */
};

struct collector {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_event_table *events;
    struct ets_strings names;
    struct ets_key_table known; /* block, number of the allocator, its name */
    struct progress *progress;  /* [known.count] */
    uint32_t progress_room, allocator_room;
    struct ets_allocation_events *view;
};

static uint64_t sum(uint64_t left, uint64_t right)
{
    const uint64_t most = INT64_MAX;
    if (left > most || right > most - left) return most;
    return left + right;
}

static void raise_to(uint64_t *most, uint64_t value)
{
    if (value > *most) *most = value;
}

/* The allocator of an event; ETS_NO_INDEX: no memory. */
static uint32_t find_allocator(struct collector *c, uint32_t event)
{
    const uint32_t run = c->events->run[event];
    const uint32_t block = ets_inspection_run(c->inspection, run)->block;
    const uint64_t number = c->events->start[event];
    const struct ets_text name = ets_allocator_name(c->inspection, run, number);
    const uint32_t name_number = ets_strings_add(&c->names, name);
    const uint64_t key[3] = {block, number, name_number};
    const uint32_t before = c->known.count;
    const uint32_t found =
        name_number == UINT32_MAX ? ETS_KEY_NONE : ets_key_table_add(&c->known, key);
    if (found == ETS_KEY_NONE) return ETS_NO_INDEX;
    if (found < before) return found;
    struct ets_allocator_use *uses =
        ets_arena_grow(c->arena, c->view->allocators, found, &c->allocator_room, sizeof *uses);
    struct progress *progress =
        ets_arena_grow(c->arena, c->progress, found, &c->progress_room, sizeof *progress);
    if (uses == NULL || progress == NULL) return ETS_NO_INDEX;
    c->view->allocators = uses;
    c->progress = progress;
    c->view->allocator_count = found + 1;
    uses[found] =
        (struct ets_allocator_use){.block = block, .number = (int64_t)number, .name = name};
    progress[found] = (struct progress){.run = ETS_NO_INDEX, .step = ETS_NO_INDEX};
    return found;
}

/* `next`: the event of an instruction that ended next in the run, or ETS_NO_INDEX. */
static bool add_event(struct collector *c, uint32_t event, uint32_t next)
{
    const uint32_t number = find_allocator(c, event);
    if (number == ETS_NO_INDEX) return false;
    struct ets_allocator_use *use = &c->view->allocators[number];
    struct progress *progress = &c->progress[number];
    const uint32_t run = c->events->run[event];
    const uint64_t bytes = sum(c->events->end[event], 0);
    if (progress->run != run) {
        *progress = (struct progress){.run = run, .step = next};
        use->runs++;
        use->current = 0;
    }
    if (progress->step != next) progress->step_bytes = 0;
    progress->step = next;
    progress->step_bytes = sum(progress->step_bytes, bytes);
    use->count++;
    use->total = sum(use->total, bytes);
    use->current = sum(use->current, bytes);
    raise_to(&use->peak, use->current);
    raise_to(&use->step_peak, progress->step_bytes);
    raise_to(&use->largest, bytes);
    const bool is_inside = next != ETS_NO_INDEX;
    c->view->items[c->view->count++] =
        (struct ets_allocation_event){.event = event,
                                      .run = run,
                                      .allocator = number,
                                      .bytes = bytes,
                                      .current = use->current,
                                      .chain = is_inside ? c->events->chain[next] : -1,
                                      .instruction = is_inside ? c->events->instruction[next] : -1,
                                      .row = is_inside ? c->events->row[next] : ETS_NO_INDEX};
    return true;
}

/* Of each event of a run the next one that an instruction ended with, or ETS_NO_INDEX. */
static void find_next(const struct ets_event_table *events, const struct ets_run *run,
                      uint32_t *next)
{
    uint32_t found = ETS_NO_INDEX;
    for (uint32_t i = run->event_count; i-- > 0;) {
        const uint32_t event = run->first_event + i;
        next[i] = found;
        if (events->kind[event] == ETS_EVENT_PROFILE && events->chain[event] >= 0) found = event;
    }
}

static uint32_t count_events(const struct ets_event_table *events, uint32_t *most_of_run,
                             const struct ets_inspection *inspection)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < events->count; i++) count += events->kind[i] == ETS_EVENT_ALLOCATION;
    for (uint32_t r = 0; r < ets_inspection_run_count(inspection); r++) {
        const uint32_t own = ets_inspection_run(inspection, r)->event_count;
        if (own > *most_of_run) *most_of_run = own;
    }
    return count;
}

/* Of one instruction several events end, the innermost first: all are its outermost one's. */
static bool is_same_step(const struct ets_event_table *events, uint32_t left, uint32_t right)
{
    return left != ETS_NO_INDEX && right != ETS_NO_INDEX &&
           events->chain[left] == events->chain[right] &&
           events->instruction[left] == events->instruction[right];
}

static bool add_run(struct collector *c, const struct ets_run *run, uint32_t *next)
{
    uint32_t step = ETS_NO_INDEX;
    find_next(c->events, run, next);
    for (uint32_t i = 0; i < run->event_count; i++) {
        if (!is_same_step(c->events, step, next[i])) step = next[i];
        if (c->events->kind[run->first_event + i] != ETS_EVENT_ALLOCATION) continue;
        if (!add_event(c, run->first_event + i, step)) return false;
    }
    return true;
}

bool ets_allocation_events_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                                   struct ets_allocation_events *out)
{
    struct collector c = {.arena = arena,
                          .inspection = inspection,
                          .events = ets_inspection_events(inspection),
                          .view = out};
    uint32_t most_of_run = 0;
    *out = (struct ets_allocation_events){.items = NULL};
    const uint32_t count = count_events(c.events, &most_of_run, inspection);
    if (count == 0) return true;
    ets_key_table_init(&c.known, arena, 3);
    if (ets_strings_init(&c.names, arena) != 0) return false;
    out->items = ets_arena_alloc_array(arena, count, sizeof *out->items);
    uint32_t *next = ets_arena_alloc_array(arena, most_of_run, sizeof *next);
    if (out->items == NULL || next == NULL) return false;
    for (uint32_t r = 0; r < ets_inspection_run_count(inspection); r++) {
        if (!add_run(&c, ets_inspection_run(inspection, r), next)) return false;
    }
    return true;
}

static int compare_events(const void *key, const void *item)
{
    const uint32_t left = *(const uint32_t *)key;
    const uint32_t right = ((const struct ets_allocation_event *)item)->event;
    return (left > right) - (left < right);
}

const struct ets_allocation_event *ets_allocation_event_find(
    const struct ets_allocation_events *events, uint32_t event)
{
    if (events->count == 0) return NULL;
    return bsearch(&event, events->items, events->count, sizeof *events->items, compare_events);
}

static const struct ets_allocator_use *find_largest(const struct ets_allocation_events *events)
{
    const struct ets_allocator_use *most = NULL;
    for (uint32_t i = 0; i < events->allocator_count; i++) {
        const struct ets_allocator_use *use = &events->allocators[i];
        if (most == NULL || use->peak > most->peak) most = use;
    }
    return most;
}

size_t ets_allocation_events_headline(const struct ets_allocation_events *events, char *text,
                                      size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    const struct ets_allocator_use *most = find_largest(events);
    if (events->count == 0) ets_add_text(&line, "the trace has no allocation events");
    if (most == NULL) return line.used;
    ets_add_text(&line, "%u allocations of %u allocators", events->count, events->allocator_count);
    ets_add_text(&line, "; ");
    if (most->name.data == NULL) ets_add_text(&line, "#%lld", (long long)most->number);
    else ets_add_plain_text(&line, "%.*s", ETS_TEXT(most->name));
    ets_add_text(&line, " takes most: ");
    ets_add_bytes(&line, most->peak);
    ets_add_text(&line, " in a run, ");
    ets_add_bytes(&line, most->step_peak);
    ets_add_text(&line, " in an instruction");
    return line.used;
}
