/* dump of a damaged ETDump: the runs and events that are intact, and what is not. */
#include <string.h>

#include "cli/beside/debug_buffer.h"
#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"
#include "dump/etdump_parts.h"
#include "dump/etdump_schema.h"

/* Further damages are only counted. */
enum { MOST_DAMAGES = 1000 };

struct damage {
    uint64_t offset;
    const char *message;
};

struct intact_event {
    size_t at, payload_at; /* of its table, and of what it tells */
    uint32_t run, index;
    bool is_debug;
};

struct damaged_trace {
    struct dump_request *request;
    struct ets_etdump dump;
    struct ets_bytes debug_buffer;
    bool has_debug_buffer;
    struct dump_extra extra;
    struct ets_etdump_run *runs;
    struct intact_event *events;
    struct damage *damages;
    uint32_t run_count, event_count, damage_count; /* damages: of all */
    uint32_t run_capacity, event_capacity, damage_capacity, events_of_run;
    bool is_out_of_memory;
};

static int keep_run(void *context, const struct ets_etdump_run *run)
{
    struct damaged_trace *t = context;
    t->runs = ets_arena_grow(&t->request->arena, t->runs, t->run_count, &t->run_capacity,
                             sizeof *t->runs);
    t->is_out_of_memory = t->runs == NULL;
    if (t->runs == NULL) return 1;
    t->runs[t->run_count++] = *run;
    t->events_of_run = 0;
    return 0;
}

static int keep_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    struct damaged_trace *t = context;
    t->events = ets_arena_grow(&t->request->arena, t->events, t->event_count, &t->event_capacity,
                               sizeof *t->events);
    t->is_out_of_memory = t->events == NULL;
    if (t->events == NULL) return 1;
    t->events[t->event_count++] = (struct intact_event){.at = event_at,
                                                        .payload_at = event->payload_at,
                                                        .run = t->run_count - 1,
                                                        .index = t->events_of_run++,
                                                        .is_debug = event->kind == ETS_EVENT_DEBUG};
    return 0;
}

static int keep_damage(void *context, const struct ets_error *part)
{
    struct damaged_trace *t = context;
    if (t->damage_count++ >= MOST_DAMAGES) return 0;
    const uint32_t last = t->damage_count - 1;
    t->damages = ets_arena_grow(&t->request->arena, t->damages, last, &t->damage_capacity,
                                sizeof *t->damages);
    const char *message =
        ets_arena_copy_text(&t->request->arena, part->message, strlen(part->message));
    t->is_out_of_memory = t->damages == NULL || message == NULL;
    if (t->is_out_of_memory) return 1;
    t->damages[last] = (struct damage){part->offset, message};
    return 0;
}

/* A tensor of a debug event that the debug buffer has; false: it has none, or it is damaged. */
static bool read_captured(const struct damaged_trace *t, const struct ets_debug_value *value,
                          uint32_t index, int64_t *offset_out, struct ets_value *tensor_out)
{
    *tensor_out = (struct ets_value){.kind = ETS_VALUE_TENSOR};
    struct ets_tensor *tensor = &tensor_out->as.tensor;
    return ets_etdump_tensor(&t->dump, value, index, tensor, offset_out, NULL) == ETS_OK &&
           ets_etdump_tensor_data(t->debug_buffer, *offset_out, tensor, NULL) == ETS_OK;
}

static void put_captured(const struct damaged_trace *t, const struct intact_event *event,
                         uint32_t index, int64_t offset, const struct ets_value *tensor)
{
    struct ets_json_writer *json = t->request->json;
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "run", event->run);
    ets_json_put_count(json, "event", event->index);
    ets_json_put_count(json, "index", index);
    ets_json_put_integer(json, "debug_buffer_offset", offset);
    dump_put_value(t->request, tensor);
    ets_json_end_object(json);
}

/* Hashes the captured tensors; or, once their row has begun, puts them. Returns an exit code. */
static int use_captured(const struct damaged_trace *t)
{
    int code = CLI_OK;
    for (uint32_t i = 0; i < t->event_count && code == CLI_OK; i++) {
        const struct intact_event *event = &t->events[i];
        struct ets_debug_value value;
        struct ets_value tensor;
        int64_t offset;
        if (!event->is_debug) continue;
        ets_etdump_debug_value(&t->dump, event->payload_at, &value);
        for (uint32_t k = 0; k < value.tensor_count && code == CLI_OK; k++) {
            if (!read_captured(t, &value, k, &offset, &tensor)) continue;
            if (t->request->is_in_row) put_captured(t, event, k, offset, &tensor);
            else code = dump_hash_value(t->request, &tensor);
        }
    }
    return code;
}

/* A run as its table has it, with the events that are intact. Returns the end of its events. */
static uint32_t put_run(const struct damaged_trace *t, uint32_t number, uint32_t event)
{
    struct ets_json_writer *json = t->request->json;
    const struct ets_etdump_run *run = &t->runs[number];
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "name", run->name);
    ets_json_put_integer(json, "bundled_input_index", run->bundled_input_index);
    ets_json_begin_array(json, "allocators");
    for (uint32_t i = 0; i < run->allocator_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "name", ets_etdump_allocator_name(&t->dump, run, i));
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
    ets_json_begin_array(json, "events");
    for (; event < t->event_count && t->events[event].run == number; event++) {
        const struct ets_fb table = {t->dump.bytes.data, t->events[event].at};
        ets_json_put_flatbuffer(json, NULL, table, &ets_etdump_event_type, t->request->with_data);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
    return event;
}

static void put_damage(const struct damaged_trace *t)
{
    struct ets_json_writer *json = t->request->json;
    ets_json_begin_array(json, "damage");
    for (uint32_t i = 0; i < t->damage_count && i < MOST_DAMAGES; i++) {
        ets_json_begin_object(json, NULL);
        if (t->damages[i].offset == ETS_NO_OFFSET) ets_json_put_null(json, "offset");
        else ets_json_put_count(json, "offset", t->damages[i].offset);
        ets_json_put_string(json, "reason", t->damages[i].message);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static int put_damaged(const struct damaged_trace *t)
{
    const int code = dump_begin(t->request);
    if (code != CLI_OK) return code;
    struct ets_json_writer *json = t->request->json;
    ets_json_put_bool(json, "is_size_prefixed", t->dump.is_size_prefixed != 0);
    ets_json_begin_object(json, "flatbuffer");
    ets_json_put_null(json, "version");
    ets_json_begin_array(json, "run_data");
    for (uint32_t run = 0, event = 0; run < t->run_count; run++) event = put_run(t, run, event);
    ets_json_end_array(json);
    ets_json_end_object(json);
    dump_put_extra(t->request, &t->extra);
    if (t->has_debug_buffer) {
        ets_json_begin_array(json, "captured");
        use_captured(t);
        ets_json_end_array(json);
    } else {
        ets_json_put_null(json, "captured");
    }
    put_damage(t);
    dump_end(t->request);
    return CLI_OK;
}

static enum ets_status salvage(struct damaged_trace *t, struct ets_error *error)
{
    const struct ets_etdump_visitor visitor = {t, keep_run, keep_event, keep_damage};
    struct ets_error reason;
    ETS_TRY(ets_etdump_salvage(&t->dump, t->request->bytes, &visitor, error));
    const enum ets_status status = dump_open_extra(t->request, &t->extra, &reason);
    if (status != ETS_OK && status != ETS_NO_MEMORY) keep_damage(t, &reason);
    if (status == ETS_NO_MEMORY || t->is_out_of_memory) {
        return ets_fail_memory(error, "the intact events");
    }
    return ETS_OK;
}

int dump_damaged_trace(struct dump_request *request)
{
    struct damaged_trace t = {.request = request};
    struct ets_file *file = NULL;
    struct ets_error error;
    const char *path = cli_value(request->arguments, "--debug-buffer");
    if (salvage(&t, &error) != ETS_OK) return cli_fail(request->path, &error);
    if (t.run_count == 0) {
        return cli_complain(CLI_INPUT, "%s: nothing in it is intact", cli_path_name(request->path));
    }
    t.has_debug_buffer = path != NULL;
    int code = cli_debug_buffer_open(path, &file, &t.debug_buffer);
    if (code == CLI_OK) {
        request->contents.budget += 8 * (uint64_t)t.debug_buffer.size;
        request->data_budget += 8 * (uint64_t)t.debug_buffer.size;
        code = use_captured(&t);
    }
    if (code == CLI_OK) code = put_damaged(&t);
    if (code == CLI_OK) {
        cli_note("%s is damaged: %u part%s cannot be read", cli_path_name(request->path),
                 t.damage_count, t.damage_count == 1 ? "" : "s");
    }
    ets_file_close(file);
    return code;
}
