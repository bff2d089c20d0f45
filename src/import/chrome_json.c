/*
 * Reads complete events ("X") of Chrome trace event JSON: each is a slice of its thread. What
 * etscope exported tells run and instruction of each.
 */
#include "import/foreign_json.h"
#include "import/own_trace.h"
#include "import/text_lines.h"

struct chrome {
    bool is_own;
    struct ets_own_slice *own; /* [slice] */
    uint32_t own_room;
    struct ets_key_table threads; /* with a name */
    uint32_t *names, name_room;   /* [thread] */
};

/* Keeps the name of a thread, which comes before its events. */
static enum ets_status read_name(struct ets_foreign_json *json, struct chrome *chrome,
                                 struct ets_error *error)
{
    struct ets_slice thread;
    if (!ets_text_is(ets_foreign_json_member(json, "name"), "thread_name")) return ETS_OK;
    ETS_TRY(ets_foreign_json_thread(json, &thread, error));
    const uint32_t number = ets_key_table_add(&chrome->threads, &thread.thread);
    if (number == ETS_KEY_NONE) return ets_fail_foreign(error);
    uint32_t *names =
        ets_arena_grow(&json->f->arena, chrome->names, number, &chrome->name_room, sizeof *names);
    if (names == NULL) return ets_fail_foreign(error);
    chrome->names = names;
    return ets_foreign_text(json->f, ets_foreign_json_argument(json, "name"), &names[number],
                            error);
}

/* A member of "args" that counts, up to INT32_MAX; -1: it has none. */
static int64_t read_count(const struct ets_foreign_json *json, const char *name)
{
    const struct ets_json_value *value = ets_json_get(ets_json_get(json->event, "args"), name);
    const bool is_count = ets_json_is(value, ETS_JSON_INT) && value->as.integer >= 0 &&
                          value->as.integer <= INT32_MAX;
    return is_count ? value->as.integer : -1;
}

/* "fx.py:6" */
static enum ets_status read_source(struct ets_foreign *f, struct ets_text source,
                                   struct ets_slice *slice, struct ets_error *error)
{
    struct ets_text number;
    int64_t line;
    if (!ets_take_last(&source, ":", &number) || !ets_decimal_ns(number, 0, &line) || line < 0 ||
        line > INT32_MAX) {
        return ETS_OK;
    }
    slice->line = (uint32_t)line;
    return ets_foreign_text(f, source, &slice->file, error);
}

/* What an export tells of another runtime's node. */
static enum ets_status read_node(struct ets_foreign_json *json, struct ets_slice *slice,
                                 struct ets_error *error)
{
    struct ets_foreign *f = json->f;
    ETS_TRY(ets_foreign_text(f, ets_foreign_json_argument(json, "node"), &slice->name, error));
    ETS_TRY(
        ets_foreign_text(f, ets_foreign_json_argument(json, "backend"), &slice->backend, error));
    ETS_TRY(ets_foreign_text(f, ets_foreign_json_argument(json, "module"), &slice->module, error));
    return read_source(f, ets_foreign_json_argument(json, "source"), slice, error);
}

static enum ets_status read_own(struct ets_foreign_json *json, struct chrome *chrome,
                                struct ets_slice *slice, struct ets_error *error)
{
    struct ets_foreign *f = json->f;
    const struct ets_text category = ets_foreign_json_member(json, "cat");
    const int64_t run = read_count(json, "run");
    if (run < 0) {
        return ets_fail(error, ETS_MALFORMED, ets_foreign_json_offset(json),
                        "event %u: etscope's export has no \"run\" in its \"args\"",
                        (unsigned)json->number);
    }
    struct ets_own_slice *own =
        ets_arena_grow(&f->arena, chrome->own, f->slice_count, &chrome->own_room, sizeof *own);
    if (own == NULL) return ets_fail_foreign(error);
    chrome->own = own;
    own[f->slice_count] = (struct ets_own_slice){
        .run = (slice->thread & ~(uint64_t)UINT32_MAX) | (uint64_t)run,
        .instruction = (int32_t)read_count(json, "instruction"),
        .is_call = ets_text_is(category, "delegate call"),
    };
    const uint32_t thread = ets_key_table_find(&chrome->threads, &slice->thread);
    if (thread != ETS_KEY_NONE) own[f->slice_count].track = chrome->names[thread];
    slice->is_delegated = ets_text_is(category, "delegate");
    slice->backend = ETS_STRING_NONE;
    if (f->runtime != NULL) ETS_TRY(read_node(json, slice, error));
    if (own[f->slice_count].instruction < 0) slice->kind = ETS_SLICE_LOAD;
    return ets_foreign_add(f, slice, error);
}

static enum ets_status read_event(struct ets_foreign_json *json, void *context,
                                  struct ets_error *error)
{
    struct chrome *chrome = context;
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR};
    const struct ets_text phase = ets_foreign_json_member(json, "ph");
    if (ets_text_is(phase, "M")) return read_name(json, chrome, error);
    if (!ets_text_is(phase, "X")) {
        const bool is_pair = ets_text_is(phase, "B") || ets_text_is(phase, "E");
        ets_foreign_leave_out(json->f, is_pair ? "events of phases B and E, which are not read"
                                               : "events of other phases than X");
        return ETS_OK;
    }
    ETS_TRY(ets_foreign_json_times(json, &slice, error));
    ETS_TRY(ets_foreign_json_thread(json, &slice, error));
    ETS_TRY(ets_foreign_text(json->f, ets_foreign_json_member(json, "name"), &slice.op, error));
    ETS_TRY(ets_foreign_text(json->f, ets_foreign_json_member(json, "cat"), &slice.backend, error));
    if (chrome->is_own) return read_own(json, chrome, &slice, error);
    if (slice.op == ETS_STRING_NONE) {
        return ets_fail(error, ETS_MALFORMED, ets_foreign_json_offset(json),
                        "event %u: a slice without a name", (unsigned)json->number);
    }
    return ets_foreign_add(json->f, &slice, error);
}

/* Whether etscope exported it, in which unit, and whose profile that was. */
static enum ets_status read_metadata(struct ets_foreign_json *json, struct chrome *chrome,
                                     struct ets_error *error)
{
    struct ets_foreign *f = json->f;
    const struct ets_json_value *metadata = ets_json_get(json->tape.values, "metadata");
    const struct ets_text runtime = ets_json_text(ets_json_get(metadata, "runtime"));
    const struct ets_json_value *step = ets_json_get(metadata, "step_ns");
    chrome->is_own = ets_json_text_is(ets_json_get(metadata, "exporter"), "etscope");
    if (!chrome->is_own) return ETS_OK;
    f->runtime = NULL;
    f->is_in_cycles = ets_json_text_is(ets_json_get(metadata, "unit"), "cycles");
    if (runtime.size > 0) {
        f->runtime = ets_arena_copy_text(&f->arena, runtime.data, runtime.size);
        if (f->runtime == NULL) return ets_fail_foreign(error);
    }
    if (ets_json_is(step, ETS_JSON_INT) && step->as.integer > 1 && step->as.integer <= 1000000) {
        f->step_ns = (uint64_t)step->as.integer;
        f->is_truncated = true;
    }
    return ETS_OK;
}

enum ets_status ets_chrome_json_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    struct chrome chrome = {.own = NULL};
    f->by_order = true;
    ets_key_table_init(&chrome.threads, &f->arena, 1);
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) {
        const struct ets_json_value *list = ets_json_get(json.tape.values, "traceEvents");
        status = read_metadata(&json, &chrome, error);
        if (status == ETS_OK) {
            status = ets_foreign_json_events(&json, list != NULL ? list : json.tape.values,
                                             read_event, &chrome, error);
        }
    }
    ets_foreign_json_reset(&json);
    if (status != ETS_OK || !chrome.is_own || f->slice_count == 0) return status;
    return ets_own_trace_arrange(f, chrome.own, error);
}
