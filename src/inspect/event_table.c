/* Loads the events of a dump into columns, and finds their nesting. */
#include <stdbool.h>
#include <string.h>

#include "dump/etdump_parts.h"
#include "inspect/inspection.h"

/* Further damages are only counted. */
enum { MAX_DAMAGES = 1000 };

/* Of told parts inside parts; a trace that tells of more keeps the others beside each other. */
enum { MAX_HEIGHT = 64 };

/* Two passes with the same calls: the first counts, the second fills (`filling`). */
struct loader {
    struct ets_inspection *inspection;
    bool filling;
    bool no_memory;
    uint32_t events, runs, damages, unknown;
    uint32_t run_start, run_length; /* events of the run before the one that starts there */
};

/* Runs repeat: what stood at the same place of the run before is compared first. */
static uint32_t intern(struct loader *loader, struct ets_text text, const uint32_t *numbers,
                       uint32_t at)
{
    const uint32_t back = loader->run_length;
    const uint32_t before = back > 0 && back <= at ? numbers[at - back] : ETS_STRING_NONE;
    const uint32_t number = ets_strings_add_near(&loader->inspection->strings, text, before);
    if (number == UINT32_MAX) loader->no_memory = true;
    return number;
}

static void fill_event(struct loader *loader, const struct ets_etdump_event *event)
{
    struct ets_event_columns *columns = &loader->inspection->events;
    const uint32_t at = columns->count++;
    const bool is_allocation = event->kind == ETS_EVENT_ALLOCATION;
    if (event->end_ticks < event->start_ticks) {
        if (event->start_ticks <= UINT32_MAX) loader->inspection->wrapped_count++;
        else loader->inspection->backwards_count++;
    }
    columns->run[at] = loader->runs - 1;
    columns->row[at] = ETS_NO_INDEX;
    columns->parent[at] = ETS_NO_INDEX;
    columns->kind[at] = (uint8_t)event->kind;
    columns->name[at] = intern(loader, event->name, columns->name, at);
    columns->chain[at] = event->chain;
    columns->instruction[at] = event->instruction;
    columns->delegate_id[at] = event->delegate_id;
    columns->delegate_name[at] = intern(loader, event->delegate_name, columns->delegate_name, at);
    columns->start[at] = is_allocation ? (uint64_t)(int64_t)event->allocator : event->start_ticks;
    columns->end[at] = is_allocation ? event->allocated_bytes : event->end_ticks;
    columns->payload_at[at] = event->payload_at;
    if (event->metadata.data != NULL) loader->inspection->has_metadata = true;
    loader->inspection->runs[loader->runs - 1].event_count++;
}

static int load_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    (void)event_at;
    struct loader *loader = context;
    if (event->kind == ETS_EVENT_UNKNOWN) {
        loader->unknown++;
        return 0;
    }
    loader->events++;
    if (loader->filling) fill_event(loader, event);
    return loader->no_memory;
}

static int load_run(void *context, const struct ets_etdump_run *run)
{
    struct loader *loader = context;
    loader->run_length = loader->events - loader->run_start;
    loader->run_start = loader->events;
    if (loader->filling) {
        struct ets_strings *strings = &loader->inspection->strings;
        const uint32_t name = ets_strings_add(strings, run->name);
        if (name == UINT32_MAX) loader->no_memory = true;
        loader->inspection->runs[loader->runs] = (struct ets_run){
            .name = name == UINT32_MAX ? run->name : ets_strings_get(strings, name),
            .bundled_input_index = run->bundled_input_index,
            .first_event = loader->inspection->events.count,
            .block = ETS_NO_INDEX,
            .has_events = run->has_events,
            .thread = ETS_NO_INDEX,
        };
    }
    loader->runs++;
    return 0;
}

static int load_damage(void *context, const struct ets_error *part)
{
    struct loader *loader = context;
    if (loader->filling && loader->damages < MAX_DAMAGES) {
        struct ets_inspection *inspection = loader->inspection;
        const char *copy =
            ets_arena_copy_text(&inspection->arena, part->message, strlen(part->message));
        if (copy == NULL) loader->no_memory = true;
        inspection->damages[loader->damages] =
            (struct ets_damage){part->offset, copy, part->advice};
    }
    loader->damages++;
    return loader->no_memory;
}

static bool reserve(struct ets_inspection *inspection, const struct loader *counted)
{
    struct ets_arena *arena = &inspection->arena;
    struct ets_event_columns *columns = &inspection->events;
    const size_t count = counted->events;
    const uint32_t damages = counted->damages < MAX_DAMAGES ? counted->damages : MAX_DAMAGES;
    columns->capacity = counted->events;
    columns->run = ets_arena_alloc_unset(arena, count, sizeof *columns->run);
    columns->row = ets_arena_alloc_unset(arena, count, sizeof *columns->row);
    columns->parent = ets_arena_alloc_unset(arena, count, sizeof *columns->parent);
    columns->name = ets_arena_alloc_unset(arena, count, sizeof *columns->name);
    columns->delegate_name = ets_arena_alloc_unset(arena, count, sizeof *columns->delegate_name);
    columns->kind = ets_arena_alloc_unset(arena, count, sizeof *columns->kind);
    columns->chain = ets_arena_alloc_unset(arena, count, sizeof *columns->chain);
    columns->instruction = ets_arena_alloc_unset(arena, count, sizeof *columns->instruction);
    columns->delegate_id = ets_arena_alloc_unset(arena, count, sizeof *columns->delegate_id);
    columns->start = ets_arena_alloc_unset(arena, count, sizeof *columns->start);
    columns->end = ets_arena_alloc_unset(arena, count, sizeof *columns->end);
    columns->payload_at = ets_arena_alloc_unset(arena, count, sizeof *columns->payload_at);
    inspection->runs = ets_arena_alloc_array(arena, counted->runs, sizeof *inspection->runs);
    inspection->damages = ets_arena_alloc_array(arena, damages, sizeof *inspection->damages);
    inspection->run_count = counted->runs;
    inspection->damage_count = damages;
    inspection->damage_total = counted->damages;
    return columns->run && columns->row && columns->parent && columns->name &&
           columns->delegate_name && columns->kind && columns->chain && columns->instruction &&
           columns->delegate_id && columns->start && columns->end && columns->payload_at &&
           inspection->runs && inspection->damages;
}

/* Events of an unknown kind, which are no rows, are counted, too: they are few. */
static void count_verified(struct loader *loader)
{
    const struct ets_etdump *dump = &loader->inspection->dump;
    loader->runs = dump->run_count;
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        loader->events += run.event_count;
    }
}

/* A part of the dump that was read. */
struct part {
    uint64_t low, high; /* from the first to the last event */
    uint32_t events;
};

/*
 * Gives back the pages of a part. Other parts may lie between, and are read again then; a part that
 * spans much more than its events is left alone.
 */
static void give_back(const struct loader *loader, const struct part *part)
{
    enum { SPAN = 1 << 26 };
    const struct ets_file *file = loader->inspection->options.file;
    if (file == NULL || part->high - part->low > SPAN) return;
    ets_file_release(file, loader->inspection->dump.bytes.data + part->low,
                     (size_t)(part->high - part->low));
}

static void add_to_part(const struct loader *loader, struct part *part, uint64_t at)
{
    enum { MOST = 1 << 16 }; /* events, of some 64 bytes each */
    if (part->events == 0 || at < part->low) part->low = at;
    if (part->events == 0 || at > part->high) part->high = at;
    if (++part->events < MOST) return;
    give_back(loader, part);
    part->events = 0;
}

static void fill_verified(struct loader *loader)
{
    struct part part = {.events = 0};
    const struct ets_etdump *dump = &loader->inspection->dump;
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        load_run(loader, &run);
        for (uint32_t j = 0; j < run.event_count && !loader->no_memory; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(dump, &run, j, &event);
            load_event(loader, &event, 0);
            add_to_part(loader, &part, event.payload_at);
        }
    }
}

static enum ets_status visit(struct loader *loader, struct ets_bytes bytes, bool is_damaged,
                             struct ets_error *error)
{
    if (!is_damaged) {
        if (loader->filling) fill_verified(loader);
        else count_verified(loader);
        return ETS_OK;
    }
    const struct ets_etdump_visitor visitor = {loader, load_run, load_event, load_damage};
    return ets_etdump_salvage(&loader->inspection->dump, bytes, &visitor, error);
}

static void hand_out(struct ets_inspection *inspection)
{
    const struct ets_event_columns *columns = &inspection->events;
    inspection->table = (struct ets_event_table){
        .count = columns->count,
        .run = columns->run,
        .row = columns->row,
        .parent = columns->parent,
        .kind = columns->kind,
        .name = columns->name,
        .chain = columns->chain,
        .instruction = columns->instruction,
        .delegate_id = columns->delegate_id,
        .delegate_name = columns->delegate_name,
        .start = columns->start,
        .end = columns->end,
        .payload_at = columns->payload_at,
    };
}

/* Each encloses only earlier ones, so that parents cannot form a circle. */
enum scope { SCOPE_NONE, SCOPE_INSTRUCTION, SCOPE_STEP, SCOPE_INIT, SCOPE_METHOD };

/* The scope of an event of this name. It encloses events that ended before it. */
static enum scope scope_of(struct ets_text name)
{
    static const char *const instructions[] = {"OPERATOR_CALL", "DELEGATE_CALL", "JF_CALL",
                                               "MOVE_CALL", "FREE_CALL"};
    static const char *const methods[] = {"Method::execute", "Program::load_method"};
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        if (ets_text_is(name, instructions[i])) return SCOPE_INSTRUCTION;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (ets_text_is(name, methods[i])) return SCOPE_METHOD;
    }
    if (ets_text_is(name, "Method::init")) return SCOPE_INIT;
    return ets_text_is(name, "Method::step") ? SCOPE_STEP : SCOPE_NONE;
}

/* The scope of each name number, computed once. */
static uint8_t *name_scopes(const struct ets_inspection *inspection, struct ets_arena *arena)
{
    const struct ets_strings *strings = &inspection->strings;
    uint8_t *scopes = ets_arena_alloc_array(arena, strings->count, sizeof *scopes);
    for (uint32_t i = 0; scopes != NULL && i < strings->count; i++) {
        scopes[i] = (uint8_t)scope_of(ets_strings_get(strings, i));
    }
    return scopes;
}

static enum scope event_scope(const struct ets_event_columns *columns, const uint8_t *scopes,
                              uint32_t event)
{
    if (columns->kind[event] != ETS_EVENT_PROFILE) return SCOPE_NONE;
    return (enum scope)scopes[columns->name[event]];
}

/*
 * Whether the extra block tells that the instruction of `inner` is a part of that of `outer`.
 * Allocations come right before the event that they are of.
 */
static bool is_told_inside(const struct ets_inspection *inspection, uint32_t outer, uint32_t inner)
{
    const struct ets_event_columns *columns = &inspection->events;
    if (columns->kind[inner] == ETS_EVENT_ALLOCATION) return columns->chain[outer] >= 0;
    if (columns->chain[outer] != columns->chain[inner]) return false;
    const struct ets_stated_node *told =
        ets_stated_node_at(&inspection->told, columns->chain[inner], columns->instruction[inner]);
    return told != NULL && columns->instruction[outer] >= 0 &&
           told->parent == (uint32_t)columns->instruction[outer];
}

/* Finds parents. Events of one scope that nothing enclosed yet wait on a stack. */
static enum ets_status nest(struct ets_inspection *inspection, struct ets_error *error)
{
    struct ets_event_columns *columns = &inspection->events;
    struct ets_arena passing;
    ets_arena_init(&passing, inspection->options.allocator, 0);
    const uint8_t *scopes = name_scopes(inspection, &passing);
    uint32_t *stack = ets_arena_alloc_unset(&passing, columns->count, sizeof *stack);
    uint8_t *heights = ets_arena_alloc_array(&passing, columns->count, sizeof *heights);
    if (scopes == NULL || stack == NULL || heights == NULL) {
        ets_arena_reset(&passing);
        return ets_fail_memory(error, "the events' nesting");
    }
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        const struct ets_run *run = &inspection->runs[r];
        uint32_t depth = 0;
        for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
            const enum scope scope = event_scope(columns, scopes, e);
            while (depth > 0 && inspection->told.items != NULL &&
                   heights[stack[depth - 1]] < MAX_HEIGHT &&
                   is_told_inside(inspection, e, stack[depth - 1])) {
                const uint32_t inner = stack[--depth];
                columns->parent[inner] = e;
                if (heights[e] <= heights[inner]) heights[e] = heights[inner] + 1;
            }
            while (scope != SCOPE_NONE && depth > 0) {
                const uint32_t inner = stack[depth - 1];
                const bool same = columns->chain[inner] == columns->chain[e] &&
                                  columns->instruction[inner] == columns->instruction[e];
                /* An earlier iteration or execution is not part of this one. */
                if (event_scope(columns, scopes, inner) >= scope) break;
                if (scope < SCOPE_INIT && !same) break;
                columns->parent[inner] = e;
                depth--;
            }
            stack[depth++] = e;
        }
    }
    ets_arena_reset(&passing);
    return ETS_OK;
}

/* Reads the extra block. If it is damaged, reports that like other damage. */
static bool open_extra(struct ets_inspection *inspection, struct ets_bytes dump,
                       struct ets_error *reason)
{
    const enum ets_status status = ets_trace_extra_init(&inspection->extra, dump, reason);
    inspection->has_extra = status == ETS_OK;
    return status == ETS_OK || status == ETS_NOT_FOUND;
}

enum ets_status ets_events_load(struct ets_inspection *inspection, struct ets_bytes dump,
                                struct ets_error *error)
{
    struct ets_error reason, extra_reason;
    const enum ets_status status = ets_etdump_init(&inspection->dump, dump, &reason);
    const bool is_damaged = status != ETS_OK;
    if (is_damaged && (!inspection->options.partial || status == ETS_WRONG_KIND)) {
        if (error != NULL) *error = reason;
        return status;
    }
    const bool is_extra_sound = open_extra(inspection, dump, &extra_reason);
    struct loader counter = {.inspection = inspection};
    ETS_TRY(visit(&counter, dump, is_damaged, error));
    if (inspection->options.file != NULL) {
        ets_file_release(inspection->options.file, dump.data, dump.size);
    }
    if (!is_extra_sound) load_damage(&counter, &extra_reason);
    if (!reserve(inspection, &counter)) return ets_fail_memory(error, "the event table");
    struct loader filler = {.inspection = inspection, .filling = true};
    ETS_TRY(visit(&filler, dump, is_damaged, error));
    if (!is_extra_sound) load_damage(&filler, &extra_reason);
    if (filler.no_memory) return ets_fail_memory(error, "the event table");
    inspection->unknown_event_count = filler.unknown;
    hand_out(inspection);
    if (inspection->has_extra) {
        ETS_TRY(ets_stated_nodes_read(&inspection->arena, &inspection->extra, &inspection->told,
                                      error));
    }
    ETS_TRY(nest(inspection, error));
    return ets_trace_facts_load(inspection, is_damaged, error);
}
