/* Reads ONNX Runtime's profile: nodes and executions of a session, in whole microseconds. */
#include "import/foreign_json.h"

/* ONNX Runtime drops what comes after so many events. */
enum { MOST_EVENTS = 1000000 };

static bool ends_with(struct ets_text text, const char *end)
{
    const size_t size = strlen(end);
    return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

/* "fc1" of "/fc1/Gemm", as torch.onnx names nodes by their modules; absent: not such a name. */
static enum ets_status read_module(struct ets_foreign *f, struct ets_text name, uint32_t *number,
                                   struct ets_error *error)
{
    *number = ETS_STRING_NONE;
    if (ets_text_starts_with(name, "fused "))
        name = (struct ets_text){name.data + 6, name.size - 6};
    if (!ets_text_starts_with(name, "/")) return ETS_OK;
    size_t end = name.size;
    while (name.data[end - 1] != '/') end--;
    if (end < 3) return ETS_OK;
    char *path = ets_arena_copy_text(&f->arena, name.data + 1, end - 2);
    if (path == NULL) return ets_fail_foreign(error);
    for (size_t i = 0; i < end - 2; i++) path[i] = path[i] == '/' ? '.' : path[i];
    return ets_foreign_text(f, (struct ets_text){path, end - 2}, number, error);
}

/* ONNX's words for element types; -1: none of ExecuTorch's. */
static int type_of(struct ets_text word)
{
    static const struct {
        const char *word;
        int type;
    } types[] = {{"float", ETS_SCALAR_FLOAT},      {"double", ETS_SCALAR_DOUBLE},
                 {"int64", ETS_SCALAR_LONG},       {"int32", ETS_SCALAR_INT},
                 {"int16", ETS_SCALAR_SHORT},      {"int8", ETS_SCALAR_CHAR},
                 {"uint8", ETS_SCALAR_BYTE},       {"uint16", ETS_SCALAR_UINT16},
                 {"uint32", ETS_SCALAR_UINT32},    {"uint64", ETS_SCALAR_UINT64},
                 {"bool", ETS_SCALAR_BOOL},        {"float16", ETS_SCALAR_HALF},
                 {"bfloat16", ETS_SCALAR_BFLOAT16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (ets_text_is(word, types[i].word)) return types[i].type;
    }
    return -1;
}

/* One {"float":[1,16]}. */
static enum ets_status read_shape(struct ets_foreign *f, const struct ets_json_value *value,
                                  struct ets_slice *slice, struct ets_error *error)
{
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    if (!ets_json_is(value, ETS_JSON_OBJECT) || value->size == 0) return ETS_OK;
    const struct ets_json_value *word = ets_json_first(value), *list = word + 1;
    if (!ets_json_is(list, ETS_JSON_ARRAY)) return ETS_OK;
    const struct ets_json_value *size = ets_json_first(list);
    for (uint32_t i = 0; i < list->size && i < ETS_TENSOR_MAX_RANK; i++) {
        sizes[i] = ets_json_is(size, ETS_JSON_INT) ? size->as.integer : -1;
        size = ets_json_next(size);
    }
    return ets_foreign_shape(f, slice, type_of(ets_json_text(word)), sizes, list->size, error);
}

static enum ets_status read_shapes(struct ets_foreign_json *json, struct ets_slice *slice,
                                   struct ets_error *error)
{
    const struct ets_json_value *list =
        ets_json_get(ets_json_get(json->event, "args"), "output_type_shape");
    if (!ets_json_is(list, ETS_JSON_ARRAY)) return ETS_OK;
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < list->size; i++) {
        ETS_TRY(read_shape(json->f, item, slice, error));
        item = ets_json_next(item);
    }
    return ETS_OK;
}

/* What the node that was added last took of its provider's arena: text of a number. */
static enum ets_status read_memory(const struct ets_foreign_json *json, struct ets_error *error)
{
    static const struct ets_text arena = {"arena", 5};
    struct ets_foreign *f = json->f;
    const struct ets_slice *node = &f->slices[f->slice_count - 1];
    const struct ets_text taken = ets_foreign_json_argument(json, "mem_in_use_delta");
    int64_t bytes;
    if (taken.size == 0 || !ets_decimal_ns(taken, 0, &bytes) || bytes == 0) return ETS_OK;
    if (node->is_frame) return ETS_OK; /* its number counts what the nodes inside took */
    if (bytes < 0) {
        ets_foreign_leave_out(f, "frees of memory");
        return ETS_OK;
    }
    struct ets_slice slice = {.kind = ETS_SLICE_ALLOCATION,
                              .start = node->start,
                              .end = node->start,
                              .thread = node->thread,
                              .owner = f->slice_count,
                              .bytes = (uint64_t)bytes};
    ETS_TRY(ets_foreign_text(f, arena, &slice.op, error));
    return ets_foreign_add(f, &slice, error);
}

static enum ets_status read_node(struct ets_foreign_json *json, struct ets_slice *slice,
                                 struct ets_error *error)
{
    static const char ending[] = "_kernel_time";
    struct ets_foreign *f = json->f;
    struct ets_text name = ets_foreign_json_member(json, "name");
    struct ets_text op = ets_foreign_json_argument(json, "op_name");
    if (ends_with(name, "_fence_before") || ends_with(name, "_fence_after")) {
        ets_foreign_leave_out(f, "fences around nodes");
        return ETS_OK;
    }
    if (ends_with(name, ending)) name.size -= sizeof ending - 1;
    if (op.size == 0) op = name;
    if (op.size == 0) op = (struct ets_text){"(node without a name)", 21};
    /* Their bodies' nodes may run on other threads. */
    slice->is_frame = ets_text_is(op, "If") || ets_text_is(op, "Loop") || ets_text_is(op, "Scan") ||
                      ets_text_is(op, "SequenceMap");
    ETS_TRY(ets_foreign_text(f, op, &slice->op, error));
    ETS_TRY(ets_foreign_text(f, name, &slice->name, error));
    ETS_TRY(
        ets_foreign_text(f, ets_foreign_json_argument(json, "provider"), &slice->backend, error));
    ETS_TRY(read_module(f, name, &slice->module, error));
    ETS_TRY(read_shapes(json, slice, error));
    ETS_TRY(ets_foreign_add(f, slice, error));
    return read_memory(json, error);
}

static enum ets_status read_session(struct ets_foreign_json *json, struct ets_slice *slice,
                                    struct ets_error *error)
{
    struct ets_foreign *f = json->f;
    const struct ets_text name = ets_foreign_json_member(json, "name");
    if (ets_text_is(name, "model_run")) {
        slice->kind = ETS_SLICE_RUN;
        slice->is_frame = true;
    } else if (ets_text_starts_with(name, "model_loading_") ||
               ets_text_is(name, "session_initialization")) {
        slice->kind = ETS_SLICE_LOAD;
        ETS_TRY(ets_foreign_text(f, name, &slice->op, error));
    } else {
        ets_foreign_leave_out(f, "session events between runs and nodes");
        return ETS_OK;
    }
    return ets_foreign_add(f, slice, error);
}

static enum ets_status read_event(struct ets_foreign_json *json, void *context,
                                  struct ets_error *error)
{
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR};
    const struct ets_text category = ets_foreign_json_member(json, "cat");
    const bool is_node = ets_text_is(category, "Node");
    (void)context;
    if (!ets_text_is(ets_foreign_json_member(json, "ph"), "X") ||
        (!is_node && !ets_text_is(category, "Session"))) {
        ets_foreign_leave_out(json->f, "events of other kinds than Session and Node");
        return ETS_OK;
    }
    ETS_TRY(ets_foreign_json_times(json, &slice, error));
    ETS_TRY(ets_foreign_json_thread(json, &slice, error));
    return is_node ? read_node(json, &slice, error) : read_session(json, &slice, error);
}

enum ets_status ets_onnx_profile_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    f->step_ns = 1000;
    f->is_truncated = true;
    f->inner_first = true;
    f->only_frames = true;
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) {
        const struct ets_json_value *list = json.tape.values;
        f->may_lack_events = ets_json_is(list, ETS_JSON_ARRAY) && list->size >= MOST_EVENTS;
        status = ets_foreign_json_events(&json, json.tape.values, read_event, NULL, error);
    }
    ets_foreign_json_reset(&json);
    return status;
}
