/*
 * speedscope's JSON: for each kind of run the fastest, the median and the slowest one over time,
 * and all runs together by call.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "inspect/time_details.h"
#include "output/export/export_arguments.h"
#include "output/export/export_tracks.h"
#include "output/export/export_writers.h"
#include "output/export/row_sums.h"
#include "views/operator_rows.h"

struct writer {
    const struct ets_export *export;
    struct ets_strings texts;
    struct ets_key_table frames; /* name, file, line */
    uint8_t *is_kept;            /* [run] */
    uint32_t run;                /* of the open profile; ETS_NO_INDEX: none */
    uint64_t start, end;         /* of it */
    uint32_t profile_count;
    uint32_t first_run;     /* that is shown first: the median of those that took most; or none */
    uint32_t first_profile; /* of that run */
    bool has_events;
};

/* The number of a row's frame, the same for all rows of that name and place; false: no memory. */
static bool frame_of(struct writer *writer, const struct ets_inspection *inspection,
                     const struct ets_row *row, uint32_t *number_out)
{
    const struct ets_graph_frame *frame = ets_row_frame(inspection, row);
    const uint32_t name = ets_strings_add(&writer->texts, row->name);
    const uint32_t file = frame == NULL ? 0 : ets_strings_add(&writer->texts, frame->file);
    if (name == UINT32_MAX || file == UINT32_MAX) return false;
    const uint64_t key[] = {name, file, frame == NULL ? 0 : frame->line};
    *number_out = ets_key_table_add(&writer->frames, key);
    return *number_out != ETS_KEY_NONE;
}

static void begin_profile(struct writer *writer, const char *type)
{
    struct ets_export_buffer *out = writer->export->out;
    if (writer->profile_count++ > 0) ets_export_put_literal(out, ",\n");
    writer->has_events = false;
    ets_export_put_literal(out, "{\"type\":");
    ets_export_put_json(out, ets_text_of(type));
    ets_export_put_literal(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"name\":");
}

/* ---- runs over time ---- */

static bool end_profile(struct writer *writer)
{
    if (writer->run == ETS_NO_INDEX) return true;
    writer->run = ETS_NO_INDEX;
    ets_export_put_literal(writer->export->out, "],\"endValue\":");
    ets_export_put_count(writer->export->out, writer->end - writer->start);
    ets_export_put_literal(writer->export->out, "}");
    return true;
}

static bool begin_run(struct writer *writer, const struct ets_slice *slice)
{
    char text[320];
    const struct ets_text method = ets_run_method(slice->inspection, slice->run);
    struct ets_text_builder name = {text, sizeof text, 0};
    ets_add_plain_text(&name, "%.*s, run %u", ETS_TEXT(method), slice->run);
    if (slice->run == writer->first_run) writer->first_profile = writer->profile_count;
    begin_profile(writer, "evented");
    ets_export_put_json(writer->export->out, ets_built_text(&name));
    ets_export_put_literal(writer->export->out, ",\"events\":[");
    writer->run = slice->run;
    writer->start = writer->end = slice->start;
    return true;
}

static bool put_event(struct writer *writer, const struct ets_slice *slice, char type, uint64_t at)
{
    struct ets_export_buffer *out = writer->export->out;
    uint32_t frame;
    const struct ets_row *row = ets_inspection_row(slice->inspection, slice->row);
    if (!frame_of(writer, slice->inspection, row, &frame)) return false;
    if (writer->has_events) ets_export_put_literal(out, ",");
    writer->has_events = true;
    ets_export_put_literal(out, "{\"type\":\"");
    ets_export_put(out, &type, 1);
    ets_export_put_literal(out, "\",\"frame\":");
    ets_export_put_count(out, frame);
    ets_export_put_literal(out, ",\"at\":");
    ets_export_put_count(out, at - writer->start);
    ets_export_put_literal(out, "}");
    if (at > writer->end) writer->end = at;
    return true;
}

static bool begin(void *context, const struct ets_slice *slice)
{
    struct writer *writer = context;
    if (slice->run != writer->run) end_profile(writer);
    if (!slice->is_on_method || !writer->is_kept[slice->run]) return true;
    if (slice->run != writer->run) begin_run(writer, slice);
    return put_event(writer, slice, 'O', slice->start);
}

static bool end(void *context, const struct ets_slice *slice)
{
    struct writer *writer = context;
    if (!slice->is_on_method || !writer->is_kept[slice->run]) return true;
    return put_event(writer, slice, 'C', slice->end);
}

static bool add_trace(void *context, uint32_t trace, const char *name)
{
    (void)context;
    (void)trace;
    (void)name;
    return true;
}

static bool add_track(void *context, const struct ets_track *track)
{
    (void)context;
    (void)track;
    return true;
}

/* A run of a block, and how long it took. */
struct timed_run {
    double ticks;
    uint32_t run;
};

static int compare_times(const void *left, const void *right)
{
    const struct timed_run *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* Keeps the fastest, the median and the slowest run of each block. */
static bool choose_runs(struct writer *writer, const struct ets_inspection *inspection)
{
    const uint32_t total = ets_inspection_run_count(inspection);
    const uint32_t blocks = ets_inspection_block_count(inspection);
    double most = 0;
    struct ets_arena *arena = writer->export->arena;
    struct timed_run *runs = ets_arena_alloc_array(arena, total, sizeof *runs);
    double *ticks = ets_arena_alloc_array(arena, total, sizeof *ticks);
    writer->is_kept = ets_arena_alloc_array(arena, total, 1);
    if (runs == NULL || ticks == NULL || writer->is_kept == NULL) return false;
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t whole = ets_operator_whole_row(inspection, b);
        uint32_t count = 0;
        if (whole != ETS_NO_INDEX) ets_inspection_row_ticks(inspection, whole, ETS_NO_INDEX, ticks);
        for (uint32_t r = ets_inspection_block(inspection, b)->first_run; r < total; r++) {
            if (ets_inspection_run(inspection, r)->block != b) continue;
            runs[count] = (struct timed_run){whole == ETS_NO_INDEX ? 0 : ticks[count], r};
            count++;
        }
        if (count == 0) continue;
        qsort(runs, count, sizeof *runs, compare_times);
        writer->is_kept[runs[0].run] = 1;
        writer->is_kept[runs[(count - 1) / 2].run] = 1;
        writer->is_kept[runs[count - 1].run] = 1;
        const double took = runs[(count - 1) / 2].ticks * count;
        if (ets_inspection_total_row(inspection, b) == ETS_NO_INDEX || !(took > most)) continue;
        most = took;
        writer->first_run = runs[(count - 1) / 2].run;
    }
    return true;
}

/* ---- all runs by call ---- */

static bool put_samples(struct writer *writer, const struct ets_inspection *inspection,
                        const struct ets_row_sums *sums, uint32_t *stack)
{
    struct ets_export_buffer *out = writer->export->out;
    for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
        if (!sums->items[row].is_shown) continue;
        const uint32_t count = ets_row_stack(inspection, row, stack);
        if (writer->has_events) ets_export_put_literal(out, ",");
        writer->has_events = true;
        ets_export_put_literal(out, "[");
        for (uint32_t i = 0; i < count; i++) {
            uint32_t frame;
            const struct ets_row *one = ets_inspection_row(inspection, stack[i]);
            if (!frame_of(writer, inspection, one, &frame)) return false;
            if (i > 0) ets_export_put_literal(out, ",");
            ets_export_put_count(out, frame);
        }
        ets_export_put_literal(out, "]");
    }
    return true;
}

static bool put_sums(struct writer *writer, const struct ets_inspection *inspection)
{
    struct ets_export_buffer *out = writer->export->out;
    struct ets_row_sums sums;
    uint64_t total = 0;
    if (!ets_row_sums_collect(writer->export->arena, inspection, &sums)) return false;
    uint32_t *stack = ets_arena_alloc_array(writer->export->arena, sums.depth, sizeof *stack);
    if (stack == NULL) return false;
    begin_profile(writer, "sampled");
    ets_export_put_literal(out, "\"all runs by call\",\"samples\":[");
    if (!put_samples(writer, inspection, &sums, stack)) return false;
    ets_export_put_literal(out, "],\"weights\":[");
    writer->has_events = false;
    for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
        if (!sums.items[row].is_shown) continue;
        if (writer->has_events) ets_export_put_literal(out, ",");
        writer->has_events = true;
        ets_export_put_count(out, sums.items[row].self_ns);
        total += sums.items[row].self_ns;
    }
    ets_export_put_literal(out, "],\"endValue\":");
    ets_export_put_count(out, total);
    ets_export_put_literal(out, "}");
    return true;
}

static void put_frames(struct writer *writer)
{
    struct ets_export_buffer *out = writer->export->out;
    for (uint32_t i = 0; i < writer->frames.count; i++) {
        const uint64_t *key = ets_key_table_key(&writer->frames, i);
        if (i > 0) ets_export_put_literal(out, ",");
        ets_export_put_literal(out, "\n{\"name\":");
        ets_export_put_json(out, ets_strings_get(&writer->texts, (uint32_t)key[0]));
        if (key[1] != 0) {
            ets_export_put_literal(out, ",\"file\":");
            ets_export_put_json(out, ets_strings_get(&writer->texts, (uint32_t)key[1]));
            ets_export_put_literal(out, ",\"line\":");
            ets_export_put_count(out, key[2]);
        }
        ets_export_put_literal(out, "}");
    }
}

enum ets_status ets_export_speedscope(const struct ets_export *export, struct ets_error *error)
{
    struct writer writer = {.export = export, .run = ETS_NO_INDEX, .first_run = ETS_NO_INDEX};
    const struct ets_track_sink sink = {.context = &writer,
                                        .add_trace = add_trace,
                                        .add_track = add_track,
                                        .begin = begin,
                                        .end = end};
    const struct ets_export_trace *trace = &export->traces[0];
    bool ok = ets_strings_init(&writer.texts, export->arena) == 0;
    ets_key_table_init(&writer.frames, export->arena, 3);
    if (!ok || !choose_runs(&writer, trace->inspection)) {
        return ets_fail_memory(error, "the exported file");
    }
    ets_export_put_literal(export->out,
                           "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                           "\"exporter\":\"etscope\",\"name\":");
    ets_export_put_json(export->out, ets_text_of(trace->name));
    ets_export_put_literal(export->out, ",\"profiles\":[\n");
    ETS_TRY(ets_tracks_visit(export->arena, export->traces, 1, &sink, error));
    end_profile(&writer);
    if (!put_sums(&writer, trace->inspection)) return ets_fail_memory(error, "the exported file");
    ets_export_put_literal(export->out, "],\n\"shared\":{\"frames\":[");
    put_frames(&writer);
    ets_export_put_literal(export->out, "]},\n\"activeProfileIndex\":");
    ets_export_put_count(export->out, writer.first_profile);
    ets_export_put_literal(export->out, "}\n");
    return ETS_OK;
}
