/* Describes the extra block of a trace: facts about the tracer and its runs. */
#define _POSIX_C_SOURCE 200809L
#include "cli/info/info_extra.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "inspect/stated_nodes.h"
#include "views/device_facts.h"

static const char *const mode_names[] = {"stop", "ring", "stream"};
static const char *const purpose_names[] = {"unknown", "load", "execute"};

static const char *name_in(const char *const *names, size_t count, unsigned number)
{
    return number < count ? names[number] : "unknown";
}

static const char *mode_name(const struct ets_trace_facts *trace)
{
    return name_in(mode_names, sizeof mode_names / sizeof *mode_names, trace->mode);
}

static const char *purpose_name(enum ets_trace_purpose purpose)
{
    return name_in(purpose_names, sizeof purpose_names / sizeof *purpose_names, purpose);
}

static double cost_ns(const struct ets_trace_facts *trace)
{
    return (double)trace->cost_ns_q8 / 256;
}

/* The fingerprint's bytes as digits; etscope's own as the number that xxhsum prints. */
static void fingerprint_text(const struct ets_trace_facts *trace, char text[132])
{
    const struct ets_bytes bytes = trace->fingerprint;
    const bool is_number = bytes.size == ETS_PROGRAM_FINGERPRINT_BYTES;
    text[0] = '\0';
    for (size_t i = 0; i < bytes.size && i < 64; i++) {
        const size_t at = is_number ? bytes.size - 1 - i : i;
        snprintf(text + 2 * i, 3, "%02x", bytes.data[at]);
    }
}

/* People see losses only; JSON always has the member. */
static void tell_loss(struct ets_facts *facts, const char *key, uint64_t count, const char *what,
                      const char **before)
{
    ets_json_put_count(facts->json, key, count);
    if (count == 0) return;
    ets_facts_words(facts, "%s%llu %s", *before, (unsigned long long)count, what);
    *before = ", ";
}

static void tell_losses(struct ets_facts *facts, const struct ets_trace_facts *trace)
{
    const struct ets_trace_state *state = &trace->state;
    const char *before = "";
    ets_facts_line(facts, "lost");
    tell_loss(facts, "dropped_count", state->dropped, "events dropped", &before);
    tell_loss(facts, "overwritten_count", state->overwritten, "overwritten in the ring", &before);
    tell_loss(facts, "lost_frame_count", trace->lost_frames, "frames of the stream", &before);
    tell_loss(facts, "unnamed_count", state->unnamed, "names", &before);
    tell_loss(facts, "backwards_count", state->backwards, "durations", &before);
    tell_loss(facts, "stale_count", state->stale, "started before a reset", &before);
    if (*before == '\0') ets_facts_words(facts, "nothing");
    else if (state->first_error != ETS_OK) {
        ets_facts_words(facts, "; first error: %s", ets_status_name(state->first_error));
    }
    ets_facts_end(facts);
}

static void tell_buffers(struct ets_facts *facts, const struct ets_trace_facts *trace)
{
    ets_facts_line(facts, "buffer");
    ets_facts_bytes(facts, "used_bytes", trace->state.used_bytes);
    ets_facts_words(facts, " of ");
    ets_facts_bytes(facts, "capacity_bytes", trace->state.capacity_bytes);
    ets_facts_words(facts, " used for events, mode %s", mode_name(trace));
    ets_facts_end(facts);
    if (trace->state.debug_bytes > 0) ets_facts_line(facts, "debug buffer");
    ets_facts_bytes(facts, "debug_buffer_bytes", trace->state.debug_bytes);
    ets_facts_end(facts);
}

/* Kinds, in the order of the bits of ets_trace_what. */
static const char *const kind_names[] = {"methods",     "operators", "delegates",
                                         "allocations", "outputs",   "intermediates"};

static void tell_filters(struct ets_facts *facts, const struct ets_trace_facts *trace)
{
    const char *before = "";
    enum { KINDS = sizeof kind_names / sizeof *kind_names };
    if ((trace->filtered & ((1u << KINDS) - 1)) != 0) ets_facts_line(facts, "filtered");
    ets_json_begin_array(facts->json, "filtered");
    for (size_t i = 0; i < KINDS; i++) {
        if ((trace->filtered >> i & 1) == 0) continue;
        ets_facts_words(facts, "%s", before);
        ets_facts_string(facts, ETS_FACTS_ITEM, kind_names[i]);
        before = ", ";
    }
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void tell_clock(struct ets_facts *facts, const struct ets_trace_facts *trace,
                       bool is_in_cycles)
{
    ets_json_put_string(facts->json, "unit",
                        is_in_cycles       ? "cycles"
                        : trace->has_clock ? "ns"
                                           : NULL);
    ets_facts_line(facts, "times");
    ets_facts_words(facts, is_in_cycles       ? "cycles"
                           : trace->has_clock ? "nanoseconds"
                                              : "none: the tracer had no clock");
    ets_json_put_count(facts->json, "clock_hz", trace->clock_hz);
    if (trace->clock_hz > 0) {
        ets_facts_words(facts, ", of a clock of %llu Hz", (unsigned long long)trace->clock_hz);
    }
    ets_facts_bool(facts, "calibrated", trace->is_calibrated, ", tied to the platform's clock", "");
    ets_facts_end(facts);
    if (trace->cost_ns_q8 == 0) {
        ets_json_put_null(facts->json, "event_cost_ns");
        return;
    }
    ets_json_put_real(facts->json, "event_cost_ns", cost_ns(trace));
    ets_facts_line(facts, "tracer's cost");
    ets_facts_words(facts, "%.1f ns per event, measured", cost_ns(trace));
    ets_facts_end(facts);
}

/* What its tracer did; nothing for people where the tracer says nothing: it always has a buffer. */
static void tell_tracer(struct ets_facts *facts, const struct ets_trace_facts *trace,
                        bool is_imported)
{
    const bool is_json = ets_facts_are_json(facts);
    if ((is_imported || trace->state.capacity_bytes == 0) && !is_json) return;
    ets_json_put_string(facts->json, "mode", mode_name(trace));
    ets_json_put_string(facts->json, "first_error", ets_status_name(trace->state.first_error));
    if (is_json) tell_losses(facts, trace); /* for people the buffers come first */
    tell_buffers(facts, trace);
    if (!is_json) tell_losses(facts, trace);
    tell_filters(facts, trace);
    ets_facts_number_line(facts, "threads", "thread_count", trace->threads);
    if (is_json || trace->pool_threads > 0) {
        ets_facts_number_line(facts, "pool threads", "pool_thread_count", trace->pool_threads);
    }
}

/* "2026-11-27T07:20:05Z, within 0.031 s" */
static void tell_recorded(struct ets_facts *facts, const struct ets_trace_facts *trace)
{
    const uint64_t begin = trace->recorded_begin, end = trace->recorded_end;
    const time_t second = (time_t)(begin / 1000000000);
    struct tm utc;
    char text[32];
    if (begin == 0 || end < begin || gmtime_r(&second, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        ets_json_put_null(facts->json, "recorded");
        ets_json_put_null(facts->json, "recording_seconds");
        return;
    }
    const double seconds = (double)(end - begin) / 1e9;
    ets_facts_line(facts, "recorded");
    ets_facts_string(facts, "recorded", text);
    ets_json_put_real(facts->json, "recording_seconds", seconds);
    ets_facts_words(facts, ", within %.3g s", seconds);
    ets_facts_end(facts);
}

static bool is_named(struct ets_text name, const char *expected)
{
    return name.size == strlen(expected) && memcmp(name.data, expected, name.size) == 0;
}

/* A label of a line for people; NULL: the fact's own name. */
static const char *label_of(struct ets_text name)
{
    static const char *const labels[][2] = {{"model", "device"},
                                            {"limit_mhz", "clock limit"},
                                            {"clock_mhz", "clock"},
                                            {"load", "load average"},
                                            {"others", "other threads"}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (is_named(name, labels[i][0])) return labels[i][1];
    }
    return NULL;
}

/* How people read a measured fact. */
struct measured {
    const char *name, *unit, *note;
};

static const struct measured *measured_of(struct ets_text name)
{
    static const struct measured facts[] = {{"limit_mhz", " MHz", ""},
                                            {"clock_mhz", " MHz", ""},
                                            {"temperature", " degrees Celsius", ""},
                                            {"load", "", " (of the last minute)"},
                                            {"others", "", " (running or waiting for a core)"},
                                            {"battery", " percent", ""}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (is_named(name, facts[i].name)) return &facts[i];
    }
    return NULL;
}

/* "1800 before, 900 MHz after the runs", or the only value; "80 percent, charging". */
static void tell_measured(struct ets_facts *facts, struct ets_text value, const struct measured *as)
{
    size_t end = 0;
    while (end < value.size && value.data[end] != ' ') end++;
    const bool is_state = strcmp(as->name, "battery") == 0;
    const size_t next = end < value.size ? end + 1 : end;
    ets_facts_text(facts, NULL, (struct ets_text){value.data, end});
    if (is_state || next == value.size) ets_facts_words(facts, "%s", as->unit);
    if (next < value.size) {
        ets_facts_words(facts, is_state ? ", " : " before, ");
        ets_facts_text(facts, NULL, (struct ets_text){value.data + next, value.size - next});
        if (!is_state) ets_facts_words(facts, "%s after the runs", as->unit);
    }
    ets_facts_words(facts, "%s", as->note);
}

/* What it was recorded on. */
static void tell_device(struct ets_facts *facts, struct ets_text device)
{
    struct ets_text name, value;
    if (device.data == NULL) {
        ets_json_put_null(facts->json, "device");
        return;
    }
    ets_json_begin_object(facts->json, "device");
    for (size_t at = 0; ets_device_fact_next(device, &at, &name, &value);) {
        const char *label = label_of(name);
        char key[32];
        if (name.size >= sizeof key) continue;
        memcpy(key, name.data, name.size);
        key[name.size] = '\0';
        if (label != NULL) ets_facts_line(facts, "%s", label);
        else ets_facts_line(facts, "%s", key);
        const struct measured *as = measured_of(name);
        if (as == NULL) {
            ets_facts_text(facts, key, value);
        } else {
            ets_json_put_text(facts->json, key, value);
            tell_measured(facts, value, as);
        }
        ets_facts_end(facts);
    }
    ets_json_end_object(facts->json);
}

static void tell_trace(struct ets_facts *facts, const struct ets_inspection *inspection,
                       const struct ets_trace_facts *trace)
{
    const struct ets_text runtime = ets_inspection_runtime(inspection);
    char fingerprint[132];
    ets_json_begin_object(facts->json, "trace");
    if (runtime.data != NULL) ets_facts_line(facts, "profile of");
    ets_facts_text(facts, "runtime", runtime);
    ets_facts_end(facts);
    tell_recorded(facts, trace);
    tell_device(facts, trace->device);
    tell_clock(facts, trace, ets_inspection_tick_unit(inspection, NULL) == ETS_UNIT_CYCLES);
    tell_tracer(facts, trace, runtime.data != NULL);
    fingerprint_text(trace, fingerprint);
    if (trace->fingerprint.size > 0) ets_facts_line(facts, "program");
    ets_facts_words(facts, "fingerprint ");
    ets_facts_string(facts, "fingerprint", fingerprint[0] == '\0' ? NULL : fingerprint);
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

static void put_run(struct ets_json_writer *json, const struct ets_run *run)
{
    const bool is_told = run->thread != ETS_NO_INDEX;
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "name", run->name);
    ets_json_put_count(json, "block", run->block);
    ets_json_put_integer(json, "bundled_input_index", run->bundled_input_index);
    ets_json_put_text(json, "method", run->method);
    ets_json_put_string(json, "purpose", is_told ? purpose_name(run->purpose) : NULL);
    if (is_told) ets_json_put_count(json, "invocation", run->invocation);
    else ets_json_put_null(json, "invocation");
    if (is_told) ets_json_put_count(json, "thread", run->thread);
    else ets_json_put_null(json, "thread");
    ets_json_put_bool(json, "begin_lost", run->is_partial);
    ets_json_end_object(json);
}

void info_tell_extra(struct ets_facts *facts, const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *trace = ets_inspection_trace(inspection);
    if (trace != NULL) tell_trace(facts, inspection, trace);
    else ets_json_put_null(facts->json, "trace");
    if (!ets_facts_are_json(facts)) return;
    ets_json_begin_array(facts->json, "runs");
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        put_run(facts->json, ets_inspection_run(inspection, i));
    }
    ets_json_end_array(facts->json);
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

static void tell_range(struct ets_facts *facts, const char *label, struct range range)
{
    ets_facts_line(facts, "%s", label);
    ets_facts_words(facts, "%u", range.least);
    if (range.least != range.most) ets_facts_words(facts, " to %u", range.most);
    ets_facts_end(facts);
}

void info_tell_runs(struct ets_facts *facts, const struct ets_inspection *inspection,
                    uint32_t block)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    const struct ets_run *first = ets_inspection_run(inspection, b->first_run);
    struct range invocations = {UINT32_MAX, 0}, threads = {UINT32_MAX, 0};
    uint32_t partial = 0;
    if (ets_facts_are_json(facts) || first->thread == ETS_NO_INDEX) return;
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->block != block) continue;
        widen(&invocations, run->invocation);
        widen(&threads, run->thread);
        partial += run->is_partial ? 1 : 0;
    }
    if (b->is_method_named) {
        ets_facts_line(facts, "method");
        ets_facts_text(facts, NULL, first->method);
        ets_facts_words(facts, ", %s", purpose_name(first->purpose));
        ets_facts_end(facts);
    }
    if (first->purpose != ETS_TRACE_LOAD) tell_range(facts, "invocations", invocations);
    tell_range(facts, "threads", threads);
    if (partial > 0) ets_facts_number_line(facts, "begin lost", NULL, partial);
}
