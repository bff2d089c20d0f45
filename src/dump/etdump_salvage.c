/*
 * Reading damaged ETDumps. Two ways, the second only where the first finds no run at all or meets a
 * run that is none: (1) follow the table of runs and keep what verifies by itself; (2) look at
 * every position for an Event table. Writers built on flatcc emit back to front, others front to
 * back; the ticks of the events tell which, and so the order of logging.
 */
#include <string.h>

#include "dump/etdump_parts.h"
#include "dump/etdump_schema.h"

/* How often each byte may be visited: looking for damage, then once or twice to read. */
enum { BUDGET_FACTOR = 4 };

struct salvage {
    struct ets_bytes bytes;
    const struct ets_etdump_visitor *visitor;
    uint64_t budget; /* of all verifying together: overlapping parts must not cost their product */
    bool stopped;
};

static void tell_damage(struct salvage *s, uint64_t offset, const char *reason)
{
    if (!s->stopped && s->visitor->damage != NULL) {
        s->stopped = s->visitor->damage(s->visitor->context, offset, reason) != 0;
    }
}

static void tell_run(struct salvage *s, const struct ets_etdump_run *run)
{
    if (!s->stopped && s->visitor->run != NULL) {
        s->stopped = s->visitor->run(s->visitor->context, run) != 0;
    }
}

static void tell_event(struct salvage *s, const struct ets_etdump_event *event)
{
    if (!s->stopped && s->visitor->event != NULL) {
        s->stopped = s->visitor->event(s->visitor->context, event) != 0;
    }
}

/* One more element of a vector is looked at. */
static void charge_element(struct salvage *s, size_t at)
{
    if (s->budget >= 4) {
        s->budget -= 4;
        return;
    }
    tell_damage(s, at, "parts overlap more often than a sound file's can: the rest is not read");
    s->stopped = true;
}

/* Follows the u32 offset stored at `at`; 0 where it leads out of the file. */
static size_t follow_checked(struct ets_bytes bytes, size_t at)
{
    if (!ets_range_fits(at, 4, bytes.size)) return 0;
    const size_t target = ets_fb_follow(bytes.data, at);
    return ets_range_fits(target, 4, bytes.size) && target > at ? target : 0;
}

/* The elements of a vector of tables at `at`, cut to what lies inside the file. */
static struct ets_fb_vector clipped_vector(struct ets_bytes bytes, size_t at)
{
    const uint32_t count = ets_load_u32(bytes.data + at);
    const size_t room = (bytes.size - at - 4) / 4;
    return (struct ets_fb_vector){bytes.data, at + 4, count < room ? count : (uint32_t)room};
}

/* An empty type: the frame of a table alone. */
static const struct ets_fb_type frame_only = {"table", NULL, 0};

/* The vector of tables in `slot` of the table at `table_at`; count 0 where it cannot be read. */
static struct ets_fb_vector find_tables(struct salvage *s, size_t table_at, unsigned slot)
{
    const struct ets_bytes bytes = s->bytes;
    const struct ets_fb_vector none = {bytes.data, 0, 0};
    if (ets_fb_verify_table(bytes, table_at, &frame_only, 0, &s->budget, NULL) != ETS_OK) {
        return none;
    }
    const size_t field = ets_fb_field_at((struct ets_fb){bytes.data, table_at}, slot);
    const size_t at = field == 0 ? 0 : follow_checked(bytes, field);
    return at == 0 ? none : clipped_vector(bytes, at);
}

static struct ets_fb_vector find_runs(struct salvage *s, size_t root_at)
{
    const size_t root = follow_checked(s->bytes, root_at);
    if (root == 0) return (struct ets_fb_vector){s->bytes.data, 0, 0};
    return find_tables(s, root, ETDUMP_RUN_DATA);
}

/* A run by itself: its name and allocators verify, its events may not. */
static size_t sound_run(struct salvage *s, struct ets_fb_vector runs, uint32_t index,
                        struct ets_error *error)
{
    const size_t element = runs.at + 4 * (size_t)index;
    const size_t at = follow_checked(s->bytes, element);
    charge_element(s, element);
    if (at == 0) {
        ets_set_error(error, ETS_TRUNCATED, element, "run %u lies past the end", index);
        return 0;
    }
    const enum ets_status status =
        ets_fb_verify_table(s->bytes, at, &ets_etdump_frame_type, 0, &s->budget, error);
    return status == ETS_OK ? at : 0;
}

/*
 * True where some entry is no run: the table of runs is garbled. In a file that was cut, entries
 * that lead past its end are only missing.
 */
static bool is_garbled(struct salvage *s, struct ets_fb_vector runs, bool is_cut)
{
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        struct ets_error error;
        if (sound_run(s, runs, i, &error) != 0) continue;
        if (!is_cut || error.status != ETS_TRUNCATED) return true;
    }
    return false;
}

static void salvage_run(struct salvage *s, size_t run_at)
{
    struct ets_etdump_run run;
    const struct ets_fb table = {s->bytes.data, run_at};
    const struct ets_fb_vector events = find_tables(s, run_at, RUN_EVENTS);
    const struct ets_fb_vector allocators = ets_fb_vector(table, RUN_ALLOCATORS);
    run = (struct ets_etdump_run){
        .name = ets_fb_text(table, RUN_NAME),
        .bundled_input_index = ets_fb_i32(table, RUN_BUNDLED_INPUT_INDEX, -1),
        .has_events = events.at != 0,
        .allocator_count = allocators.count,
        .allocators_at = allocators.at,
    };
    tell_run(s, &run);
    for (uint32_t i = 0; i < events.count && !s->stopped; i++) {
        struct ets_error error;
        const size_t element = events.at + 4 * (size_t)i;
        const size_t at = follow_checked(s->bytes, element);
        charge_element(s, element);
        if (at == 0) {
            tell_damage(s, element, "an event lies past the end");
        } else if (ets_fb_verify_table(s->bytes, at, &ets_etdump_event_type, 0, &s->budget,
                                       &error) != ETS_OK) {
            tell_damage(s, error.offset, error.message);
        } else {
            struct ets_etdump_event event;
            ets_etdump_read_event(s->bytes.data, at, &event);
            tell_event(s, &event);
        }
    }
}

static void salvage_runs(struct salvage *s, struct ets_fb_vector runs)
{
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        struct ets_error error;
        const size_t at = sound_run(s, runs, i, &error);
        if (at == 0) tell_damage(s, error.offset, error.message);
        else salvage_run(s, at);
    }
}

/* An Event table as writers lay it out: its last slot alone, right behind the vtable offset. */
static bool is_event_shape(struct ets_bytes bytes, size_t at)
{
    const int64_t vtable = (int64_t)at - (int32_t)ets_load_u32(bytes.data + at);
    if (vtable < 0 || !ets_range_fits((uint64_t)vtable, 6, bytes.size)) return false;
    const uint8_t *slots = bytes.data + vtable + 4;
    const uint16_t vtable_bytes = ets_load_u16(bytes.data + vtable);
    if (vtable_bytes != 6 && vtable_bytes != 8 && vtable_bytes != 10) return false;
    if (!ets_range_fits((uint64_t)vtable, vtable_bytes, bytes.size)) return false;
    for (unsigned slot = 0; 6 + 2 * slot < vtable_bytes; slot++) {
        if (ets_load_u16(slots + 2 * slot) != 0) return false;
    }
    return ets_load_u16(bytes.data + vtable + 2) == 8 &&
           ets_load_u16(bytes.data + vtable + vtable_bytes - 2) == 4;
}

/* The event at `at`, if there is one that could have been logged. */
static bool find_event(struct salvage *s, size_t at, struct ets_etdump_event *event)
{
    const struct ets_bytes bytes = s->bytes;
    if (!ets_range_fits(at, 8, bytes.size) || !is_event_shape(bytes, at)) return false;
    charge_element(s, at);
    if (ets_fb_verify_table(bytes, at, &ets_etdump_event_type, 0, &s->budget, NULL) != ETS_OK) {
        return false;
    }
    ets_etdump_read_event(bytes.data, at, event);
    const struct ets_fb payload = {bytes.data, event->payload_at};
    switch (event->kind) {
    case ETS_EVENT_PROFILE:
        return (event->name.data != NULL || event->delegate_name.data != NULL ||
                event->delegate_id != -1) &&
               event->end_ticks != 0 && event->end_ticks >= event->start_ticks;
    case ETS_EVENT_DEBUG:
        return ets_fb_has(payload, DEBUG_ENTRY) && ets_fb_has(payload, DEBUG_INSTRUCTION);
    case ETS_EVENT_ALLOCATION: return event->allocator > 0 && event->allocated_bytes > 0;
    case ETS_EVENT_UNKNOWN: break;
    }
    return false;
}

/* Whether an entry of the table of runs is an event. */
static bool has_events(struct salvage *s, struct ets_fb_vector runs)
{
    struct ets_etdump_event event;
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        const size_t at = follow_checked(s->bytes, runs.at + 4 * (size_t)i);
        charge_element(s, runs.at + 4 * (size_t)i);
        if (at != 0 && find_event(s, at, &event)) return true;
    }
    return false;
}

int ets_etdump_is_left_open(struct ets_bytes bytes)
{
    static const struct ets_etdump_visitor nobody = {.context = NULL};
    size_t root_at = 0;
    if (ets_etdump_root_at(bytes, &root_at, NULL) != ETS_OK) return 0;
    struct salvage s = {bytes, &nobody, BUDGET_FACTOR * (uint64_t)bytes.size, false};
    return has_events(&s, find_runs(&s, root_at));
}

/* 1 where later events lie at higher positions, by the majority of neighbours; else 0. */
static int is_front_to_back(struct salvage *s)
{
    int64_t votes = 0;
    uint64_t previous = 0;
    for (size_t at = 0; at < s->bytes.size && !s->stopped; at += 4) {
        struct ets_etdump_event event;
        if (!find_event(s, at, &event) || event.kind != ETS_EVENT_PROFILE) continue;
        if (previous != 0 && event.end_ticks != previous) {
            votes += event.end_ticks > previous ? 1 : -1;
        }
        previous = event.end_ticks;
    }
    return votes > 0;
}

static bool is_named(const struct ets_etdump_event *event, const char *name)
{
    return event->kind == ETS_EVENT_PROFILE && event->name.size == strlen(name) &&
           memcmp(event->name.data, name, event->name.size) == 0;
}

static bool is_program_output(const struct ets_etdump *view, const struct ets_etdump_event *event)
{
    if (event->kind != ETS_EVENT_DEBUG) return false;
    struct ets_debug_value value;
    ets_etdump_debug_value(view, event->payload_at, &value);
    return value.is_output != 0;
}

static void open_run(struct salvage *s, const char *name)
{
    const struct ets_etdump_run run = {
        .name = {name, strlen(name)}, .bundled_input_index = -1, .has_events = 1};
    tell_run(s, &run);
}

/* A scan's place: which run it is in, by the events that it met. */
struct scan {
    bool is_in_run, has_run_ended;
};

/*
 * Runs end with Program::load_method, or with Method::execute and the outputs logged behind it.
 * Loading events belong to "Default", all others to "Execute".
 */
static void tell_scanned(struct salvage *s, struct scan *scan, const struct ets_etdump *view,
                         const struct ets_etdump_event *event)
{
    const bool is_loaded = is_named(event, "Program::load_method");
    if (scan->has_run_ended && !is_program_output(view, event)) scan->is_in_run = false;
    if (!scan->is_in_run) {
        open_run(s, is_loaded || is_named(event, "Method::init") ? "Default" : "Execute");
        *scan = (struct scan){.is_in_run = true};
    }
    tell_event(s, event);
    if (is_loaded || is_named(event, "Method::execute")) scan->has_run_ended = true;
}

static void scan_events(struct salvage *s, const struct ets_etdump *view)
{
    const int is_forward = is_front_to_back(s);
    const size_t count = s->bytes.size / 4;
    struct scan scan = {0};
    for (size_t i = 0; i < count && !s->stopped; i++) {
        struct ets_etdump_event event;
        const size_t at = 4 * (is_forward ? i : count - 1 - i);
        if (find_event(s, at, &event)) tell_scanned(s, &scan, view, &event);
    }
}

enum ets_status ets_etdump_salvage(struct ets_etdump *dump, struct ets_bytes bytes,
                                   const struct ets_etdump_visitor *visitor,
                                   struct ets_error *error)
{
    size_t root_at = 0;
    ETS_TRY(ets_etdump_root_at(bytes, &root_at, error));
    *dump = (struct ets_etdump){.bytes = bytes, .is_size_prefixed = root_at != 0};
    struct salvage s = {bytes, visitor, BUDGET_FACTOR * (uint64_t)bytes.size, false};
    /* The bare form does not say how long it should be. */
    const bool is_cut = root_at == 0 || bytes.size - 4 < ets_load_u32(bytes.data);
    if (is_cut && root_at != 0) {
        tell_damage(&s, bytes.size, "the file is shorter than its size prefix announces");
    }
    const struct ets_fb_vector runs = find_runs(&s, root_at);
    if (runs.count == 0) {
        tell_damage(&s, root_at, "the table of runs cannot be read");
        scan_events(&s, dump);
    } else if (is_garbled(&s, runs, is_cut)) {
        tell_damage(&s, runs.at - 4,
                    has_events(&s, runs)
                        ? "the table of runs holds events, as ETDumpGen leaves it after a float16 "
                          "or bfloat16 tensor: events were found one by one, such tensors are "
                          "lost; to have them, record again: `etscope run MODEL.pte --capture "
                          "intermediates -o TRACE --debug-buffer FILE`, or with "
                          "etscope::ETDumpTracer"
                        : "the table of runs is garbled; events were found one by one");
        scan_events(&s, dump);
    } else {
        salvage_runs(&s, runs);
    }
    return ETS_OK;
}
