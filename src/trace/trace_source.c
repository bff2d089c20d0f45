/*
 * Provides records to the writer. Runs are found through the headers in the chunks, in the order in
 * which they began; within a run, records follow each other through the chunks of its thread.
 * Nothing is sorted or collected: the position of the last request is kept, because the writer
 * requests in order.
 */
#include <limits.h>

#include "trace/etdump_writer.h"
#include "trace/trace_source.h"

enum { LEAST_CALIBRATION_NS = 1000000 };

static struct ets_run_slots header_at(const struct ets_trace *trace, uint32_t chunk, uint32_t slot)
{
    struct ets_run_slots header;
    ets_copy(&header, ets_chunk_slots(trace, chunk) + (size_t)slot * ETS_SLOT_BYTES, sizeof header);
    return header;
}

/* The first header in a chunk, from `slot` on, of a run that began after number `after`. */
static bool next_header(const struct ets_trace *trace, uint32_t chunk, uint32_t after,
                        uint32_t *slot, struct ets_run_slots *out)
{
    for (;;) {
        *out = header_at(trace, chunk, *slot);
        if (out->run > after) return true;
        if (out->next == 0) return false;
        *slot = out->next;
    }
}

/* Whether chunk `a` was taken after `b`. */
static bool is_later(const struct ets_trace *trace, uint32_t a, uint32_t b)
{
    return ets_chunk_is_older(ets_load_relaxed(&trace->chunks[b].state),
                              ets_load_relaxed(&trace->chunks[a].state));
}

/* Selects the next run after number `after`. The search can continue in its chunk. */
static bool find_run(struct ets_trace_source *s, uint32_t after)
{
    const struct ets_trace *trace = s->trace;
    bool is_found = false;
    uint32_t best_chunk = 0, best_slot = 0;
    struct ets_run_slots best = {.run = UINT32_MAX};
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        const struct ets_trace_chunk *chunk = &trace->chunks[i];
        struct ets_run_slots header;
        uint32_t slot = s->has_run && i == s->run_chunk ? s->run_slot : 0;
        if (ets_load_acquire(&chunk->used) == 0 || chunk->last_run <= after ||
            !next_header(trace, i, after, &slot, &header)) {
            continue;
        }
        if (is_found &&
            (header.run > best.run || (header.run == best.run && is_later(trace, i, best_chunk)))) {
            continue;
        }
        is_found = true;
        best = header;
        best_chunk = i;
        best_slot = slot;
    }
    if (!is_found) return false;
    s->run = best;
    s->run_chunk = best_chunk;
    s->run_slot = best_slot;
    s->has_run = true;
    return true;
}

bool ets_trace_source_select(struct ets_trace_source *s, uint32_t index)
{
    if (s->has_run && index == s->run_index) return true;
    if (!s->has_run || index < s->run_index) {
        s->has_run = false;
        s->run_index = 0;
        if (!find_run(s, 0)) return false;
    }
    while (s->run_index < index) {
        if (!find_run(s, s->run.run)) return false;
        s->run_index++;
    }
    return true;
}

static void enter(const struct ets_trace_source *s, struct ets_trace_cursor *cursor, uint32_t chunk,
                  uint32_t slot)
{
    const struct ets_run_slots header = header_at(s->trace, chunk, slot);
    cursor->chunk = chunk;
    cursor->slot = slot + ETS_RUN_SLOTS;
    cursor->is_last = header.next != 0;
    cursor->end = header.next != 0 ? header.next : ets_load_acquire(&s->trace->chunks[chunk].used);
}

void ets_trace_source_rewind(const struct ets_trace_source *s, struct ets_trace_cursor *cursor)
{
    enter(s, cursor, s->run_chunk, s->run_slot);
}

/* Enters the chunk in which the thread continued the run. */
static bool enter_next_chunk(const struct ets_trace_source *s, struct ets_trace_cursor *cursor)
{
    const struct ets_trace *trace = s->trace;
    uint32_t next = trace->chunk_count;
    if (cursor->is_last) return false;
    for (uint32_t i = 0; i < trace->chunk_count; i++) {
        const struct ets_trace_chunk *chunk = &trace->chunks[i];
        if (ets_load_acquire(&chunk->used) == 0 || chunk->first_run != s->run.run) continue;
        if (!is_later(trace, i, cursor->chunk)) continue;
        if (next == trace->chunk_count || is_later(trace, next, i)) next = i;
    }
    if (next == trace->chunk_count) return false;
    enter(s, cursor, next, 0);
    return true;
}

const uint8_t *ets_trace_source_next(const struct ets_trace_source *s,
                                     struct ets_trace_cursor *cursor)
{
    while (cursor->slot >= cursor->end) {
        if (!enter_next_chunk(s, cursor)) return NULL;
    }
    const uint8_t *record =
        ets_chunk_slots(s->trace, cursor->chunk) + (size_t)cursor->slot * ETS_SLOT_BYTES;
    cursor->slot += ets_record_slots(record);
    return record;
}

/* Events of the current run, from its headers; counted only if one is still open. */
static uint32_t count_events(const struct ets_trace_source *s)
{
    struct ets_trace_cursor cursor;
    uint32_t count = 0;
    ets_trace_source_rewind(s, &cursor);
    for (;;) {
        const struct ets_run_slots header =
            header_at(s->trace, cursor.chunk, cursor.slot - ETS_RUN_SLOTS);
        if (header.events != UINT32_MAX) {
            count += header.events;
        } else {
            while (cursor.slot < cursor.end) {
                count += (uint32_t)ets_record_is_event(ets_trace_source_next(s, &cursor));
            }
        }
        if (!enter_next_chunk(s, &cursor)) return count;
    }
}

static uint32_t count_allocators(const struct ets_trace_source *s)
{
    struct ets_trace_cursor cursor;
    uint32_t count = 0;
    const uint8_t *record;
    if (s->trace->has_allocators == 0) return 0;
    ets_trace_source_rewind(s, &cursor);
    while ((record = ets_trace_source_next(s, &cursor)) != NULL) {
        count += ets_record_kind_of(record) == ETS_RECORD_ALLOCATOR;
    }
    return count;
}

/* Whether the run marks a cut trace. It has one event, because readers show runs by their events.
 */
static bool is_cut_run(const struct ets_trace_source *s, uint32_t run)
{
    return s->cut_name != ETS_ETDUMP_NO_NAME && run == s->cut_run;
}

static enum ets_status get_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    struct ets_trace_source *s = context;
    if (is_cut_run(s, run)) {
        out->name = s->cut_name;
        out->event_count = 1;
        return ETS_OK;
    }
    if (!ets_trace_source_select(s, run)) return ETS_MISMATCH;
    /* A run needs a name; if there was no room for it, use the first name. */
    out->name = s->run.name == ETS_NO_NAME_ID ? 0 : s->run.name;
    out->bundled_input_index = s->run.bundled_input_index;
    out->allocator_count = count_allocators(s);
    out->event_count = count_events(s);
    return ETS_OK;
}

static enum ets_status get_allocator(void *context, uint32_t run, uint32_t index,
                                     uint32_t *name_out)
{
    struct ets_trace_source *s = context;
    struct ets_trace_cursor cursor;
    const uint8_t *record;
    if (!ets_trace_source_select(s, run)) return ETS_MISMATCH;
    ets_trace_source_rewind(s, &cursor);
    while ((record = ets_trace_source_next(s, &cursor)) != NULL) {
        struct ets_slot slot;
        if (ets_record_kind_of(record) != ETS_RECORD_ALLOCATOR || index-- != 0) continue;
        ets_copy(&slot, record, sizeof slot);
        *name_out = slot.name == ETS_NO_NAME_ID ? 0 : slot.name;
        return ETS_OK;
    }
    return ETS_MISMATCH;
}

static uint64_t platform_scale(const struct ets_trace *trace)
{
    const uint64_t above = trace->config.platform_ns_numerator;
    const uint64_t below = trace->config.platform_ns_denominator;
    return ets_scale_from_ratio(above == 0 ? 1 : above, below == 0 ? 1 : below);
}

/*
 * The scale from two readings of both clocks; 0: they are too close, or a clock ran backwards in
 * between.
 */
static uint64_t scale_between(const struct ets_trace_source *s, uint64_t ticks, uint64_t platform)
{
    if (ticks == 0 || ticks > INT64_MAX || platform > INT64_MAX) return 0;
    const uint64_t ns = ets_scale(platform, s->platform.scale);
    return ns < LEAST_CALIBRATION_NS ? 0 : ets_scale_from_ratio(ns, ticks);
}

/* Both clocks at the end of the current run, if they were kept. */
static bool find_run_end(const struct ets_trace_source *s, uint64_t *ticks, uint64_t *platform)
{
    struct ets_trace_cursor cursor;
    const uint8_t *record;
    ets_trace_source_rewind(s, &cursor);
    while ((record = ets_trace_source_next(s, &cursor)) != NULL) {
        struct ets_slot slot;
        if (ets_record_kind_of(record) != ETS_RECORD_RUN_END) continue;
        ets_copy(&slot, record, sizeof slot);
        *ticks = slot.a.start_ticks;
        *platform = (uint64_t)slot.instruction << 32 | slot.b.platform_low;
        return true;
    }
    return false;
}

/*
 * Chooses the time map: from the run's own readings if it is long enough, else from the config,
 * else from the readings over the whole trace.
 */
static void map_times(struct ets_trace_source *s)
{
    const struct ets_trace *trace = s->trace;
    uint64_t ticks, platform, scale = 0;
    if (!trace->has_platform) return; /* one map for all, set by init */
    if (find_run_end(s, &ticks, &platform)) {
        scale = scale_between(s, ticks - s->run.ticks, platform - s->run.platform_ticks);
    }
    s->clock.scale = scale != 0 ? scale : s->global_scale;
    s->clock.origin_ticks = s->run.ticks;
    s->clock.ns = ets_time_ns(&s->platform, s->run.platform_ticks);
}

int32_t ets_trace_chain_of(const uint8_t *record)
{
    const uint8_t code = record[offsetof(struct ets_slot, chain_code)];
    struct ets_long_slot more;
    if (code == ETS_CHAIN_NONE) return -1;
    if (code != ETS_CHAIN_WIDE) return code;
    if ((record[offsetof(struct ets_slot, kind)] & ETS_RECORD_LONG) == 0) return -1; /* not kept */
    ets_copy(&more, record + ETS_SLOT_BYTES, sizeof more);
    return more.chain;
}

static void fill_times(const struct ets_trace_source *s, const struct ets_slot *slot,
                       uint32_t duration_high, struct ets_etdump_record *out)
{
    const bool is_platform = (slot->kind & ETS_RECORD_PLATFORM_TIMES) != 0;
    const struct ets_time_map *map = is_platform ? &s->platform : &s->clock;
    const uint64_t duration = (uint64_t)duration_high << 32 | slot->b.duration_ticks;
    out->start_ticks = ets_time_ns(map, slot->a.start_ticks);
    out->end_ticks = ets_time_ns(map, slot->a.start_ticks + duration);
}

static void fill_value(const struct ets_trace_source *s, const struct ets_slot *slot,
                       struct ets_etdump_record *out)
{
    out->kind = ETS_EVENT_DEBUG;
    out->value_type = (enum ets_debug_value_type)slot->b.value_type;
    out->is_output = (slot->kind & ETS_RECORD_OUTPUT) != 0;
    out->delegate_id = slot->delegate_id;
    out->delegate_name = ets_record_name(s->trace, s->record);
    if (out->value_type == ETS_DEBUG_DOUBLE) {
        const uint64_t bits = slot->a.bits;
        ets_copy(&out->double_value, &bits, sizeof out->double_value);
    } else {
        out->int_value = (int64_t)slot->a.bits;
    }
}

static void fill_event(const struct ets_trace_source *s, struct ets_etdump_record *out)
{
    struct ets_slot slot;
    struct ets_long_slot more = {0};
    ets_copy(&slot, s->record, sizeof slot);
    if ((slot.kind & ETS_RECORD_LONG) != 0) {
        ets_copy(&more, s->record + ETS_SLOT_BYTES, sizeof more);
    }
    out->chain = ets_trace_chain_of(s->record);
    out->instruction = (int32_t)slot.instruction;
    switch (ets_record_kind_of(s->record)) {
    case ETS_RECORD_PROFILE:
        out->name = ets_record_name(s->trace, s->record);
        fill_times(s, &slot, more.duration_high, out);
        break;
    case ETS_RECORD_DELEGATE:
        out->delegate_id = slot.delegate_id;
        out->delegate_name = ets_record_name(s->trace, s->record);
        out->metadata.size = more.count;
        out->metadata.data = s->record + ETS_SLOT_BYTES + sizeof more;
        fill_times(s, &slot, more.duration_high, out);
        break;
    case ETS_RECORD_ALLOCATION:
        out->kind = ETS_EVENT_ALLOCATION;
        out->allocator = slot.b.allocator;
        out->allocated_bytes = slot.a.bytes;
        break;
    default:
        fill_value(s, &slot, out);
        out->tensor_count = more.count;
        break;
    }
}

static enum ets_status get_event(void *context, uint32_t run, uint32_t index,
                                 struct ets_etdump_record *out)
{
    struct ets_trace_source *s = context;
    if (is_cut_run(s, run)) {
        out->name = s->cut_name;
        out->start_ticks = out->end_ticks = ets_time_ns(&s->platform, s->trace->last_platform);
        return ETS_OK;
    }
    if (!s->has_run || run != s->run_index || index < s->next_event || index == 0) {
        if (!ets_trace_source_select(s, run)) return ETS_MISMATCH;
        ets_trace_source_rewind(s, &s->cursor);
        s->next_event = 0;
        map_times(s);
    }
    while (s->next_event <= index) {
        s->record = ets_trace_source_next(s, &s->cursor);
        if (s->record == NULL) return ETS_MISMATCH;
        if (ets_record_is_event(s->record)) s->next_event++;
    }
    fill_event(s, out);
    return ETS_OK;
}

/* Bits of the missing fields among name, chain and instruction; > 7 for other records. */
static unsigned lacks(const uint8_t *record)
{
    struct ets_slot slot;
    ets_copy(&slot, record, sizeof slot);
    if (slot.kind != ETS_RECORD_PROFILE) return UINT_MAX;
    return (slot.name == ETS_NO_NAME_ID) | (slot.chain_code == 0) << 1 |
           (slot.instruction == UINT32_MAX) << 2;
}

/* Continues from the last requested event, within its chunk. */
static uint32_t count_alike(void *context, uint32_t run, uint32_t index, uint32_t most)
{
    struct ets_trace_source *s = context;
    const uint32_t end = s->cursor.end;
    if (run != s->run_index || index + 1 != s->next_event) return 0;
    const unsigned wanted = lacks(s->record);
    if (wanted == UINT_MAX) return 0;
    const uint8_t *record = s->record;
    uint32_t count = 0;
    while (count < most && s->cursor.slot + count < end &&
           lacks(record + ETS_SLOT_BYTES) == wanted) {
        record += ETS_SLOT_BYTES;
        count++;
    }
    s->record = record;
    s->cursor.slot += count;
    s->next_event += count;
    return count;
}

static enum ets_status get_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                  struct ets_tensor *tensor_out, int64_t *offset_out)
{
    const struct ets_trace_source *s = context;
    const uint8_t *at = s->record + ETS_SLOT_BYTES + sizeof(struct ets_long_slot);
    struct ets_tensor_entry entry;
    (void)run;
    (void)event;
    for (;; index--) {
        ets_copy(&entry, at, sizeof entry);
        at += sizeof entry;
        if (index == 0) break;
        at += 2 * sizeof(int64_t) * (size_t)entry.rank;
    }
    tensor_out->scalar_type = (enum ets_scalar_type)entry.scalar_type;
    tensor_out->rank = entry.rank;
    ets_copy_words(tensor_out->sizes, at, entry.rank);
    ets_copy_words(tensor_out->strides, at + sizeof(int64_t) * (size_t)entry.rank, entry.rank);
    *offset_out = entry.offset;
    return ETS_OK;
}

/* Sets up time maps that do not depend on the run. */
static void init_times(struct ets_trace_source *s)
{
    const struct ets_trace *trace = s->trace;
    const uint64_t hz = trace->config.clock_hz;
    s->platform = (struct ets_time_map){0, 0, platform_scale(trace)};
    s->global_scale = hz == 0 ? 0 : ets_scale_from_ratio(1000000000, hz);
    if (trace->has_platform && s->global_scale == 0) {
        uint64_t ticks = trace->last_ticks, platform = trace->last_platform;
        if (ticks == 0 && trace->config.platform_clock != NULL) { /* not finished */
            ets_trace_read_clocks(trace, &ticks, &platform);
        }
        s->global_scale =
            scale_between(s, ticks - trace->first_ticks, platform - trace->first_platform);
    }
    if (s->global_scale == 0) s->global_scale = s->platform.scale;
    s->clock = (struct ets_time_map){0, 0, s->global_scale};
    if (!trace->has_platform) s->platform = s->clock;
}

/* Marks a cut trace for readers that do not know the extra block. */
static void tell_cut(struct ets_trace_source *s, uint32_t runs)
{
    struct ets_trace *trace = s->trace;
    const uint32_t unnamed = trace->unnamed;
    s->cut_name = ETS_ETDUMP_NO_NAME;
    s->cut_run = runs;
    if (trace->dropped == 0 || trace->first_error != ETS_NO_SPACE || trace->name_limit == 0) return;
    const uint32_t id = ets_trace_name(trace, ETS_TRACE_CUT_NAME);
    trace->unnamed = unnamed; /* of events */
    if (id != ETS_NO_NAME_ID) s->cut_name = ets_name_number(id);
}

void ets_trace_source_init(struct ets_trace_source *s, struct ets_trace *trace)
{
    ets_clear(s, sizeof *s);
    s->trace = trace;
    init_times(s);
    uint32_t runs = 0;
    while (ets_trace_source_select(s, runs)) runs++;
    s->has_run = false;
    tell_cut(s, runs);
    runs += s->cut_name != ETS_ETDUMP_NO_NAME;
    s->unnamed.text = (struct ets_text){"", 0};
    s->source = (struct ets_etdump_source){.context = s,
                                           .names = trace->names,
                                           .name_count = ets_trace_name_count(trace),
                                           .run_count = runs,
                                           .run = get_run,
                                           .event = get_event,
                                           .allocator = get_allocator,
                                           .tensor = get_tensor,
                                           .alike = count_alike};
    if (s->source.name_count == 0) { /* runs must have one */
        s->source.names = &s->unnamed;
        s->source.name_count = 1;
    }
}
