/*
 * Makes a trace of a capture. The first pass finds the frames and the memory they need, the second
 * takes the names (as pointers into the capture), the third copies the records, those of each
 * thread into one chunk. Frames have valid checksums by then, but may still be crafted by an
 * attacker: every count in a frame is checked before a record is copied, so that the serializer can
 * trust it.
 */
#include "base/crc32.h"
#include "base/error.h"
#include "etscope/experimental/device_log.h"
#include "trace/recorder.h"
#include "trace/store.h"
#include "trace/trace_source.h"
#include "trace/trace_stream.h"

struct frame {
    uint32_t type, sequence;
    struct ets_bytes payload;
};

/* The state of a pass over a capture. */
struct scan {
    struct ets_bytes capture;
    size_t at;
    uint32_t damaged;
    uint64_t wasted; /* bytes of failed checksums */
};

/*
 * Limits the checksums of bytes that only look like a frame, as a multiple of the capture, so that
 * crafted captures do not take quadratic time.
 */
enum { MOST_WASTE = 8, FREE_WASTE = 1 << 20 };

/* Whether the checksum is right. False also if computing it would take too long. */
static bool has_right_sum(struct scan *scan, const uint8_t *header, uint32_t bytes)
{
    if (scan->wasted / MOST_WASTE > scan->capture.size + FREE_WASTE) return false;
    const uint32_t sum = ets_crc32(0, header + ETS_FRAME_HEADER_BYTES, bytes);
    if (ets_crc32(sum, header + 4, 12) == ets_fetch_u32(header + 16)) return true;
    scan->wasted += bytes;
    return false;
}

/* The next whole frame. */
static bool next_frame(struct scan *scan, struct frame *out)
{
    static const uint8_t magic[4] = {0xab, 'T', 'S', 'F'};
    const struct ets_bytes capture = scan->capture;
    for (; scan->at < capture.size && capture.size - scan->at >= ETS_FRAME_HEADER_BYTES;
         scan->at++) {
        const uint8_t *header = capture.data + scan->at;
        if (header[0] != magic[0] || header[1] != magic[1] || header[2] != magic[2] ||
            header[3] != magic[3] || ets_fetch_u16(header + 4) != ETS_FRAME_VERSION) {
            continue;
        }
        const size_t left = capture.size - scan->at - ETS_FRAME_HEADER_BYTES;
        const uint32_t bytes = ets_fetch_u32(header + 12);
        if (bytes > left || !has_right_sum(scan, header, bytes)) {
            scan->damaged++;
            continue;
        }
        *out = (struct frame){ets_fetch_u16(header + 6),
                              ets_fetch_u32(header + 8),
                              {header + ETS_FRAME_HEADER_BYTES, bytes}};
        scan->at += ETS_FRAME_HEADER_BYTES + bytes;
        return true;
    }
    return false;
}

/* The next name in a NAMES frame; moves `*at` after it. */
static bool next_name(struct ets_bytes payload, size_t *at, struct ets_text *out)
{
    if (payload.size - *at < 2) return false;
    const size_t size = ets_fetch_u16(payload.data + *at);
    if (size > payload.size - *at - 2) return false;
    *out = (struct ets_text){(const char *)payload.data + *at + 2, size};
    *at += 2 + size;
    return true;
}

/* The thread's index in the capture's list; ETS_STREAM_READER_THREADS: the list is full. */
static uint32_t find_thread(struct ets_stream_reader *capture, uint32_t thread)
{
    uint32_t i = 0;
    while (i < capture->thread_count && capture->threads[i] != thread) i++;
    if (i == capture->thread_count && i < ETS_STREAM_READER_THREADS) {
        capture->threads[i] = thread;
        capture->thread_count++;
    }
    return i;
}

enum { RECORDS_HEADER_BYTES = 12 };

static void note_frame(struct ets_stream_reader *capture, const struct frame *frame)
{
    const struct ets_bytes payload = frame->payload;
    if (frame->type == ETS_FRAME_END) capture->has_end = 1;
    if (frame->type == ETS_FRAME_NAMES && payload.size >= 4) {
        const uint32_t first = ets_fetch_u16(payload.data);
        const uint32_t end = first + ets_fetch_u16(payload.data + 2);
        if (end > capture->name_count) capture->name_count = end;
        if (capture->name_count > ETS_NO_NAME_ID) capture->name_count = ETS_NO_NAME_ID;
    }
    if (frame->type == ETS_FRAME_RECORDS && payload.size >= RECORDS_HEADER_BYTES) {
        const uint32_t i = find_thread(capture, ets_fetch_u32(payload.data));
        uint32_t slots = 0;
        for (size_t left = payload.size - RECORDS_HEADER_BYTES; left >= ETS_SLOT_BYTES;
             left -= ETS_SLOT_BYTES) {
            slots++;
        }
        if (i < ETS_STREAM_READER_THREADS) capture->slots[i] += slots;
    }
}

static uint32_t most_slots(const struct ets_stream_reader *capture)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < capture->thread_count; i++) {
        if (capture->slots[i] > most) most = capture->slots[i];
    }
    return most;
}

/* The part of a START frame that is constant in a stream: both clocks at its begin. */
struct origin {
    uint64_t ticks, platform;
    bool is_known;
};

/*
 * Whether the device restarted: frame numbers start at 0 again or, if the first frames are lost,
 * the next START has another begin.
 */
static bool is_new_stream(const struct frame *frame, uint32_t next_sequence, struct origin *origin)
{
    if (frame->sequence < next_sequence) return true;
    if (frame->type != ETS_FRAME_START || frame->payload.size < ETS_FRAME_START_BYTES) return false;
    const struct origin found = {ets_fetch_u64(frame->payload.data + 24),
                                 ets_fetch_u64(frame->payload.data + 32), true};
    if (origin->is_known) {
        return found.ticks != origin->ticks || found.platform != origin->platform;
    }
    *origin = found;
    return false;
}

enum ets_status ets_stream_reader_init(struct ets_stream_reader *capture, struct ets_bytes bytes)
{
    struct scan scan = {.capture = bytes};
    struct frame frame;
    struct origin origin = {.is_known = false};
    uint32_t next_sequence = 0;
    size_t whole = 0;
    ets_clear(capture, sizeof *capture);
    capture->bytes = bytes;
    while (next_frame(&scan, &frame)) {
        const size_t frame_bytes = ETS_FRAME_HEADER_BYTES + frame.payload.size;
        if (is_new_stream(&frame, next_sequence, &origin)) {
            capture->bytes.size = scan.at - frame_bytes;
            capture->rest.data = bytes.data + capture->bytes.size;
            capture->rest.size = bytes.size - capture->bytes.size;
            break;
        }
        whole += frame_bytes;
        if (capture->frames != 0) capture->lost_frames += frame.sequence - next_sequence;
        next_sequence = frame.sequence + 1;
        capture->frames++;
        note_frame(capture, &frame);
    }
    capture->damaged_frames = scan.damaged;
    capture->other_bytes = capture->bytes.size - whole;
    capture->memory_bytes =
        capture->name_count * sizeof(struct ets_etdump_name) +
        (size_t)capture->thread_count *
            (sizeof(struct ets_trace_chunk) + (size_t)most_slots(capture) * ETS_SLOT_BYTES);
    return capture->frames == 0 ? ETS_NOT_FOUND : ETS_OK;
}

static void take_start(struct ets_trace *trace, struct ets_bytes payload)
{
    struct ets_trace_config *config = &trace->config;
    const uint8_t *at = payload.data;
    if (payload.size < ETS_FRAME_START_BYTES) return;
    config->clock_hz = ets_fetch_u64(at);
    config->platform_ns_numerator = ets_fetch_u64(at + 8);
    config->platform_ns_denominator = ets_fetch_u64(at + 16);
    trace->first_ticks = ets_fetch_u64(at + 24);
    trace->first_platform = ets_fetch_u64(at + 32);
    trace->has_clock = ets_fetch_u32(at + 40) & 1;
    trace->has_platform = ets_fetch_u32(at + 40) >> 1 & 1;
    trace->filtered = ets_fetch_u32(at + 40) >> 8 & ETS_ENABLED_WHAT;
    trace->cost_ticks_q8 = ets_fetch_u32(at + 44);
    const size_t bytes = payload.size - ETS_FRAME_START_BYTES;
    config->fingerprint.data = trace->fingerprint;
    config->fingerprint.size =
        bytes < sizeof trace->fingerprint ? bytes : sizeof trace->fingerprint;
    ets_copy(trace->fingerprint, at + ETS_FRAME_START_BYTES, config->fingerprint.size);
}

static void take_end(struct ets_trace *trace, struct ets_bytes payload)
{
    const uint8_t *at = payload.data;
    if (payload.size < ETS_FRAME_END_LEAST_BYTES) return;
    trace->last_ticks = ets_fetch_u64(at);
    trace->last_platform = ets_fetch_u64(at + 8);
    trace->first_error = ets_fetch_u32(at + 16);
    trace->dropped = ets_fetch_u32(at + 20);
    trace->unnamed = ets_fetch_u32(at + 24);
    trace->backwards = ets_fetch_u32(at + 28);
    if (payload.size >= ETS_FRAME_END_BYTES) trace->stale = ets_fetch_u32(at + 32);
}

static void take_names(struct ets_trace *trace, struct ets_bytes payload)
{
    struct ets_text text;
    if (payload.size < 4) return;
    const uint32_t first = ets_fetch_u16(payload.data), count = ets_fetch_u16(payload.data + 2);
    const uint32_t limit = trace->names_used;
    size_t at = 4;
    for (uint32_t i = first; i - first < count && i < limit; i++) {
        if (!next_name(payload, &at, &text)) return;
        trace->names[i].text = text;
    }
}

/* False: the tensors' counts are wrong. */
static bool check_tensors(const uint8_t *at, size_t bytes, uint32_t count, bool is_shape)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_tensor_entry entry;
        if (bytes - used < sizeof entry) return false;
        ets_copy(&entry, at + used, sizeof entry);
        used += sizeof entry;
        if (entry.rank > ETS_TENSOR_MAX_RANK || bytes - used < 16 * (size_t)entry.rank) {
            return false;
        }
        used += 16 * (size_t)entry.rank;
        if (is_shape && bytes - used < entry.statistics_bytes) return false;
    }
    return true;
}

/* The slots of the record at `at`, which has `left` slots of room; 0: its counts are wrong. */
static uint32_t checked_slots(const uint8_t *at, uint32_t left)
{
    struct ets_long_slot more;
    const enum ets_record_kind kind = ets_record_kind_of(at);
    const bool is_long = (at[ETS_SLOT_BYTES - 1] & ETS_RECORD_LONG) != 0;
    const bool is_shape = kind == ETS_RECORD_SHAPE;
    if (!is_long) {
        const bool needs_more = kind == ETS_RECORD_RUN || kind == ETS_RECORD_TENSOR || is_shape ||
                                at[offsetof(struct ets_slot, chain_code)] == ETS_CHAIN_WIDE;
        return needs_more && kind != ETS_RECORD_BEGIN && kind != ETS_RECORD_BEGIN_DELEGATE &&
                       kind != ETS_RECORD_ALLOCATION && kind != ETS_RECORD_ALLOCATOR
                   ? 0
                   : 1;
    }
    if (left < 2) return 0;
    const uint32_t slots = ets_record_slots(at);
    if (slots < 2 || slots > left || (kind == ETS_RECORD_RUN && slots != ETS_RUN_SLOTS)) return 0;
    ets_copy(&more, at + ETS_SLOT_BYTES, sizeof more);
    const size_t bytes = (size_t)(slots - 1) * ETS_SLOT_BYTES - sizeof more;
    if (kind == ETS_RECORD_DELEGATE) return more.count <= bytes ? slots : 0;
    if (kind != ETS_RECORD_TENSOR && !is_shape) return slots;
    return check_tensors(at + ETS_SLOT_BYTES + sizeof more, bytes, is_shape ? 1 : more.count,
                         is_shape)
               ? slots
               : 0;
}

/* Whether values and tensors have a type that a dump can hold, and names are known or absent. */
static bool check_fields(const struct ets_trace *trace, struct ets_slot *slot, bool is_single)
{
    const enum ets_record_kind kind = (enum ets_record_kind)(slot->kind & ETS_RECORD_KIND_MASK);
    if (slot->name >= trace->names_used || trace->names[slot->name].text.data == NULL) {
        slot->name = ETS_NO_NAME_ID;
    }
    switch (kind) {
    case ETS_RECORD_PROFILE:
    case ETS_RECORD_DELEGATE:
    case ETS_RECORD_BEGIN:
    case ETS_RECORD_BEGIN_DELEGATE:
    case ETS_RECORD_RUN_END:
    case ETS_RECORD_ALLOCATOR:
    case ETS_RECORD_ALLOCATION:
    case ETS_RECORD_TOKENS: return true;
    case ETS_RECORD_VALUE:
        return slot->b.value_type == ETS_DEBUG_INT || slot->b.value_type == ETS_DEBUG_BOOL ||
               slot->b.value_type == ETS_DEBUG_DOUBLE || slot->b.value_type == ETS_DEBUG_STRING;
    case ETS_RECORD_TENSOR:
        return slot->b.value_type == ETS_DEBUG_TENSOR_LIST ||
               (slot->b.value_type == ETS_DEBUG_TENSOR && is_single);
    case ETS_RECORD_SHAPE:
        return slot->b.value_type == ETS_DEBUG_TENSOR_LIST ||
               slot->b.value_type == ETS_DEBUG_TENSOR;
    default: return false;
    }
}

/* A thread's records so far. */
struct lane {
    struct ets_trace_chunk *chunk;
    uint8_t *slots;
};

/* Its last run's header, which must exist. */
static struct ets_run_slots last_run(const struct lane *lane)
{
    struct ets_run_slots run;
    ets_copy(&run, lane->slots + (size_t)lane->chunk->last_header * ETS_SLOT_BYTES, sizeof run);
    return run;
}

/* The latest reading of both clocks, for a stream whose end is missing. */
static void note_clocks(struct ets_trace *trace, uint64_t ticks, uint64_t platform)
{
    if (ticks <= trace->last_ticks) return;
    trace->last_ticks = ticks;
    trace->last_platform = platform;
}

/* Notes the latest time in the records. */
static void note_time(struct ets_stream_reader *capture, const struct ets_slot *slot)
{
    uint64_t ticks = slot->a.start_ticks;
    switch ((enum ets_record_kind)(slot->kind & ETS_RECORD_KIND_MASK)) {
    case ETS_RECORD_PROFILE: ticks += slot->b.duration_ticks; break;
    case ETS_RECORD_BEGIN:
    case ETS_RECORD_BEGIN_DELEGATE:
    case ETS_RECORD_RUN_END: break;
    default: return;
    }
    if (ticks > capture->last_ticks) capture->last_ticks = ticks;
}

static struct ets_text text_of(const struct ets_trace *trace, uint16_t name)
{
    return name < trace->names_used ? trace->names[name].text : (struct ets_text){NULL, 0};
}

/* Removes the event's begin, and later begins of its thread. */
static void note_running(struct ets_stream_reader *capture, const struct ets_trace *trace,
                         const struct lane *lane, const struct ets_slot *slot)
{
    const uint32_t kind = slot->kind & ETS_RECORD_KIND_MASK;
    const uint32_t thread = lane->chunk->lane;
    const struct ets_text name = text_of(trace, slot->name);
    if (kind == ETS_RECORD_BEGIN || kind == ETS_RECORD_BEGIN_DELEGATE) {
        if (capture->running_count == ETS_STREAM_READER_RUNNING) return;
        capture->running[capture->running_count++] = (struct ets_trace_running){
            .thread = thread,
            .name = name,
            .method = text_of(trace, last_run(lane).method),
            .delegate_id = slot->delegate_id,
            .chain = slot->chain_code < ETS_CHAIN_WIDE ? slot->chain_code : -1, /* wide: not kept */
            .instruction = slot->instruction,
            .start_ticks = slot->a.start_ticks};
        return;
    }
    if (kind != ETS_RECORD_PROFILE && kind != ETS_RECORD_DELEGATE) return;
    uint32_t found = capture->running_count;
    while (found > 0) {
        const struct ets_trace_running *running = &capture->running[found - 1];
        if (running->thread == thread && running->name.data == name.data &&
            running->delegate_id == slot->delegate_id) {
            break;
        }
        found--;
    }
    if (found == 0) return;
    uint32_t kept = found - 1;
    for (uint32_t i = found - 1; i < capture->running_count; i++) {
        if (capture->running[i].thread != thread) capture->running[kept++] = capture->running[i];
    }
    capture->running_count = kept;
}

/* Copies the header of a run's begin; drops headers of continued runs. False: it is invalid. */
static bool copy_run(struct ets_trace *trace, const struct lane *lane, const uint8_t *at)
{
    struct ets_trace_chunk *chunk = lane->chunk;
    struct ets_run_slots run;
    ets_copy(&run, at, sizeof run);
    if (run.run == 0 || (chunk->used != 0 && run.run < chunk->last_run)) return false;
    if (chunk->used != 0 && run.run == chunk->last_run) return true;
    note_clocks(trace, run.ticks, run.platform_ticks);
    run.next = 0;
    run.events = UINT32_MAX;
    if (run.name >= trace->names_used || trace->names[run.name].text.data == NULL) {
        run.name = ETS_NO_NAME_ID;
    }
    if (chunk->used == 0) {
        chunk->first_run = run.run;
    } else {
        ets_store_u32(lane->slots + (size_t)chunk->last_header * ETS_SLOT_BYTES +
                          offsetof(struct ets_run_slots, next),
                      chunk->used);
    }
    ets_copy(lane->slots + (size_t)chunk->used * ETS_SLOT_BYTES, &run, sizeof run);
    chunk->last_run = run.run;
    chunk->last_header = chunk->used;
    chunk->used += ETS_RUN_SLOTS;
    return true;
}

/* False: the record and the rest of its frame are invalid. */
static bool copy_record(struct ets_trace *trace, struct ets_stream_reader *capture,
                        const struct lane *lane, const uint8_t *at, uint32_t slots)
{
    struct ets_trace_chunk *chunk = lane->chunk;
    struct ets_slot slot;
    if (ets_record_kind_of(at) == ETS_RECORD_RUN) return copy_run(trace, lane, at);
    ets_copy(&slot, at, sizeof slot);
    bool is_single = false;
    if (slots > 1) {
        struct ets_long_slot more;
        ets_copy(&more, at + ETS_SLOT_BYTES, sizeof more);
        is_single = more.count == 1;
    }
    if (chunk->used == 0 || !check_fields(trace, &slot, is_single)) return false;
    uint8_t *to = lane->slots + (size_t)chunk->used * ETS_SLOT_BYTES;
    ets_copy(to, at, (size_t)slots * ETS_SLOT_BYTES);
    ets_copy(to, &slot, sizeof slot);
    if (slots > 1) ets_clear(to + ETS_SLOT_BYTES + offsetof(struct ets_long_slot, far_name), 2);
    chunk->used += slots;
    const uint32_t kind = slot.kind & ETS_RECORD_KIND_MASK;
    if (kind == ETS_RECORD_ALLOCATOR) trace->has_allocators = 1;
    if (kind == ETS_RECORD_VALUE || kind == ETS_RECORD_SHAPE || kind == ETS_RECORD_TOKENS) {
        trace->has_extra_values = 1;
    }
    if (kind == ETS_RECORD_RUN_END) {
        note_clocks(trace, slot.a.start_ticks,
                    (uint64_t)slot.instruction << 32 | slot.b.platform_low);
    }
    note_time(capture, &slot);
    note_running(capture, trace, lane, &slot);
    return true;
}

static void take_records(struct ets_trace *trace, struct ets_stream_reader *capture,
                         struct ets_bytes payload)
{
    if (payload.size < RECORDS_HEADER_BYTES) return;
    const uint32_t index = find_thread(capture, ets_fetch_u32(payload.data));
    struct lane lane = {NULL, NULL}; /* one thread too many */
    if (index < trace->chunk_count) {
        lane = (struct lane){&trace->chunks[index], ets_chunk_slots(trace, index)};
    }
    const uint8_t *at = payload.data + RECORDS_HEADER_BYTES, *end = payload.data + payload.size;
    while (end - at >= ETS_SLOT_BYTES) {
        const size_t left = (size_t)(end - at) / ETS_SLOT_BYTES;
        const uint32_t slots = checked_slots(at, left > UINT16_MAX ? UINT16_MAX : (uint32_t)left);
        if (slots == 0 || lane.chunk == NULL || !copy_record(trace, capture, &lane, at, slots)) {
            capture->refused_records++;
            if (slots == 0) return;
        }
        at += (size_t)slots * ETS_SLOT_BYTES;
    }
}

/* Divides the memory and makes an empty trace in it. */
static void lay_out(struct ets_trace *trace, const struct ets_stream_reader *capture, void *memory)
{
    ets_clear(trace, sizeof *trace);
    trace->enabled = ETS_TRACE_FINISHED;
    trace->config.mode = ETS_TRACE_STREAM;
    trace->has_clock = 1;
    trace->lost_frames = capture->lost_frames;
    trace->lanes = trace->chunk_count = capture->thread_count;
    trace->chunk_slots = most_slots(capture);
    trace->names = memory;
    trace->names_used = capture->name_count;
    trace->chunks = (void *)(trace->names + capture->name_count);
    trace->slots = (uint8_t *)(trace->chunks + capture->thread_count);
    ets_clear(memory, (size_t)(trace->slots - (uint8_t *)memory));
    for (uint32_t i = 0; i < capture->thread_count; i++) {
        trace->chunks[i].lane = capture->threads[i];
        trace->chunks[i].state = (i + 1) << 2 | ETS_CHUNK_CLOSED;
    }
}

/* Converts the begins to times, now that the rate of the clock is known. */
static void time_running(struct ets_stream_reader *capture, struct ets_trace *trace)
{
    struct ets_trace_source source;
    ets_trace_source_init(&source, trace);
    for (uint32_t i = 0; i < capture->running_count; i++) {
        struct ets_trace_running *running = &capture->running[i];
        const uint64_t start = running->start_ticks;
        if (trace->has_clock == 0 || start < trace->first_ticks) continue;
        running->began_ns = ets_scale(start - trace->first_ticks, source.global_scale);
        running->lasted_ns = ets_scale(capture->last_ticks - start, source.global_scale);
    }
}

enum ets_status ets_trace_recover(struct ets_trace *trace, struct ets_stream_reader *capture,
                                  void *memory, size_t memory_bytes, struct ets_error *error)
{
    struct frame frame;
    struct scan scan = {.capture = capture->bytes};
    if ((uintptr_t)memory % sizeof(uint64_t) != 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the memory for a capture must be aligned to 8 bytes");
    }
    if (memory_bytes < capture->memory_bytes) {
        return ets_fail(error, ETS_NO_SPACE, ETS_NO_OFFSET, "the capture needs %zu bytes of memory",
                        capture->memory_bytes);
    }
    lay_out(trace, capture, memory);
    capture->refused_records = capture->running_count = 0;
    capture->last_ticks = 0;
    while (next_frame(&scan, &frame)) {
        if (frame.type == ETS_FRAME_NAMES) take_names(trace, frame.payload);
    }
    scan = (struct scan){.capture = capture->bytes};
    while (next_frame(&scan, &frame)) {
        if (frame.type == ETS_FRAME_START) take_start(trace, frame.payload);
        else if (frame.type == ETS_FRAME_RECORDS) take_records(trace, capture, frame.payload);
        else if (frame.type == ETS_FRAME_END) take_end(trace, frame.payload);
    }
    time_running(capture, trace);
    return ETS_OK;
}
