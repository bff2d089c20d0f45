/*
 * Records events. Each thread appends to its own chunk, and publishes complete records by storing
 * the chunk's commit count; two threads meet only when one needs its next chunk. (With one shared
 * position, an event would cost at least one locked operation, about as much as reading the clock.)
 */
#include "trace/recorder.h"

/* Fills the counts of the run's and the chunk's headers. */
static void close_segment(struct ets_trace_thread *thread)
{
    if (thread->segment == NULL) return;
    ets_store_u32(thread->segment + offsetof(struct ets_run_slots, events), thread->segment_events);
    thread->chunk->events += thread->segment_events;
    thread->segment = NULL;
    thread->segment_events = 0;
}

static void close_chunk(struct ets_trace_thread *thread)
{
    struct ets_trace *trace = thread->trace;
    struct ets_trace_chunk *chunk = thread->chunk;
    if (chunk == NULL) return;
    close_segment(thread);
    thread->chunk = NULL;
    thread->next = thread->end = NULL;
    const uint32_t sequence = ets_load_relaxed(&chunk->state) & ~UINT32_C(3);
    if (trace->config.mode == ETS_TRACE_STREAM) {
        ets_store_release(&chunk->state, sequence | ETS_CHUNK_UNSENT);
        ets_trace_send_full(trace);
    } else {
        ets_store_release(&chunk->state, sequence | ETS_CHUNK_CLOSED);
    }
}

/* Takes the oldest closed chunk for this thread; NULL if all are in use. */
static struct ets_trace_chunk *reclaim(struct ets_trace *trace, uint32_t state)
{
    for (;;) {
        struct ets_trace_chunk *oldest = NULL;
        uint32_t expected = 0;
        for (uint32_t i = 0; i < trace->chunk_count; i++) {
            const uint32_t seen = ets_load_acquire(&trace->chunks[i].state);
            if ((seen & 3) != ETS_CHUNK_CLOSED) continue;
            if (oldest != NULL && !ets_chunk_is_older(seen, expected)) continue;
            oldest = &trace->chunks[i];
            expected = seen;
        }
        if (oldest == NULL) return NULL;
        if (ets_compare_exchange(&trace->config.section, &oldest->state, &expected, state)) {
            return oldest;
        }
    }
}

static struct ets_trace_chunk *find_chunk(struct ets_trace *trace)
{
    const struct ets_trace_section *section = &trace->config.section;
    const uint32_t sequence = ets_fetch_add(section, &trace->sequence, 1);
    const uint32_t state = sequence << 2 | ETS_CHUNK_OPEN;
    if (ets_load_relaxed(&trace->chunks_taken) < trace->chunk_count) {
        const uint32_t index = ets_fetch_add(section, &trace->chunks_taken, 1);
        if (index < trace->chunk_count) {
            ets_store_release(&trace->chunks[index].state, state);
            return &trace->chunks[index];
        }
    }
    if (trace->config.mode == ETS_TRACE_STOP) return NULL;
    if (trace->config.mode == ETS_TRACE_STREAM) ets_trace_send_full(trace);
    struct ets_trace_chunk *chunk = reclaim(trace, state);
    if (chunk != NULL && trace->config.mode == ETS_TRACE_RING) {
        ets_trace_count(trace, &trace->overwritten, chunk->events);
    }
    return chunk;
}

ETS_COLD static bool take_chunk(struct ets_trace_thread *thread)
{
    struct ets_trace *trace = thread->trace;
    close_chunk(thread);
    struct ets_trace_chunk *chunk = find_chunk(trace);
    if (chunk == NULL) return false;
    ets_store_relaxed(&chunk->used, 0);
    chunk->lane = thread->lane;
    chunk->first_run = thread->run;
    chunk->last_header = 0;
    chunk->events = chunk->sent = 0;
    thread->chunk = chunk;
    thread->next = ets_chunk_slots(trace, (uint32_t)(chunk - trace->chunks));
    thread->end = thread->next + (size_t)trace->chunk_slots * ETS_SLOT_BYTES;
    return true;
}

/* Writes the header of the thread's run into its chunk, if there is room. */
static void put_run(struct ets_trace_thread *thread, bool is_continued)
{
    struct ets_trace_chunk *chunk = thread->chunk;
    const uint32_t at = ets_load_relaxed(&chunk->used);
    const struct ets_run_slots header = {
        .ticks = thread->run_ticks,
        .run = thread->run,
        .bundled_input_index = thread->bundled_input_index,
        .name = thread->run_name,
        .flags = (uint8_t)(thread->run_flags | (is_continued ? ETS_RUN_CONTINUED : 0)),
        .kind = ETS_RECORD_RUN | ETS_RECORD_LONG,
        .slots = ETS_RUN_SLOTS,
        .method = thread->method_name,
        .invocation = thread->invocation,
        .platform_ticks = thread->run_platform,
        .events = UINT32_MAX};
    close_segment(thread);
    if (at != 0) {
        uint8_t *last = thread->next - (size_t)(at - chunk->last_header) * ETS_SLOT_BYTES;
        ets_store_u32(last + offsetof(struct ets_run_slots, next), at);
    }
    thread->segment = thread->next;
    ets_copy(thread->next, &header, sizeof header);
    chunk->last_header = at;
    chunk->last_run = thread->run;
    ets_trace_commit(thread, ETS_RUN_SLOTS, false);
}

static size_t room(const struct ets_trace_thread *thread)
{
    return (size_t)(thread->end - thread->next);
}

void ets_trace_read_clocks(const struct ets_trace *trace, uint64_t *ticks, uint64_t *platform)
{
    const struct ets_trace_config *config = &trace->config;
    *ticks = ets_now(trace);
    *platform = config->platform_clock == NULL
                    ? *ticks
                    : config->platform_clock(config->platform_clock_context);
}

static bool is_finished(const struct ets_trace *trace)
{
    return (ets_trace_enabled(trace) & ETS_TRACE_FINISHED) != 0;
}

/* Which kinds a run has, and which it lacks: readers must know where runs differ. */
static void note_kinds(struct ets_trace *trace)
{
    const uint32_t kinds = ets_trace_enabled(trace) & ETS_KINDS;
    if (kinds == 0) return; /* a run that nothing is recorded of */
    ets_trace_note_kinds(trace, kinds << ETS_KINDS_HAD | (~kinds & ETS_KINDS) << ETS_KINDS_LACKED);
}

/* Starts the run of the thread's fields. Its header may have to wait for room. */
static void open_run(struct ets_trace_thread *thread)
{
    struct ets_trace *trace = thread->trace;
    note_kinds(trace);
    thread->run = ets_fetch_add(&trace->config.section, &trace->runs, 1) + 1;
    thread->allocators = 0;
    ets_trace_read_clocks(trace, &thread->run_ticks, &thread->run_platform);
    if (room(thread) < (ETS_RUN_SLOTS + 1) * ETS_SLOT_BYTES && !take_chunk(thread)) {
        thread->run_flags |= ETS_RUN_CONTINUED; /* there is no room for its begin */
        ets_trace_note(trace, ETS_NO_SPACE);
        return;
    }
    put_run(thread, false);
}

static void open_default_run(struct ets_trace_thread *thread)
{
    thread->run_name = ets_trace_near_name(thread->trace, "Default");
    thread->method_name = ETS_NO_NAME_ID;
    thread->invocation = 0;
    thread->bundled_input_index = -1;
    thread->run_flags = 0;
    open_run(thread);
}

/* Makes room. Returns OK, or why there is none. */
ETS_COLD static enum ets_status make_room(struct ets_trace_thread *thread, uint32_t slots)
{
    struct ets_trace *trace = thread->trace;
    const size_t bytes = (size_t)slots * ETS_SLOT_BYTES;
    if (is_finished(trace)) return ETS_INVALID_ARGUMENT;
    if (trace->chunk_count == 0 || slots > trace->chunk_slots - ETS_RUN_SLOTS) return ETS_NO_SPACE;
    if (thread->run == 0) open_default_run(thread);
    if (thread->chunk != NULL && room(thread) >= bytes) return ETS_OK;
    if (!take_chunk(thread)) return ETS_NO_SPACE;
    put_run(thread, true);
    return ETS_OK;
}

static enum ets_status reserve(struct ets_trace_thread *thread, uint32_t slots)
{
    if (room(thread) >= (size_t)slots * ETS_SLOT_BYTES && !is_finished(thread->trace)) {
        return ETS_OK;
    }
    return make_room(thread, slots);
}

enum ets_status ets_trace_reserve(struct ets_trace_thread *thread, uint32_t slots, uint8_t **at_out)
{
    const enum ets_status status = reserve(thread, slots);
    if (status != ETS_OK) ets_trace_drop(thread->trace, status);
    *at_out = thread->next;
    return status;
}

/* Reserves a record that is not an event: missing room is noted but not counted. */
static uint8_t *reserve_quietly(struct ets_trace_thread *thread)
{
    const enum ets_status status = reserve(thread, 1);
    if (status != ETS_OK) ets_trace_note(thread->trace, status);
    return status == ETS_OK ? thread->next : NULL;
}

void ets_trace_thread_init(struct ets_trace_thread *thread, struct ets_trace *trace)
{
    ets_clear(thread, sizeof *thread);
    thread->trace = trace;
    thread->generation = trace->generation;
    thread->chain = -1;
    for (unsigned i = 0; i < 2; i++) { /* occupy the places of NULL with an invalid name */
        thread->names[ets_known_place(NULL) ^ i].name = (const char *)thread;
    }
    thread->lane = ets_fetch_add(&trace->config.section, &trace->lanes, 1);
}

void ets_trace_thread_release(struct ets_trace_thread *thread)
{
    close_chunk(thread);
}

/* Which tokens the run computes. */
static void put_tokens(struct ets_trace_thread *thread, const struct ets_trace_run *run)
{
    uint8_t *at = reserve_quietly(thread);
    if (at == NULL) return;
    const struct ets_slot slot = {.a.position = run->position,
                                  .b.tokens = run->tokens,
                                  .instruction = (uint32_t)run->stage,
                                  .delegate_id = -1,
                                  .name = ETS_NO_NAME_ID,
                                  .chain_code = ETS_CHAIN_NONE,
                                  .kind = ETS_RECORD_TOKENS};
    ets_copy(at, &slot, sizeof slot);
    ets_trace_commit(thread, 1, false);
    ets_store_relaxed(&thread->trace->has_extra_values, 1);
}

void ets_trace_begin_run(struct ets_trace_thread *thread, const struct ets_trace_run *run)
{
    struct ets_trace *trace = thread->trace;
    if (is_finished(trace) || trace->chunk_count == 0) {
        ets_trace_drop(trace, is_finished(trace) ? ETS_INVALID_ARGUMENT : ETS_NO_SPACE);
        return;
    }
    static const struct ets_trace_run unnamed = {.name = NULL};
    if (run == NULL) run = &unnamed;
    thread->run_name = ets_trace_near_name(trace, run->name == NULL ? "Default" : run->name);
    thread->method_name = ets_trace_near_name(trace, run->method);
    thread->invocation = run->invocation;
    thread->bundled_input_index = run->is_bundled ? run->bundled_input_index : -1;
    thread->run_flags = (uint8_t)(((unsigned)run->purpose & 3) << ETS_RUN_PURPOSE_SHIFT);
    open_run(thread);
    if (run->stage != ETS_STAGE_NONE) put_tokens(thread, run);
}

void ets_trace_end_run(struct ets_trace_thread *thread)
{
    struct ets_trace *trace = thread->trace;
    uint64_t ticks, platform;
    if (thread->run == 0) {
        ets_trace_note(trace, ETS_INVALID_ARGUMENT);
        return;
    }
    ets_trace_read_clocks(trace, &ticks, &platform);
    uint8_t *at = reserve_quietly(thread);
    if (at != NULL) {
        const struct ets_slot slot = {.a.start_ticks = ticks,
                                      .b.platform_low = (uint32_t)platform,
                                      .instruction = (uint32_t)(platform >> 32),
                                      .delegate_id = (int32_t)thread->run,
                                      .name = ETS_NO_NAME_ID,
                                      .chain_code = ETS_CHAIN_NONE,
                                      .kind = ETS_RECORD_RUN_END};
        ets_copy(at, &slot, sizeof slot);
        ets_trace_commit(thread, 1, false);
    }
    if (trace->config.mode == ETS_TRACE_STREAM) ets_trace_flush(thread);
}

/* A long record: wide duration or chain, a name beyond 65,535, metadata. */
static void put_long(struct ets_trace_thread *thread, const struct ets_slot *first, uint32_t name,
                     int32_t chain, uint64_t duration, struct ets_bytes metadata)
{
    if (metadata.size > (size_t)UINT16_MAX * (ETS_SLOT_BYTES - 1)) {
        ets_trace_drop(thread->trace, ETS_NO_SPACE);
        return;
    }
    uint32_t slots = 2;
    for (size_t bytes = ETS_SLOT_BYTES - sizeof(struct ets_long_slot); bytes < metadata.size;
         bytes += ETS_SLOT_BYTES) {
        slots++;
    }
    uint8_t *at;
    if (ets_trace_reserve(thread, slots, &at) != ETS_OK) return;
    struct ets_slot slot = *first;
    slot.b.duration_ticks = (uint32_t)duration;
    slot.kind |= ETS_RECORD_LONG;
    const struct ets_long_slot more = {.slots = (uint16_t)slots,
                                       .far_name = ets_far_name(name),
                                       .duration_high = (uint32_t)(duration >> 32),
                                       .chain = chain,
                                       .count = (uint32_t)metadata.size};
    ets_copy(at, &slot, sizeof slot);
    ets_copy(at + ETS_SLOT_BYTES, &more, sizeof more);
    if (metadata.size != 0) {
        ets_copy(at + ETS_SLOT_BYTES + sizeof more, metadata.data, metadata.size);
    }
    ets_trace_commit(thread, slots, true);
}

/* Writes an event with any fields. `first` lacks its duration; `name` is its id. */
static void put_event(struct ets_trace_thread *thread, const struct ets_slot *first, uint32_t name,
                      int32_t chain, uint64_t end, struct ets_bytes metadata)
{
    uint64_t duration = end - first->a.start_ticks;
    if (metadata.data == NULL) metadata.size = 0;
    if (end < first->a.start_ticks) {
        ets_trace_count(thread->trace, &thread->trace->backwards, 1);
        ets_trace_note(thread->trace, ETS_MISMATCH);
        duration = 0;
    }
    if (duration >> 32 != 0 || first->chain_code == ETS_CHAIN_WIDE || metadata.size != 0 ||
        ets_far_name(name) != 0) {
        put_long(thread, first, name, chain, duration, metadata);
        return;
    }
    uint8_t *at;
    if (ets_trace_reserve(thread, 1, &at) != ETS_OK) return;
    ets_copy(at, first, sizeof *first);
    ets_store_u32(at + offsetof(struct ets_slot, b), (uint32_t)duration);
    ets_trace_commit(thread, 1, true);
}

/* Records a begin, if a stream must be able to show running events. */
static void put_begin(struct ets_trace_thread *thread, const struct ets_slot *slot)
{
    uint8_t *at = reserve_quietly(thread);
    if (at == NULL) return;
    ets_copy(at, slot, sizeof *slot);
    ets_trace_commit(thread, 1, false);
    if (thread->trace->config.flush_begins) ets_trace_flush(thread);
}

static bool admits(const struct ets_trace *trace, struct ets_trace_subject subject)
{
    return trace->choices.admits(&trace->choices, &subject) != 0;
}

ETS_COLD bool ets_trace_admits(const struct ets_trace_thread *thread, uint32_t what,
                               const struct ets_trace_delegate *part)
{
    struct ets_trace_subject subject = {what,         NULL,          -1,
                                        part != NULL, thread->chain, thread->instruction};
    if (part != NULL) subject.name = part->name;
    if (part != NULL && part->name == NULL) subject.id = part->id;
    return admits(thread->trace, subject);
}

/* Counts an event after the end as dropped, but not one of a disabled kind. */
ETS_COLD static struct ets_trace_begun not_begun(struct ets_trace *trace)
{
    if (is_finished(trace)) ets_trace_drop(trace, ETS_INVALID_ARGUMENT);
    return (struct ets_trace_begun){0, ETS_TRACE_SPAN_OFF};
}

ETS_COLD static void announce(struct ets_trace_thread *thread, uint64_t about)
{
    const bool is_delegate = ets_span_is_delegate(about);
    const struct ets_slot slot = {
        .a.start_ticks = ets_now(thread->trace),
        .instruction = is_delegate ? thread->instruction : (uint32_t)about,
        .delegate_id = is_delegate ? (int32_t)(uint32_t)about : -1,
        .name = (uint16_t)(about >> 32),
        .chain_code = ets_chain_code(ets_span_chain(about)),
        .kind = is_delegate ? ETS_RECORD_BEGIN_DELEGATE : ETS_RECORD_BEGIN};
    put_begin(thread, &slot);
}

/* For any clock, and also if begins are recorded. */
ETS_NOINLINE static struct ets_trace_begun begin_named(struct ets_trace_thread *thread,
                                                       uint64_t about, uint32_t enabled)
{
    if ((enabled & ETS_TRACE_FINISHED) != 0) return not_begun(thread->trace);
    if ((enabled & ETS_ENABLED_BEGINS) != 0) announce(thread, about);
    return (struct ets_trace_begun){ets_now(thread->trace), about};
}

ETS_NOINLINE static struct ets_trace_begun begin_unknown(struct ets_trace_thread *thread,
                                                         const char *name, uint64_t about,
                                                         uint32_t enabled)
{
    if ((enabled & ETS_TRACE_FINISHED) != 0) return not_begun(thread->trace);
    const uint32_t id = ets_trace_learn_name(thread, name);
    return begin_named(thread, ets_span_named(about, id), enabled);
}

/* The common case has only tail calls, and so needs to save no registers. */
struct ets_trace_begun ets_trace_begin_enabled(struct ets_trace_thread *thread, const char *name,
                                               uint64_t place, uint32_t enabled)
{
    const struct ets_trace_known_name *known = ets_known_name(thread, name);
    if (!ETS_LIKELY(known != NULL)) return begin_unknown(thread, name, place, enabled);
    const uint64_t about = place | (uint64_t)known->id << 32;
#ifdef ETS_TRACE_HAS_CYCLES
    if (ETS_LIKELY((enabled & ETS_ENABLED_CYCLES) != 0)) {
        return (struct ets_trace_begun){ets_read_cycles(), about};
    }
#endif
    return begin_named(thread, about, enabled);
}

struct ets_trace_begun ets_trace_begin_filtered(struct ets_trace_thread *thread, uint32_t what,
                                                const char *name, int32_t chain,
                                                uint32_t instruction)
{
    const struct ets_trace *trace = thread->trace;
    const uint32_t enabled = ets_trace_enabled(trace);
    if ((enabled & ETS_TRACE_FILTERED(what)) != 0 &&
        !admits(trace, (struct ets_trace_subject){what, name, -1, false, chain, instruction})) {
        return (struct ets_trace_begun){0, ETS_TRACE_SPAN_OFF};
    }
    return ets_trace_begin_enabled(thread, name, ets_trace_place(chain, instruction), enabled);
}

struct ets_trace_span ets_trace_begin_delegate(struct ets_trace_thread *thread,
                                               struct ets_trace_delegate part)
{
    const uint32_t enabled = ets_trace_enabled(thread->trace);
    const uint32_t id = part.name != NULL ? UINT32_MAX : (uint32_t)part.id;
    /* Its end uses the instruction of that time. The chain is only for the record of its begin. */
    const uint64_t about =
        ETS_TRACE_SPAN_DELEGATE | (uint64_t)ets_chain_code(thread->chain) << 48 | id;
    const struct ets_trace_begun begun =
        ets_trace_wants(thread, ETS_TRACE_DELEGATES, &part)
            ? ets_trace_begin_enabled(thread, part.name, about, enabled)
            : not_begun(thread->trace);
    return (struct ets_trace_span){begun.start_ticks, begun.about, thread->generation};
}

/* Counts spans that are stale or never began, but not spans of disabled kinds. */
ETS_COLD static void not_ended(struct ets_trace *trace, uint64_t about, bool is_stale)
{
    if (about >> 56 == ETS_SPAN_OFF) return;
    if (is_stale && about != 0) ets_trace_count(trace, &trace->stale, 1);
    else ets_trace_drop(trace, ETS_INVALID_ARGUMENT);
}

/* Handles uncommon events, and spans that are not events. */
ETS_COLD static void end_slowly(struct ets_trace_thread *thread, struct ets_trace_begun span,
                                uint32_t generation, uint64_t end)
{
    if (!ets_span_is_event(span.about) || generation != thread->generation) {
        not_ended(thread->trace, span.about, generation != thread->generation);
        return;
    }
    const int32_t chain = ets_span_chain(span.about);
    const uint32_t name = ets_span_name(span.about);
    const struct ets_slot slot = {.a.start_ticks = span.start_ticks,
                                  .instruction = (uint32_t)span.about,
                                  .delegate_id = -1,
                                  .name = ets_near_name(name),
                                  .chain_code = ets_chain_code(chain),
                                  .kind = ETS_RECORD_PROFILE};
    put_event(thread, &slot, name, chain, end, (struct ets_bytes){NULL, 0});
}

ETS_INLINE static void end_at(struct ets_trace_thread *thread, struct ets_trace_begun span,
                              uint32_t generation, uint64_t end, bool is_over)
{
    const uint64_t about = span.about, duration = end - span.start_ticks;
    /* The common event fits in one slot, and there is room for it. */
    if (!ETS_LIKELY(about >> 56 == ETS_SPAN_EVENT && duration >> 32 == 0 &&
                    thread->next != thread->end && generation == thread->generation && !is_over)) {
        end_slowly(thread, span, generation, end);
        return;
    }
    ets_put_slot(thread->next, span.start_ticks, duration | about << 32,
                 about | UINT32_MAX); /* no delegate: -1 */
    ets_trace_commit(thread, 1, true);
}

ETS_NOINLINE static void end_by_clock(struct ets_trace_thread *thread, struct ets_trace_begun span,
                                      uint32_t generation)
{
    end_at(thread, span, generation, ets_now(thread->trace), is_finished(thread->trace));
}

void ets_trace_end_begun(struct ets_trace_thread *thread, struct ets_trace_begun span,
                         uint32_t generation)
{
#ifdef ETS_TRACE_HAS_CYCLES
    if ((ets_trace_enabled(thread->trace) & ETS_ENABLED_CYCLES) != 0) {
        end_at(thread, span, generation, ets_read_cycles(), false); /* clears the bit */
        return;
    }
#endif
    end_by_clock(thread, span, generation);
}

static struct ets_slot delegate_slot(const struct ets_trace_thread *thread, uint64_t start,
                                     int32_t id, uint32_t name)
{
    return (struct ets_slot){.a.start_ticks = start,
                             .instruction = thread->instruction,
                             .delegate_id = id,
                             .name = ets_near_name(name),
                             .chain_code = ets_chain_code(thread->chain),
                             .kind = ETS_RECORD_DELEGATE};
}

void ets_trace_end_delegate(struct ets_trace_thread *thread, struct ets_trace_span span,
                            struct ets_bytes metadata)
{
    const bool is_stale = span.generation != thread->generation;
    if (!ets_span_is_delegate(span.about) || is_stale) {
        not_ended(thread->trace, span.about, is_stale);
        return;
    }
    const uint64_t end = ets_now(thread->trace);
    const uint32_t name = ets_span_name(span.about);
    const struct ets_slot slot =
        delegate_slot(thread, span.start_ticks, (int32_t)(uint32_t)span.about, name);
    put_event(thread, &slot, name, thread->chain, end, metadata);
}

void ets_trace_log_delegate(struct ets_trace_thread *thread, struct ets_trace_delegate part,
                            uint64_t start_platform_ticks, uint64_t end_platform_ticks,
                            struct ets_bytes metadata)
{
    struct ets_trace *trace = thread->trace;
    if (!ets_trace_wants(thread, ETS_TRACE_DELEGATES, &part)) {
        (void)not_begun(trace);
        return;
    }
    const uint32_t name = ets_trace_name(trace, part.name);
    struct ets_slot slot =
        delegate_slot(thread, start_platform_ticks, part.name != NULL ? -1 : part.id, name);
    slot.kind |= ETS_RECORD_PLATFORM_TIMES;
    put_event(thread, &slot, name, thread->chain, end_platform_ticks, metadata);
}
