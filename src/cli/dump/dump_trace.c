/* dump of an ETDump: its runs and events, its extra block, and with a debug buffer its tensors. */
#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"
#include "cli/open/debug_buffer.h"
#include "dump/etdump_schema.h"
#include "etscope/etdump.h"
#include "etscope/trace_extra.h"

struct tracing {
    struct dump_request *request;
    struct ets_etdump dump;
    struct ets_bytes debug_buffer;
    bool has_debug_buffer;
    struct ets_trace_extra extra;
    bool has_extra;
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

static void put_facts(struct ets_json_writer *json, const struct ets_trace_facts *facts)
{
    const struct ets_trace_state *state = &facts->state;
    ets_json_put_bool(json, "has_clock", facts->has_clock != 0);
    ets_json_put_bool(json, "is_calibrated", facts->is_calibrated != 0);
    ets_json_put_count(json, "clock_hz", facts->clock_hz);
    ets_json_put_count(json, "cost_ns_q8", facts->cost_ns_q8);
    ets_json_put_count(json, "threads", facts->threads);
    ets_json_put_count(json, "mode", facts->mode);
    ets_json_put_count(json, "filtered", facts->filtered);
    ets_json_put_blob(json, "fingerprint", facts->fingerprint, true);
    ets_json_put_count(json, "lost_frames", facts->lost_frames);
    ets_json_put_count(json, "first_error", state->first_error);
    ets_json_put_count(json, "dropped", state->dropped);
    ets_json_put_count(json, "unnamed", state->unnamed);
    ets_json_put_count(json, "backwards", state->backwards);
    ets_json_put_count(json, "overwritten", state->overwritten);
    ets_json_put_count(json, "stale", state->stale);
    ets_json_put_count(json, "used_bytes", state->used_bytes);
    ets_json_put_count(json, "capacity_bytes", state->capacity_bytes);
    ets_json_put_count(json, "debug_bytes", state->debug_bytes);
}

static void put_runs(struct ets_json_writer *json, const struct ets_trace_extra *extra)
{
    struct ets_trace_extra_run run;
    ets_json_begin_array(json, "runs");
    for (size_t at = 0; ets_trace_extra_next_run(extra, &at, &run);) {
        ets_json_begin_object(json, NULL);
        ets_json_put_count(json, "run", run.run);
        ets_json_put_count(json, "thread", run.thread);
        ets_json_put_count(json, "invocation", run.invocation);
        ets_json_put_count(json, "purpose", run.purpose);
        ets_json_put_bool(json, "is_partial", run.is_partial != 0);
        ets_json_put_text(json, "method", run.method);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_strings(struct ets_json_writer *json, const struct ets_trace_extra *extra)
{
    struct ets_trace_extra_string string;
    ets_json_begin_array(json, "strings");
    for (size_t at = 0; ets_trace_extra_next_string(extra, &at, &string);) {
        ets_json_begin_object(json, NULL);
        ets_json_put_count(json, "run", string.run);
        ets_json_put_count(json, "next_event", string.next_event);
        ets_json_put_integer(json, "chain", string.chain);
        ets_json_put_count(json, "instruction", string.instruction);
        ets_json_put_integer(json, "delegate_id", string.delegate_id);
        ets_json_put_text(json, "delegate_name", string.delegate_name);
        ets_json_put_bool(json, "is_output", string.is_output != 0);
        ets_json_put_text(json, "value", string.value);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_statistics(struct ets_json_writer *json, const struct ets_tensor_statistics *s)
{
    ets_json_begin_object(json, "statistics");
    ets_json_put_count(json, "count", s->count);
    ets_json_put_count(json, "nan_count", s->nan_count);
    ets_json_put_count(json, "infinite_count", s->infinite_count);
    ets_json_put_count(json, "zero_count", s->zero_count);
    ets_json_put_any_real(json, "min", s->min);
    ets_json_put_any_real(json, "max", s->max);
    ets_json_put_any_real(json, "absolute_max", s->absolute_max);
    ets_json_put_any_real(json, "sum", s->sum);
    ets_json_put_any_real(json, "absolute_sum", s->absolute_sum);
    ets_json_put_any_real(json, "square_sum", s->square_sum);
    ets_json_put_any_real(json, "deviation_square_sum", s->deviation_square_sum);
    ets_json_put_hash(json, "hash", s->hash);
    ets_json_begin_array(json, "first");
    for (uint32_t i = 0; i < s->first_count; i++) ets_json_put_any_real(json, NULL, s->first[i]);
    ets_json_end_array(json);
    ets_json_end_object(json);
}

static void put_tensors(struct ets_json_writer *json, const struct ets_trace_extra *extra)
{
    struct ets_trace_extra_tensor tensor;
    ets_json_begin_array(json, "tensors");
    for (size_t at = 0; ets_trace_extra_next_tensor(extra, &at, &tensor);) {
        ets_json_begin_object(json, NULL);
        ets_json_put_count(json, "run", tensor.run);
        ets_json_put_count(json, "next_event", tensor.next_event);
        ets_json_put_integer(json, "chain", tensor.chain);
        ets_json_put_count(json, "instruction", tensor.instruction);
        ets_json_put_integer(json, "delegate_id", tensor.delegate_id);
        ets_json_put_text(json, "delegate_name", tensor.delegate_name);
        ets_json_put_bool(json, "is_output", tensor.is_output != 0);
        ets_json_put_bool(json, "is_list", tensor.is_list != 0);
        ets_json_put_count(json, "list_index", tensor.list_index);
        dump_put_tensor(json, &tensor.tensor);
        if (tensor.has_statistics) put_statistics(json, &tensor.statistics);
        else ets_json_put_null(json, "statistics");
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_extra(struct tracing *t)
{
    struct ets_json_writer *json = t->request->json;
    struct ets_trace_facts facts;
    if (!t->has_extra) {
        ets_json_put_null(json, "extra");
        return;
    }
    ets_trace_extra_facts(&t->extra, &facts);
    ets_json_begin_object(json, "extra");
    put_facts(json, &facts);
    put_runs(json, &t->extra);
    put_strings(json, &t->extra);
    put_tensors(json, &t->extra);
    ets_json_put_blob(json, "entries", t->extra.entries, t->request->with_data);
    ets_json_end_object(json);
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
    put_extra(t);
    if (t->has_debug_buffer) {
        ets_json_begin_array(request->json, "captured");
        use_all(t, put_captured);
        ets_json_end_array(request->json);
    } else {
        ets_json_put_null(request->json, "captured");
    }
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
    if (status == ETS_OK) status = ets_etdump_root_at(request->bytes, &root_at, &error);
    if (status != ETS_OK) {
        const int code = cli_fail(request->path, &error);
        if (status == ETS_TRUNCATED || status == ETS_MALFORMED) {
            cli_note("`etscope inspect --partial` reads the intact part");
        }
        return code;
    }
    status = ets_trace_extra_init(&t.extra, request->bytes, &error);
    if (status != ETS_OK && status != ETS_NOT_FOUND) return cli_fail(request->path, &error);
    t.has_extra = status == ETS_OK;
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
