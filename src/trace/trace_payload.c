/*
 * Stores bytes of tensors. In stop and stream mode all threads fill the debug buffer from its
 * start. In a ring each chunk has a part of it for the bytes of its tensors, so that both are
 * overwritten together, and the thread that holds the chunk needs no atomic operation.
 */
#include "trace/trace_payload.h"

enum { ALIGNMENT = 64 }; /* of addresses, as in the runtime's own buffer sink */

size_t ets_trace_padded(size_t size)
{
    const size_t rest = (size_t)-size & (ALIGNMENT - 1);
    return size > SIZE_MAX - rest ? SIZE_MAX : size + rest;
}

/* Bytes before the first aligned one. */
static size_t lead_bytes(const struct ets_trace *trace)
{
    return (size_t)(-(uintptr_t)trace->config.debug_buffer & (ALIGNMENT - 1));
}

static bool has_parts(const struct ets_trace *trace)
{
    return trace->config.mode == ETS_TRACE_RING && trace->config.data_sink.write == NULL &&
           trace->config.debug_buffer != NULL;
}

/* The largest size of `chunk_count` equal parts, without division. */
static uint32_t part_bytes(const struct ets_trace *trace, size_t bytes)
{
    uint32_t part = 0;
    if (bytes < lead_bytes(trace)) return 0;
    bytes -= lead_bytes(trace);
    for (uint32_t step = UINT32_C(1) << 31; step >= ALIGNMENT; step >>= 1) {
        if ((uint64_t)trace->chunk_count * ((uint64_t)part + step) <= bytes) part += step;
    }
    return part;
}

void ets_trace_set_debug_buffer(struct ets_trace *trace, void *buffer, size_t bytes)
{
    trace->config.debug_buffer = buffer;
    trace->config.debug_buffer_bytes = buffer == NULL ? 0 : bytes;
    trace->debug_bytes = 0; /* no other thread records now */
    trace->part_bytes = 0;
    if (trace->config.mode != ETS_TRACE_RING || trace->chunk_count == 0) return;
    trace->part_bytes = part_bytes(trace, trace->config.debug_buffer_bytes);
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        ets_store_relaxed(&trace->chunks[i].payload_bytes, 0);
    }
}

void ets_trace_set_data_sink(struct ets_trace *trace, struct ets_trace_data_sink sink)
{
    trace->config.data_sink = sink;
}

enum ets_status ets_trace_prepare_payload(struct ets_trace_thread *thread, size_t padded)
{
    const struct ets_trace *trace = thread->trace;
    if (!has_parts(trace)) return ETS_OK;
    if (padded > trace->part_bytes) return ETS_NO_SPACE;
    if (thread->chunk == NULL) return ETS_OK;
    const size_t used = ets_trace_padded(ets_load_relaxed(&thread->chunk->payload_bytes));
    if (padded > trace->part_bytes - used) ets_trace_thread_release(thread);
    return ETS_OK;
}

static enum ets_status write_to_part(struct ets_trace_thread *thread, const void *data, size_t size,
                                     uint64_t *offset_out)
{
    const struct ets_trace *trace = thread->trace;
    struct ets_trace_chunk *chunk = thread->chunk;
    const size_t used = ets_trace_padded(ets_load_relaxed(&chunk->payload_bytes));
    if (used > trace->part_bytes || size > trace->part_bytes - used) return ETS_NO_SPACE;
    const size_t at =
        lead_bytes(trace) + (size_t)(chunk - trace->chunks) * trace->part_bytes + used;
    ets_copy((uint8_t *)trace->config.debug_buffer + at, data, size);
    ets_store_relaxed(&chunk->payload_bytes, (uint32_t)(used + size));
    *offset_out = at;
    return ETS_OK;
}

static enum ets_status write_to_buffer(struct ets_trace *trace, const void *data, size_t size,
                                       uint64_t *offset_out)
{
    const struct ets_trace_config *config = &trace->config;
    const uintptr_t base = (uintptr_t)config->debug_buffer;
    const size_t limit = config->debug_buffer_bytes;
    size_t before = ets_load_size(&trace->debug_bytes);
    for (;;) {
        const size_t at = before + (size_t)(-(base + before) & (ALIGNMENT - 1));
        if (at > limit || size > limit - at) return ETS_NO_SPACE;
        if (!ets_exchange_size_if(&config->section, &trace->debug_bytes, &before, at + size)) {
            continue;
        }
        uint8_t *to = config->debug_buffer;
        ets_clear(to + before, at - before);
        ets_copy(to + at, data, size);
        *offset_out = at;
        return ETS_OK;
    }
}

enum ets_status ets_trace_write_data(struct ets_trace_thread *thread, const void *data, size_t size,
                                     int64_t *offset_out)
{
    struct ets_trace *trace = thread->trace;
    const struct ets_trace_config *config = &trace->config;
    uint64_t offset = 0;
    enum ets_status status;
    *offset_out = -1;
    if (size == 0) return ETS_OK;
    if (data == NULL) return ETS_INVALID_ARGUMENT;
    if (config->data_sink.write != NULL) {
        ets_section_enter(&config->section);
        status = config->data_sink.write(config->data_sink.context, data, size, &offset);
        ets_section_leave(&config->section);
    } else if (has_parts(trace)) {
        status = write_to_part(thread, data, size, &offset);
    } else {
        status = write_to_buffer(trace, data, size, &offset);
    }
    if (status == ETS_OK && offset > INT64_MAX) return ETS_LIMIT;
    if (status == ETS_OK) *offset_out = (int64_t)offset;
    return status;
}

size_t ets_trace_debug_bytes(const struct ets_trace *trace)
{
    if (!has_parts(trace)) return ets_load_size(&trace->debug_bytes);
    for (uint32_t i = trace->chunk_count; i-- > 0;) {
        const uint32_t used = ets_load_relaxed(&trace->chunks[i].payload_bytes);
        if (used != 0) return lead_bytes(trace) + (size_t)i * trace->part_bytes + used;
    }
    return 0;
}
