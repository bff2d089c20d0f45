/*
 * Reads the trace of PyTorch's profiler (export_chrome_trace). Operators and annotations are
 * slices; Python functions overlap with annotations, so they only tell where operators are from.
 */
#include "import/foreign_json.h"
#include "import/torch_frames.h"

static enum ets_status read_operator(struct ets_foreign_json *json, struct ets_text category,
                                     struct ets_slice *slice, struct ets_error *error)
{
    static const struct ets_text cpu = {"CPU", 3};
    struct ets_foreign *f = json->f;
    const struct ets_text name = ets_foreign_json_member(json, "name");
    if (ets_text_is(category, "user_annotation") && ets_text_starts_with(name, "ProfilerStep#")) {
        slice->kind = ETS_SLICE_RUN;
        return ets_foreign_add(f, slice, error);
    }
    ETS_TRY(ets_foreign_text(f, name, &slice->op, error));
    if (slice->op == ETS_STRING_NONE) {
        return ets_fail(error, ETS_MALFORMED, ets_foreign_json_offset(json),
                        "event %u: an operator without a name", (unsigned)json->number);
    }
    ETS_TRY(ets_foreign_text(f, cpu, &slice->backend, error));
    ETS_TRY(
        ets_torch_place_by_stack(f, ets_foreign_json_argument(json, "Call stack"), slice, error));
    return ets_foreign_add(f, slice, error);
}

/* An allocation of the CPU's memory. */
static enum ets_status read_memory(struct ets_foreign_json *json, struct ets_slice *slice,
                                   struct ets_error *error)
{
    static const struct ets_text cpu = {"CPU", 3};
    const struct ets_json_value *args = ets_json_get(json->event, "args");
    const struct ets_json_value *bytes = ets_json_get(args, "Bytes");
    const struct ets_json_value *device = ets_json_get(args, "Device Type");
    if (!ets_json_is(bytes, ETS_JSON_INT) || bytes->as.integer < 0) {
        ets_foreign_leave_out(json->f, "frees of memory");
        return ETS_OK;
    }
    if (!ets_json_is(device, ETS_JSON_INT) || device->as.integer != 0) {
        ets_foreign_leave_out(json->f, "allocations outside of the CPU's memory");
        return ETS_OK;
    }
    slice->kind = ETS_SLICE_ALLOCATION;
    slice->bytes = (uint64_t)bytes->as.integer;
    ETS_TRY(ets_foreign_text(json->f, cpu, &slice->op, error));
    ETS_TRY(ets_foreign_json_instant(json, slice, error));
    ETS_TRY(ets_foreign_json_thread(json, slice, error));
    return ets_foreign_add(json->f, slice, error);
}

static enum ets_status read_event(struct ets_foreign_json *json, void *context,
                                  struct ets_error *error)
{
    struct ets_torch_frames *frames = context;
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR};
    const struct ets_text phase = ets_foreign_json_member(json, "ph");
    const struct ets_text category = ets_foreign_json_member(json, "cat");
    if (ets_text_is(category, "cpu_instant_event")) return read_memory(json, &slice, error);
    if (ets_text_is(phase, "M")) return ETS_OK; /* names of processes and threads */
    const bool is_python = ets_text_is(category, "python_function");
    if (!ets_text_is(phase, "X") || !(is_python || ets_text_is(category, "cpu_op") ||
                                      ets_text_is(category, "user_annotation"))) {
        ets_foreign_leave_out(json->f, "events of devices, flows and the profiler itself");
        return ETS_OK;
    }
    ETS_TRY(ets_foreign_json_times(json, &slice, error));
    ETS_TRY(ets_foreign_json_thread(json, &slice, error));
    if (!is_python) return read_operator(json, category, &slice, error);
    ets_foreign_leave_out(json->f, "Python functions; operators keep their modules and lines");
    const struct ets_torch_frame frame = {slice.start, slice.end, slice.thread,
                                          ets_foreign_json_member(json, "name")};
    return ets_torch_frames_add(json->f, frames, &frame, error);
}

enum ets_status ets_torch_profile_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    struct ets_torch_frames frames = {.items = NULL};
    f->by_order = true;
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) {
        status = ets_foreign_json_events(&json, ets_json_get(json.tape.values, "traceEvents"),
                                         read_event, &frames, error);
    }
    if (status == ETS_OK) status = ets_torch_place_by_time(f, &frames, error);
    if (status == ETS_OK && f->slice_count == 0) {
        status = ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                          "PyTorch's trace has no operator: an export after the last cycle of a "
                          "schedule is empty; export in on_trace_ready");
    }
    ets_foreign_json_reset(&json);
    return status;
}
