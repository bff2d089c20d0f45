/* dump of an ETDump: its runs and events, and with a debug buffer its tensors. */
#include "cli/beside/debug_buffer.h"
#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"
#include "dump/etdump_schema.h"
#include "etscope/etdump.h"

struct tracing {
    struct dump_request *request;
    struct ets_etdump dump;
    struct ets_bytes debug_buffer;
    bool has_debug_buffer;
    struct dump_extra extra;
};

/* A tensor of a debug event. */
struct captured {
    uint32_t run, event, index;
    int64_t offset;
    struct ets_value value; /* data NULL: none in the debug buffer */
};

typedef int use_captured(struct tracing *t, const struct captured *captured);

static int use_event(struct tracing *t, const struct ets_etdump_event *event,
                     struct captured *captured, use_captured *use)
{
    struct ets_debug_value value;
    struct ets_error error;
    ets_etdump_debug_value(&t->dump, event->payload_at, &value);
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        captured->index = i;
        captured->value = (struct ets_value){.kind = ETS_VALUE_TENSOR};
        struct ets_tensor *tensor = &captured->value.as.tensor;
        if (ets_etdump_tensor(&t->dump, &value, i, tensor, &captured->offset, &error) != ETS_OK) {
            return cli_fail(t->request->path, &error);
        }
        const enum ets_status status =
            ets_etdump_tensor_data(t->debug_buffer, captured->offset, tensor, &error);
        if (status != ETS_OK && status != ETS_NOT_FOUND) {
            return cli_fail(cli_value(t->request->arguments, "--debug-buffer"), &error);
        }
        const int code = use(t, captured);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

/* Calls `use` with each captured tensor until it returns another code than CLI_OK. */
static int use_all(struct tracing *t, use_captured *use)
{
    struct captured captured = {.run = 0};
    for (; captured.run < t->dump.run_count; captured.run++) {
        struct ets_etdump_run run;
        ets_etdump_run(&t->dump, captured.run, &run);
        for (captured.event = 0; captured.event < run.event_count; captured.event++) {
            struct ets_etdump_event event;
            ets_etdump_event(&t->dump, &run, captured.event, &event);
            if (event.kind != ETS_EVENT_DEBUG) continue;
            const int code = use_event(t, &event, &captured, use);
            if (code != CLI_OK) return code;
        }
    }
    return CLI_OK;
}

static int hash_captured(struct tracing *t, const struct captured *captured)
{
    return dump_hash_value(t->request, &captured->value);
}

static int put_captured(struct tracing *t, const struct captured *captured)
{
    struct ets_json_writer *json = t->request->json;
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "run", captured->run);
    ets_json_put_count(json, "event", captured->event);
    ets_json_put_count(json, "index", captured->index);
    ets_json_put_integer(json, "debug_buffer_offset", captured->offset);
    dump_put_value(t->request, &captured->value);
    ets_json_end_object(json);
    return CLI_OK;
}

static int put_trace(struct tracing *t, size_t root_at)
{
    struct dump_request *request = t->request;
    const struct ets_fb root = {t->dump.bytes.data, ets_fb_follow(t->dump.bytes.data, root_at)};
    const int code = dump_begin(request);
    if (code != CLI_OK) return code;
    ets_json_put_bool(request->json, "is_size_prefixed", t->dump.is_size_prefixed != 0);
    ets_json_put_flatbuffer(request->json, "flatbuffer", root, &ets_etdump_type,
                            request->with_data);
    dump_put_extra(request, &t->extra);
    if (t->has_debug_buffer) {
        ets_json_begin_array(request->json, "captured");
        use_all(t, put_captured);
        ets_json_end_array(request->json);
    } else {
        ets_json_put_null(request->json, "captured");
    }
    ets_json_begin_array(request->json, "damage");
    ets_json_end_array(request->json);
    dump_end(request);
    return CLI_OK;
}

int dump_trace(struct dump_request *request)
{
    struct tracing t = {.request = request};
    struct ets_file *file = NULL;
    struct ets_error error;
    size_t root_at;
    const char *path = cli_value(request->arguments, "--debug-buffer");
    enum ets_status status = ets_etdump_init(&t.dump, request->bytes, &error);
    const bool is_damaged = status == ETS_TRUNCATED || status == ETS_MALFORMED;
    if (is_damaged && cli_has(request->arguments, "--partial")) return dump_damaged_trace(request);
    if (status == ETS_OK) status = ets_etdump_root_at(request->bytes, &root_at, &error);
    if (status != ETS_OK) {
        const int code = cli_fail(request->path, &error);
        if (is_damaged) cli_note("--partial writes what is intact");
        return code;
    }
    if (dump_open_extra(request, &t.extra, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    t.has_debug_buffer = path != NULL;
    int code = cli_debug_buffer_open(path, &file, &t.debug_buffer);
    if (code == CLI_OK) {
        request->contents.budget += 8 * (uint64_t)t.debug_buffer.size;
        request->data_budget += 8 * (uint64_t)t.debug_buffer.size;
    }
    if (code == CLI_OK && t.has_debug_buffer) code = use_all(&t, hash_captured);
    if (code == CLI_OK) code = put_trace(&t, root_at);
    ets_file_close(file);
    return code;
}
