/*
 * pprof's protobuf: a sample for each call, with what is around it, how often it was called and the
 * nanoseconds that it took itself over all runs. Each trace is a mapping.
 */
#include "base/error.h"
#include "base/text.h"
#include "host/key_table.h"
#include "output/export/export_arguments.h"
#include "output/export/export_texts.h"
#include "output/export/protobuf_writer.h"
#include "output/export/row_sums.h"

/* Fields, by message. */
enum {
    PROFILE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_TEXT = 6,
    PROFILE_DEFAULT = 14
};
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3, LABEL_UNIT = 4 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_FIRST_HAS = 7, MAPPING_LAST_HAS = 9 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4 };

struct writer {
    const struct ets_export *export;
    struct ets_strings texts;
    struct ets_key_table functions; /* name, file */
    struct ets_key_table locations; /* function, line, mapping */
    uint32_t trace;
    uint32_t *stack;
    uint8_t *sample; /* room for the numbers of the deepest one */
};

enum { LABEL_ROOM = 4 * ETS_PROTO_NUMBER_ROOM, LABEL_COUNT = ETS_ARGUMENT_COUNT + 1 };

/* The number of a text; UINT32_MAX: no memory. The table begins with the empty text. */
static uint32_t number_of(struct writer *writer, struct ets_text text)
{
    if (text.size == 0) return 0;
    return ets_export_text_number(writer->export, &writer->texts, text, NULL);
}

static void put_message(struct writer *writer, uint32_t field, const uint8_t *bytes,
                        const uint8_t *end)
{
    uint8_t head[ETS_PROTO_NUMBER_ROOM];
    ets_export_put(writer->export->out, head,
                   (size_t)(ets_proto_head(head, field, (size_t)(end - bytes)) - head));
    ets_export_put(writer->export->out, bytes, (size_t)(end - bytes));
}

static bool put_type(struct writer *writer, const char *type, const char *unit)
{
    uint8_t bytes[2 * ETS_PROTO_NUMBER_ROOM];
    const uint32_t named = number_of(writer, ets_text_of(type));
    const uint32_t measured = number_of(writer, ets_text_of(unit));
    if (named == UINT32_MAX || measured == UINT32_MAX) return false;
    put_message(writer, PROFILE_TYPE, bytes,
                ets_proto_number(ets_proto_number(bytes, 1, named), 2, measured));
    return true;
}

static bool put_mapping(struct writer *writer)
{
    uint8_t bytes[5 * ETS_PROTO_NUMBER_ROOM];
    const uint32_t file =
        number_of(writer, ets_text_of(writer->export->traces[writer->trace].name));
    if (file == UINT32_MAX) return false;
    uint8_t *end = ets_proto_number(bytes, MAPPING_ID, (uint64_t)writer->trace + 1);
    end = ets_proto_number(end, MAPPING_FILE, file);
    for (uint32_t i = MAPPING_FIRST_HAS; i <= MAPPING_LAST_HAS; i++) {
        end = ets_proto_number(end, i, 1);
    }
    put_message(writer, PROFILE_MAPPING, bytes, end);
    return true;
}

/* The number of a place in a function, which is written if it is new; 0: no memory. */
static uint32_t location_of(struct writer *writer, struct ets_text name,
                            const struct ets_graph_frame *frame)
{
    uint8_t bytes[4 * ETS_PROTO_NUMBER_ROOM], line[2 * ETS_PROTO_NUMBER_ROOM];
    const uint32_t named = number_of(writer, name);
    const uint32_t file = frame == NULL ? 0 : number_of(writer, frame->file);
    if (named == UINT32_MAX || file == UINT32_MAX) return 0;
    const uint32_t functions = writer->functions.count, locations = writer->locations.count;
    const uint32_t function =
        ets_key_table_add(&writer->functions, (const uint64_t[]){named, file});
    const uint64_t place[] = {function, frame == NULL ? 0 : frame->line, writer->trace};
    const uint32_t location =
        function == ETS_KEY_NONE ? ETS_KEY_NONE : ets_key_table_add(&writer->locations, place);
    if (location == ETS_KEY_NONE) return 0;
    if (function == functions) {
        uint8_t *end = ets_proto_number(bytes, FUNCTION_ID, (uint64_t)function + 1);
        end = ets_proto_number(end, FUNCTION_NAME, named);
        put_message(writer, PROFILE_FUNCTION, bytes, ets_proto_number(end, FUNCTION_FILE, file));
    }
    if (location == locations) {
        const uint8_t *line_end = ets_proto_number(
            ets_proto_number(line, LINE_FUNCTION, (uint64_t)function + 1), LINE_NUMBER, place[1]);
        uint8_t *end = ets_proto_number(bytes, LOCATION_ID, (uint64_t)location + 1);
        end = ets_proto_number(end, LOCATION_MAPPING, (uint64_t)writer->trace + 1);
        put_message(writer, PROFILE_LOCATION, bytes,
                    ets_proto_bytes(end, LOCATION_LINE, line, (size_t)(line_end - line)));
    }
    return location + 1;
}

/* Appends a label of a sample; NULL: no memory. */
static uint8_t *add_label(struct writer *writer, uint8_t *at, const char *key, uint32_t field,
                          uint64_t value)
{
    uint8_t bytes[LABEL_ROOM];
    const uint32_t named = number_of(writer, ets_text_of(key));
    const uint32_t unit = field == LABEL_NUMBER ? number_of(writer, ets_text_of("number")) : 0;
    if (named == UINT32_MAX || unit == UINT32_MAX) return NULL;
    uint8_t *end = ets_proto_number(ets_proto_number(bytes, LABEL_KEY, named), field, value);
    if (unit > 0) end = ets_proto_number(end, LABEL_UNIT, unit); /* else a 0 would be no label */
    return ets_proto_bytes(at, SAMPLE_LABEL, bytes, (size_t)(end - bytes));
}

static uint8_t *add_labels(struct writer *writer, const struct ets_inspection *inspection,
                           const struct ets_row *row, uint8_t *at)
{
    char source[ETS_SOURCE_ROOM];
    if (row->instruction >= 0) {
        at = add_label(writer, at, "instruction", LABEL_NUMBER, (uint64_t)row->instruction);
    }
    for (int i = 0; at != NULL && i < ETS_ARGUMENT_COUNT; i++) {
        const struct ets_text text =
            ets_row_argument(inspection, row, (enum ets_argument)i, source);
        const uint32_t number = number_of(writer, text);
        if (number == UINT32_MAX) return NULL;
        if (number > 0) at = add_label(writer, at, ets_argument_names[i], LABEL_TEXT, number);
    }
    return at;
}

static bool put_sample(struct writer *writer, const struct ets_row_sum *sum, uint32_t row)
{
    const struct ets_inspection *inspection = writer->export->traces[writer->trace].inspection;
    const struct ets_row *leaf = ets_inspection_row(inspection, row);
    const uint32_t run = ets_inspection_block(inspection, leaf->block)->first_run;
    const uint32_t count = ets_row_stack(inspection, row, writer->stack);
    uint8_t *at = writer->sample, values[2 * ETS_PROTO_VARINT_ROOM];
    for (uint32_t i = count; i-- > 0;) { /* the leaf first */
        const struct ets_row *frame = ets_inspection_row(inspection, writer->stack[i]);
        const uint32_t place = location_of(writer, frame->name, ets_row_frame(inspection, frame));
        if (place == 0) return false;
        at = ets_proto_number(at, SAMPLE_LOCATIONS, place);
    }
    const uint32_t method = location_of(writer, ets_run_method(inspection, run), NULL);
    if (method == 0) return false;
    at = ets_proto_number(at, SAMPLE_LOCATIONS, method);
    const uint8_t *end = ets_proto_varint(ets_proto_varint(values, sum->calls), sum->self_ns);
    at = ets_proto_bytes(at, SAMPLE_VALUES, values, (size_t)(end - values));
    at = add_labels(writer, inspection, leaf, at);
    if (at != NULL) put_message(writer, PROFILE_SAMPLE, writer->sample, at);
    return at != NULL;
}

static bool put_trace(struct writer *writer)
{
    const struct ets_export *export = writer->export;
    const struct ets_inspection *inspection = export->traces[writer->trace].inspection;
    struct ets_row_sums sums;
    if (!ets_row_sums_collect(export->arena, inspection, &sums) || !put_mapping(writer)) {
        return false;
    }
    const size_t room = ((size_t)sums.depth + 3) * ETS_PROTO_NUMBER_ROOM +
                        (size_t)LABEL_COUNT * (LABEL_ROOM + ETS_PROTO_NUMBER_ROOM);
    writer->stack = ets_arena_alloc_array(export->arena, sums.depth, sizeof *writer->stack);
    writer->sample = ets_arena_alloc(export->arena, room);
    bool ok = writer->stack != NULL && writer->sample != NULL;
    for (uint32_t row = 0; ok && row < ets_inspection_row_count(inspection); row++) {
        if (sums.items[row].is_shown) ok = put_sample(writer, &sums.items[row], row);
    }
    return ok;
}

enum ets_status ets_export_pprof(const struct ets_export *export, struct ets_error *error)
{
    struct writer writer = {.export = export};
    bool ok = ets_strings_init(&writer.texts, export->arena) == 0;
    ets_key_table_init(&writer.functions, export->arena, 2);
    ets_key_table_init(&writer.locations, export->arena, 3);
    ok = ok && put_type(&writer, "calls", "count") && put_type(&writer, "time", "nanoseconds");
    for (; ok && writer.trace < export->trace_count; writer.trace++) ok = put_trace(&writer);
    const uint32_t time = ok ? number_of(&writer, ets_text_of("time")) : UINT32_MAX;
    if (time == UINT32_MAX) return ets_fail_memory(error, "the exported file");
    uint8_t bytes[ETS_PROTO_NUMBER_ROOM];
    ets_export_put(export->out, bytes,
                   (size_t)(ets_proto_number(bytes, PROFILE_DEFAULT, time) - bytes));
    for (uint32_t i = 0; i < writer.texts.count; i++) {
        const struct ets_text text = ets_strings_get(&writer.texts, i);
        ets_export_put(export->out, bytes,
                       (size_t)(ets_proto_head(bytes, PROFILE_TEXT, text.size) - bytes));
        ets_export_put(export->out, text.data, text.size);
    }
    return ETS_OK;
}
