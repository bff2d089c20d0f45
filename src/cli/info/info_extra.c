/* Describes the extra block of a trace: what etscope's tracer tells of itself and its runs. */
#include "cli/info/info_extra.h"

#include <stdio.h>

static const char *const mode_names[] = {"stop", "ring", "stream"};
static const char *const purpose_names[] = {"unknown", "load", "execute"};

static const char *name_in(const char *const *names, size_t count, unsigned number)
{
    return number < count ? names[number] : "unknown";
}

static const char *mode_name(const struct ets_trace_summary *summary)
{
    return name_in(mode_names, sizeof mode_names / sizeof *mode_names, summary->mode);
}

static const char *purpose_name(enum ets_trace_purpose purpose)
{
    return name_in(purpose_names, sizeof purpose_names / sizeof *purpose_names, purpose);
}

static double cost_ns(const struct ets_trace_summary *summary)
{
    return (double)summary->cost_ns_q8 / 256;
}

/* The fingerprint's bytes as digits; etscope's own as the number that xxhsum prints. */
static void print_fingerprint(const struct ets_trace_summary *summary, char text[132])
{
    const struct ets_bytes bytes = summary->fingerprint;
    const bool is_number = bytes.size == ETS_PROGRAM_FINGERPRINT_BYTES;
    text[0] = '\0';
    for (size_t i = 0; i < bytes.size && i < 64; i++) {
        const size_t at = is_number ? bytes.size - 1 - i : i;
        snprintf(text + 2 * i, 3, "%02x", bytes.data[at]);
    }
}

static void add_loss(struct info_line *line, uint64_t count, const char *what)
{
    if (count == 0) return;
    info_add(line, "%s%llu %s", line->size > INFO_LABEL + 2 ? ", " : "", (unsigned long long)count,
             what);
}

static void print_losses(struct info_request *request, const struct ets_trace_summary *summary)
{
    const struct ets_trace_state *state = &summary->state;
    struct info_line line = {.size = 0};
    info_label(&line, "lost");
    const size_t start = line.size;
    add_loss(&line, state->dropped, "events dropped");
    add_loss(&line, state->overwritten, "given up by the ring");
    add_loss(&line, summary->lost_frames, "frames of the stream");
    add_loss(&line, state->unnamed, "names");
    add_loss(&line, state->backwards, "durations");
    add_loss(&line, state->stale, "begun before a reset");
    if (line.size == start) info_add(&line, "nothing");
    else if (state->first_error != ETS_OK) {
        info_add(&line, "; first error: %s", ets_status_name(state->first_error));
    }
    info_end_line(request->output, &line);
}

/* Kinds, in the order of the bits of ets_trace_what. */
static const char *const kind_names[] = {"methods",     "operators", "delegates",
                                         "allocations", "outputs",   "intermediates"};

static void print_filters(struct info_request *request, const struct ets_trace_summary *summary)
{
    struct info_line line = {.size = 0};
    info_label(&line, "filtered");
    const size_t start = line.size;
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if ((summary->filtered >> i & 1) == 0) continue;
        info_add(&line, "%s%s", line.size == start ? "" : ", ", kind_names[i]);
    }
    if (line.size > start) info_end_line(request->output, &line);
}

static void put_filters(struct info_json *json, const struct ets_trace_summary *summary)
{
    info_json_array(json, "filtered");
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if ((summary->filtered >> i & 1) != 0) info_json_string(json, NULL, kind_names[i]);
    }
    info_json_end_array(json);
}

void info_print_extra(struct info_request *request, const struct ets_inspection *inspection)
{
    const struct ets_trace_summary *summary = ets_inspection_trace(inspection);
    struct info_line line = {.size = 0};
    if (summary == NULL) return;
    info_label(&line, "times");
    info_add(&line, summary->has_clock ? "nanoseconds" : "none: the tracer had no clock");
    if (summary->clock_hz > 0) {
        info_add(&line, ", of a clock of %llu Hz", (unsigned long long)summary->clock_hz);
    }
    if (summary->is_calibrated) info_add(&line, ", tied to the platform's clock");
    info_end_line(request->output, &line);
    if (summary->cost_ns_q8 > 0) {
        info_fact(request->output, "tracer's cost", "%.1f ns for an event, measured",
                  cost_ns(summary));
    }
    info_label(&line, "buffer");
    info_add_bytes(&line, summary->state.used_bytes);
    info_add(&line, " of ");
    info_add_bytes(&line, summary->state.capacity_bytes);
    info_add(&line, " for events, mode %s", mode_name(summary));
    info_end_line(request->output, &line);
    if (summary->state.debug_bytes > 0) {
        info_label(&line, "debug buffer");
        info_add_bytes(&line, summary->state.debug_bytes);
        info_end_line(request->output, &line);
    }
    print_losses(request, summary);
    print_filters(request, summary);
    info_fact(request->output, "threads", "%u", summary->threads);
    if (summary->fingerprint.size > 0) {
        char text[132];
        print_fingerprint(summary, text);
        info_fact(request->output, "program", "fingerprint %s", text);
    }
}

/* Least and most of a block's runs. */
struct range {
    uint32_t least, most;
};

static void widen(struct range *range, uint32_t value)
{
    if (value < range->least) range->least = value;
    if (value > range->most) range->most = value;
}

static void print_range(struct info_request *request, const char *label, struct range range)
{
    if (range.least == range.most) info_fact(request->output, label, "%u", range.least);
    else info_fact(request->output, label, "%u to %u", range.least, range.most);
}

void info_print_runs(struct info_request *request, const struct ets_inspection *inspection,
                     uint32_t block)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    const struct ets_run *first = ets_inspection_run(inspection, b->first_run);
    struct range invocations = {UINT32_MAX, 0}, threads = {UINT32_MAX, 0};
    uint32_t partial = 0;
    if (first->thread == ETS_NO_INDEX) return;
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->block != block) continue;
        widen(&invocations, run->invocation);
        widen(&threads, run->thread);
        partial += run->is_partial ? 1 : 0;
    }
    if (b->is_method_named) {
        struct info_line line = {.size = 0};
        info_label(&line, "method");
        info_add_text(&line, first->method);
        info_add(&line, ", %s", purpose_name(first->purpose));
        info_end_line(request->output, &line);
    }
    if (first->purpose != ETS_TRACE_LOAD) print_range(request, "invocations", invocations);
    print_range(request, "threads", threads);
    if (partial > 0) info_fact(request->output, "begin lost", "%u", partial);
}

static void put_summary(struct info_json *json, const struct ets_trace_summary *summary)
{
    const struct ets_trace_state *state = &summary->state;
    info_json_object(json, "trace");
    info_json_string(json, "unit", summary->has_clock ? "ns" : NULL);
    info_json_count(json, "clock_hz", summary->clock_hz);
    info_json_bool(json, "calibrated", summary->is_calibrated);
    if (summary->cost_ns_q8 > 0) info_json_real(json, "event_cost_ns", cost_ns(summary));
    else info_json_null(json, "event_cost_ns");
    info_json_string(json, "mode", mode_name(summary));
    info_json_string(json, "first_error", ets_status_name(state->first_error));
    info_json_count(json, "dropped_count", state->dropped);
    info_json_count(json, "overwritten_count", state->overwritten);
    info_json_count(json, "lost_frame_count", summary->lost_frames);
    info_json_count(json, "unnamed_count", state->unnamed);
    info_json_count(json, "backwards_count", state->backwards);
    info_json_count(json, "stale_count", state->stale);
    info_json_count(json, "used_bytes", state->used_bytes);
    info_json_count(json, "capacity_bytes", state->capacity_bytes);
    info_json_count(json, "debug_buffer_bytes", state->debug_bytes);
    put_filters(json, summary);
    info_json_count(json, "thread_count", summary->threads);
    char text[132];
    print_fingerprint(summary, text);
    info_json_string(json, "fingerprint", text[0] == '\0' ? NULL : text);
    info_json_end_object(json);
}

void info_put_extra(struct info_json *json, const struct ets_inspection *inspection)
{
    const struct ets_trace_summary *summary = ets_inspection_trace(inspection);
    if (summary != NULL) put_summary(json, summary);
    else info_json_null(json, "trace");
    info_json_array(json, "runs");
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        const bool is_told = run->thread != ETS_NO_INDEX;
        info_json_object(json, NULL);
        info_json_text(json, "name", run->name);
        info_json_count(json, "block", run->block);
        info_json_integer(json, "bundled_input_index", run->bundled_input_index);
        info_json_text(json, "method", run->method);
        info_json_string(json, "purpose", is_told ? purpose_name(run->purpose) : NULL);
        if (is_told) info_json_count(json, "invocation", run->invocation);
        else info_json_null(json, "invocation");
        if (is_told) info_json_count(json, "thread", run->thread);
        else info_json_null(json, "thread");
        info_json_bool(json, "begin_lost", run->is_partial);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}
