/* The extra block of an ETDump as JSON. */
#include "cli/dump/dump_parts.h"
#include "dump/extra_tokens.h"
#include "dump/extra_untraced.h"

static void put_facts(struct ets_json_writer *json, const struct ets_trace_facts *facts)
{
    const struct ets_trace_state *state = &facts->state;
    ets_json_put_bool(json, "has_clock", facts->has_clock != 0);
    ets_json_put_bool(json, "is_calibrated", facts->is_calibrated != 0);
    ets_json_put_count(json, "clock_hz", facts->clock_hz);
    ets_json_put_count(json, "cost_ns_q8", facts->cost_ns_q8);
    ets_json_put_count(json, "threads", facts->threads);
    ets_json_put_count(json, "pool_threads", facts->pool_threads);
    ets_json_put_count(json, "recorded_begin", facts->recorded_begin);
    ets_json_put_count(json, "recorded_end", facts->recorded_end);
    ets_json_put_text(json, "device", facts->device);
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

static void put_amount(struct ets_json_writer *json, const char *key, uint64_t amount)
{
    if (amount == ETS_MEMORY_UNKNOWN) ets_json_put_null(json, key);
    else ets_json_put_count(json, key, amount);
}

static void put_held(struct ets_json_writer *json, const struct ets_held_memory *held)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "owner", held->owner);
    ets_json_put_count(json, "phase", held->phase);
    ets_json_put_count(json, "index", held->index);
    put_amount(json, "bytes", held->bytes);
    put_amount(json, "count", held->count);
    put_amount(json, "touched_bytes", held->touched);
    put_amount(json, "pool_bytes", held->pool_bytes);
    ets_json_put_count(json, "alignment", held->alignment);
    ets_json_put_count(json, "runs", held->runs);
    ets_json_put_integer(json, "chain", held->chain);
    ets_json_put_count(json, "instruction", held->instruction);
    ets_json_put_bool(json, "is_shared", held->is_shared);
    ets_json_put_text(json, "method", held->method);
    ets_json_put_text(json, "backend", held->backend);
    ets_json_end_object(json);
}

static void put_step(struct ets_json_writer *json, const struct ets_step_memory *step)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "method", step->method);
    ets_json_put_integer(json, "chain", step->chain);
    ets_json_put_count(json, "instruction", step->instruction);
    put_amount(json, "bytes", step->bytes);
    put_amount(json, "count", step->count);
    ets_json_put_count(json, "runs", step->runs);
    ets_json_end_object(json);
}

static void put_moment(struct ets_json_writer *json, const struct ets_process_memory *process)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "method", process->method);
    ets_json_put_count(json, "moment", process->moment);
    put_amount(json, "resident_bytes", process->resident);
    put_amount(json, "of_files_bytes", process->of_files);
    put_amount(json, "heap_bytes", process->heap);
    ets_json_end_object(json);
}

static void put_memory(struct ets_json_writer *json, const struct ets_recorded_memory *memory)
{
    ets_json_begin_array(json, "memory");
    for (uint32_t i = 0; i < memory->held_count; i++) put_held(json, &memory->held[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "temporary_memory");
    for (uint32_t i = 0; i < memory->step_count; i++) put_step(json, &memory->steps[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "process_memory");
    for (uint32_t i = 0; i < memory->process_count; i++) put_moment(json, &memory->process[i]);
    ets_json_end_array(json);
}

static void put_tokens(struct ets_json_writer *json, const struct ets_trace_extra *extra)
{
    struct ets_run_tokens run;
    ets_json_begin_array(json, "tokens");
    for (size_t at = 0; ets_run_tokens_next(extra, &at, &run);) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "method", run.method);
        ets_json_put_integer(json, "invocation", run.invocation);
        ets_json_put_string(json, "stage", ets_run_stage_name(run.stage));
        ets_json_put_integer(json, "tokens", run.tokens);
        ets_json_put_integer(json, "position", (int64_t)run.position);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_untraced(struct ets_json_writer *json, const struct ets_trace_extra *extra)
{
    struct ets_untraced_runs runs;
    ets_json_begin_array(json, "untraced");
    for (size_t at = 0; ets_untraced_runs_next(extra, &at, &runs);) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "method", runs.method);
        if (runs.test_case < 0) ets_json_put_null(json, "test_case");
        else ets_json_put_integer(json, "test_case", runs.test_case);
        ets_json_put_count(json, "pairs", runs.pairs);
        ets_json_put_integer(json, "median_ns", (int64_t)runs.median_ns);
        ets_json_put_integer(json, "low_ns", (int64_t)runs.low_ns);
        ets_json_put_integer(json, "high_ns", (int64_t)runs.high_ns);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_node(struct ets_json_writer *json, const struct ets_stated_node *told,
                     uint64_t place)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_integer(json, "chain", (int64_t)(place >> 32));
    ets_json_put_count(json, "instruction", place & UINT32_MAX);
    if (told->parent == ETS_NO_INDEX) ets_json_put_null(json, "parent");
    else ets_json_put_count(json, "parent", told->parent);
    ets_json_put_text(json, "name", told->node.name);
    ets_json_put_string(json, "backend", told->backend);
    ets_json_put_text(json, "module", told->module.path);
    ets_json_put_text(json, "file", told->frame.file);
    ets_json_put_count(json, "line", told->frame.line);
    ets_json_put_text(json, "function", told->frame.function);
    ets_json_end_object(json);
}

static void put_told(struct ets_json_writer *json, const struct ets_stated_nodes *told)
{
    ets_json_put_text(json, "runtime", told->runtime);
    ets_json_begin_array(json, "nodes");
    for (uint32_t i = 0; i < told->instructions.count; i++) {
        put_node(json, &told->items[i], *ets_key_table_key(&told->instructions, i));
    }
    ets_json_end_array(json);
}

enum ets_status dump_open_extra(struct dump_request *request, struct dump_extra *extra_out,
                                struct ets_error *error)
{
    *extra_out = (struct dump_extra){.is_there = false};
    const enum ets_status status = ets_trace_extra_init(&extra_out->extra, request->bytes, error);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    if (status != ETS_OK) return status;
    extra_out->is_there = true;
    ETS_TRY(ets_stated_nodes_read(&request->arena, &extra_out->extra, &extra_out->told, error));
    return ets_recorded_memory_of(&request->arena, &extra_out->extra, &extra_out->memory, error);
}

void dump_put_extra(struct dump_request *request, const struct dump_extra *extra)
{
    struct ets_json_writer *json = request->json;
    struct ets_trace_facts facts;
    if (!extra->is_there) {
        ets_json_put_null(json, "extra");
        return;
    }
    ets_trace_extra_facts(&extra->extra, &facts);
    ets_json_begin_object(json, "extra");
    put_facts(json, &facts);
    put_runs(json, &extra->extra);
    put_untraced(json, &extra->extra);
    put_tokens(json, &extra->extra);
    put_strings(json, &extra->extra);
    put_tensors(json, &extra->extra);
    put_memory(json, &extra->memory);
    put_told(json, &extra->told);
    ets_json_put_blob(json, "entries", extra->extra.entries, request->with_data);
    ets_json_end_object(json);
}
