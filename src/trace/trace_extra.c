/* Writes the extra block: facts that ETDump has no field for. docs/SPEC.md describes it. */
#include "etscope/trace_extra.h"

#include "base/extra_keys.h"
#include "base/token_entry.h"
#include "trace/extra_writer.h"
#include "trace/store.h"
#include "trace/trace_source.h"

static void put_clock(const struct ets_trace_source *s, struct ets_extra_writer *extra)
{
    uint8_t value[24], *at = value;
    at = ets_store_u32(at, s->trace->has_clock);
    at = ets_store_u32(at, s->trace->has_platform);
    at = ets_store_u64(at, s->trace->config.clock_hz);
    ets_store_u64(at, s->global_scale);
    ets_extra_put_entry(extra, ETS_TRACE_KEY_CLOCK, value, sizeof value);
}

static void put_counts(const struct ets_trace_source *s, struct ets_extra_writer *extra)
{
    struct ets_trace_state state;
    uint8_t value[72], *at = value;
    ets_trace_get_state(s->trace, &state);
    at = ets_store_u32(at, state.first_error);
    at = ets_store_u32(at, state.dropped);
    at = ets_store_u32(at, state.unnamed);
    at = ets_store_u32(at, state.backwards);
    at = ets_store_u32(at, state.overwritten);
    at = ets_store_u32(at, s->trace->config.mode);
    at = ets_store_u32(at, s->trace->lanes);
    at = ets_store_u32(at, s->trace->lost_frames);
    at = ets_store_u64(at, state.used_bytes);
    at = ets_store_u64(at, state.capacity_bytes);
    at = ets_store_u64(at, state.debug_bytes);
    at = ets_store_u64(at, ets_scale(s->trace->cost_ticks_q8, s->global_scale));
    ets_store_u32(ets_store_u32(at, ets_trace_filtered_kinds(s->trace)), state.stale);
    ets_extra_put_entry(extra, ETS_TRACE_KEY_STATE, value, sizeof value);
}

static struct ets_text text_of(const struct ets_trace *trace, uint32_t name)
{
    struct ets_text text = {NULL, 0};
    if (name < ets_trace_name_count(trace)) text = trace->names[name].text;
    if (text.data == NULL) text.size = 0;
    return text;
}

static void put_with_method(const struct ets_trace_source *s, struct ets_extra_writer *extra,
                            uint32_t key, const uint8_t *value, uint32_t bytes)
{
    const struct ets_text method = text_of(s->trace, s->run.method);
    ets_extra_put_key(extra, key, bytes + method.size);
    ets_extra_put(extra, value, bytes);
    ets_extra_put(extra, method.data, method.size);
    ets_extra_put_padding(extra);
}

static void put_run(const struct ets_trace_source *s, struct ets_extra_writer *extra)
{
    const struct ets_run_slots *run = &s->run;
    uint8_t value[16], *at = value;
    at = ets_store_u32(at, s->run_index);
    at = ets_store_u32(at, s->trace->chunks[s->run_chunk].lane);
    at = ets_store_u32(at, run->invocation);
    at = ets_store_u16(at, run->flags >> ETS_RUN_PURPOSE_SHIFT & 3U);
    ets_store_u16(at, run->flags & ETS_RUN_CONTINUED);
    put_with_method(s, extra, ETS_TRACE_KEY_RUN, value, sizeof value);
}

/* The common head of the entries of debug values. */
enum { VALUE_HEAD_BYTES = 24 };

static void store_head(const struct ets_trace_source *s, const uint8_t *record, uint32_t next_event,
                       size_t part_bytes, uint8_t *at)
{
    struct ets_slot slot;
    ets_copy(&slot, record, sizeof slot);
    const uint32_t is_list = slot.b.value_type == ETS_DEBUG_TENSOR_LIST;
    at = ets_store_u32(at, s->run_index);
    at = ets_store_u32(at, next_event);
    at = ets_store_u32(at, (uint32_t)ets_trace_chain_of(record));
    at = ets_store_u32(at, slot.instruction);
    at = ets_store_u32(at, (uint32_t)slot.delegate_id);
    at = ets_store_u16(at, ((slot.kind & ETS_RECORD_OUTPUT) != 0) | is_list << 1);
    ets_store_u16(at, (uint32_t)part_bytes);
}

static void put_string(const struct ets_trace_source *s, struct ets_extra_writer *extra,
                       const uint8_t *record, uint32_t next_event)
{
    struct ets_slot slot;
    uint8_t value[VALUE_HEAD_BYTES];
    ets_copy(&slot, record, sizeof slot);
    const struct ets_text text = text_of(s->trace, (uint32_t)slot.a.bits);
    const struct ets_text part = text_of(s->trace, ets_record_name(s->trace, record));
    store_head(s, record, next_event, part.size, value);
    ets_extra_put_key(extra, ETS_TRACE_KEY_STRING, sizeof value + part.size + text.size);
    ets_extra_put(extra, value, sizeof value);
    ets_extra_put(extra, part.data, part.size);
    ets_extra_put(extra, text.data, text.size);
    ets_extra_put_padding(extra);
}

/* Writes the tensor's entry from the record, with its statistics. */
static void put_tensor(const struct ets_trace_source *s, struct ets_extra_writer *extra,
                       const uint8_t *record, uint32_t next_event)
{
    const uint8_t *from = record + ETS_SLOT_BYTES + sizeof(struct ets_long_slot);
    struct ets_long_slot more;
    struct ets_tensor_entry entry;
    uint8_t value[VALUE_HEAD_BYTES + 8];
    ets_copy(&more, record + ETS_SLOT_BYTES, sizeof more);
    ets_copy(&entry, from, sizeof entry);
    const size_t bytes =
        sizeof entry + 2 * sizeof(int64_t) * (size_t)entry.rank + entry.statistics_bytes;
    const struct ets_text part = text_of(s->trace, ets_record_name(s->trace, record));
    store_head(s, record, next_event, part.size, value);
    ets_store_u32(ets_store_u32(value + VALUE_HEAD_BYTES, more.count), 0);
    ets_extra_put_key(extra, ETS_TRACE_KEY_TENSOR, sizeof value + bytes + part.size);
    ets_extra_put(extra, value, sizeof value);
    ets_extra_put(extra, from, bytes);
    ets_extra_put(extra, part.data, part.size);
    ets_extra_put_padding(extra);
}

static void put_tokens(const struct ets_trace_source *s, struct ets_extra_writer *extra,
                       const uint8_t *record)
{
    struct ets_slot slot;
    uint8_t value[ETS_TOKEN_ENTRY_METHOD], *at = value;
    ets_copy(&slot, record, sizeof slot);
    at = ets_store_u32(at, s->run.invocation);
    at = ets_store_u32(at, slot.b.tokens);
    at = ets_store_u64(at, slot.a.position);
    ets_store_u32(at, slot.instruction);
    put_with_method(s, extra, ETS_EXTRA_TOKENS, value, sizeof value);
}

/* Writes debug values of the current run that are not events of the ETDump. */
static void put_values(const struct ets_trace_source *s, struct ets_extra_writer *extra)
{
    struct ets_trace_cursor cursor;
    const uint8_t *record;
    uint32_t events = 0;
    ets_trace_source_rewind(s, &cursor);
    while ((record = ets_trace_source_next(s, &cursor)) != NULL) {
        const enum ets_record_kind kind = ets_record_kind_of(record);
        if (ets_record_is_event(record)) events++;
        else if (kind == ETS_RECORD_VALUE) put_string(s, extra, record, events);
        else if (kind == ETS_RECORD_SHAPE) put_tensor(s, extra, record, events);
        else if (kind == ETS_RECORD_TOKENS) put_tokens(s, extra, record);
    }
}

enum ets_status ets_trace_put_extra(void *source, const struct ets_etdump_sink *sink)
{
    struct ets_trace_source *s = source;
    struct ets_extra_writer extra = {.sink = sink};
    put_clock(s, &extra);
    put_counts(s, &extra);
    const struct ets_bytes fingerprint = s->trace->config.fingerprint;
    if (fingerprint.size != 0) {
        ets_extra_put_entry(&extra, ETS_TRACE_KEY_FINGERPRINT, s->trace->fingerprint,
                            fingerprint.size);
    }
    for (uint32_t i = 0; i < s->source.run_count && ets_trace_source_select(s, i); i++) {
        put_run(s, &extra);
        if (s->trace->has_extra_values != 0) put_values(s, &extra);
    }
    return ets_extra_end(&extra);
}
