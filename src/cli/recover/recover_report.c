/* The report of `recover`: what arrived, what was lost, and what was running. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "cli/recover/recover.h"
#include "dump/device_log_names.h"
#include "dump/runner_log.h"
#include "format/program_names.h"
#include "host/output.h"
#include "output/text/facts.h"
#include "record/record_maps.h"

enum { MOST_PARTS = 16 };

/* What program and ETRecord state about the instruction of a running event. */
struct place {
    struct ets_text called; /* data NULL: not known */
    struct ets_text overload;
    const struct ets_graph_frame *frame; /* NULL: not known */
};

/* The method of an event: as recorded, or the program's only method. "": unknown. */
static void find_method(const struct recovery *recovery, const struct ets_trace_running *running,
                        char *out, size_t capacity)
{
    struct ets_text name = running->method;
    struct ets_method method;
    if (name.data == NULL && recovery->program != NULL && recovery->program->method_count == 1) {
        ets_program_method(recovery->program, 0, &method);
        name = method.name;
    } else if (name.data == NULL && recovery->program == NULL && recovery->record != NULL &&
               ets_etrecord_method_count(recovery->record) == 1) {
        name = cli_text(ets_etrecord_method_name(recovery->record, 0));
    }
    out[0] = '\0';
    if (name.data == NULL || name.size >= capacity) return;
    memcpy(out, name.data, name.size);
    out[name.size] = '\0';
}

static void find_operator(const struct ets_program *program, const char *name,
                          const struct ets_trace_running *running, struct place *place)
{
    struct ets_method method;
    struct ets_chain chain;
    struct ets_instruction instruction;
    if (ets_program_find_method(program, name, &method, NULL) != ETS_OK) return;
    if ((uint32_t)running->chain >= method.chain_count) return;
    ets_method_chain(&method, (uint32_t)running->chain, &chain);
    if (running->instruction >= chain.instruction_count) return;
    ets_chain_instruction(&chain, running->instruction, &instruction);
    place->called = instruction.name;
    place->overload = instruction.overload;
    if (instruction.name.data == NULL) {
        place->called = cli_text(ets_instruction_kind_name(instruction.kind));
    }
}

static void find_source(struct ets_etrecord *record, const char *method,
                        const struct ets_trace_running *running, struct place *place)
{
    const struct ets_graph *graph;
    const int64_t *handles;
    size_t count;
    ets_etrecord_call_handles(record, method, running->instruction, &handles, &count);
    if (count == 0 || ets_etrecord_edge_graph(record, method, &graph, NULL) != ETS_OK) return;
    for (uint32_t i = 0; i < graph->node_count && place->frame == NULL; i++) {
        if (graph->nodes[i].debug_handle != handles[0]) continue;
        place->frame = ets_graph_user_frame(&graph->nodes[i]);
    }
}

static struct place find_place(const struct recovery *recovery,
                               const struct ets_trace_running *running)
{
    struct place place = {.frame = NULL};
    char method[256];
    if (running->chain < 0) return place;
    find_method(recovery, running, method, sizeof method);
    if (method[0] == '\0') return place;
    if (recovery->program != NULL) find_operator(recovery->program, method, running, &place);
    if (recovery->record != NULL && running->chain == 0) {
        find_source(recovery->record, method, running, &place);
    }
    return place;
}

static void tell_name(struct ets_facts *facts, const struct ets_trace_running *running)
{
    ets_facts_text(facts, NULL, running->name);
    if (running->name.data == NULL && running->delegate_id >= 0) {
        ets_facts_words(facts, "delegate event %d", running->delegate_id);
    } else if (running->name.data == NULL) {
        ets_facts_words(facts, "an event without a name");
    }
    if (running->chain < 0) return;
    ets_facts_words(facts, " at instruction %u", running->instruction);
    if (running->chain > 0) ets_facts_words(facts, " of chain %d", running->chain);
}

/* ", aten::add.out, model.py:12"; as JSON operator and source, null where not known. */
static void tell_place(struct ets_facts *facts, const struct place *place)
{
    char operator_room[ETS_FACTS_CHARS], source_room[ETS_FACTS_CHARS];
    struct ets_text_builder name = {operator_room, sizeof operator_room, 0};
    struct ets_text_builder source = {source_room, sizeof source_room, 0};
    ets_add_shown_text(&name, place->called);
    if (place->overload.size != 0) {
        ets_add_text(&name, ".");
        ets_add_shown_text(&name, place->overload);
    }
    if (place->frame != NULL) {
        ets_add_shown_text(&source, place->frame->file);
        ets_add_text(&source, ":%u", place->frame->line);
    }
    if (name.used > 0) ets_facts_words(facts, ", %s", name.text);
    if (source.used > 0) ets_facts_words(facts, ", %s", source.text);
    ets_json_put_string(facts->json, "operator", name.used > 0 ? name.text : NULL);
    ets_json_put_string(facts->json, "source", source.used > 0 ? source.text : NULL);
}

static void tell_running(const struct recovery *recovery, struct ets_facts *facts, uint32_t index)
{
    const struct ets_stream_reader *capture = &recovery->stream.capture;
    const struct ets_trace_running *running = &capture->running[index];
    const struct place place = find_place(recovery, running);
    ets_json_begin_object(facts->json, NULL);
    ets_json_put_count(facts->json, "thread", running->thread);
    ets_json_put_text(facts->json, "name", running->name);
    ets_json_put_integer(facts->json, "delegate_id", running->delegate_id);
    ets_json_put_text(facts->json, "method", running->method);
    ets_json_put_integer(facts->json, "chain", running->chain);
    ets_json_put_count(facts->json, "instruction", running->instruction);
    ets_facts_line(facts, "%s", index == 0 ? "running" : "");
    tell_name(facts, running);
    tell_place(facts, &place);
    ets_json_put_count(facts->json, "began_ns", running->began_ns);
    ets_json_put_count(facts->json, "lasted_ns", running->lasted_ns);
    if (recovery->stream.trace.has_clock != 0) {
        ets_facts_words(facts, ", began at %.3f ms", (double)running->began_ns / 1e6);
    }
    if (running->lasted_ns != 0) {
        ets_facts_words(facts, " and took at least %.3f ms", (double)running->lasted_ns / 1e6);
    }
    if (capture->thread_count > 1) ets_facts_words(facts, ", thread %u", running->thread);
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

static void tell_all_running(const struct recovery *recovery, struct ets_facts *facts)
{
    ets_json_begin_array(facts->json, "running");
    for (uint32_t i = 0; i < recovery->stream.capture.running_count; i++) {
        tell_running(recovery, facts, i);
    }
    ets_json_end_array(facts->json);
}

/* Prints what the device could not keep, which it states only at the end of the stream. */
static void tell_dropped(const struct recovery *recovery, struct ets_facts *facts)
{
    struct ets_trace_state state;
    ets_trace_get_state(&recovery->stream.trace, &state);
    ets_facts_line(facts, "dropped");
    if (recovery->stream.capture.has_end == 0) {
        ets_facts_words(facts, "unknown: the end is missing");
        ets_json_put_null(facts->json, "dropped_events");
    } else if (state.dropped == 0) {
        ets_facts_words(facts, "no events on the device");
        ets_json_put_count(facts->json, "dropped_events", 0);
    } else {
        ets_facts_number(facts, "dropped_events", state.dropped);
        ets_facts_words(facts, " events on the device: %s", ets_status_meaning(state.first_error));
    }
    ets_facts_end(facts);
}

static void tell_refused(const struct ets_stream_reader *capture, struct ets_facts *facts)
{
    if (capture->refused_records != 0) ets_facts_line(facts, "records");
    ets_facts_number(facts, "refused_records", capture->refused_records);
    ets_facts_words(facts, " belong to no run");
    ets_facts_end(facts);
}

static void tell_stream(const struct recovery *recovery, struct ets_facts *facts)
{
    const struct ets_stream_reader *capture = &recovery->stream.capture;
    ets_facts_line(facts, "frames");
    ets_facts_number(facts, "frames", capture->frames);
    ets_facts_words(facts, " whole, ");
    ets_facts_number(facts, "lost_frames", capture->lost_frames);
    ets_facts_words(facts, " lost, ");
    ets_facts_number(facts, "damaged_frames", capture->damaged_frames);
    ets_facts_words(facts, " damaged");
    ets_facts_end(facts);
    ets_facts_line(facts, "other bytes");
    ets_facts_bytes(facts, "other_bytes", capture->other_bytes);
    ets_facts_end(facts);
    if (ets_facts_are_json(facts)) tell_refused(capture, facts); /* for people it comes last */
    ets_facts_line(facts, "end");
    ets_facts_bool(facts, "finished", capture->has_end != 0, "present: the stream is complete",
                   "missing: the device or the capture stopped");
    ets_facts_end(facts);
    tell_dropped(recovery, facts);
    if (!ets_facts_are_json(facts)) tell_refused(capture, facts);
}

/* For people: a line for each other stream, with the innermost running event. */
static int tell_other_parts(const struct recovery *recovery, struct ets_facts *facts)
{
    struct ets_bytes rest = recovery->found.stream;
    int code = CLI_OK;
    ets_facts_line(facts, "part");
    ets_facts_words(facts, "%u of %u; --part N recovers another", recovery->part,
                    recovery->part_count);
    ets_facts_end(facts);
    for (uint32_t part = 1; rest.size != 0 && part <= MOST_PARTS && code == CLI_OK; part++) {
        struct recovered_stream stream;
        code = recovered_stream_open(recovery->path, rest, &stream);
        if (code == CLI_OK && part != recovery->part && stream.capture.frames != 0) {
            ets_facts_line(facts, "%s", "");
            ets_facts_words(facts, "part %u: ", part);
            ets_facts_count(facts, NULL, stream.capture.frames, "frame");
            ets_facts_words(facts, stream.capture.has_end ? ", finished" : ", not finished");
            if (stream.capture.running_count != 0) {
                ets_facts_words(facts, ", running ");
                tell_name(facts, &stream.capture.running[stream.capture.running_count - 1]);
            }
            ets_facts_end(facts);
        }
        rest = stream.capture.rest;
        free(stream.memory);
    }
    return code;
}

static void tell_written(const struct recovery *recovery, struct ets_facts *facts)
{
    ets_facts_plain_line(facts, "wrote ");
    ets_facts_string(facts, NULL, recovery->output_path);
    ets_facts_words(facts, ", ");
    ets_facts_bytes(facts, NULL, recovery->dump.size);
    if (recovery->debug_path != NULL) {
        ets_facts_words(facts, ", and ");
        ets_facts_string(facts, NULL, recovery->debug_path);
    }
    ets_facts_words(facts, "; next: etscope %s ", recovery->is_summary ? "info" : "inspect");
    ets_facts_string(facts, NULL, recovery->output_path);
    if (recovery->record_path != NULL && !recovery->is_summary) {
        ets_facts_words(facts, " --etrecord ");
        ets_facts_string(facts, NULL, recovery->record_path);
    }
    ets_facts_end(facts);
}

static void tell_capture(const struct recovery *recovery, struct ets_facts *facts)
{
    const char *encoding = ets_log_encoding_name(recovery->found.encoding);
    ets_json_put_string(facts->json, "path", recovery->path);
    ets_facts_plain_line(facts, "%s", "");
    ets_facts_string(facts, NULL, cli_path_name(recovery->path));
    const char *what = recovery->is_summary ? "a summary" : "an ETDump";
    ets_facts_words(facts, ": %s, %s, ", recovery->is_stream ? "a stream" : what, encoding);
    ets_facts_bytes(facts, "capture_bytes", recovery->bytes.size);
    ets_facts_end(facts);
    ets_json_put_string(facts->json, "encoding", encoding);
    ets_json_put_count(facts->json, "part", recovery->part);
    ets_json_put_count(facts->json, "part_count", recovery->part_count);
    ets_json_put_string(facts->json, "output", recovery->output_path);
    ets_json_put_count(facts->json, "output_bytes", recovery->dump.size);
}

static void tell_recovered(const struct recovery *recovery, struct ets_facts *facts)
{
    if (recovery->found.dumps > 1) {
        ets_facts_line(facts, "ETDumps");
        ets_facts_words(facts, "%u complete; recovered the last", recovery->found.dumps);
        ets_facts_end(facts);
    }
    if (recovery->found.damaged_dumps != 0) {
        ets_facts_number_line(facts, "damaged dumps", NULL, recovery->found.damaged_dumps);
    }
    ets_json_put_count(facts->json, "run_count", recovery->runs);
    ets_facts_line(facts, "recovered");
    if (recovery->is_summary) {
        ets_json_put_count(facts->json, "event_count", 0);
        ets_facts_words(facts, "a summary of ");
    } else {
        ets_facts_count(facts, "event_count", recovery->events, "event");
        ets_facts_words(facts, " in ");
    }
    ets_facts_count(facts, NULL, recovery->runs, "run");
    ets_facts_end(facts);
}

/* What ExecuTorch's runner for Cortex-M prints beside its files. */
static void tell_runner(const struct recovery *recovery, struct ets_facts *facts)
{
    const struct ets_device_log *found = &recovery->found;
    struct ets_text line;
    const struct ets_bytes log =
        recovery->is_stream ? (struct ets_bytes){NULL, 0} : found->runner_log;
    ets_json_put_string(facts->json, "debug_buffer", recovery->debug_path);
    if (!recovery->is_stream && found->debug_buffer.size > 0) {
        ets_facts_line(facts, "tensors");
        ets_facts_bytes(facts, "debug_buffer_bytes", found->debug_buffer.size);
        ets_facts_words(facts, " of captured tensors%s",
                        recovery->debug_path != NULL ? "" : ", not written");
        ets_facts_end(facts);
    } else {
        ets_json_put_count(facts->json, "debug_buffer_bytes", 0);
    }
    ets_json_put_bool(facts->json, "is_in_cycles", recovery->is_in_cycles);
    if (recovery->is_in_cycles) {
        ets_facts_line(facts, "times");
        ets_facts_words(facts, "cycles of the device's counter, not nanoseconds");
        ets_facts_end(facts);
    }
    ets_json_begin_array(facts->json, "counters");
    bool is_first = true;
    for (size_t at = 0; ets_runner_next_counter(log, &at, &line);) {
        ets_facts_line(facts, "%s", is_first ? "counters" : "");
        ets_facts_text(facts, NULL, line);
        ets_facts_end(facts);
        ets_json_put_text(facts->json, NULL, line);
        is_first = false;
    }
    ets_json_end_array(facts->json);
}

/* For people: first how the stream arrived, then its contents. */
static int tell_people(const struct recovery *recovery, struct ets_facts *facts)
{
    int code = CLI_OK;
    tell_capture(recovery, facts);
    if (recovery->part_count > 1) code = tell_other_parts(recovery, facts);
    if (recovery->is_stream) tell_stream(recovery, facts);
    tell_recovered(recovery, facts);
    tell_runner(recovery, facts);
    if (recovery->is_stream) tell_all_running(recovery, facts);
    tell_written(recovery, facts);
    return code;
}

static void put_row(const struct recovery *recovery, struct ets_facts *facts)
{
    ets_json_begin_row(facts->json);
    tell_capture(recovery, facts);
    tell_recovered(recovery, facts);
    tell_runner(recovery, facts);
    if (recovery->is_stream) {
        ets_json_begin_object(facts->json, "stream");
        tell_stream(recovery, facts);
        tell_all_running(recovery, facts);
        ets_json_end_object(facts->json);
    } else {
        ets_json_put_null(facts->json, "stream");
    }
    ets_json_end_row(facts->json);
}

int recovery_report(const struct recovery *recovery, bool is_json)
{
    struct ets_facts facts;
    struct ets_json_writer *json;
    struct ets_output *output;
    struct ets_error error;
    if (is_json) {
        const int opened = cli_document_rows("-", &json);
        if (opened != CLI_OK) return opened;
        ets_facts_init(&facts, json, NULL);
        put_row(recovery, &facts);
        return CLI_OK;
    }
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    ets_facts_init(&facts, NULL, output);
    facts.width = cli_output_width();
    const int code = tell_people(recovery, &facts);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output("-", &error);
    return code;
}
