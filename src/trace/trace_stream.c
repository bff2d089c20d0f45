/*
 * Sends records as a stream of frames with checksums, so that any part of a capture is usable.
 * docs/SPEC.md describes every byte.
 */
#include "trace/trace_stream.h"

#include "base/crc32.h"
#include "trace/recorder.h"
#include "trace/store.h"

enum { REPEAT_AFTER_FRAMES = 64, NAMES_PER_FRAME = 64 };

/* A frame. Its payload is visited twice: for the checksum, and for the stream. */
struct frame {
    struct ets_trace *trace;
    bool is_measuring;
    uint32_t bytes, crc;
    bool is_refused;
};

static void put(struct frame *frame, const void *data, size_t size)
{
    const struct ets_etdump_sink *stream = &frame->trace->config.stream;
    if (size == 0 || frame->is_refused) return;
    if (frame->is_measuring) {
        frame->bytes += (uint32_t)size;
        frame->crc = ets_crc32(frame->crc, data, size);
    } else if (stream->write(stream->context, data, size) != 0) {
        frame->is_refused = true;
    }
}

/* The payload of a frame. */
struct payload {
    enum ets_frame_type type;
    uint32_t first, count;               /* NAMES: of names; RECORDS: of slots */
    const struct ets_trace_chunk *chunk; /* RECORDS */
    const uint8_t *slots;
};

static void put_start(struct frame *frame)
{
    const struct ets_trace *trace = frame->trace;
    const struct ets_trace_config *config = &trace->config;
    uint8_t bytes[ETS_FRAME_START_BYTES], *at = bytes;
    at = ets_store_u64(at, config->clock_hz);
    at = ets_store_u64(at, config->platform_ns_numerator);
    at = ets_store_u64(at, config->platform_ns_denominator);
    at = ets_store_u64(at, trace->first_ticks);
    at = ets_store_u64(at, trace->first_platform);
    at = ets_store_u32(
        at, trace->has_clock | trace->has_platform << 1 | ets_trace_filtered_kinds(trace) << 8);
    ets_store_u32(at, trace->cost_ticks_q8);
    put(frame, bytes, sizeof bytes);
    put(frame, trace->fingerprint, config->fingerprint.size);
}

static void put_names(struct frame *frame, const struct payload *payload)
{
    uint8_t bytes[4];
    ets_store_u16(ets_store_u16(bytes, payload->first), payload->count);
    put(frame, bytes, sizeof bytes);
    for (uint32_t i = 0; i < payload->count; i++) {
        const struct ets_etdump_name *name = &frame->trace->names[payload->first + i];
        ets_store_u16(bytes, (uint32_t)name->text.size);
        put(frame, bytes, 2);
        put(frame, ets_load_text(&name->text.data), name->text.size);
    }
}

static void put_records(struct frame *frame, const struct payload *payload)
{
    uint8_t bytes[12], *at = bytes;
    at = ets_store_u32(at, payload->chunk->lane);
    at = ets_store_u32(at, ets_chunk_sequence(ets_load_relaxed(&payload->chunk->state)));
    ets_store_u32(at, payload->first);
    put(frame, bytes, sizeof bytes);
    put(frame, payload->slots + (size_t)payload->first * ETS_SLOT_BYTES,
        (size_t)payload->count * ETS_SLOT_BYTES);
}

static void put_end(struct frame *frame)
{
    const struct ets_trace *trace = frame->trace;
    uint8_t bytes[ETS_FRAME_END_BYTES], *at = bytes;
    at = ets_store_u64(at, trace->last_ticks);
    at = ets_store_u64(at, trace->last_platform);
    at = ets_store_u32(at, ets_load_relaxed(&trace->first_error));
    at = ets_store_u32(at, ets_load_relaxed(&trace->dropped));
    at = ets_store_u32(at, ets_load_relaxed(&trace->unnamed));
    at = ets_store_u32(at, ets_load_relaxed(&trace->backwards));
    ets_store_u32(at, ets_load_relaxed(&trace->stale));
    put(frame, bytes, sizeof bytes);
}

static void put_payload(struct frame *frame, const struct payload *payload)
{
    switch (payload->type) {
    case ETS_FRAME_START: put_start(frame); break;
    case ETS_FRAME_NAMES: put_names(frame, payload); break;
    case ETS_FRAME_RECORDS: put_records(frame, payload); break;
    case ETS_FRAME_END: put_end(frame); break;
    }
}

static bool send_frame(struct ets_trace *trace, const struct payload *payload)
{
    struct frame frame = {.trace = trace, .is_measuring = true};
    uint8_t header[ETS_FRAME_HEADER_BYTES];
    put_payload(&frame, payload);
    ets_copy(header, ETS_FRAME_MAGIC, 4);
    ets_store_u16(ets_store_u16(header + 4, ETS_FRAME_VERSION), payload->type);
    ets_store_u32(ets_store_u32(header + 8, trace->sent), frame.bytes);
    /* The checksum ends with the header, because its length is known only now. */
    ets_store_u32(header + 16, ets_crc32(frame.crc, header + 4, 12));
    frame.is_measuring = false;
    put(&frame, header, sizeof header);
    put_payload(&frame, payload);
    trace->sent++;
    return !frame.is_refused;
}

/* Sends names that readers may not know: complete ones only, in order. */
static bool send_names(struct ets_trace *trace)
{
    const uint32_t count = ets_trace_name_count(trace);
    while (trace->stream_names < count) {
        struct payload payload = {.type = ETS_FRAME_NAMES, .first = trace->stream_names};
        while (payload.count < NAMES_PER_FRAME && payload.first + payload.count < count &&
               ets_load_text(&trace->names[payload.first + payload.count].text.data) != NULL) {
            payload.count++;
        }
        if (payload.count == 0) return true; /* another thread is adding it */
        if (!send_frame(trace, &payload)) return false;
        trace->stream_names += payload.count;
    }
    return true;
}

/*
 * Repeats everything that a late reader needs after REPEAT_AFTER_FRAMES, or after as many frames as
 * the last repetition took, so that names take at most half of the stream; and when START has more
 * kinds to tell of which some runs have no events.
 */
static bool send_preamble(struct ets_trace *trace)
{
    const struct payload start = {.type = ETS_FRAME_START};
    const uint32_t before = trace->sent, kinds = ets_trace_filtered_kinds(trace);
    const bool is_news = kinds != ets_trace_told_kinds(trace);
    if (before < trace->next_preamble && !is_news) return send_names(trace);
    ets_trace_note_kinds(trace, kinds << ETS_KINDS_TOLD);
    trace->stream_names = 0;
    const bool is_sent = send_frame(trace, &start) && send_names(trace);
    const uint32_t took = trace->sent - before;
    trace->next_preamble = trace->sent + (took > REPEAT_AFTER_FRAMES ? took : REPEAT_AFTER_FRAMES);
    return is_sent;
}

static uint32_t count_events(const uint8_t *slots, uint32_t from, uint32_t to)
{
    uint32_t events = 0;
    while (from < to) {
        const uint8_t *record = slots + (size_t)from * ETS_SLOT_BYTES;
        events += (uint32_t)ets_record_is_kept(record);
        from += ets_record_slots(record);
    }
    return events;
}

/* False: another thread is sending. */
static bool start_sending(struct ets_trace *trace)
{
    uint32_t idle = 0;
    return ets_compare_exchange(&trace->config.section, &trace->is_sending, &idle, 1);
}

/* Sends the complete, unsent records of a chunk. The caller must be the sending thread. */
static enum ets_status send_rest(struct ets_trace *trace, uint32_t index)
{
    struct ets_trace_chunk *chunk = &trace->chunks[index];
    const uint32_t used = ets_load_acquire(&chunk->used);
    const struct payload payload = {.type = ETS_FRAME_RECORDS,
                                    .first = chunk->sent,
                                    .count = used - chunk->sent,
                                    .chunk = chunk,
                                    .slots = ets_chunk_slots(trace, index)};
    if (used == chunk->sent) return ETS_OK;
    chunk->sent = used;
    if (send_preamble(trace) && send_frame(trace, &payload)) return ETS_OK;
    ets_trace_note(trace, ETS_IO);
    ets_trace_count(trace, &trace->dropped, count_events(payload.slots, payload.first, used));
    return ETS_IO;
}

/* The oldest full chunk, or the number of chunks. */
static uint32_t oldest_unsent(const struct ets_trace *trace)
{
    uint32_t oldest = trace->chunk_count, lowest = 0;
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        const uint32_t state = ets_load_acquire(&trace->chunks[i].state);
        if ((state & 3) != ETS_CHUNK_UNSENT) continue;
        if (oldest != trace->chunk_count && !ets_chunk_is_older(state, lowest)) continue;
        oldest = i;
        lowest = state;
    }
    return oldest;
}

/*
 * Sends full chunks in order, including those that threads left because another was sending. If a
 * thread fills two chunks during the first scan, that scan may see only the later one; the second
 * scan then sees the earlier one, too.
 */
static enum ets_status send_full(struct ets_trace *trace)
{
    enum ets_status status = ETS_OK;
    for (;;) {
        uint32_t index = oldest_unsent(trace);
        if (index == trace->chunk_count) return status;
        for (uint32_t again = oldest_unsent(trace); again != index; again = oldest_unsent(trace)) {
            index = again;
        }
        const enum ets_status sent = send_rest(trace, index);
        if (sent != ETS_OK) status = sent;
        uint32_t *state = &trace->chunks[index].state;
        ets_store_release(state, (ets_load_relaxed(state) & ~UINT32_C(3)) | ETS_CHUNK_CLOSED);
    }
}

enum ets_status ets_trace_send_full(struct ets_trace *trace)
{
    if (!start_sending(trace)) return ETS_OK;
    const enum ets_status status = send_full(trace);
    ets_store_release(&trace->is_sending, 0);
    return status;
}

enum ets_status ets_trace_flush(struct ets_trace_thread *thread)
{
    struct ets_trace *trace = thread->trace;
    if (trace->config.mode != ETS_TRACE_STREAM || !start_sending(trace)) return ETS_OK;
    enum ets_status status = send_full(trace);
    if (thread->chunk != NULL) {
        const enum ets_status sent = send_rest(trace, (uint32_t)(thread->chunk - trace->chunks));
        if (sent != ETS_OK) status = sent;
    }
    ets_store_release(&trace->is_sending, 0);
    return status;
}

void ets_trace_send_end(struct ets_trace *trace)
{
    const struct payload end = {.type = ETS_FRAME_END};
    if (!start_sending(trace)) return;
    (void)send_full(trace);
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        if ((ets_load_acquire(&trace->chunks[i].state) & 3) == ETS_CHUNK_OPEN) {
            (void)send_rest(trace, i);
        }
    }
    if (!send_preamble(trace) || !send_frame(trace, &end)) ets_trace_note(trace, ETS_IO);
    ets_store_release(&trace->is_sending, 0);
}
