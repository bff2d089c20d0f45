/* Reads complete events ("X") of Chrome trace event JSON: each is a slice of its thread. */
#include "import/foreign_json.h"

static enum ets_status read_event(struct ets_foreign_json *json, void *context,
                                  struct ets_error *error)
{
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR};
    const struct ets_text phase = ets_foreign_json_member(json, "ph");
    (void)context;
    if (ets_text_is(phase, "M")) return ETS_OK; /* names of processes and threads */
    if (!ets_text_is(phase, "X")) {
        ets_foreign_leave_out(json->f, "events of other phases than X");
        return ETS_OK;
    }
    ETS_TRY(ets_foreign_json_times(json, &slice, error));
    ETS_TRY(ets_foreign_json_thread(json, &slice, error));
    ETS_TRY(ets_foreign_text(json->f, ets_foreign_json_member(json, "name"), &slice.op, error));
    ETS_TRY(ets_foreign_text(json->f, ets_foreign_json_member(json, "cat"), &slice.backend, error));
    if (slice.op == ETS_STRING_NONE) {
        return ets_fail(error, ETS_MALFORMED, ets_foreign_json_offset(json),
                        "event %u: a slice without a name", (unsigned)json->number);
    }
    return ets_foreign_add(json->f, &slice, error);
}

enum ets_status ets_chrome_json_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    f->by_order = true;
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) {
        const struct ets_json_value *list = ets_json_get(json.tape.values, "traceEvents");
        status = ets_foreign_json_events(&json, list != NULL ? list : json.tape.values, read_event,
                                         NULL, error);
    }
    ets_foreign_json_reset(&json);
    return status;
}
