/*
 * Perfetto's protobuf: packets, one after another. A track is a track, below the process of its
 * trace; a slice has a packet for its begin and one for its end. Texts are interned: the first
 * packet that uses one carries it. A sample of a counter is part of a slice's packet of the same
 * time, and what is on the usual track does not name it.
 */
#include "base/error.h"
#include "base/text.h"
#include "output/export/export_arguments.h"
#include "output/export/export_texts.h"
#include "output/export/export_tracks.h"
#include "output/export/protobuf_message.h"

/* Fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60
};
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_MERGE = 15
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, COUNTER_UNIT = 3 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_EXTRA_VALUE = 12,
    EVENT_VALUE = 30,
    EVENT_EXTRA_TRACK = 31,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48
};
enum { DEFAULTS_EVENT = 11 };
enum { ANNOTATION_NAME = 1, ANNOTATION_INTEGER = 4, ANNOTATION_TEXT = 17 };

/* Values. */
enum { SEQUENCE = 1, FLAG_CLEARED = 1, FLAG_INTERNED = 2, UNIT_BYTES = 3, MERGE_NONE = 2 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { FIRST_PROCESS = 1 << 20 }; /* uuids below are those of tracks */

/* The tables of interned texts, and their fields. */
enum table { CATEGORIES, NAMES, KEYS, VALUES, TABLE_COUNT };
static const uint32_t table_fields[TABLE_COUNT] = {
    [CATEGORIES] = 1, [NAMES] = 2, [KEYS] = 3, [VALUES] = 29};

/* The names of annotations: those of arguments, and two more. */
enum key { KEY_RUN = ETS_ARGUMENT_COUNT, KEY_INSTRUCTION, KEY_COUNT };

/* How many slices of a method name their track or counter before it becomes the usual one. */
enum { MOST_NAMED = 8 };

/* The interned texts of a row; a name of 0: none yet. */
struct row_texts {
    uint32_t name, category, values[ETS_ARGUMENT_COUNT];
};

struct writer {
    const struct ets_export *export;
    struct ets_strings texts[TABLE_COUNT];
    uint32_t keys[KEY_COUNT]; /* their interned texts; 0: none yet */
    struct row_texts *rows;   /* of the trace */
    struct ets_message event, interned;
    struct ets_sample sample; /* that waits for a slice; track 0: none */
    /* Tracks that packets need not name, 0: none; and how many slices named others since. */
    uint32_t usual_track, usual_counter, named_count;
};

/* ---- packets ---- */

/* Writes what `interned` and the message have gathered, and empties both. */
static void put_packet(struct writer *writer, uint32_t field, struct ets_message *message,
                       const uint64_t *timestamp, uint32_t flags)
{
    struct ets_export_buffer *out = writer->export->out;
    uint8_t head[3 * ETS_PROTO_NUMBER_ROOM], middle[ETS_PROTO_NUMBER_ROOM],
        tail[ETS_PROTO_NUMBER_ROOM], size[ETS_PROTO_NUMBER_ROOM];
    uint8_t *head_end = head, *middle_end = middle, *tail_end = tail;
    if (timestamp != NULL) head_end = ets_proto_number(head_end, PACKET_TIMESTAMP, *timestamp);
    head_end = ets_proto_number(head_end, PACKET_SEQUENCE, SEQUENCE);
    if (message->used > 0) head_end = ets_proto_head(head_end, field, message->used);
    if (writer->interned.used > 0) {
        middle_end = ets_proto_head(middle_end, PACKET_INTERNED, writer->interned.used);
    }
    if (flags != 0) tail_end = ets_proto_number(tail_end, PACKET_FLAGS, flags);
    const size_t total = (size_t)(head_end - head) + message->used + (size_t)(middle_end - middle) +
                         writer->interned.used + (size_t)(tail_end - tail);
    ets_export_put(out, size, (size_t)(ets_proto_head(size, TRACE_PACKET, total) - size));
    ets_export_put(out, head, (size_t)(head_end - head));
    ets_export_put(out, message->bytes, message->used);
    ets_export_put(out, middle, (size_t)(middle_end - middle));
    ets_export_put(out, writer->interned.bytes, writer->interned.used);
    ets_export_put(out, tail, (size_t)(tail_end - tail));
    message->used = writer->interned.used = 0;
}

/* Sends a text with its number along with the next packet. */
static bool send_text(struct writer *writer, enum table table, uint32_t number,
                      struct ets_text text)
{
    uint8_t entry[3 * ETS_PROTO_NUMBER_ROOM];
    const uint8_t *end = ets_proto_head(ets_proto_number(entry, 1, number), 2, text.size);
    const size_t size = (size_t)(end - entry);
    uint8_t *at = ets_message_reserve(&writer->interned, ETS_PROTO_NUMBER_ROOM + size + text.size);
    if (at == NULL) return false;
    at = ets_proto_head(at, table_fields[table], size + text.size);
    memcpy(at, entry, size);
    if (text.size > 0) memcpy(at + size, text.data, text.size);
    ets_message_extend(&writer->interned, at + size + text.size);
    return true;
}

/* The number of a text, which is sent if it is new; 0: no memory. */
static uint32_t intern(struct writer *writer, enum table table, struct ets_text text)
{
    struct ets_text added;
    const uint32_t number =
        ets_export_text_number(writer->export, &writer->texts[table], text, &added);
    if (number == UINT32_MAX) return 0;
    return added.data == NULL || send_text(writer, table, number, added) ? number : 0;
}

/* ---- tracks ---- */

static bool add_trace(void *context, uint32_t trace, const char *name)
{
    struct writer *writer = context;
    const struct ets_inspection *inspection = writer->export->traces[trace].inspection;
    struct ets_message process = {.arena = writer->export->arena};
    const struct ets_text clean = ets_export_clean_text(writer->export->arena, ets_text_of(name));
    writer->rows = ets_arena_alloc_array(
        writer->export->arena, ets_inspection_row_count(inspection), sizeof *writer->rows);
    if (writer->rows == NULL || clean.data == NULL) return false;
    struct ets_message *track = &writer->event;
    if (!ets_message_number(&process, PROCESS_PID, trace + 1) ||
        !ets_message_bytes(&process, PROCESS_NAME, clean.data, clean.size) ||
        !ets_message_number(track, TRACK_UUID, FIRST_PROCESS + (uint64_t)trace) ||
        !ets_message_bytes(track, TRACK_PROCESS, process.bytes, process.used)) {
        return false;
    }
    put_packet(writer, PACKET_TRACK, track, NULL, 0);
    return true;
}

static bool add_track(void *context, const struct ets_track *told)
{
    struct writer *writer = context;
    struct ets_message *track = &writer->event;
    uint8_t unit[ETS_PROTO_NUMBER_ROOM];
    const size_t size = (size_t)(ets_proto_number(unit, COUNTER_UNIT, UNIT_BYTES) - unit);
    const struct ets_text clean =
        ets_export_clean_text(writer->export->arena, ets_text_of(told->name));
    const uint64_t parent = told->parent > 0 ? told->parent : FIRST_PROCESS + (uint64_t)told->trace;
    if (clean.data == NULL || !ets_message_number(track, TRACK_UUID, told->number) ||
        !ets_message_bytes(track, TRACK_NAME, clean.data, clean.size) ||
        !ets_message_number(track, TRACK_PARENT, parent) ||
        !ets_message_number(track, TRACK_MERGE, MERGE_NONE) ||
        (told->is_counter && !ets_message_bytes(track, TRACK_COUNTER, unit, size))) {
        return false;
    }
    put_packet(writer, PACKET_TRACK, track, NULL, 0);
    return true;
}

/* ---- slices ---- */

/* Whether "aten::add.out" is what the name "native_call_add.out" says. */
static bool is_in_name(struct ets_text operator, struct ets_text name)
{
    static const char start[] = "native_call_", space[] = "aten::";
    const size_t start_size = sizeof start - 1, space_size = sizeof space - 1;
    return ets_text_starts_with(name, start) && ets_text_starts_with(operator, space) &&
           ets_text_same((struct ets_text){name.data + start_size, name.size - start_size},
                         (struct ets_text){operator.data + space_size, operator.size - space_size});
}

/* Interns what is said of a row beside its name, once. */
static const struct row_texts *texts_of(struct writer *writer, const struct ets_slice *slice)
{
    const struct ets_row *row = ets_inspection_row(slice->inspection, slice->row);
    struct row_texts *texts = &writer->rows[slice->row];
    char source[ETS_SOURCE_ROOM];
    if (texts->name != 0) return texts;
    for (int i = 0; i < ETS_ARGUMENT_COUNT; i++) {
        const struct ets_text text =
            ets_row_argument(slice->inspection, row, (enum ets_argument)i, source);
        if (text.size == 0 ||
            (i == ETS_ARGUMENT_OPERATOR && is_in_name(text, ets_slice_name(slice)))) {
            continue;
        }
        texts->values[i] = intern(writer, VALUES, text);
        if (texts->values[i] == 0) return NULL;
    }
    texts->category = intern(writer, CATEGORIES, ets_text_of(ets_row_category(row)));
    texts->name = intern(writer, NAMES, ets_slice_name(slice));
    return texts->category != 0 && texts->name != 0 ? texts : NULL;
}

/* An annotation: a number, or an interned text. */
static bool annotate(struct writer *writer, enum key key, uint32_t field, uint64_t value)
{
    uint8_t bytes[2 * ETS_PROTO_NUMBER_ROOM];
    if (writer->keys[key] == 0) {
        const char *name = key == KEY_RUN           ? "run"
                           : key == KEY_INSTRUCTION ? "instruction"
                                                    : ets_argument_names[key];
        writer->keys[key] = intern(writer, KEYS, ets_text_of(name));
        if (writer->keys[key] == 0) return false;
    }
    const uint8_t *end =
        ets_proto_number(ets_proto_number(bytes, ANNOTATION_NAME, writer->keys[key]), field, value);
    return ets_message_bytes(&writer->event, EVENT_ANNOTATION, bytes, (size_t)(end - bytes));
}

static bool annotate_row(struct writer *writer, const struct ets_slice *slice,
                         const struct row_texts *texts)
{
    const struct ets_row *row = ets_inspection_row(slice->inspection, slice->row);
    bool ok = !slice->is_outermost || annotate(writer, KEY_RUN, ANNOTATION_INTEGER, slice->run);
    if (row->instruction >= 0) {
        const uint64_t instruction = (uint64_t)row->instruction;
        ok = ok && annotate(writer, KEY_INSTRUCTION, ANNOTATION_INTEGER, instruction);
    }
    for (int i = 0; ok && i < ETS_ARGUMENT_COUNT; i++) {
        if (texts->values[i] == 0) continue;
        ok = annotate(writer, (enum key)i, ANNOTATION_TEXT, texts->values[i]);
    }
    return ok;
}

/* A link has a number that no other link of the file has. */
static bool link_to(struct writer *writer, uint32_t field, const struct ets_slice *slice,
                    uint32_t event)
{
    const uint64_t number = ((uint64_t)slice->trace << 32 | event) + 1;
    uint8_t *at = ets_message_reserve(&writer->event, ETS_PROTO_NUMBER_ROOM);
    if (at != NULL) ets_message_extend(&writer->event, ets_proto_fixed64(at, field, number));
    return at != NULL;
}

/* Writes the sample that waits, if there is one, in a packet of its own. */
static bool put_sample(struct writer *writer)
{
    const struct ets_sample sample = writer->sample;
    writer->sample.track = 0;
    if (sample.track == 0) return true;
    if (!ets_message_number(&writer->event, EVENT_TYPE, TYPE_COUNTER) ||
        !ets_message_number(&writer->event, EVENT_TRACK, sample.track) ||
        !ets_message_number(&writer->event, EVENT_VALUE, sample.bytes)) {
        return false;
    }
    put_packet(writer, PACKET_EVENT, &writer->event, &sample.at, 0);
    return true;
}

/* Makes the tracks of a slice the usual ones after MOST_NAMED slices on other tracks. */
static bool choose_usual(struct writer *writer, const struct ets_slice *slice, uint32_t counter)
{
    const bool is_usual = slice->track == writer->usual_track;
    if (!slice->is_on_method || (is_usual && (counter == 0 || counter == writer->usual_counter)) ||
        ++writer->named_count < MOST_NAMED) {
        return true;
    }
    struct ets_message *defaults = &writer->event;
    uint8_t bytes[2 * ETS_PROTO_NUMBER_ROOM];
    writer->named_count = 0;
    writer->usual_track = slice->track;
    if (counter != 0 || !is_usual) writer->usual_counter = counter;
    uint8_t *end = ets_proto_number(bytes, EVENT_TRACK, slice->track);
    if (counter != 0) end = ets_proto_number(end, EVENT_EXTRA_TRACK, counter);
    if (!ets_message_bytes(defaults, DEFAULTS_EVENT, bytes, (size_t)(end - bytes))) return false;
    put_packet(writer, PACKET_DEFAULTS, defaults, NULL, 0);
    return true;
}

/* The start of a slice's packet of either type, with the sample of the same time. */
static bool start_packet(struct writer *writer, const struct ets_slice *slice, uint32_t type,
                         uint64_t at)
{
    if (writer->sample.track != 0 && writer->sample.at != at && !put_sample(writer)) return false;
    const struct ets_sample sample = writer->sample;
    writer->sample.track = 0;
    if (!choose_usual(writer, slice, sample.track) ||
        !ets_message_number(&writer->event, EVENT_TYPE, type)) {
        return false;
    }
    if (slice->track != writer->usual_track &&
        !ets_message_number(&writer->event, EVENT_TRACK, slice->track)) {
        return false;
    }
    if (sample.track == 0) return true;
    if (sample.track != writer->usual_counter &&
        !ets_message_number(&writer->event, EVENT_EXTRA_TRACK, sample.track)) {
        return false;
    }
    return ets_message_number(&writer->event, EVENT_EXTRA_VALUE, sample.bytes);
}

static bool begin(void *context, const struct ets_slice *slice)
{
    struct writer *writer = context;
    if (!start_packet(writer, slice, TYPE_BEGIN, slice->start)) return false;
    const struct row_texts *texts = texts_of(writer, slice);
    if (texts == NULL || !ets_message_number(&writer->event, EVENT_NAME, texts->name) ||
        !ets_message_number(&writer->event, EVENT_CATEGORY, texts->category) ||
        !annotate_row(writer, slice, texts)) {
        return false;
    }
    for (uint32_t link = ets_slice_next_link(slice, ETS_NO_INDEX); link != ETS_NO_INDEX;
         link = ets_slice_next_link(slice, link)) {
        if (!link_to(writer, EVENT_FLOW, slice, link)) return false;
    }
    if (slice->is_linked && !link_to(writer, EVENT_LAST_FLOW, slice, slice->event)) return false;
    put_packet(writer, PACKET_EVENT, &writer->event, &slice->start, FLAG_INTERNED);
    return true;
}

static bool end(void *context, const struct ets_slice *slice)
{
    struct writer *writer = context;
    if (!start_packet(writer, slice, TYPE_END, slice->end)) return false;
    put_packet(writer, PACKET_EVENT, &writer->event, &slice->end, 0);
    return true;
}

static bool add_sample(void *context, const struct ets_sample *sample)
{
    struct writer *writer = context;
    if (!put_sample(writer)) return false;
    writer->sample = *sample;
    return true;
}

enum ets_status ets_export_perfetto(const struct ets_export *export, struct ets_error *error)
{
    struct writer writer = {
        .export = export, .event = {.arena = export->arena}, .interned = {.arena = export->arena}};
    const struct ets_track_sink sink = {.context = &writer,
                                        .add_trace = add_trace,
                                        .add_track = add_track,
                                        .begin = begin,
                                        .end = end,
                                        .add_sample = add_sample};
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (ets_strings_init(&writer.texts[i], export->arena) != 0) {
            return ets_fail_memory(error, "the exported file");
        }
    }
    put_packet(&writer, PACKET_EVENT, &writer.event, NULL, FLAG_CLEARED);
    ETS_TRY(ets_tracks_visit(export->arena, export->traces, export->trace_count, &sink, error));
    return put_sample(&writer) ? ETS_OK : ets_fail_memory(error, "the exported file");
}
