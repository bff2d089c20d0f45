/*
 * TensorBoard's event file: for each method that ran the time of every run and of its most
 * expensive calls as scalars, how the runs are distributed, and the headline as text. A step is a
 * run of its block. With the program or its record, its graph. Records are framed by their size and
 * two checksums.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/quantile.h"
#include "base/text.h"
#include "inspect/time_details.h"
#include "output/export/export_writers.h"
#include "output/export/protobuf_writer.h"
#include "output/export/row_sums.h"
#include "output/export/run_tree.h"
#include "output/export/tensorboard_graph.h"
#include "views/headline.h"

/* Fields, by message. */
enum {
    EVENT_WALL_TIME = 1,
    EVENT_STEP = 2,
    EVENT_VERSION = 3,
    EVENT_GRAPH = 4,
    EVENT_SUMMARY = 5,
    EVENT_METADATA = 8
};
enum { TAGGED_TAG = 1, TAGGED_METADATA = 2 };
enum { SUMMARY_VALUE = 1 };
enum { VALUE_TAG = 1, VALUE_SIMPLE = 2, VALUE_HISTOGRAM = 5, VALUE_TENSOR = 8, VALUE_METADATA = 9 };
enum { METADATA_PLUGIN = 1, METADATA_CLASS = 4, PLUGIN_NAME = 1, CLASS_TENSOR = 2 };
enum { TENSOR_TYPE = 1, TENSOR_SHAPE = 2, TENSOR_TEXT = 8, TYPE_TEXT = 7 };
enum {
    HISTOGRAM_MIN = 1,
    HISTOGRAM_MAX = 2,
    HISTOGRAM_COUNT = 3,
    HISTOGRAM_SUM = 4,
    HISTOGRAM_SQUARES = 5,
    HISTOGRAM_LIMITS = 6,
    HISTOGRAM_BUCKETS = 7
};

/* Calls of a method that have a scalar each; the longest. */
enum { MOST_CALLS = 50, BUCKETS = 30, DOUBLE_BYTES = 8, HEAD_BYTES = 64 };
enum { MOST_LETTER = 6 }; /* bytes of a letter of the headline: "&#126;" */

struct writer {
    const struct ets_export *export;
    const struct ets_inspection *inspection;
    const char *prefix; /* of tags: the trace, where there are several; or "" */
    double us;          /* of a tick; of cycles 1 */
    const char *unit;
    int64_t *starts; /* [run] ticks from the trace's first event to the whole run's */
};

/* CRC-32C, polynomial 0x82f63b78, rotated and shifted as TensorFlow's records have it. */
static uint32_t masked_crc(const uint8_t *bytes, size_t size)
{
    uint32_t crc = ~0U;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82f63b78U & (0U - (crc & 1)));
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

static void put_little(struct ets_export_buffer *out, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> 8 * i);
    ets_export_put(out, bytes, size);
}

static void put_record(struct writer *writer, const uint8_t *bytes, size_t size)
{
    struct ets_export_buffer *out = writer->export->out;
    uint8_t length[8];
    for (size_t i = 0; i < sizeof length; i++) length[i] = (uint8_t)((uint64_t)size >> 8 * i);
    ets_export_put(out, length, sizeof length);
    put_little(out, masked_crc(length, sizeof length), 4);
    ets_export_put(out, bytes, size);
    put_little(out, masked_crc(bytes, size), 4);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint8_t *put_double(uint8_t *at, uint32_t field, double value)
{
    return ets_proto_fixed64(at, field, bits_of(value));
}

static void store_double(uint8_t *at, double value)
{
    const uint64_t bits = bits_of(value);
    for (int i = 0; i < DOUBLE_BYTES; i++) at[i] = (uint8_t)(bits >> 8 * i);
}

static uint8_t *put_float(uint8_t *at, uint32_t field, double value)
{
    const float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    at = ets_proto_varint(at, field << 3 | 5);
    for (int i = 0; i < 4; i++) *at++ = (uint8_t)(bits >> 8 * i);
    return at;
}

/* An event with one value, whose bytes behind the tag are given. False: no memory. */
static bool put_value(struct writer *writer, double wall_time, uint64_t step, struct ets_text tag,
                      const uint8_t *content, size_t content_size)
{
    const size_t value_size = tag.size + content_size + ETS_PROTO_NUMBER_ROOM;
    uint8_t *value = ets_arena_alloc(writer->export->scratch, value_size);
    uint8_t *event = ets_arena_alloc(writer->export->scratch, value_size + 4 * (size_t)HEAD_BYTES);
    if (value == NULL || event == NULL) return false;
    uint8_t *end = ets_proto_bytes(value, VALUE_TAG, tag.data, tag.size);
    if (content_size > 0) memcpy(end, content, content_size);
    const size_t used = (size_t)(end - value) + content_size;
    uint8_t head[HEAD_BYTES];
    const size_t head_size = (size_t)(ets_proto_head(head, SUMMARY_VALUE, used) - head);
    uint8_t *at = put_double(event, EVENT_WALL_TIME, wall_time);
    at = ets_proto_number(at, EVENT_STEP, step);
    at = ets_proto_head(at, EVENT_SUMMARY, head_size + used);
    memcpy(at, head, head_size);
    memcpy(at + head_size, value, used);
    put_record(writer, event, (size_t)(at - event) + head_size + used);
    return true;
}

/* "forward/native_call_addmm.out 3 (us)", cleaned; absent: no memory. */
static struct ets_text tag_of(struct writer *writer, struct ets_text method, const char *name,
                              struct ets_text of)
{
    const size_t room =
        strlen(writer->prefix) + method.size + strlen(name) + of.size + strlen(writer->unit) + 8;
    char *text = ets_arena_alloc(writer->export->scratch, room);
    if (text == NULL) return (struct ets_text){NULL, 0};
    const int used =
        snprintf(text, room, "%s%.*s/%.*s%s (%s)", writer->prefix, (int)method.size, method.data,
                 (int)of.size, of.data == NULL ? "" : of.data, name, writer->unit);
    return ets_export_clean_text(writer->export->scratch, (struct ets_text){text, (size_t)used});
}

static bool put_scalar(struct writer *writer, uint32_t run, uint64_t step, struct ets_text tag,
                       double ticks)
{
    uint8_t content[ETS_PROTO_NUMBER_ROOM];
    const double wall_time = (double)writer->starts[run] * writer->us / 1e6;
    const uint8_t *end = put_float(content, VALUE_SIMPLE, ticks * writer->us);
    return put_value(writer, wall_time, step, tag, content, (size_t)(end - content));
}

/* Each run's time of a row; those of the whole run also into `values`, if it is not NULL. */
static bool put_row(struct writer *writer, uint32_t row, struct ets_text method, const char *name,
                    struct ets_text of, double *values, uint32_t *count_out)
{
    const struct ets_event_table *table = ets_inspection_events(writer->inspection);
    const uint32_t *events;
    uint32_t count, step = 0;
    bool ok = true;
    ets_inspection_row_events(writer->inspection, row, &events, &count);
    const uint64_t *lengths = ets_inspection_row_lengths(writer->inspection, row);
    const uint32_t calls = ets_inspection_row(writer->inspection, row)->calls_per_run;
    for (uint32_t i = 0; ok && i < count; i += calls) {
        const uint32_t run = table->run[events[i]];
        double ticks = 0;
        for (uint32_t k = i; k < i + calls; k++) ticks += (double)lengths[k];
        const struct ets_text tag = tag_of(writer, method, name, of);
        ok = tag.data != NULL && put_scalar(writer, run, step, tag, ticks);
        if (values != NULL) values[step] = ticks * writer->us;
        step++;
        ets_arena_reset(writer->export->scratch);
    }
    if (count_out != NULL) *count_out = step;
    return ok;
}

static bool put_histogram(struct writer *writer, struct ets_text method, double *values,
                          uint32_t count)
{
    uint8_t content[8 * ETS_PROTO_NUMBER_ROOM + 2 * BUCKETS * DOUBLE_BYTES];
    uint8_t histogram[sizeof content], limits[BUCKETS * DOUBLE_BYTES], buckets[sizeof limits];
    double sum = 0, squares = 0;
    if (count == 0) return true;
    ets_sort_doubles(values, count);
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    const double low = values[0], step = (values[count - 1] - low) / BUCKETS;
    for (uint32_t i = 0, at = 0; i < BUCKETS; i++) {
        const bool is_last = i + 1 == BUCKETS;
        const double limit = is_last ? values[count - 1] : low + step * (i + 1);
        uint32_t inside = 0;
        for (; at < count && (is_last || values[at] <= limit); at++) inside++;
        const double number = inside;
        store_double(limits + (size_t)i * DOUBLE_BYTES, limit);
        store_double(buckets + (size_t)i * DOUBLE_BYTES, number);
    }
    uint8_t *at = put_double(histogram, HISTOGRAM_MIN, low);
    at = put_double(at, HISTOGRAM_MAX, values[count - 1]);
    at = put_double(at, HISTOGRAM_COUNT, count);
    at = put_double(at, HISTOGRAM_SUM, sum);
    at = put_double(at, HISTOGRAM_SQUARES, squares);
    at = ets_proto_bytes(at, HISTOGRAM_LIMITS, limits, sizeof limits);
    at = ets_proto_bytes(at, HISTOGRAM_BUCKETS, buckets, sizeof buckets);
    const uint8_t *end =
        ets_proto_bytes(content, VALUE_HISTOGRAM, histogram, (size_t)(at - histogram));
    const struct ets_text tag = tag_of(writer, method, "run", (struct ets_text){NULL, 0});
    const bool ok =
        tag.data != NULL && put_value(writer, 0, 0, tag, content, (size_t)(end - content));
    ets_arena_reset(writer->export->scratch);
    return ok;
}

/* The longest rows directly inside of the whole run, in order. */
struct call {
    uint32_t row;
    double total;
};

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static enum ets_status put_calls(struct writer *writer, uint32_t block, uint32_t total,
                                 struct ets_text method, struct ets_error *error)
{
    const struct ets_block *of = ets_inspection_block(writer->inspection, block);
    struct call *calls = ets_arena_alloc_array(writer->export->arena, of->row_count, sizeof *calls);
    uint32_t count = 0;
    if (calls == NULL) return ets_fail_memory(error, "the exported file");
    for (uint32_t row = of->first_row; row < of->first_row + of->row_count; row++) {
        struct ets_statistics times;
        if (ets_inspection_row(writer->inspection, row)->parent != total) continue;
        ETS_TRY(
            ets_inspection_row_statistics(writer->inspection, row, ETS_NO_INDEX, &times, error));
        calls[count++] = (struct call){row, times.total};
    }
    qsort(calls, count, sizeof *calls, compare_calls);
    for (uint32_t i = 0; i < count && i < MOST_CALLS; i++) {
        const struct ets_row *row = ets_inspection_row(writer->inspection, calls[i].row);
        const char *backend = row->backend == NULL ? "" : row->backend;
        const struct ets_text name =
            row->kernel.size > 0 ? row->kernel : (struct ets_text){backend, strlen(backend)};
        char number[32];
        snprintf(number, sizeof number, " #%d", row->instruction);
        if (!put_row(writer, calls[i].row, method, number, name.size > 0 ? name : row->name, NULL,
                     NULL)) {
            return ets_fail_memory(error, "the exported file");
        }
    }
    return ETS_OK;
}

/* A name, with a number from the second time on: "forward (2)". Absent: no memory. */
static struct ets_text numbered(struct ets_arena *arena, struct ets_text name, uint32_t before,
                                const char *end)
{
    const size_t room = name.size + strlen(end) + 16;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return (struct ets_text){NULL, 0};
    memcpy(text, name.data, name.size);
    int used = 0;
    if (before > 0) used = snprintf(text + name.size, room - name.size, " (%u)", before + 1);
    used += snprintf(text + name.size + used, room - name.size - (size_t)used, "%s", end);
    return (struct ets_text){text, name.size + (size_t)used};
}

/* Blocks before this one that executed the same method, as with branches. */
static uint32_t blocks_before(const struct ets_inspection *inspection, uint32_t block,
                              struct ets_text method)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < block; i++) {
        if (ets_inspection_total_row(inspection, i) == ETS_NO_INDEX) continue;
        const uint32_t run = ets_inspection_block(inspection, i)->first_run;
        before += ets_text_same(ets_run_method(inspection, run), method);
    }
    return before;
}

static enum ets_status put_block(struct writer *writer, uint32_t block, struct ets_error *error)
{
    const struct ets_block *of = ets_inspection_block(writer->inspection, block);
    const uint32_t total = ets_inspection_total_row(writer->inspection, block);
    if (total == ETS_NO_INDEX) return ETS_OK;
    const struct ets_text named = ets_run_method(writer->inspection, of->first_run);
    const struct ets_text method =
        numbered(writer->export->arena, named, blocks_before(writer->inspection, block, named), "");
    uint32_t count = 0;
    double *values = ets_arena_alloc_array(writer->export->arena, of->run_count, sizeof *values);
    if (values == NULL || method.data == NULL ||
        !put_row(writer, total, method, "run", (struct ets_text){NULL, 0}, values, &count) ||
        !put_histogram(writer, method, values, count)) {
        return ets_fail_memory(error, "the exported file");
    }
    return put_calls(writer, block, total, method, error);
}

/* Begins of whole runs, on one time line as in time line formats. False: no memory. */
static bool find_starts(struct writer *writer)
{
    const uint32_t run_count = ets_inspection_run_count(writer->inspection);
    struct ets_run_tree tree;
    int64_t began = INT64_MAX;
    writer->starts =
        ets_arena_alloc_array(writer->export->arena, run_count, sizeof *writer->starts);
    if (writer->starts == NULL ||
        !ets_run_tree_init(&tree, writer->export->arena, writer->inspection)) {
        return false;
    }
    for (uint32_t run = 0; run < run_count; run++) {
        const uint32_t block = ets_inspection_run(writer->inspection, run)->block;
        const uint32_t total = ets_inspection_total_row(writer->inspection, block);
        writer->starts[run] = INT64_MAX;
        ets_run_tree_build(&tree, run);
        for (uint32_t i = 0; i < tree.count; i++) {
            if (!ets_run_tree_has(&tree, i) || ets_row_has_own_clock(ets_run_tree_row(&tree, i))) {
                continue;
            }
            if (tree.start[i] < began) began = tree.start[i];
            if (tree.events->row[tree.first + i] == total && tree.start[i] < writer->starts[run]) {
                writer->starts[run] = tree.start[i];
            }
        }
    }
    for (uint32_t run = 0; run < run_count; run++) {
        const bool is_known = writer->starts[run] != INT64_MAX;
        writer->starts[run] = is_known ? ets_limited_sum(writer->starts[run], -began) : 0;
    }
    return true;
}

/* Whether Markdown, or the HTML in it, may take a letter for more than itself. */
static bool is_markup(struct ets_text text, size_t at)
{
    const char letter = text.data[at];
    size_t before = at;
    if (letter != '\0' && strchr("\\`*_[]{}<>&#!|~", letter) != NULL) return true;
    if (letter == '-' || letter == '+' || letter == '=') return at == 0; /* a list, an underline */
    if (letter != '.' && letter != ')') return false;
    while (before > 0 && text.data[before - 1] >= '0' && text.data[before - 1] <= '9') before--;
    const bool is_number = before == 0 && at > 0; /* of a list: "1. ", not "1.5" */
    return is_number && (at + 1 == text.size || text.data[at + 1] == ' ');
}

/* Appends a sentence as a paragraph. A backslash does not take the meaning of all letters away. */
static size_t put_sentence(char *at, struct ets_text text)
{
    size_t used = 0;
    while (text.size > 0 && text.data[0] == ' ') { /* four would be code */
        text = (struct ets_text){text.data + 1, text.size - 1};
    }
    for (size_t i = 0; i < text.size; i++) {
        const char letter = text.data[i];
        const char *entity = letter == '<'   ? "&lt;"
                             : letter == '&' ? "&amp;"
                             : letter == '~' ? "&#126;"
                             : letter == '=' ? "&#61;"
                                             : NULL;
        if (!is_markup(text, i)) {
            at[used++] = letter;
        } else if (entity == NULL) {
            at[used++] = '\\';
            at[used++] = letter;
        } else {
            memcpy(at + used, entity, strlen(entity));
            used += strlen(entity);
        }
    }
    memcpy(at + used, "\n\n", 2);
    return used + 2;
}

/* The headline as Markdown: a paragraph for each sentence. */
static bool put_headline(struct writer *writer)
{
    const struct ets_headline_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    struct ets_sentences headline;
    size_t size = 1, used = 0;
    if (!ets_headline_make(writer->export->arena, writer->inspection, &options, &headline)) {
        return false;
    }
    for (uint32_t i = 0; i < headline.count; i++) {
        headline.items[i] = ets_export_clean_text(writer->export->arena, headline.items[i]);
        if (headline.items[i].data == NULL) return false;
        size += MOST_LETTER * headline.items[i].size + 2;
    }
    char *text = ets_arena_alloc(writer->export->scratch, size);
    if (text == NULL) return false;
    for (uint32_t i = 0; i < headline.count; i++) {
        used += put_sentence(text + used, headline.items[i]);
    }
    uint8_t *content = ets_arena_alloc(writer->export->scratch, used + 4 * (size_t)HEAD_BYTES);
    uint8_t *tensor = ets_arena_alloc(writer->export->scratch, used + 2 * (size_t)HEAD_BYTES);
    if (content == NULL || tensor == NULL) return false;
    uint8_t *at = ets_proto_number(tensor, TENSOR_TYPE, TYPE_TEXT);
    at = ets_proto_bytes(at, TENSOR_SHAPE, "\x12\x02\x08\x01", 4); /* one dimension of 1 */
    at = ets_proto_bytes(at, TENSOR_TEXT, text, used);
    uint8_t metadata[HEAD_BYTES], plugin[HEAD_BYTES];
    const uint8_t *plugin_end = ets_proto_bytes(plugin, PLUGIN_NAME, "text", 4);
    const uint8_t *metadata_end = ets_proto_number(
        ets_proto_bytes(metadata, METADATA_PLUGIN, plugin, (size_t)(plugin_end - plugin)),
        METADATA_CLASS, CLASS_TENSOR);
    uint8_t *end = ets_proto_bytes(content, VALUE_TENSOR, tensor, (size_t)(at - tensor));
    end = ets_proto_bytes(end, VALUE_METADATA, metadata, (size_t)(metadata_end - metadata));
    char tag[512];
    const int length = snprintf(tag, sizeof tag, "%.400sheadline/text_summary", writer->prefix);
    const struct ets_text clean =
        ets_export_clean_text(writer->export->scratch, (struct ets_text){tag, (size_t)length});
    const bool ok =
        clean.data != NULL && put_value(writer, 0, 0, clean, content, (size_t)(end - content));
    ets_arena_reset(writer->export->scratch);
    return ok;
}

/* An event that holds a message. */
static bool put_event(struct writer *writer, uint32_t field, struct ets_message *message)
{
    uint8_t time[ETS_PROTO_NUMBER_ROOM];
    struct ets_message event = {.arena = writer->export->arena};
    const size_t size = (size_t)(put_double(time, EVENT_WALL_TIME, 0) - time);
    uint8_t *at = ets_message_reserve(&event, size);
    if (at == NULL) return false;
    memcpy(at, time, size);
    ets_message_extend(&event, at + size);
    if (!ets_message_take(&event, field, message)) return false;
    put_record(writer, event.bytes, event.used);
    return true;
}

/* The graphs, and the medians by which TensorBoard colours them. */
static bool put_graph(struct writer *writer, struct ets_tensorboard_graph *graph)
{
    static const char tag[] = "medians of the runs";
    struct ets_message metadata = {.arena = writer->export->arena}, tagged = metadata;
    if (graph->node_count == 0) return true;
    if (!put_event(writer, EVENT_GRAPH, &graph->nodes)) return false;
    return graph->time_count == 0 || (ets_tensorboard_graph_metadata(graph, &metadata) &&
                                      ets_message_bytes(&tagged, TAGGED_TAG, tag, sizeof tag - 1) &&
                                      ets_message_take(&tagged, TAGGED_METADATA, &metadata) &&
                                      put_event(writer, EVENT_METADATA, &tagged));
}

static enum ets_status put_trace(const struct ets_export *export,
                                 const struct ets_export_trace *trace,
                                 struct ets_tensorboard_graph *graph, struct ets_error *error)
{
    int is_known;
    const bool is_cycles =
        ets_inspection_tick_unit(trace->inspection, &is_known) == ETS_UNIT_CYCLES;
    struct writer writer = {.export = export,
                            .inspection = trace->inspection,
                            .prefix = "",
                            .us = is_cycles ? 1 : (double)ets_tick_ns(trace->inspection) / 1e3,
                            .unit = is_cycles ? "cycles" : "us"};
    if (export->trace_count > 1) {
        uint32_t before = 0;
        for (const struct ets_export_trace *t = export->traces; t < trace; t++) {
            before += strcmp(t->name, trace->name) == 0;
        }
        const struct ets_text name = {trace->name, strlen(trace->name)};
        writer.prefix = numbered(export->arena, name, before, "/").data;
        if (writer.prefix == NULL) return ets_fail_memory(error, "the exported file");
    }
    if (!find_starts(&writer) || !put_headline(&writer))
        return ets_fail_memory(error, "the exported file");
    for (uint32_t block = 0; block < ets_inspection_block_count(trace->inspection); block++) {
        ETS_TRY(put_block(&writer, block, error));
    }
    return ets_tensorboard_graph_add(graph, trace, writer.prefix, writer.us, export->missing,
                                     error);
}

enum ets_status ets_export_tensorboard(const struct ets_export *export, struct ets_error *error)
{
    uint8_t head[HEAD_BYTES];
    struct writer writer = {.export = export};
    const uint8_t *end = put_double(head, EVENT_WALL_TIME, 0);
    end = ets_proto_bytes(head + (end - head), EVENT_VERSION, "brain.Event:2", 13);
    put_record(&writer, head, (size_t)(end - head));
    struct ets_tensorboard_graph graph;
    if (!ets_tensorboard_graph_init(&graph, export->arena)) {
        return ets_fail_memory(error, "the exported file");
    }
    for (uint32_t i = 0; i < export->trace_count; i++) {
        ETS_TRY(put_trace(export, &export->traces[i], &graph, error));
    }
    return put_graph(&writer, &graph) ? ETS_OK : ets_fail_memory(error, "the exported file");
}
