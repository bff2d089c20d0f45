/* Adds the runs of traces up in fixed memory, and writes the sums as a file. docs/SPEC.md,
 * "Summaries". */
#include "etscope/trace_summary.h"

#include "base/crc32.h"
#include "base/load.h"
#include "base/summary_layout.h"
#include "trace/plain_error.h"
#include "trace/siphash.h"
#include "trace/store.h"
#include "trace/trace_source.h"

enum { DECIMALS = 12 };

_Static_assert((int)ETS_TRACE_SUMMARY_BUCKETS == (int)ETS_SUMMARY_BUCKET_COUNT, "of one row");
_Static_assert((int)ETS_TRACE_SUMMARY_KEY_BYTES == (int)ETS_SIPHASH_KEY_BYTES, "of one key");

#define NOT_PENDING UINT64_MAX

/* An event of which all is absent, as the source expects it. */
static const struct ets_etdump_record absent = {.name = ETS_ETDUMP_NO_NAME,
                                                .chain = -1,
                                                .instruction = -1,
                                                .delegate_id = -1,
                                                .delegate_name = ETS_ETDUMP_NO_NAME};

void ets_trace_summary_init(struct ets_trace_summary *summary,
                            const struct ets_trace_summary_config *config)
{
    ets_clear(summary, sizeof *summary);
    summary->config = *config;
    if (config->texts == NULL) summary->config.text_bytes = 0;
    if (summary->config.text_bytes == 0) summary->config.hash_names = 1;
    summary->warm_up_left = config->warm_up_runs;
}

void ets_trace_summary_reset(struct ets_trace_summary *summary)
{
    const struct ets_trace_summary_config config = summary->config;
    const uint32_t warm_up_left = summary->warm_up_left, sequence = summary->sequence;
    const int has_operators = summary->has_operators;
    ets_clear(summary, sizeof *summary);
    summary->config = config;
    summary->warm_up_left = warm_up_left;
    summary->has_operators = has_operators;
    summary->sequence = sequence + 1;
}

/* 0: there is no text. */
static uint64_t hash_of(const struct ets_trace_summary *summary, struct ets_text text)
{
    return text.size == 0 ? 0 : ets_siphash(summary->config.key, text.data, text.size);
}

static uint32_t add_saturated(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static bool starts_with(struct ets_text text, const char *start, size_t size)
{
    if (text.size < size) return false;
    for (size_t i = 0; i < size; i++) {
        if (text.data[i] != start[i]) return false;
    }
    return true;
}

#define IS(text, literal) \
    ((text).size == sizeof(literal) - 1 && starts_with(text, literal, sizeof(literal) - 1))

/* What one time is of. */
struct place {
    struct ets_text name, method;
    int32_t instruction;
    enum ets_trace_summary_kind kind;
    char digits[DECIMALS]; /* of a delegate's identifier */
};

static struct ets_text name_of(const struct ets_trace_source *s, uint32_t number)
{
    if (number >= s->source.name_count) return (struct ets_text){NULL, 0};
    return s->source.names[number].text;
}

/* The decimal digits of an identifier that is not negative. */
static struct ets_text digits_of(char *room, uint32_t value)
{
    size_t at = DECIMALS;
    do {
        /* Small processors cannot divide: exact for 32 bits. */
        const uint32_t tenth = (uint32_t)(value * UINT64_C(0xcccccccd) >> 35);
        room[--at] = (char)('0' + (value - tenth * 10));
        value = tenth;
    } while (value > 0);
    return (struct ets_text){room + at, DECIMALS - at};
}

/* Whether an event has a time of its own in the tables; OPERATOR_CALL encloses others. */
static bool find_place(const struct ets_trace_source *s, const struct ets_etdump_record *event,
                       struct place *out)
{
    static const char native[] = "native_call_";
    out->name = name_of(s, event->name);
    out->method = name_of(s, s->run.method);
    out->instruction = event->chain < 0 ? -1 : event->instruction;
    if (event->kind != ETS_EVENT_PROFILE) return false;
    if (event->delegate_id >= 0 || event->delegate_name != ETS_ETDUMP_NO_NAME) {
        out->kind = ETS_TRACE_SUMMARY_DELEGATE_EVENT;
        out->name = name_of(s, event->delegate_name);
        if (event->delegate_id >= 0)
            out->name = digits_of(out->digits, (uint32_t)event->delegate_id);
        return true;
    }
    if (event->chain < 0) {
        out->kind = ETS_TRACE_SUMMARY_RUN;
        return IS(out->name, "Method::execute");
    }
    if (IS(out->name, "OPERATOR_CALL")) return false;
    out->kind = IS(out->name, "DELEGATE_CALL") ? ETS_TRACE_SUMMARY_DELEGATE_CALL
                                               : ETS_TRACE_SUMMARY_OPERATOR;
    if (starts_with(out->name, native, sizeof native - 1)) {
        out->name.data += sizeof native - 1;
        out->name.size -= sizeof native - 1;
    }
    return true;
}

/* Where a text stands among those that are kept; it is added if there is room. UINT32_MAX: no. */
static uint32_t keep_text(struct ets_trace_summary *summary, struct ets_text text)
{
    char *texts = summary->config.texts;
    if (summary->config.hash_names || text.data == NULL || text.size > UINT16_MAX)
        return UINT32_MAX;
    for (uint32_t i = 0; i < summary->used_rows; i++) {
        const struct ets_trace_summary_row *row = &summary->config.rows[i];
        const uint32_t at[] = {row->name_at, row->method_at};
        const uint32_t size[] = {row->name_size, row->method_size};
        for (int k = 0; k < 2; k++) {
            if (at[k] == UINT32_MAX || size[k] != text.size) continue;
            if (starts_with(text, texts + at[k], size[k])) return at[k];
        }
    }
    if (text.size > summary->config.text_bytes - summary->used_text_bytes) return UINT32_MAX;
    const uint32_t at = summary->used_text_bytes;
    ets_copy(texts + at, text.data, text.size);
    summary->used_text_bytes += (uint32_t)text.size;
    return at;
}

static bool is_of_run(int kind)
{
    return kind == ETS_TRACE_SUMMARY_RUN || kind == ETS_TRACE_SUMMARY_BARE_RUN;
}

/*
 * A row that is not in use, or NULL. If all are in use, a run takes the row of the operator that
 * came last: without the time of its runs, nothing could be said of the others.
 */
static struct ets_trace_summary_row *free_row(struct ets_trace_summary *summary,
                                              enum ets_trace_summary_kind kind)
{
    struct ets_trace_summary_row *rows = summary->config.rows;
    if (summary->used_rows < summary->config.row_count) return &rows[summary->used_rows];
    if (!is_of_run(kind)) return NULL;
    for (uint32_t i = summary->used_rows; i-- > 0;) {
        if (is_of_run(rows[i].kind)) continue;
        summary->lost_values = add_saturated(summary->lost_values, rows[i].count);
        return &rows[i];
    }
    return NULL;
}

/* The row of a place, made if there is none; NULL: no row is free. */
static struct ets_trace_summary_row *row_of(struct ets_trace_summary *summary,
                                            const struct place *place)
{
    const uint64_t name = hash_of(summary, place->name);
    const uint64_t method = hash_of(summary, place->method);
    for (uint32_t i = 0; i < summary->used_rows; i++) {
        struct ets_trace_summary_row *row = &summary->config.rows[i];
        if (row->name_hash == name && row->method_hash == method && row->kind == place->kind &&
            row->instruction == place->instruction) {
            return row;
        }
    }
    struct ets_trace_summary_row *row = free_row(summary, place->kind);
    if (row == NULL) return NULL;
    ets_clear(row, sizeof *row);
    row->pending_ns = NOT_PENDING;
    row->name_hash = name;
    row->method_hash = method;
    row->instruction = place->instruction;
    row->kind = (uint8_t)place->kind;
    row->name_at = keep_text(summary, place->name);
    row->name_size = row->name_at == UINT32_MAX ? 0 : (uint16_t)place->name.size;
    row->method_at = UINT32_MAX;
    /* Its name counts when the method's is looked for. */
    if (row == &summary->config.rows[summary->used_rows]) summary->used_rows++;
    row->method_at = keep_text(summary, place->method);
    row->method_size = row->method_at == UINT32_MAX ? 0 : (uint16_t)place->method.size;
    return row;
}

/*
 * Whether the next time of a row goes into its buckets: one of each 2^shift in a row does. Which
 * one differs from each of these groups to the next, so that runs that take turns all have their
 * share.
 */
static bool is_sampled(const struct ets_trace_summary_row *row)
{
    uint32_t choice = row->count >> row->shift; /* the number of the group, mixed */
    choice = (choice ^ choice >> 16) * 0x85ebca6bu;
    choice = (choice ^ choice >> 13) * 0xc2b2ae35u;
    return ((choice ^ choice >> 16 ^ row->count) & ((1u << row->shift) - 1)) == 0;
}

/* Halves the buckets. Odd ones pass a half on: ranks stay, and so does half of the sum. */
static void halve(struct ets_trace_summary_row *row)
{
    uint32_t before = 0;
    for (int i = 0; i < ETS_TRACE_SUMMARY_BUCKETS; i++) {
        const uint32_t sum = before + row->buckets[i];
        row->buckets[i] = (uint16_t)(sum / 2 - before / 2);
        before = sum;
    }
    row->shift++;
}

static void count_in_bucket(struct ets_trace_summary_row *row, uint32_t bucket)
{
    uint32_t at = bucket < row->first_bucket ? 0 : bucket - row->first_bucket;
    if (at >= ETS_TRACE_SUMMARY_BUCKETS) at = ETS_TRACE_SUMMARY_BUCKETS - 1;
    if (++row->buckets[at] == UINT16_MAX) halve(row);
}

static void count_time(struct ets_trace_summary_row *row, uint64_t time)
{
    const uint32_t bucket = ets_summary_bucket(time);
    if (row->count == 0) {
        row->min_ns = time;
        row->first_bucket = (uint16_t)(bucket < ETS_TRACE_SUMMARY_BUCKETS / 2
                                           ? 0
                                           : bucket - ETS_TRACE_SUMMARY_BUCKETS / 2);
    }
    if (is_sampled(row)) count_in_bucket(row, bucket);
    row->count++;
    row->sum_ns = ets_add_saturated_u64(row->sum_ns, time);
    if (time < row->min_ns) row->min_ns = time;
    if (time > row->max_ns) row->max_ns = time;
}

/*
 * Finds the execution of a method that the selected run ends, and whether operators were recorded
 * in it; false: a load or a broken run, which does not count.
 */
static bool find_execution(struct ets_trace_source *s, uint32_t run, uint32_t events,
                           struct place *out)
{
    bool is_bare = true;
    for (uint32_t i = 0; i < events; i++) {
        struct ets_etdump_record event = absent;
        if (s->source.event(s->source.context, run, i, &event) != ETS_OK) return false;
        if (!find_place(s, &event, out)) continue;
        if (out->kind == ETS_TRACE_SUMMARY_RUN) {
            if (is_bare) out->kind = ETS_TRACE_SUMMARY_BARE_RUN;
            return true;
        }
        is_bare = false;
    }
    return false;
}

static void add_pending(struct ets_trace_summary *summary)
{
    for (uint32_t i = 0; i < summary->used_rows; i++) {
        struct ets_trace_summary_row *row = &summary->config.rows[i];
        if (row->pending_ns == NOT_PENDING) continue;
        if (row->count == UINT32_MAX) summary->lost_values = add_saturated(summary->lost_values, 1);
        else count_time(row, row->pending_ns);
        row->pending_ns = NOT_PENDING;
    }
}

static void add_run(struct ets_trace_summary *summary, struct ets_trace_source *s, uint32_t run,
                    uint32_t events, const struct place *execution)
{
    row_of(summary, execution); /* the event comes last, when no row may be free */
    for (uint32_t i = 0; i < events; i++) {
        struct ets_etdump_record event = absent;
        struct place place;
        if (s->source.event(s->source.context, run, i, &event) != ETS_OK) break;
        if (!find_place(s, &event, &place)) continue;
        if (place.kind == ETS_TRACE_SUMMARY_RUN) place.kind = execution->kind;
        struct ets_trace_summary_row *row = row_of(summary, &place);
        if (row == NULL) {
            summary->lost_values = add_saturated(summary->lost_values, 1);
            continue;
        }
        if (row->pending_ns == NOT_PENDING) row->pending_ns = 0;
        row->pending_ns += event.end_ticks - event.start_ticks;
    }
    add_pending(summary);
    summary->runs = add_saturated(summary->runs, 1);
}

void ets_trace_summary_add(struct ets_trace_summary *summary, struct ets_trace *trace)
{
    struct ets_trace_source s;
    struct ets_trace_state state;
    ets_trace_source_init(&s, trace);
    for (uint32_t run = 0; run < s.source.run_count; run++) {
        struct ets_etdump_run_record record = {.name = 0};
        struct place execution;
        if (run == s.cut_run && s.cut_name != ETS_ETDUMP_NO_NAME) continue;
        if (s.source.run(s.source.context, run, &record) != ETS_OK) break;
        /* Without its start, which a ring overwrote, sums would be too small. */
        if ((s.run.flags & ETS_RUN_CONTINUED) != 0) continue;
        if (!find_execution(&s, run, record.event_count, &execution)) continue;
        if (execution.kind == ETS_TRACE_SUMMARY_RUN) summary->has_operators = 1;
        if (summary->warm_up_left > 0) {
            summary->warm_up_left--;
            summary->warm_up_runs++;
        } else {
            add_run(summary, &s, run, record.event_count, &execution);
        }
    }
    ets_trace_get_state(trace, &state);
    summary->lost_events += (uint64_t)state.dropped + state.overwritten;
    const struct ets_bytes print = trace->config.fingerprint;
    summary->fingerprint_bytes = (uint32_t)print.size;
    ets_copy(summary->fingerprint, trace->fingerprint, print.size);
}

size_t ets_trace_summary_size(const struct ets_trace_summary *summary)
{
    const size_t texts = summary->config.hash_names ? 0 : summary->used_text_bytes;
    return ETS_SUMMARY_HEAD_BYTES + (size_t)summary->used_rows * ETS_SUMMARY_ROW_BYTES + texts +
           ETS_SUMMARY_TAIL_BYTES;
}

/* A sink with the checksum of what went into it. */
struct summing {
    const struct ets_etdump_sink *sink;
    size_t written;
    uint32_t crc;
    bool is_full;
};

static void put(struct summing *to, const void *data, size_t size)
{
    if (to->is_full || size == 0) return;
    to->is_full = to->sink->write(to->sink->context, data, size) != 0;
    if (to->is_full) return;
    to->crc = ets_crc32(to->crc, data, size);
    to->written += size;
}

static void put_head(struct summing *to, const struct ets_trace_summary *summary)
{
    uint8_t head[ETS_SUMMARY_HEAD_BYTES] = ETS_SUMMARY_MAGIC;
    const uint32_t print_bytes = summary->fingerprint_bytes;
    const bool is_print_hashed = summary->config.hash_names && print_bytes > 0;
    const uint32_t flags = (summary->config.hash_names ? ETS_SUMMARY_HASHED : 0u) |
                           (summary->has_operators ? ETS_SUMMARY_HAS_OPERATORS : 0u);
    const uint32_t words[] = {(uint32_t)ets_trace_summary_size(summary),
                              summary->used_rows,
                              summary->config.hash_names ? 0 : summary->used_text_bytes,
                              summary->runs,
                              summary->warm_up_runs,
                              summary->lost_values,
                              flags,
                              is_print_hashed ? (uint32_t)sizeof(uint64_t) : print_bytes};
    head[ETS_SUMMARY_VERSION_AT] = ETS_SUMMARY_VERSION;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ets_store_u32(head + ETS_SUMMARY_SIZE_AT + 4 * i, words[i]);
    }
    ets_store_u64(head + ETS_SUMMARY_LOST_EVENTS_AT, summary->lost_events);
    ets_store_u32(head + ETS_SUMMARY_START_AT, summary->config.start);
    ets_store_u32(head + ETS_SUMMARY_SEQUENCE_AT, summary->sequence);
    if (is_print_hashed) {
        ets_store_u64(head + ETS_SUMMARY_FINGERPRINT_AT,
                      ets_siphash(summary->config.key, summary->fingerprint, print_bytes));
    } else {
        ets_copy(head + ETS_SUMMARY_FINGERPRINT_AT, summary->fingerprint, print_bytes);
    }
    put(to, head, sizeof head);
}

static void put_row(struct summing *to, const struct ets_trace_summary_row *row)
{
    uint8_t out[ETS_SUMMARY_ROW_BYTES] = {0};
    ets_store_u64(out + ETS_SUMMARY_NAME_HASH, row->name_hash);
    ets_store_u64(out + ETS_SUMMARY_METHOD_HASH, row->method_hash);
    ets_store_u64(out + ETS_SUMMARY_SUM, row->sum_ns);
    ets_store_u64(out + ETS_SUMMARY_MIN, row->min_ns);
    ets_store_u64(out + ETS_SUMMARY_MAX, row->max_ns);
    ets_store_u32(out + ETS_SUMMARY_COUNT, row->count);
    ets_store_u32(out + ETS_SUMMARY_NAME, row->name_at);
    ets_store_u32(out + ETS_SUMMARY_METHOD, row->method_at);
    ets_store_u32(out + ETS_SUMMARY_INSTRUCTION, (uint32_t)row->instruction);
    ets_store_u16(out + ETS_SUMMARY_NAME_SIZE, row->name_size);
    ets_store_u16(out + ETS_SUMMARY_METHOD_SIZE, row->method_size);
    ets_store_u16(out + ETS_SUMMARY_FIRST_BUCKET, row->first_bucket);
    ets_store_u16(out + ETS_SUMMARY_KIND, row->kind);
    for (size_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) {
        ets_store_u16(out + ETS_SUMMARY_BUCKETS + 2 * i, row->buckets[i]);
    }
    put(to, out, sizeof out);
}

enum ets_status ets_trace_summary_write(const struct ets_trace_summary *summary,
                                        const struct ets_etdump_sink *sink, struct ets_error *error)
{
    struct summing to = {.sink = sink};
    uint8_t tail[ETS_SUMMARY_TAIL_BYTES];
    put_head(&to, summary);
    for (uint32_t i = 0; i < summary->used_rows; i++) put_row(&to, &summary->config.rows[i]);
    if (!summary->config.hash_names) put(&to, summary->config.texts, summary->used_text_bytes);
    ets_store_u32(tail, to.crc);
    put(&to, tail, sizeof tail);
    if (!to.is_full) return ETS_OK;
    ets_tell(error, ETS_IO, to.written, "the sink refused the summary");
    return ETS_IO;
}
