/* The report of `recover`: what arrived, what was lost, what was running. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/info/info_text.h"
#include "cli/recover/recover.h"
#include "dump/capture_names.h"
#include "format/program_names.h"
#include "host/output.h"

enum { MOST_PARTS = 16 };

/* What program and record say about the instruction of a running event. */
struct place {
    struct ets_text called; /* data NULL: not known */
    struct ets_text overload;
    const struct ets_graph_frame *frame; /* NULL: not known */
};

/* The method of an event: as recorded, or the only one there is. "": not known. */
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
    ets_etrecord_handles(record, method, running->instruction, &handles, &count, NULL);
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

static void add_name(struct info_line *line, const struct ets_trace_running *running)
{
    if (running->name.data != NULL) info_add_text(line, running->name);
    else if (running->delegate_id >= 0) info_add(line, "delegate event %d", running->delegate_id);
    else info_add(line, "an event without a name");
    if (running->chain >= 0) {
        info_add(line, " at instruction %u", running->instruction);
        if (running->chain > 0) info_add(line, " of chain %d", running->chain);
    }
}

static void add_place(struct info_line *line, const struct place *place)
{
    if (place->called.data != NULL) {
        info_add(line, ", ");
        info_add_text(line, place->called);
        if (place->overload.size != 0) {
            info_add(line, ".");
            info_add_text(line, place->overload);
        }
    }
    if (place->frame != NULL) {
        info_add(line, ", ");
        info_add_text(line, place->frame->file);
        info_add(line, ":%u", place->frame->line);
    }
}

static void print_running(const struct recovery *recovery, struct ets_output *output)
{
    const struct ets_trace_capture *capture = &recovery->stream.capture;
    for (uint32_t i = 0; i < capture->running_count; i++) {
        const struct ets_trace_running *running = &capture->running[i];
        const struct place place = find_place(recovery, running);
        struct info_line line = {.size = 0};
        info_label(&line, i == 0 ? "running" : NULL);
        add_name(&line, running);
        add_place(&line, &place);
        if (recovery->stream.trace.has_clock != 0) {
            info_add(&line, ", began at %.3f ms", (double)running->began_ns / 1e6);
        }
        if (running->lasted_ns != 0) {
            info_add(&line, " and took %.3f ms at least", (double)running->lasted_ns / 1e6);
        }
        if (capture->thread_count > 1) info_add(&line, ", thread %u", running->thread);
        info_end_line(output, &line);
    }
}

/* What the device said it could not keep; it says so at the end only. */
static void print_dropped(const struct recovery *recovery, struct ets_output *output)
{
    struct ets_trace_state state;
    ets_trace_get_state(&recovery->stream.trace, &state);
    if (recovery->stream.capture.has_end == 0) {
        info_fact(output, "dropped", "not known, as the end is missing");
    } else if (state.dropped == 0) {
        info_fact(output, "dropped", "no event on the device");
    } else {
        info_fact(output, "dropped", "%u events on the device: %s", state.dropped,
                  ets_status_meaning(state.first_error));
    }
}

static void print_stream(const struct recovery *recovery, struct ets_output *output)
{
    const struct ets_trace_capture *capture = &recovery->stream.capture;
    struct info_line line = {.size = 0};
    info_fact(output, "frames", "%u whole, %u lost, %u damaged", capture->frames,
              capture->lost_frames, capture->damaged_frames);
    info_label(&line, "other bytes");
    info_add_bytes(&line, capture->other_bytes);
    info_end_line(output, &line);
    info_fact(output, "end",
              capture->has_end ? "there: the stream was finished"
                               : "missing: the device stopped, or the capture did");
    print_dropped(recovery, output);
    if (capture->refused_records != 0) {
        info_fact(output, "records", "%u could not be placed", capture->refused_records);
    }
}

/* A line for each of the other streams, with the innermost event that was running. */
static int print_other_parts(const struct recovery *recovery, struct ets_output *output)
{
    struct ets_bytes rest = recovery->found.stream;
    int code = CLI_OK;
    info_fact(output, "part", "%u of %u; --part N recovers another", recovery->part,
              recovery->part_count);
    for (uint32_t part = 1; rest.size != 0 && part <= MOST_PARTS && code == CLI_OK; part++) {
        struct recovered_stream stream;
        struct info_line line = {.size = 0};
        code = recovered_stream_open(recovery->path, rest, &stream);
        if (code == CLI_OK && part != recovery->part && stream.capture.frames != 0) {
            info_label(&line, NULL);
            info_add(&line, "part %u: ", part);
            info_add_count(&line, stream.capture.frames, "frame");
            info_add(&line, stream.capture.has_end ? ", finished" : ", not finished");
            if (stream.capture.running_count != 0) {
                info_add(&line, ", running ");
                add_name(&line, &stream.capture.running[stream.capture.running_count - 1]);
            }
            info_end_line(output, &line);
        }
        rest = stream.capture.rest;
        free(stream.memory);
    }
    return code;
}

static void print_written(const struct recovery *recovery, struct ets_output *output)
{
    struct info_line line = {.size = 0};
    info_add(&line, "wrote ");
    info_add_text(&line, cli_text(recovery->output_path));
    info_add(&line, ", ");
    info_add_bytes(&line, recovery->dump.size);
    info_add(&line, "; next: etscope inspect ");
    info_add_text(&line, cli_text(recovery->output_path));
    if (recovery->record_path != NULL) {
        info_add(&line, " --etrecord ");
        info_add_text(&line, cli_text(recovery->record_path));
    }
    info_end_line(output, &line);
}

static int print_report(const struct recovery *recovery, struct ets_output *output)
{
    struct info_line line = {.size = 0};
    int code = CLI_OK;
    info_add_text(&line, cli_text(cli_path_name(recovery->path)));
    info_add(&line, ": %s, %s, ", recovery->is_stream ? "a stream" : "an ETDump",
             ets_capture_encoding_name(recovery->found.encoding));
    info_add_bytes(&line, recovery->bytes.size);
    info_end_line(output, &line);
    if (recovery->part_count > 1) code = print_other_parts(recovery, output);
    if (recovery->is_stream) print_stream(recovery, output);
    if (recovery->found.dumps > 1) {
        info_fact(output, "ETDumps", "%u whole, of which this is the last", recovery->found.dumps);
    }
    if (recovery->found.damaged_dumps != 0) {
        info_fact(output, "torn ETDumps", "%u", recovery->found.damaged_dumps);
    }
    info_label(&line, "recovered");
    info_add_count(&line, recovery->events, "event");
    info_add(&line, " in ");
    info_add_count(&line, recovery->runs, "run");
    info_end_line(output, &line);
    if (recovery->is_stream) print_running(recovery, output);
    print_written(recovery, output);
    return code;
}

static void put_running(const struct recovery *recovery, struct info_json *json)
{
    const struct ets_trace_capture *capture = &recovery->stream.capture;
    info_json_array(json, "running");
    for (uint32_t i = 0; i < capture->running_count; i++) {
        const struct ets_trace_running *running = &capture->running[i];
        const struct place place = find_place(recovery, running);
        struct info_line name = {.size = 0}, source = {.size = 0};
        info_add_text(&name, place.called);
        if (place.overload.size != 0) {
            info_add(&name, ".");
            info_add_text(&name, place.overload);
        }
        if (place.frame != NULL) {
            info_add_text(&source, place.frame->file);
            info_add(&source, ":%u", place.frame->line);
        }
        info_json_object(json, NULL);
        info_json_count(json, "thread", running->thread);
        info_json_text(json, "name", running->name);
        info_json_integer(json, "delegate_id", running->delegate_id);
        info_json_text(json, "method", running->method);
        info_json_integer(json, "chain", running->chain);
        info_json_count(json, "instruction", running->instruction);
        info_json_text(json, "operator",
                       (struct ets_text){name.size != 0 ? name.data : NULL, name.size});
        info_json_text(json, "source",
                       (struct ets_text){source.size != 0 ? source.data : NULL, source.size});
        info_json_count(json, "began_ns", running->began_ns);
        info_json_count(json, "lasted_ns", running->lasted_ns);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_stream(const struct recovery *recovery, struct info_json *json)
{
    const struct ets_trace_capture *capture = &recovery->stream.capture;
    struct ets_trace_state state;
    ets_trace_get_state(&recovery->stream.trace, &state);
    info_json_object(json, "stream");
    info_json_count(json, "frames", capture->frames);
    info_json_count(json, "lost_frames", capture->lost_frames);
    info_json_count(json, "damaged_frames", capture->damaged_frames);
    info_json_count(json, "other_bytes", capture->other_bytes);
    info_json_count(json, "refused_records", capture->refused_records);
    info_json_bool(json, "finished", capture->has_end != 0);
    if (capture->has_end) info_json_count(json, "dropped_events", state.dropped);
    else info_json_null(json, "dropped_events");
    put_running(recovery, json);
    info_json_end_object(json);
}

static void put_report(const struct recovery *recovery, struct info_json *json)
{
    info_json_row(json);
    info_json_string(json, "path", recovery->path);
    info_json_count(json, "capture_bytes", recovery->bytes.size);
    info_json_string(json, "encoding", ets_capture_encoding_name(recovery->found.encoding));
    info_json_count(json, "part", recovery->part);
    info_json_count(json, "part_count", recovery->part_count);
    info_json_string(json, "output", recovery->output_path);
    info_json_count(json, "output_bytes", recovery->dump.size);
    info_json_count(json, "run_count", recovery->runs);
    info_json_count(json, "event_count", recovery->events);
    if (recovery->is_stream) put_stream(recovery, json);
    else info_json_null(json, "stream");
    info_json_end_row(json);
}

int recovery_report(const struct recovery *recovery, bool is_json)
{
    struct ets_output *output;
    struct ets_error error;
    int code = CLI_OK;
    if (is_json) {
        struct info_json *json;
        code = cli_document_rows("-", &json);
        if (code == CLI_OK) put_report(recovery, json);
        return code;
    }
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    code = print_report(recovery, output);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output("-", &error);
    return code;
}
