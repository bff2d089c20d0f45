/*
 * Reads damaged ETDumps, in two ways. (1) Follow the table of runs and keep the parts that pass
 * verification. (2) If that finds no run, or an entry that is not a run: look for an Event table at
 * every position. Writers built on flatcc write back to front, others front to back; the ticks of
 * the events show which, and so the order of logging.
 */
#include <string.h>

#include "dump/etdump_parts.h"
#include "dump/etdump_search.h"

/* After a half-float tensor, ETDumpGen writes events in place of the table of runs. */
static void tell_events_for_runs(struct ets_etdump_search *s, uint64_t offset)
{
    struct ets_error part;
    (void)ets_fail_advising(
        &part, ETS_ADVICE_CAPTURE_AGAIN, ETS_MALFORMED, offset,
        "the table of runs holds events: ETDumpGen writes this after a float16 or bfloat16 tensor. "
        "Events were found one by one; those tensors are lost");
    ets_etdump_tell_error(s, &part);
}

static void tell_run(struct ets_etdump_search *s, const struct ets_etdump_run *run)
{
    if (!s->stopped && s->visitor->run != NULL) {
        s->stopped = s->visitor->run(s->visitor->context, run) != 0;
    }
}

static void tell_event(struct ets_etdump_search *s, const struct ets_etdump_event *event, size_t at)
{
    if (!s->stopped && s->visitor->event != NULL) {
        s->stopped = s->visitor->event(s->visitor->context, event, at) != 0;
    }
}

/* Verifies a run alone: its name and allocators, but not its events. */
static size_t sound_run(struct ets_etdump_search *s, struct ets_fb_vector runs, uint32_t index,
                        struct ets_error *error)
{
    const size_t element = runs.at + 4 * (size_t)index;
    const size_t at = ets_etdump_follow(s->bytes, element);
    ets_etdump_charge(s, element);
    if (at == 0) {
        ets_set_error(error, ETS_TRUNCATED, element, "run %u lies past the end", index);
        return 0;
    }
    const enum ets_status status =
        ets_fb_verify_table(s->bytes, at, &ets_etdump_frame_type, 0, &s->budget, error);
    return status == ETS_OK ? at : 0;
}

/*
 * Whether some entry is not a run, so that the table of runs is damaged. In a file that was cut,
 * entries that lead past its end are only missing.
 */
static bool is_garbled(struct ets_etdump_search *s, struct ets_fb_vector runs, bool is_cut)
{
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        struct ets_error error;
        if (sound_run(s, runs, i, &error) != 0) continue;
        if (!is_cut || error.status != ETS_TRUNCATED) return true;
    }
    return false;
}

/* Reports announced events that are missing in `events`. */
static void tell_lost_events(struct ets_etdump_search *s, struct ets_fb run,
                             struct ets_fb_vector events)
{
    const size_t field = ets_fb_field_at(run, RUN_EVENTS);
    if (field != 0 && events.at == 0) {
        ets_etdump_tell_damage(s, field, "the events of a run cannot be read");
    } else if (events.at != 0 && ets_load_u32(s->bytes.data + events.at - 4) > events.count) {
        ets_etdump_tell_damage(s, events.at - 4,
                               "a run announces more events than fit in the file");
    }
}

static void salvage_run(struct ets_etdump_search *s, size_t run_at)
{
    struct ets_etdump_run run;
    const struct ets_fb table = {s->bytes.data, run_at};
    const struct ets_fb_vector events = ets_etdump_find_tables(s, run_at, RUN_EVENTS);
    const struct ets_fb_vector allocators = ets_fb_vector(table, RUN_ALLOCATORS);
    run = (struct ets_etdump_run){
        .name = ets_fb_text(table, RUN_NAME),
        .bundled_input_index = ets_fb_i32(table, RUN_BUNDLED_INPUT_INDEX, -1),
        .has_events = events.at != 0,
        .allocator_count = allocators.count,
        .allocators_at = allocators.at,
    };
    tell_run(s, &run);
    tell_lost_events(s, table, events);
    for (uint32_t i = 0; i < events.count && !s->stopped; i++) {
        struct ets_error error;
        const size_t element = events.at + 4 * (size_t)i;
        const size_t at = ets_etdump_follow(s->bytes, element);
        ets_etdump_charge(s, element);
        if (at == 0) {
            ets_etdump_tell_damage(s, element, "an event lies past the end");
        } else if (ets_fb_verify_table(s->bytes, at, &ets_etdump_event_type, 0, &s->budget,
                                       &error) != ETS_OK) {
            ets_etdump_tell_error(s, &error);
        } else {
            struct ets_etdump_event event;
            ets_etdump_read_event(s->bytes.data, at, &event);
            tell_event(s, &event, at);
        }
    }
}

static void salvage_runs(struct ets_etdump_search *s, struct ets_fb_vector runs)
{
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        struct ets_error error;
        const size_t at = sound_run(s, runs, i, &error);
        if (at == 0) ets_etdump_tell_error(s, &error);
        else salvage_run(s, at);
    }
}

/* 1 if most events are at a higher position than their predecessor in time; else 0. */
static int is_front_to_back(struct ets_etdump_search *s)
{
    int64_t votes = 0;
    uint64_t previous = 0;
    for (size_t at = 0; at < s->bytes.size && !s->stopped; at += 4) {
        struct ets_etdump_event event;
        if (!ets_etdump_find_event(s, at, &event) || event.kind != ETS_EVENT_PROFILE) continue;
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

static void open_run(struct ets_etdump_search *s, const char *name)
{
    const struct ets_etdump_run run = {
        .name = {name, strlen(name)}, .bundled_input_index = -1, .has_events = 1};
    tell_run(s, &run);
}

/* The state of a scan: the current run, according to the events found. */
struct scan {
    bool is_in_run, has_run_ended;
};

/*
 * Runs end with Program::load_method, or with Method::execute and the outputs logged after it.
 * Loading events belong to "Default", all others to "Execute".
 */
static void tell_scanned(struct ets_etdump_search *s, struct scan *scan,
                         const struct ets_etdump *view, const struct ets_etdump_event *event,
                         size_t at)
{
    const bool is_loaded = is_named(event, "Program::load_method");
    if (scan->has_run_ended && !is_program_output(view, event)) scan->is_in_run = false;
    if (!scan->is_in_run) {
        open_run(s, is_loaded || is_named(event, "Method::init") ? "Default" : "Execute");
        *scan = (struct scan){.is_in_run = true};
    }
    tell_event(s, event, at);
    if (is_loaded || is_named(event, "Method::execute")) scan->has_run_ended = true;
}

static void scan_events(struct ets_etdump_search *s, const struct ets_etdump *view)
{
    const int is_forward = is_front_to_back(s);
    const size_t count = s->bytes.size / 4;
    struct scan scan = {0};
    for (size_t i = 0; i < count && !s->stopped; i++) {
        struct ets_etdump_event event;
        const size_t at = 4 * (is_forward ? i : count - 1 - i);
        if (ets_etdump_find_event(s, at, &event)) tell_scanned(s, &scan, view, &event, at);
    }
}

/* Reports damage that loses no run or event: a damaged version or size prefix. */
static void tell_other_damage(struct ets_etdump_search *s)
{
    struct ets_etdump dump;
    struct ets_error error;
    if (ets_etdump_init(&dump, s->bytes, &error) != ETS_OK) {
        ets_etdump_tell_error(s, &error);
    }
}

enum ets_status ets_etdump_salvage(struct ets_etdump *dump, struct ets_bytes bytes,
                                   const struct ets_etdump_visitor *visitor,
                                   struct ets_error *error)
{
    size_t root_at = 0;
    ETS_TRY(ets_etdump_root_at(bytes, &root_at, error));
    *dump = (struct ets_etdump){.bytes = bytes, .is_size_prefixed = root_at != 0};
    struct ets_etdump_search s = {bytes, visitor, ETS_SALVAGE_BUDGET * (uint64_t)bytes.size, false,
                                  false};
    /* The bare form does not say how long it should be. */
    const bool is_cut = root_at == 0 || bytes.size - 4 < ets_load_u32(bytes.data);
    if (is_cut && root_at != 0) {
        ets_etdump_tell_damage(&s, bytes.size,
                               "the file is shorter than its size prefix announces");
    }
    const struct ets_fb_vector runs = ets_etdump_find_runs(&s, root_at);
    if (runs.count == 0) {
        ets_etdump_tell_damage(&s, root_at, "the table of runs cannot be read");
        scan_events(&s, dump);
    } else if (is_garbled(&s, runs, is_cut)) {
        const uint64_t at = runs.at - 4;
        if (ets_etdump_has_events(&s, runs)) tell_events_for_runs(&s, at);
        else
            ets_etdump_tell_damage(&s, at,
                                   "the table of runs is damaged; events were found one by one");
        scan_events(&s, dump);
    } else {
        salvage_runs(&s, runs);
    }
    if (!s.has_told_damage) tell_other_damage(&s);
    return ETS_OK;
}
