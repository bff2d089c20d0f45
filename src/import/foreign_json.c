/* Parses trace events in JSON, with numbers as they are written: times have more digits than
 * doubles. */
#include "import/foreign_json.h"

enum ets_status ets_foreign_json_parse(struct ets_foreign *f, struct ets_foreign_json *json_out,
                                       struct ets_error *error)
{
    struct ets_json_failure failure;
    *json_out = (struct ets_foreign_json){.f = f};
    ets_json_init(&json_out->tape, f->arena.allocator);
    ets_key_table_init(&json_out->ids, &f->arena, 2);
    json_out->tape.keeps_decimals = 1;
    json_out->text = ets_arena_copy_text(&f->arena, (const char *)f->bytes.data, f->bytes.size);
    if (json_out->text == NULL) return ets_fail_foreign(error);
    const enum ets_status status =
        ets_json_parse(&json_out->tape, json_out->text, f->bytes.size, &failure);
    if (status == ETS_OK) return ETS_OK;
    return ets_fail(error, status, failure.offset, "the JSON cannot be read: %s", failure.text);
}

void ets_foreign_json_reset(struct ets_foreign_json *json)
{
    ets_json_reset(&json->tape);
}

enum ets_status ets_foreign_json_events(struct ets_foreign_json *json,
                                        const struct ets_json_value *list,
                                        ets_foreign_event_reader read, void *context,
                                        struct ets_error *error)
{
    if (!ets_json_is(list, ETS_JSON_ARRAY)) {
        return ets_fail(error, ETS_MALFORMED, 0, "the JSON has no list of trace events");
    }
    json->list = list;
    json->event = ets_json_first(list);
    for (json->number = 0; json->number < list->size; json->number++) {
        if (!ets_json_is(json->event, ETS_JSON_OBJECT)) {
            return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                            "event %u of the list is no object", (unsigned)json->number);
        }
        ETS_TRY(read(json, context, error));
        json->event = ets_json_next(json->event);
    }
    return ETS_OK;
}

uint64_t ets_foreign_json_offset(const struct ets_foreign_json *json)
{
    if (json->event->size == 0) return ETS_NO_OFFSET;
    return (uint64_t)(ets_json_first(json->event)->as.text - json->text);
}

static enum ets_status fail_time(const struct ets_foreign_json *json, const char *name,
                                 const char *what, struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, ets_foreign_json_offset(json), "event %u: \"%s\" %s",
                    (unsigned)json->number, name, what);
}

static enum ets_status read_time(const struct ets_foreign_json *json, const char *name,
                                 int64_t *ns_out, struct ets_error *error)
{
    const struct ets_json_value *value = ets_json_get(json->event, name);
    bool ok = false;
    if (ets_json_is(value, ETS_JSON_INT)) {
        ok = value->as.integer >= 0 && value->as.integer <= (INT64_MAX >> 1) / 1000;
        if (ok) *ns_out = value->as.integer * 1000;
    } else if (ets_json_is(value, ETS_JSON_DECIMAL)) {
        ok = ets_decimal_ns((struct ets_text){value->as.text, value->size}, 3, ns_out) &&
             *ns_out >= 0;
    }
    if (ok) return ETS_OK;
    return fail_time(json, name,
                     value == NULL ? "is missing; it counts microseconds"
                                   : "is no time from 0 to 146 years, in microseconds",
                     error);
}

enum ets_status ets_foreign_json_times(const struct ets_foreign_json *json, struct ets_slice *slice,
                                       struct ets_error *error)
{
    int64_t lasted;
    ETS_TRY(read_time(json, "ts", &slice->start, error));
    ETS_TRY(read_time(json, "dur", &lasted, error));
    if (lasted > (INT64_MAX >> 1) - slice->start)
        return fail_time(json, "dur", "is too long", error);
    slice->end = slice->start + lasted;
    return ETS_OK;
}

enum ets_status ets_foreign_json_instant(const struct ets_foreign_json *json,
                                         struct ets_slice *slice, struct ets_error *error)
{
    ETS_TRY(read_time(json, "ts", &slice->start, error));
    slice->end = slice->start;
    return ETS_OK;
}

/* Another number for each: even ones for texts, odd ones for numbers; 0: it has none. */
static enum ets_status read_id(struct ets_foreign_json *json, const char *name, uint64_t *id_out,
                               struct ets_error *error)
{
    const struct ets_json_value *value = ets_json_get(json->event, name);
    *id_out = 0;
    if (ets_json_is(value, ETS_JSON_INT) || ets_json_is(value, ETS_JSON_UINT)) {
        const uint64_t key[] = {value->kind, value->as.uinteger};
        const uint32_t number = ets_key_table_add(&json->ids, key);
        if (number == ETS_KEY_NONE) return ets_fail_foreign(error);
        *id_out = 2 * (uint64_t)number + 1;
    } else if (ets_json_is(value, ETS_JSON_TEXT) || ets_json_is(value, ETS_JSON_DECIMAL)) {
        uint32_t number;
        const struct ets_text text = {value->as.text, value->size};
        ETS_TRY(ets_foreign_text(json->f, text, &number, error));
        *id_out = 2 * (uint64_t)number;
    }
    return ETS_OK;
}

enum ets_status ets_foreign_json_thread(struct ets_foreign_json *json, struct ets_slice *slice,
                                        struct ets_error *error)
{
    uint64_t process, thread;
    ETS_TRY(read_id(json, "pid", &process, error));
    ETS_TRY(read_id(json, "tid", &thread, error));
    slice->thread = process << 32 | thread;
    return ETS_OK;
}

struct ets_text ets_foreign_json_member(const struct ets_foreign_json *json, const char *name)
{
    return ets_json_text(ets_json_get(json->event, name));
}

struct ets_text ets_foreign_json_argument(const struct ets_foreign_json *json, const char *name)
{
    return ets_json_text(ets_json_get(ets_json_get(json->event, "args"), name));
}
