/*
 * Chrome's trace event format: JSON with an object on each line. A track is a thread of a process
 * for each trace; slices are complete events ("X"), counters "C", links flows ("s" and "f").
 */
#include "base/error.h"
#include "base/text.h"
#include "inspect/stated_nodes.h"
#include "output/export/export_arguments.h"
#include "output/export/export_tracks.h"
#include "output/export/export_writers.h"

/* Viewers take a thread with the number of its process for the main one. */
enum { FIRST_THREAD = 101 };

struct writer {
    struct ets_export_buffer *out;
    struct ets_arena *arena;
    const char **track_names; /* [number], of counters */
    uint32_t track_capacity;
    bool has_events;
};

/* {"ph":"X","pid":1,"tid":101 */
static void begin_event(struct writer *writer, char kind, uint32_t trace, uint32_t track)
{
    struct ets_export_buffer *out = writer->out;
    if (writer->has_events) ets_export_put_literal(out, ",\n");
    writer->has_events = true;
    ets_export_put_literal(out, "{\"ph\":\"");
    ets_export_put(out, &kind, 1);
    ets_export_put_literal(out, "\",\"pid\":");
    ets_export_put_count(out, (uint64_t)trace + 1);
    if (track > 0) {
        ets_export_put_literal(out, ",\"tid\":");
        ets_export_put_count(out, (uint64_t)track - 1 + FIRST_THREAD);
    }
}

static void put_time(struct writer *writer, uint64_t ns)
{
    ets_export_put_literal(writer->out, ",\"ts\":");
    ets_export_put_microseconds(writer->out, ns);
}

/* {...,"name":"process_name","args":{"name":"profile.etdp"}} and its place among others. */
static void put_names(struct writer *writer, bool is_thread, uint32_t trace, uint32_t track,
                      const char *name)
{
    begin_event(writer, 'M', trace, track);
    if (is_thread) ets_export_put_literal(writer->out, ",\"name\":\"thread_name\"");
    else ets_export_put_literal(writer->out, ",\"name\":\"process_name\"");
    ets_export_put_literal(writer->out, ",\"args\":{\"name\":");
    ets_export_put_json(writer->out, ets_text_of(name));
    ets_export_put_literal(writer->out, "}}");
    begin_event(writer, 'M', trace, track);
    if (is_thread) ets_export_put_literal(writer->out, ",\"name\":\"thread_sort_index\"");
    else ets_export_put_literal(writer->out, ",\"name\":\"process_sort_index\"");
    ets_export_put_literal(writer->out, ",\"args\":{\"sort_index\":");
    ets_export_put_count(writer->out, is_thread ? track : trace);
    ets_export_put_literal(writer->out, "}}");
}

static bool add_trace(void *context, uint32_t trace, const char *name)
{
    put_names(context, false, trace, 0, name);
    return true;
}

static bool add_track(void *context, const struct ets_track *track)
{
    struct writer *writer = context;
    const char **names = ets_arena_grow(writer->arena, writer->track_names, track->number,
                                        &writer->track_capacity, sizeof *writer->track_names);
    if (names == NULL) return false;
    writer->track_names = names;
    names[track->number] = track->name;
    if (!track->is_counter) put_names(writer, true, track->trace, track->number, track->name);
    return true;
}

static void put_arguments(struct writer *writer, const struct ets_slice *slice)
{
    struct ets_export_buffer *out = writer->out;
    const struct ets_row *row = ets_inspection_row(slice->inspection, slice->row);
    char source[ETS_SOURCE_ROOM];
    ets_export_put_literal(out, ",\"args\":{\"run\":");
    ets_export_put_count(out, slice->run);
    if (row->instruction >= 0) {
        ets_export_put_literal(out, ",\"instruction\":");
        ets_export_put_integer(out, row->instruction);
    }
    for (int i = 0; i < ETS_ARGUMENT_COUNT; i++) {
        const struct ets_text text =
            ets_row_argument(slice->inspection, row, (enum ets_argument)i, source);
        if (text.data == NULL) continue;
        ets_export_put_literal(out, ",");
        ets_export_put_json(out, ets_text_of(ets_argument_names[i]));
        ets_export_put_literal(out, ":");
        ets_export_put_json(out, text);
    }
    ets_export_put_literal(out, "}}");
}

/* A link has a number: that of the event at its end, among all of its trace. */
static void put_link(struct writer *writer, char kind, const struct ets_slice *slice,
                     uint32_t event)
{
    begin_event(writer, kind, slice->trace, slice->track);
    put_time(writer, slice->start);
    ets_export_put_literal(writer->out, ",\"name\":\"delegate\",\"cat\":\"delegate\",\"id\":");
    ets_export_put_count(writer->out, (uint64_t)slice->trace << 32 | event);
    if (kind == 'f') ets_export_put_literal(writer->out, ",\"bp\":\"e\"");
    ets_export_put_literal(writer->out, "}");
}

static bool begin(void *context, const struct ets_slice *slice)
{
    struct writer *writer = context;
    const struct ets_row *row = ets_inspection_row(slice->inspection, slice->row);
    begin_event(writer, 'X', slice->trace, slice->track);
    put_time(writer, slice->start);
    ets_export_put_literal(writer->out, ",\"dur\":");
    ets_export_put_microseconds(writer->out, slice->end - slice->start);
    ets_export_put_literal(writer->out, ",\"name\":");
    ets_export_put_json(writer->out, ets_slice_name(slice));
    ets_export_put_literal(writer->out, ",\"cat\":");
    ets_export_put_json(writer->out, ets_text_of(ets_row_category(row)));
    put_arguments(writer, slice);
    for (uint32_t link = ets_slice_next_link(slice, ETS_NO_INDEX); link != ETS_NO_INDEX;
         link = ets_slice_next_link(slice, link)) {
        put_link(writer, 's', slice, link);
    }
    if (slice->is_linked) put_link(writer, 'f', slice, slice->event);
    return true;
}

static bool add_sample(void *context, const struct ets_sample *sample)
{
    struct writer *writer = context;
    begin_event(writer, 'C', sample->trace, 0);
    put_time(writer, sample->at);
    ets_export_put_literal(writer->out, ",\"name\":");
    ets_export_put_json(writer->out, ets_text_of(writer->track_names[sample->track]));
    ets_export_put_literal(writer->out, ",\"args\":{\"bytes\":");
    ets_export_put_count(writer->out, sample->bytes);
    ets_export_put_literal(writer->out, "}}");
    return true;
}

/* What a nanosecond of the file's times is; nothing where it differs between traces. */
static void put_unit(const struct ets_export *export)
{
    const enum ets_time_unit first = ets_inspection_tick_unit(export->traces[0].inspection, NULL);
    for (uint32_t i = 1; i < export->trace_count; i++) {
        const enum ets_time_unit unit =
            ets_inspection_tick_unit(export->traces[i].inspection, NULL);
        if ((unit == ETS_UNIT_CYCLES) != (first == ETS_UNIT_CYCLES)) return;
    }
    if (first == ETS_UNIT_CYCLES) ets_export_put_literal(export->out, ",\"unit\":\"cycles\"");
    else ets_export_put_literal(export->out, ",\"unit\":\"ns\"");
}

/* Whose profile the traces are, where all are of one other runtime, and the step of its times. */
static void put_runtime(const struct ets_export *export)
{
    const struct ets_text runtime = ets_inspection_runtime(export->traces[0].inspection);
    for (uint32_t i = 1; i < export->trace_count; i++) {
        if (!ets_text_same(runtime, ets_inspection_runtime(export->traces[i].inspection))) return;
    }
    if (runtime.data == NULL) return;
    ets_export_put_literal(export->out, ",\"runtime\":");
    ets_export_put_json(export->out, runtime);
    ets_export_put_literal(export->out, ",\"step_ns\":");
    ets_export_put_count(export->out, ets_inspection_step_ns(export->traces[0].inspection));
}

enum ets_status ets_export_chrome(const struct ets_export *export, struct ets_error *error)
{
    struct writer writer = {.out = export->out, .arena = export->arena};
    const struct ets_track_sink sink = {.context = &writer,
                                        .add_trace = add_trace,
                                        .add_track = add_track,
                                        .begin = begin,
                                        .add_sample = add_sample};
    ets_export_put_literal(export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    ETS_TRY(ets_tracks_visit(export->arena, export->traces, export->trace_count, &sink, error));
    ets_export_put_literal(export->out, "\n],\"metadata\":{\"exporter\":\"etscope\"");
    put_unit(export);
    put_runtime(export);
    ets_export_put_literal(export->out, "}}\n");
    return ETS_OK;
}
