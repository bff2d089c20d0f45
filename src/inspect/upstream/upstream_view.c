/*
 * Shows the event table as ExecuTorch's Inspector does, with its quirks
 * (executorch/devtools/inspector/_inspector.py 1.5.1): events of one instruction form a group, a
 * group's events become signatures, equal signatures of one run collapse to the last, runs of equal
 * signatures merge into a block. All numbering here goes through key tables, so that no step is
 * quadratic.
 */
#include <stdbool.h>
#include <string.h>

#include "host/key_table.h"
#include "inspect/inspection.h"
#include "inspect/time_details.h"
#include "inspect/upstream/upstream_join.h"
#include "inspect/upstream/upstream_view.h"

/* No debug or profile event in a signature. */
#define ABSENT UINT64_MAX

struct slot {
    uint32_t signature;
    uint32_t event;       /* its last profile event; a debug event if there is none */
    uint32_t first_event; /* first one with it in its run: viewer.next_alike leads to the others */
    uint32_t debug_event; /* first debug event of the group, or ETS_NO_INDEX */
    uint32_t group_at, group_size; /* the group's events in viewer.grouped */
    bool has_profile;
};

struct viewer {
    struct ets_inspection *inspection;
    bool mended;
    double factor;                   /* source units in a target unit */
    struct ets_key_table groups;     /* chain, instruction, delegate */
    struct ets_key_table signatures; /* instruction, profile part, debug part */
    struct ets_key_table prefixes;   /* number of the prefix before, next signature */
    struct ets_key_table shapes;     /* name, bundled index, number of the sequence */

    uint32_t *grouped;    /* [event] each run's events, by group */
    uint32_t *next_alike; /* [event] the run's next event of the same signature; ETS_NO_INDEX */

    /* Of the run being read. */
    uint32_t *group_of_event;                   /* [event] local number */
    uint32_t *group_stamp, *group_local;        /* [group] */
    uint32_t *signature_stamp, *signature_slot; /* [signature] */

    /* Of all runs: slots[run_start[r] .. run_start[r + 1]) */
    struct slot *slots;
    uint32_t *run_start;
    uint32_t *run_block; /* ETS_NO_INDEX: skipped, the run has no event vector */
};

/* Program outputs are no part of any event. */
static bool is_program_output(const struct ets_inspection *inspection, uint32_t event)
{
    struct ets_debug_value value;
    ets_etdump_debug_value(&inspection->dump, inspection->events.payload_at[event], &value);
    return value.is_output != 0;
}

static bool is_grouped(const struct ets_inspection *inspection, uint32_t event)
{
    const uint8_t kind = inspection->events.kind[event];
    return kind == ETS_EVENT_PROFILE ||
           (kind == ETS_EVENT_DEBUG && !is_program_output(inspection, event));
}

/* Runs repeat: the group at the same place of the run before is likely. */
static bool number_groups_of(struct viewer *v, const struct ets_run *run, uint32_t back)
{
    const struct ets_event_columns *columns = &v->inspection->events;
    for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
        const uint32_t likely = back > 0 && back <= e ? v->group_of_event[e - back] : ETS_NO_INDEX;
        v->group_of_event[e] = ETS_NO_INDEX;
        if (!is_grouped(v->inspection, e)) continue;
        /* A debug chain of 2^64-1 is not the profile chain -1, though both say "outside". */
        const bool is_debug_outside =
            columns->kind[e] == ETS_EVENT_DEBUG && columns->chain[e] == -1;
        const uint64_t key[] = {
            (uint64_t)columns->chain[e],
            (uint64_t)(uint32_t)columns->instruction[e] << 32 | (uint32_t)columns->delegate_id[e],
            (uint64_t)columns->delegate_name[e] << 1 | is_debug_outside,
        };
        v->group_of_event[e] = ets_key_table_add_near(&v->groups, key, likely);
        if (v->group_of_event[e] == ETS_KEY_NONE) return false;
    }
    return true;
}

static bool number_groups(struct viewer *v)
{
    for (uint32_t r = 0; r < v->inspection->run_count; r++) {
        const struct ets_run *run = &v->inspection->runs[r];
        if (!number_groups_of(v, run, r > 0 ? run[-1].event_count : 0)) return false;
    }
    return true;
}

/* One number for name (absent equals empty), delegate id and delegate string (empty means none). */
static uint64_t signature_part(const struct ets_inspection *inspection, uint32_t event,
                               struct ets_key_table *parts, uint64_t likely)
{
    const struct ets_event_columns *columns = &inspection->events;
    const uint32_t name = columns->name[event], delegate = columns->delegate_name[event];
    const bool has_name = ets_strings_get(&inspection->strings, name).size > 0;
    const bool has_delegate = ets_strings_get(&inspection->strings, delegate).size > 0;
    const uint64_t key[] = {
        (uint64_t)(has_name ? name : 0) << 32 | (has_delegate ? delegate : 0),
        (uint32_t)columns->delegate_id[event],
    };
    const uint32_t number =
        ets_key_table_add_near(parts, key, likely < UINT32_MAX ? (uint32_t)likely : UINT32_MAX);
    return number == ETS_KEY_NONE ? ABSENT : number;
}

/* The signature at the same place of the run before; ETS_NO_INDEX: there is none. */
static uint32_t likely_signature(const struct viewer *v, uint32_t run, uint32_t used)
{
    if (run == 0) return ETS_NO_INDEX;
    const uint32_t at = v->run_start[run - 1] + (used - v->run_start[run]);
    return at < v->run_start[run] ? v->slots[at].signature : ETS_NO_INDEX;
}

/* One signature of the run being read: a new slot, or the slot of an equal one. */
static bool add_slot(struct viewer *v, uint32_t run, const struct slot *new_slot,
                     struct ets_key_table *parts, uint32_t *used)
{
    const uint32_t event = new_slot->event, debug_event = new_slot->debug_event;
    static const uint64_t none[] = {0, ABSENT, ABSENT};
    const uint32_t likely = likely_signature(v, run, *used);
    const uint64_t *before =
        likely == ETS_NO_INDEX ? none : ets_key_table_key(&v->signatures, likely);
    const uint64_t profile =
        new_slot->has_profile ? signature_part(v->inspection, event, parts, before[1]) : ABSENT;
    const uint64_t debug = debug_event == ETS_NO_INDEX
                               ? ABSENT
                               : signature_part(v->inspection, debug_event, parts, before[2]);
    if ((new_slot->has_profile && profile == ABSENT) ||
        (debug_event != ETS_NO_INDEX && debug == ABSENT)) {
        return false;
    }
    const uint64_t key[] = {(uint32_t)v->inspection->events.instruction[event], profile, debug};
    const uint32_t signature = ets_key_table_add_near(&v->signatures, key, likely);
    if (signature == ETS_KEY_NONE) return false;
    const bool is_first = v->signature_stamp[signature] != run + 1;
    if (is_first) {
        v->signature_stamp[signature] = run + 1;
        v->signature_slot[signature] = (*used)++;
    }
    struct slot *slot = &v->slots[v->signature_slot[signature]];
    const uint32_t first_event = is_first ? event : slot->first_event;
    if (!is_first) v->next_alike[slot->event] = event;
    v->next_alike[event] = ETS_NO_INDEX;
    *slot = *new_slot;
    slot->signature = signature;
    slot->first_event = first_event;
    return true;
}

/* Scratch for one run: its groups. */
struct grouping {
    uint32_t *start;       /* [group] first place in viewer.grouped */
    uint32_t *first_debug; /* [group] */
    uint32_t count;
};

static void group_run(struct viewer *v, uint32_t run_index, struct grouping *g)
{
    const struct ets_inspection *inspection = v->inspection;
    const struct ets_run *run = &inspection->runs[run_index];
    const uint32_t end = run->first_event + run->event_count;
    g->count = 0;
    for (uint32_t e = run->first_event; e < end; e++) {
        const uint32_t group = v->group_of_event[e];
        if (group == ETS_NO_INDEX) continue;
        if (v->group_stamp[group] != run_index + 1) {
            v->group_stamp[group] = run_index + 1;
            v->group_local[group] = g->count;
            g->start[g->count] = 0;
            g->first_debug[g->count++] = ETS_NO_INDEX;
        }
        const uint32_t local = v->group_local[group];
        g->start[local]++;
        if (inspection->events.kind[e] == ETS_EVENT_DEBUG &&
            g->first_debug[local] == ETS_NO_INDEX) {
            g->first_debug[local] = e;
        }
    }
    uint32_t place = run->first_event;
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t size = g->start[i];
        g->start[i] = place;
        place += size;
    }
    g->start[g->count] = place;
    for (uint32_t e = run->first_event; e < end; e++) {
        if (v->group_of_event[e] != ETS_NO_INDEX) {
            v->grouped[g->start[v->group_local[v->group_of_event[e]]]++] = e;
        }
    }
    for (uint32_t i = g->count; i > 0; i--) g->start[i] = g->start[i - 1];
    g->start[0] = run->first_event;
}

static bool sign_run(struct viewer *v, uint32_t run_index, const struct grouping *g,
                     struct ets_key_table *parts, uint32_t *used)
{
    const struct ets_event_columns *columns = &v->inspection->events;
    for (uint32_t i = 0; i < g->count; i++) {
        struct slot slot = {
            .event = g->first_debug[i],
            .debug_event = g->first_debug[i],
            .group_at = g->start[i],
            .group_size = g->start[i + 1] - g->start[i],
        };
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            if (columns->kind[v->grouped[k]] != ETS_EVENT_PROFILE) continue;
            slot.has_profile = true;
            slot.event = v->grouped[k];
            if (!add_slot(v, run_index, &slot, parts, used)) return false;
        }
        if (!slot.has_profile && !add_slot(v, run_index, &slot, parts, used)) return false;
    }
    return true;
}

/* The block of run `r`; `first_run` has the first run of each block. Prefix by prefix, as in
 * blocks.c. */
static uint32_t find_block(struct viewer *v, uint32_t r, uint32_t *first_run)
{
    const struct ets_run *run = &v->inspection->runs[r];
    uint32_t sequence = 0;
    for (uint32_t i = v->run_start[r]; i < v->run_start[r + 1]; i++) {
        const uint64_t prefix = (uint64_t)sequence << 32 | v->slots[i].signature;
        /* Prefixes of one sequence were numbered one after the other. */
        const uint32_t number = ets_key_table_add_near(&v->prefixes, &prefix, sequence);
        if (number == ETS_KEY_NONE) return ETS_NO_INDEX;
        sequence = number + 1;
    }
    const uint32_t name = ets_strings_add(&v->inspection->strings, run->name);
    if (name == UINT32_MAX) return ETS_NO_INDEX;
    const uint64_t key[] = {(uint64_t)name << 32 | (uint32_t)run->bundled_input_index, sequence};
    const uint32_t known = v->shapes.count;
    const uint32_t block = ets_key_table_add(&v->shapes, key);
    if (block == known) first_run[block] = r;
    return block == ETS_KEY_NONE ? ETS_NO_INDEX : block;
}

static bool read_runs(struct viewer *v, uint32_t *first_run)
{
    struct ets_inspection *inspection = v->inspection;
    struct ets_arena *arena = &inspection->arena;
    const size_t events = inspection->events.count;
    struct ets_key_table parts;
    ets_key_table_init(&parts, arena, 2);
    struct grouping g = {
        .start = ets_arena_alloc_array(arena, events + 1, sizeof *g.start),
        .first_debug = ets_arena_alloc_array(arena, events + 1, sizeof *g.first_debug),
    };
    if (g.start == NULL || g.first_debug == NULL) return false;
    uint32_t used = 0;
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        v->run_start[r] = used;
        v->run_block[r] = ETS_NO_INDEX;
        if (inspection->runs[r].has_events) {
            group_run(v, r, &g);
            if (!sign_run(v, r, &g, &parts, &used)) return false;
        }
        v->run_start[r + 1] = used;
        if (inspection->runs[r].has_events) {
            v->run_block[r] = find_block(v, r, first_run);
            if (v->run_block[r] == ETS_NO_INDEX) return false;
        }
    }
    return true;
}

static bool allocate_viewer(struct viewer *v)
{
    struct ets_arena *arena = &v->inspection->arena;
    const size_t events = v->inspection->events.count, runs = v->inspection->run_count;
    ets_key_table_init(&v->groups, arena, 3);
    ets_key_table_init(&v->signatures, arena, 3);
    ets_key_table_init(&v->prefixes, arena, 1);
    ets_key_table_init(&v->shapes, arena, 2);
    v->grouped = ets_arena_alloc_array(arena, events, sizeof *v->grouped);
    v->next_alike = ets_arena_alloc_array(arena, events, sizeof *v->next_alike);
    v->group_of_event = ets_arena_alloc_array(arena, events, sizeof *v->group_of_event);
    v->group_stamp = ets_arena_alloc_array(arena, events, sizeof *v->group_stamp);
    v->group_local = ets_arena_alloc_array(arena, events, sizeof *v->group_local);
    v->signature_stamp = ets_arena_alloc_array(arena, events, sizeof *v->signature_stamp);
    v->signature_slot = ets_arena_alloc_array(arena, events, sizeof *v->signature_slot);
    v->slots = ets_arena_alloc_array(arena, events, sizeof *v->slots);
    v->run_start = ets_arena_alloc_array(arena, runs + 1, sizeof *v->run_start);
    v->run_block = ets_arena_alloc_array(arena, runs, sizeof *v->run_block);
    return v->grouped && v->next_alike && v->group_of_event && v->group_stamp && v->group_local &&
           v->signature_stamp && v->signature_slot && v->slots && v->run_start && v->run_block;
}

/* Ticks between two times of a 32-bit counter that may have wrapped; upstream is one short. */
static enum ets_status elapsed(double start, double end, uint64_t payload_at, double *out,
                               struct ets_error *error)
{
    if (start <= end) {
        *out = end - start;
        return ETS_OK;
    }
    if (start > (double)UINT32_MAX || end > (double)UINT32_MAX) {
        return ets_fail(error, ETS_MALFORMED, payload_at,
                        "an event of a counter wider than 32 bits ends before it starts");
    }
    *out = (double)UINT32_MAX - start + end;
    return ETS_OK;
}

/* One duration: a delegate's times are scaled before they are subtracted, others after. */
static enum ets_status sample(const struct viewer *v, uint32_t event, bool is_delegated,
                              double *out, struct ets_error *error)
{
    const struct ets_event_columns *columns = &v->inspection->events;
    const uint64_t start = columns->start[event];
    uint64_t end = columns->end[event];
    if (v->mended) end = start + ets_inspection_ticks(v->inspection, event);
    if (is_delegated) {
        return elapsed((double)start / v->factor, (double)end / v->factor,
                       columns->payload_at[event], out, error);
    }
    if (start <= end) { /* exact where doubles would round */
        *out = (double)(end - start) / v->factor;
        return ETS_OK;
    }
    ETS_TRY(elapsed((double)start, (double)end, columns->payload_at[event], out, error));
    *out /= v->factor;
    return ETS_OK;
}

/* What a run spent in a signature: upstream keeps its last event alone. */
static enum ets_status run_sample(const struct viewer *v, const struct slot *slot,
                                  bool is_delegated, double *out, uint32_t *calls_out,
                                  struct ets_error *error)
{
    *calls_out = 1;
    if (!v->mended) return sample(v, slot->event, is_delegated, out, error);
    *calls_out = 0;
    *out = 0;
    for (uint32_t e = slot->first_event; e != ETS_NO_INDEX; e = v->next_alike[e]) {
        double duration;
        ETS_TRY(sample(v, e, is_delegated, &duration, error));
        *out += duration;
        ++*calls_out;
    }
    return ETS_OK;
}

static const char *copy_text(struct ets_inspection *inspection, struct ets_text text)
{
    return ets_arena_copy_text(&inspection->arena, text.data == NULL ? "" : text.data, text.size);
}

/* Name and identity: the profile signature first, a debug signature overrides the identity. */
static bool name_event(struct ets_inspection *inspection, const struct slot *slot, bool mended,
                       struct ets_upstream_event *event)
{
    const struct ets_event_columns *columns = &inspection->events;
    event->delegate_id = -1;
    event->name = "";
    const uint32_t sources[] = {slot->has_profile ? slot->event : ETS_NO_INDEX, slot->debug_event};
    for (int i = 0; i < 2; i++) {
        if (sources[i] == ETS_NO_INDEX) continue;
        const uint32_t e = sources[i];
        struct ets_text name = ets_strings_get(&inspection->strings, columns->name[e]);
        const struct ets_text identifier =
            ets_strings_get(&inspection->strings, columns->delegate_name[e]);
        event->delegate_id = columns->delegate_id[e];
        event->delegate_identifier = NULL;
        event->is_delegated = columns->delegate_id[e] != -1 || identifier.size > 0;
        if (columns->delegate_id[e] != -1) {
            char text[16];
            name = (struct ets_text){
                text, ets_print_text(text, sizeof text, "%d", columns->delegate_id[e])};
            event->name = copy_text(inspection, name);
        } else if (identifier.size > 0) {
            event->delegate_identifier = copy_text(inspection, identifier);
            event->name = event->delegate_identifier;
        } else if (name.size > 0) {
            event->name = copy_text(inspection, name);
        }
        if (event->name == NULL) return false;
    }
    const bool is_outside = mended && columns->chain[slot->event] == -1;
    event->instruction = is_outside ? -1 : columns->instruction[slot->event];
    return true;
}

/* A block while its runs are being added: event i's sample of run number k is at i * run_count + k.
 */
struct building {
    struct ets_upstream_event *events;
    uint32_t event_count;
    uint32_t run_count, added_runs;
    double *raw;
    uint64_t *start_time;
    uint32_t *samples, *calls;
};

/* The debug events that `slot` stands for. */
static bool list_debug_events(const struct viewer *v, const struct slot *slot,
                              struct ets_upstream_event *event)
{
    if (slot->debug_event == ETS_NO_INDEX) return true;
    uint32_t *list = ets_arena_alloc_array(&v->inspection->arena, slot->group_size, sizeof *list);
    if (list == NULL) return false;
    for (uint32_t k = 0; k < slot->group_size; k++) {
        const uint32_t e = v->grouped[slot->group_at + k];
        if (v->inspection->events.kind[e] == ETS_EVENT_DEBUG) list[event->debug_event_count++] = e;
    }
    event->debug_events = list;
    return true;
}

/* The outputs of the whole method that run `r` logged, for a block that has none yet. */
static bool list_outputs(struct ets_inspection *inspection, uint32_t r,
                         struct ets_upstream_block *block)
{
    const struct ets_run *run = &inspection->runs[r];
    const uint32_t end = run->first_event + run->event_count;
    uint32_t count = 0, *list = NULL;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (uint32_t e = run->first_event; e < end; e++) {
            if (inspection->events.kind[e] != ETS_EVENT_DEBUG) continue;
            if (!is_program_output(inspection, e)) continue;
            if (list != NULL) list[count] = e;
            count++;
        }
        if (count == 0 || list != NULL) break;
        list = ets_arena_alloc_array(&inspection->arena, count, sizeof *list);
        if (list == NULL) return false;
    }
    block->outputs = list;
    block->output_count = count;
    return true;
}

static enum ets_status start_block(struct viewer *v, uint32_t first_run, struct building *building,
                                   struct ets_upstream_block *block, struct ets_error *error)
{
    struct ets_inspection *inspection = v->inspection;
    const struct ets_run *run = &inspection->runs[first_run];
    const struct ets_block *shape = &inspection->blocks[run->block];
    const uint32_t count = v->run_start[first_run + 1] - v->run_start[first_run];
    const size_t samples = (size_t)count * building->run_count;
    building->event_count = count;
    building->events = ets_arena_alloc_array(&inspection->arena, count, sizeof *building->events);
    building->raw = ets_arena_alloc_array(&inspection->arena, samples, sizeof *building->raw);
    building->start_time =
        ets_arena_alloc_array(&inspection->arena, samples, sizeof *building->start_time);
    building->samples =
        ets_arena_alloc_array(&inspection->arena, samples, sizeof *building->samples);
    building->calls = ets_arena_alloc_array(&inspection->arena, samples, sizeof *building->calls);
    *block = (struct ets_upstream_block){
        .name = copy_text(inspection, run->name),
        .method = shape->method_state == ETS_METHOD_FOUND ? shape->method : NULL,
        .bundled_input_index = run->bundled_input_index,
        .run_count = building->run_count,
        .events = building->events,
        .event_count = count,
    };
    if (building->events == NULL || building->raw == NULL || building->start_time == NULL ||
        building->samples == NULL || building->calls == NULL || block->name == NULL) {
        return ets_fail_memory(error, "a block of the Inspector's view");
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct slot *slot = &v->slots[v->run_start[first_run] + i];
        struct ets_upstream_event *event = &building->events[i];
        event->num_outputs = 1;
        if (!name_event(inspection, slot, v->mended, event) || !list_debug_events(v, slot, event)) {
            return ets_fail_memory(error, "a block of the Inspector's view");
        }
        if (!slot->has_profile) continue;
        event->raw = building->raw + (size_t)i * building->run_count;
        event->start_time = building->start_time + (size_t)i * building->run_count;
        event->samples = building->samples + (size_t)i * building->run_count;
        event->calls = building->calls + (size_t)i * building->run_count;
        event->sample_count = building->run_count;
    }
    return ets_upstream_join(inspection, run->block, v->mended, building->events, count, error);
}

static enum ets_status add_samples(const struct viewer *v, uint32_t run, struct building *building,
                                   struct ets_error *error)
{
    for (uint32_t i = 0; i < building->event_count; i++) {
        const struct slot *slot = &v->slots[v->run_start[run] + i];
        if (!slot->has_profile) continue;
        const size_t at = (size_t)i * building->run_count + building->added_runs;
        const uint32_t event = v->mended ? slot->first_event : slot->event;
        building->start_time[at] = v->inspection->events.start[event];
        building->samples[at] = event;
        if (ets_inspection_metadata(v->inspection, event).size > 0) {
            building->events[i].has_metadata = 1;
        }
        ETS_TRY(run_sample(v, slot, building->events[i].is_delegated != 0, &building->raw[at],
                           &building->calls[at], error));
    }
    building->added_runs++;
    return ETS_OK;
}

static enum ets_status compute_statistics(struct ets_inspection *inspection,
                                          const struct building *building, struct ets_error *error)
{
    double *sorted = ets_arena_alloc_array(&inspection->arena, building->run_count, sizeof *sorted);
    if (sorted == NULL) return ets_fail_memory(error, "the statistics of the Inspector's view");
    for (uint32_t i = 0; i < building->event_count; i++) {
        struct ets_upstream_event *event = &building->events[i];
        if (event->sample_count > 0) {
            memcpy(sorted, event->raw, event->sample_count * sizeof *sorted);
        }
        ets_statistics_compute(sorted, event->sample_count, &event->statistics);
    }
    return ETS_OK;
}

static enum ets_status fill_blocks(struct viewer *v, const uint32_t *first_run,
                                   struct ets_upstream_block *blocks, struct ets_error *error)
{
    struct ets_inspection *inspection = v->inspection;
    const uint32_t block_count = v->shapes.count;
    struct building *building =
        ets_arena_alloc_array(&inspection->arena, block_count, sizeof *building);
    if (building == NULL) return ets_fail_memory(error, "the Inspector's view");
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        if (v->run_block[r] != ETS_NO_INDEX) building[v->run_block[r]].run_count++;
    }
    for (uint32_t i = 0; i < block_count; i++) {
        ETS_TRY(start_block(v, first_run[i], &building[i], &blocks[i], error));
    }
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        if (v->run_block[r] == ETS_NO_INDEX) continue;
        struct ets_upstream_block *block = &blocks[v->run_block[r]];
        ETS_TRY(add_samples(v, r, &building[v->run_block[r]], error));
        if (block->output_count == 0 && !list_outputs(inspection, r, block)) {
            return ets_fail_memory(error, "the outputs of the Inspector's view");
        }
    }
    for (uint32_t i = 0; i < block_count; i++) {
        ETS_TRY(compute_statistics(inspection, &building[i], error));
    }
    return ETS_OK;
}

static enum ets_status make_view(struct ets_inspection *inspection, enum ets_time_unit source,
                                 enum ets_time_unit target, bool mended,
                                 const struct ets_upstream_view **view_out, struct ets_error *error)
{
    if ((source == ETS_UNIT_CYCLES) != (target == ETS_UNIT_CYCLES)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "cycles cannot be converted: source and target scale must both be cycles");
    }
    struct viewer v = {
        .inspection = inspection,
        .mended = mended,
        .factor = ets_time_unit_per_second(source) / ets_time_unit_per_second(target),
    };
    uint32_t *first_run =
        ets_arena_alloc_array(&inspection->arena, inspection->run_count, sizeof *first_run);
    struct ets_upstream_view *view = ets_arena_alloc(&inspection->arena, sizeof *view);
    if (first_run == NULL || view == NULL || !allocate_viewer(&v) || !number_groups(&v) ||
        !read_runs(&v, first_run)) {
        return ets_fail_memory(error, "the Inspector's view");
    }
    struct ets_upstream_block *blocks =
        ets_arena_alloc_array(&inspection->arena, v.shapes.count, sizeof *blocks);
    if (blocks == NULL) return ets_fail_memory(error, "the Inspector's view");
    ETS_TRY(fill_blocks(&v, first_run, blocks, error));
    *view = (struct ets_upstream_view){blocks, v.shapes.count, target};
    *view_out = view;
    return ETS_OK;
}

enum ets_status ets_inspection_upstream_view(struct ets_inspection *inspection,
                                             enum ets_time_unit source, enum ets_time_unit target,
                                             const struct ets_upstream_view **view_out,
                                             struct ets_error *error)
{
    return make_view(inspection, source, target, false, view_out, error);
}

enum ets_status ets_inspection_mended_view(struct ets_inspection *inspection,
                                           enum ets_time_unit source, enum ets_time_unit target,
                                           const struct ets_upstream_view **view_out,
                                           struct ets_error *error)
{
    return make_view(inspection, source, target, true, view_out, error);
}
