/* Sets up a trace: divides the buffer, starts and ends recording, and reports its state. */
#include "trace/recorder.h"
#include "trace/trace_payload.h"
#include "trace/trace_stream.h"

enum { MOST_CHUNKS = 16, WANTED_CHUNK_SLOTS = 16, ALIGNMENT = 8 };

_Static_assert(ETS_ENABLED_WHAT ==
                   (ETS_TRACE_DEFAULT | ETS_TRACE_OUTPUTS | ETS_TRACE_INTERMEDIATES),
               "bits of ets_trace_what");

/* An aligned part of the caller's buffer. */
struct area {
    uint8_t *at;
    size_t bytes;
};

static struct area aligned(void *buffer, size_t bytes)
{
    const size_t skip = (size_t)(-(uintptr_t)buffer & (ALIGNMENT - 1));
    if (buffer == NULL || bytes <= skip) return (struct area){NULL, 0};
    return (struct area){(uint8_t *)buffer + skip, (bytes - skip) & ~(size_t)(ALIGNMENT - 1)};
}

static size_t chunk_bytes(uint32_t slots)
{
    return sizeof(struct ets_trace_chunk) + (size_t)slots * ETS_SLOT_BYTES;
}

/* Slots of each of `count` chunks in `bytes`. Subtracts, because small processors cannot divide. */
static uint32_t slots_for(size_t bytes, uint32_t count)
{
    uint32_t slots = 0;
    for (uint32_t step = UINT32_C(1) << 26; step != 0; step >>= 1) {
        const uint64_t wanted = (uint64_t)count * chunk_bytes(slots + step);
        if (wanted <= bytes) slots += step;
    }
    return slots;
}

static void cut(struct ets_trace *trace, struct area area)
{
    uint32_t count = trace->config.chunk_count;
    if (count == 0) {
        count = MOST_CHUNKS;
        while (count > 1 && slots_for(area.bytes, count) < WANTED_CHUNK_SLOTS) count--;
    }
    const uint32_t slots = slots_for(area.bytes, count);
    if (slots < ETS_SMALLEST_CHUNK_SLOTS) return;
    trace->chunk_count = count;
    trace->chunk_slots = slots;
    trace->chunks = (void *)area.at;
    trace->slots = area.at + count * sizeof(struct ets_trace_chunk);
    ets_clear(trace->chunks, count * sizeof(struct ets_trace_chunk));
}

static void lay_out(struct ets_trace *trace)
{
    const struct ets_trace_config *config = &trace->config;
    struct area area = aligned(config->buffer, config->buffer_bytes);
    if (config->names != NULL) {
        ets_trace_names_init(trace, config->names, config->names_bytes);
    } else {
        const size_t names_bytes = (area.bytes >> 2) & ~(size_t)(ALIGNMENT - 1);
        ets_trace_names_init(trace, area.at, names_bytes);
        if (area.at != NULL) area.at += names_bytes;
        area.bytes -= names_bytes;
    }
    cut(trace, area);
}

static enum ets_status check(const struct ets_trace_config *config)
{
    if (config == NULL || (unsigned)config->mode > ETS_TRACE_STREAM) return ETS_INVALID_ARGUMENT;
    if (config->mode == ETS_TRACE_STREAM && config->stream.write == NULL) {
        return ETS_INVALID_ARGUMENT;
    }
    return config->chunk_count > UINT32_C(1) << 20 ? ETS_INVALID_ARGUMENT : ETS_OK;
}

/* Replaces a missing clock, so that no check is needed on each reading. */
static uint64_t no_time(void *context)
{
    (void)context;
    return 0;
}

#ifdef ETS_TRACE_HAS_CYCLES
uint64_t ets_trace_cycles(void *context)
{
    (void)context;
    return ets_read_cycles();
}
#endif

static void read_clocks_first(struct ets_trace *trace)
{
    trace->has_clock = trace->config.clock != NULL && trace->config.clock != no_time;
    if (!trace->has_clock) trace->config.clock = no_time;
    trace->has_platform = trace->config.platform_clock != NULL;
    ets_trace_read_clocks(trace, &trace->first_ticks, &trace->first_platform);
}

enum ets_status ets_trace_init(struct ets_trace *trace, const struct ets_trace_config *config)
{
    const enum ets_status status = check(config);
    ets_clear(trace, sizeof *trace);
    if (status != ETS_OK) {
        trace->enabled = ETS_TRACE_FINISHED;
        trace->config.clock = no_time;
        trace->first_error = (uint32_t)status;
        return status;
    }
    trace->config = *config;
    struct ets_bytes *fingerprint = &trace->config.fingerprint;
    if (fingerprint->data == NULL) fingerprint->size = 0;
    if (fingerprint->size > sizeof trace->fingerprint) {
        fingerprint->size = sizeof trace->fingerprint;
    }
    if (fingerprint->size != 0) {
        ets_copy(trace->fingerprint, config->fingerprint.data, fingerprint->size);
    }
    fingerprint->data = trace->fingerprint;
    lay_out(trace);
    ets_trace_set_debug_buffer(trace, config->debug_buffer, config->debug_buffer_bytes);
    read_clocks_first(trace);
    ets_trace_enable(trace, config->what == 0 ? ETS_TRACE_DEFAULT : config->what);
    if (trace->chunk_count != 0) return ETS_OK;
    trace->first_error = ETS_NO_SPACE;
    return config->chunk_count > 1 ? ETS_INVALID_ARGUMENT : ETS_NO_SPACE;
}

enum ets_status ets_trace_reset(struct ets_trace *trace)
{
    uint8_t kept[sizeof trace->fingerprint];
    struct ets_trace_config config = trace->config;
    const struct ets_trace_choices choices = trace->choices;
    const uint32_t cost = trace->cost_ticks_q8, generation = (trace->generation + 1) & INT32_MAX;
    ets_copy(kept, trace->fingerprint, sizeof kept);
    config.fingerprint.data = kept;
    const enum ets_status status = ets_trace_init(trace, &config);
    trace->choices = choices;
    trace->cost_ticks_q8 = cost;
    trace->generation = generation;
    ets_trace_enable_filters(trace);
    return status;
}

/* Sets the bits of `mask`. After the end it changes nothing. */
static void set_enabled(struct ets_trace *trace, uint32_t mask, uint32_t bits)
{
    uint32_t before = ets_load_relaxed(&trace->enabled), after;
    do {
        if ((before & ETS_TRACE_FINISHED) != 0) return;
        after = (before & ~mask) | (bits & mask);
    } while (!ets_compare_exchange(&trace->config.section, &trace->enabled, &before, after));
}

void ets_trace_enable(struct ets_trace *trace, uint32_t what)
{
    uint32_t bits = what & ETS_ENABLED_WHAT;
    if (trace->config.mode == ETS_TRACE_STREAM) bits |= ETS_ENABLED_BEGINS;
#ifdef ETS_TRACE_HAS_CYCLES
    else if (trace->config.clock == ets_trace_cycles) bits |= ETS_ENABLED_CYCLES;
#endif
    set_enabled(trace, ~ETS_TRACE_FILTERED(ETS_ENABLED_WHAT), bits);
}

void ets_trace_enable_filters(struct ets_trace *trace)
{
    const uint32_t kinds = trace->choices.filtered;
    ets_trace_note_kinds(trace, kinds);
    set_enabled(trace, ETS_TRACE_FILTERED(ETS_ENABLED_WHAT), ETS_TRACE_FILTERED(kinds));
}

void ets_trace_finish(struct ets_trace *trace)
{
    if ((ets_load_relaxed(&trace->enabled) & ETS_TRACE_FINISHED) != 0) return;
    ets_store_release(&trace->enabled, ETS_TRACE_FINISHED);
    ets_trace_read_clocks(trace, &trace->last_ticks, &trace->last_platform);
    if (trace->config.mode == ETS_TRACE_STREAM) ets_trace_send_end(trace);
}

void ets_trace_get_state(const struct ets_trace *trace, struct ets_trace_state *state_out)
{
    size_t slots = 0;
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        slots += ets_load_acquire(&trace->chunks[i].used);
    }
    *state_out = (struct ets_trace_state){
        .first_error = (enum ets_status)ets_load_relaxed(&trace->first_error),
        .dropped = ets_load_relaxed(&trace->dropped),
        .unnamed = ets_load_relaxed(&trace->unnamed),
        .backwards = ets_load_relaxed(&trace->backwards),
        .overwritten = ets_load_relaxed(&trace->overwritten),
        .stale = ets_load_relaxed(&trace->stale),
        .names = ets_trace_name_count(trace),
        .used_bytes = slots * ETS_SLOT_BYTES,
        .capacity_bytes = (size_t)trace->chunk_count * trace->chunk_slots * ETS_SLOT_BYTES,
        .debug_bytes = ets_trace_debug_bytes(trace)};
}

/* The least ticks that so many pairs took: those are free of interruptions. */
static uint64_t least_ticks(struct ets_trace_thread *own, unsigned times, unsigned pairs)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < times; i++) {
        const uint64_t before = ets_now(own->trace);
        for (unsigned j = 0; j < pairs; j++) {
            ets_trace_end(own, ets_trace_begin(own, ETS_TRACE_OPERATORS, "OPERATOR_CALL"));
        }
        const uint64_t ticks = ets_now(own->trace) - before;
        if (ticks < least) least = ticks;
    }
    return least;
}

/*
 * Measures the cost of a pair with its two clock readings: records pairs into a chunk on the stack,
 * in a separate trace with the same clock. Few pairs at a time are within a few ticks of a slow
 * clock, such as 64-bit Arm's: then more of them are measured as one.
 */
void ets_trace_measure_cost(struct ets_trace_thread *thread)
{
    enum { CHUNK_BYTES = 512, FEW = 4, MANY = 64, LEAST_TICKS = 16 };
    uint64_t room[(CHUNK_BYTES + 256) / sizeof(uint64_t)];
    struct ets_trace *trace = thread->trace, scratch;
    struct ets_trace_thread own;
    struct ets_trace_config config = trace->config;
    config.buffer = room;
    config.buffer_bytes = sizeof room;
    config.names = NULL;
    config.chunk_count = 1;
    config.mode = ETS_TRACE_RING;
    config.what = ETS_TRACE_OPERATORS;
    config.debug_buffer = NULL;
    if (!trace->has_clock || ets_trace_init(&scratch, &config) != ETS_OK) return;
    ets_trace_thread_init(&own, &scratch);
    uint64_t cost = least_ticks(&own, 64, FEW) * (256 / FEW);
    if (cost < LEAST_TICKS * (256 / FEW)) cost = least_ticks(&own, 8, MANY) * (256 / MANY);
    trace->cost_ticks_q8 = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost;
}
