/*
 * Writes ETDumps. The layout of a file: header, vtables, root, table of runs, runs; for each run
 * its allocators, its events vector and its Event tables, whose sizes follow from counts alone;
 * then the payloads of all events in order; at the end the shared parts: an empty vector and the
 * names. Each part needs only the start of the next ones. That takes three passes over the events:
 * the first finds the total size, the second writes Event tables and computes the positions of
 * their payloads, the third writes the payloads. Bytes that are not part of the FlatBuffer may
 * follow.
 */
#include "trace/etdump_writer.h"
#include "etscope/etdump.h"

#include "base/etdump_slots.h"
#include "trace/flatbuffer_writer.h"
#include "trace/freestanding.h"

/* The schema's tables; Int and Double have the same layout. */
enum table_kind {
    TABLE_ETDUMP,
    TABLE_RUN,
    TABLE_ALLOCATOR,
    TABLE_EVENT,
    TABLE_PROFILE,
    TABLE_ALLOCATION,
    TABLE_DEBUG,
    TABLE_VALUE,
    TABLE_TENSOR,
    TABLE_TENSOR_LIST,
    TABLE_WIDE,
    TABLE_FLOAT,
    TABLE_BOOL,
    TABLE_COUNT
};

/* The slot of tables with a single slot. */
enum { ONLY_SLOT };

#define BIT(slot) (1u << (slot))

/* first word, words, slots of 8 bytes, of 1 byte, references */
static const struct ets_fbw_layout layouts[TABLE_COUNT] = {
    [TABLE_ETDUMP] = {0, 1, 0, 0, BIT(ETDUMP_RUN_DATA)},
    [TABLE_RUN] = {1, 1, 0, 0, BIT(RUN_NAME) | BIT(RUN_ALLOCATORS) | BIT(RUN_EVENTS)},
    [TABLE_ALLOCATOR] = {2, 1, 0, 0, BIT(ONLY_SLOT)},
    [TABLE_EVENT] = {3, 1, 0, 0, BIT(EVENT_PROFILE) | BIT(EVENT_ALLOCATION) | BIT(EVENT_DEBUG)},
    [TABLE_PROFILE] = {4, 8, BIT(PROFILE_START) | BIT(PROFILE_END), 0,
                       BIT(PROFILE_NAME) | BIT(PROFILE_DELEGATE_NAME) | BIT(PROFILE_METADATA)},
    [TABLE_ALLOCATION] = {12, 1, BIT(ALLOCATION_BYTES), 0, 0},
    [TABLE_DEBUG] = {13, 2, BIT(DEBUG_CHAIN), 0,
                     BIT(DEBUG_ENTRY) | BIT(DEBUG_DELEGATE_NAME) | BIT(DEBUG_NAME)},
    [TABLE_VALUE] = {15, 8, 0, BIT(VALUE_TYPE), 0xff & ~BIT(VALUE_TYPE)},
    [TABLE_TENSOR] = {23, 1, BIT(TENSOR_OFFSET), BIT(TENSOR_SCALAR_TYPE),
                      BIT(TENSOR_SIZES) | BIT(TENSOR_STRIDES)},
    [TABLE_TENSOR_LIST] = {24, 1, 0, 0, BIT(ONLY_SLOT)},
    [TABLE_WIDE] = {25, 1, BIT(ONLY_SLOT), 0, 0},
    [TABLE_FLOAT] = {26, 1, 0, 0, 0},
    [TABLE_BOOL] = {27, 1, 0, BIT(ONLY_SLOT), 0},
};

_Static_assert((int)TABLE_COUNT <= (int)ETS_FBW_LAYOUTS, "each layout has a shape");

struct etdump_writer {
    struct ets_fbw w;
    const struct ets_etdump_source *source;
    uint32_t payloads_at;
    uint32_t shared_at;     /* the empty vector and the names */
    uint32_t payload_start; /* of the last written payload */
    uint32_t
        stride;     /* from its start to the next payload of the same shape; 0: shapes may differ */
    uint32_t check; /* over positions and kinds of all payloads */
    bool has_empty; /* something refers to the empty vector */
    struct ets_tensor tensor; /* the last requested tensor, and its offset in the debug buffer */
    int64_t tensor_offset;
};

/* A table under construction; values are for ets_fbw_put_table. */
struct table {
    enum table_kind kind;
    unsigned slots;
    uint64_t values[8];
};

static void set(struct table *table, unsigned slot, uint64_t value)
{
    table->slots |= BIT(slot);
    table->values[slot] = value;
}

/* Sets a field unless it has its default value. */
static void set_unless(struct table *table, unsigned slot, uint64_t value, uint64_t fallback)
{
    if (value != fallback) set(table, slot, value);
}

static uint32_t start_of(const struct table *table, uint32_t position)
{
    return ets_fbw_table_start(&layouts[table->kind], table->slots, position);
}

static uint32_t end_of(const struct table *table, uint32_t position)
{
    return ets_fbw_table_end(&layouts[table->kind], table->slots, position);
}

static void put(struct etdump_writer *d, const struct table *table)
{
    ets_fbw_put_table(&d->w, &layouts[table->kind], table->slots, table->values);
}

static bool is_well(const struct etdump_writer *d)
{
    return d->w.status == ETS_OK;
}

/* Whether the source returned OK. Otherwise the writing fails. */
static bool has_given(struct etdump_writer *d, enum ets_status status)
{
    if (status != ETS_OK) ets_fbw_fail(&d->w, status, "the source returned no record");
    return status == ETS_OK;
}

static void set_name(struct etdump_writer *d, struct table *table, unsigned slot, uint32_t name)
{
    if (name == ETS_ETDUMP_NO_NAME) return;
    if (name >= d->source->name_count) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "a record has an unknown name number");
        return;
    }
    set(table, slot, d->shared_at + d->source->names[name].at);
}

static uint32_t empty_vector_at(struct etdump_writer *d)
{
    if (d->w.is_measuring) d->has_empty = true;
    if (!d->has_empty) ets_fbw_fail_changed(&d->w);
    return d->shared_at;
}

static void put_profile(struct etdump_writer *d, const struct ets_etdump_record *record)
{
    const bool is_delegate =
        record->delegate_id != -1 || record->delegate_name != ETS_ETDUMP_NO_NAME;
    struct table table = {.kind = TABLE_PROFILE};
    if (record->chain < INT32_MIN || record->chain > INT32_MAX) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT,
                     "the chain index of a profile event is over 32 bits");
    }
    set_name(d, &table, PROFILE_NAME, record->name);
    set_unless(&table, PROFILE_CHAIN, (uint32_t)record->chain, 0);
    set_unless(&table, PROFILE_INSTRUCTION, (uint32_t)record->instruction, UINT32_MAX);
    set_unless(&table, PROFILE_DELEGATE_ID, (uint32_t)record->delegate_id, UINT32_MAX);
    set_name(d, &table, PROFILE_DELEGATE_NAME, record->delegate_name);
    set(&table, PROFILE_START,
        record->start_ticks); /* set even if 0, so that all events have one size */
    set(&table, PROFILE_END, record->end_ticks);
    const size_t metadata_bytes = record->metadata.size;
    if (is_delegate || record->metadata.data != NULL) {
        set(&table, PROFILE_METADATA, 0);
        table.values[PROFILE_METADATA] =
            metadata_bytes == 0 ? empty_vector_at(d) : end_of(&table, d->w.position);
    }
    d->payload_start = start_of(&table, d->w.position);
    if (d->w.is_counting && !is_delegate && record->metadata.data == NULL) {
        d->stride = ets_fbw_align(end_of(&table, d->payload_start) - d->payload_start, 8, 0);
    }
    put(d, &table);
    if (metadata_bytes == 0) return;
    ets_fbw_put_u32(&d->w, (uint32_t)metadata_bytes); /* over 32 bits: the next line fails */
    ets_fbw_put(&d->w, record->metadata.data, metadata_bytes);
    ets_fbw_pad_to(&d->w, ets_fbw_align(d->w.position, 4, 0));
}

static void put_allocation(struct etdump_writer *d, const struct ets_etdump_record *record)
{
    struct table table = {.kind = TABLE_ALLOCATION};
    set_unless(&table, ALLOCATION_ALLOCATOR, (uint32_t)record->allocator, 0);
    set_unless(&table, ALLOCATION_BYTES, record->allocated_bytes, 0);
    d->payload_start = start_of(&table, d->w.position);
    put(d, &table);
}

/* The table of the last tensor without the positions of its vectors. */
static struct table tensor_table(const struct etdump_writer *d)
{
    struct table table = {.kind = TABLE_TENSOR};
    set_unless(&table, TENSOR_SCALAR_TYPE, (uint64_t)d->tensor.scalar_type, 0);
    set(&table, TENSOR_SIZES, 0);
    set(&table, TENSOR_STRIDES, 0);
    set_unless(&table, TENSOR_OFFSET, (uint64_t)d->tensor_offset, 0);
    return table;
}

static void put_i64_vector(struct etdump_writer *d, const int64_t *values, uint32_t count)
{
    ets_fbw_pad_to(&d->w, ets_fbw_align(d->w.position, 8, 4));
    ets_fbw_put_u32(&d->w, count);
    for (uint32_t i = 0; i < count; i++) ets_fbw_put_u64(&d->w, (uint64_t)values[i]);
}

static void put_tensor(struct etdump_writer *d)
{
    const struct ets_tensor *tensor = &d->tensor;
    struct table table = tensor_table(d);
    if (tensor->rank == 0) {
        table.values[TENSOR_SIZES] = table.values[TENSOR_STRIDES] = empty_vector_at(d);
        put(d, &table);
        return;
    }
    const uint32_t sizes_at = ets_fbw_align(end_of(&table, d->w.position), 8, 4);
    table.values[TENSOR_SIZES] = sizes_at;
    table.values[TENSOR_STRIDES] = ets_fbw_align(sizes_at + 4 + 8 * tensor->rank, 8, 4);
    put(d, &table);
    put_i64_vector(d, tensor->sizes, tensor->rank);
    put_i64_vector(d, tensor->strides, tensor->rank);
}

/* The event of a tensor. */
struct place {
    uint32_t run, event;
};

static bool get_tensor(struct etdump_writer *d, struct place place, uint32_t index)
{
    const struct ets_etdump_source *source = d->source;
    if (source->tensor == NULL) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT,
                     "a record has tensors, but the source provides none");
        return false;
    }
    d->tensor.rank = 0;
    d->tensor_offset = -1;
    if (!has_given(d, source->tensor(source->context, place.run, place.event, index, &d->tensor,
                                     &d->tensor_offset))) {
        return false;
    }
    if (d->tensor.rank > ETS_TENSOR_MAX_RANK) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "a tensor has more than 16 dimensions");
    }
    return is_well(d);
}

/* Writes a reference to the tensor, which will follow from `next` on; returns its end. */
static uint32_t put_tensor_reference(struct etdump_writer *d, uint32_t next)
{
    const struct table table = tensor_table(d);
    ets_fbw_put_reference(&d->w, start_of(&table, next));
    const bool is_counting = d->w.is_counting;
    const uint32_t position = d->w.position;
    d->w.is_counting = true;
    d->w.position = next;
    put_tensor(d);
    next = d->w.position;
    d->w.is_counting = is_counting;
    d->w.position = position;
    return next;
}

static void put_tensor_list(struct etdump_writer *d, struct place place, uint32_t count)
{
    struct table list = {.kind = TABLE_TENSOR_LIST};
    set(&list, ONLY_SLOT, 0);
    list.values[ONLY_SLOT] = count == 0 ? empty_vector_at(d) : end_of(&list, d->w.position);
    put(d, &list);
    if (count == 0) return;
    if (count > (ETS_ETDUMP_MAX_BYTES - d->w.position) / 4) {
        ets_fbw_fail_limit(&d->w);
        return;
    }
    ets_fbw_put_u32(&d->w, count);
    uint32_t next = d->w.position + 4 * count;
    for (uint32_t i = 0; i < count && get_tensor(d, place, i); i++) {
        next = put_tensor_reference(d, next);
    }
    for (uint32_t i = 0; i < count && get_tensor(d, place, i); i++) put_tensor(d);
}

/* The member of a value that is not a tensor, as a table; returns its slot in Value. */
static unsigned scalar_member(const struct ets_etdump_record *record, struct table *member)
{
    union {
        double wide;
        float narrow;
        uint64_t u64;
        uint32_t u32;
    } bits = {.u64 = 0};
    switch (record->value_type) {
    case ETS_DEBUG_BOOL:
        *member = (struct table){.kind = TABLE_BOOL};
        set_unless(member, ONLY_SLOT, record->int_value != 0, 0);
        return VALUE_BOOL;
    case ETS_DEBUG_FLOAT:
        bits.narrow = record->float_value;
        *member = (struct table){.kind = TABLE_FLOAT};
        set_unless(member, ONLY_SLOT, bits.u32, 0);
        return VALUE_FLOAT;
    case ETS_DEBUG_DOUBLE:
        bits.wide = record->double_value;
        *member = (struct table){.kind = TABLE_WIDE};
        set_unless(member, ONLY_SLOT, bits.u64, 0);
        return VALUE_DOUBLE;
    default:
        *member = (struct table){.kind = TABLE_WIDE};
        set_unless(member, ONLY_SLOT, (uint64_t)record->int_value, 0);
        return VALUE_INT;
    }
}

/* Writes Value, the output flag and the member. */
static void put_value(struct etdump_writer *d, const struct ets_etdump_record *record,
                      struct place place)
{
    const uint32_t at = d->w.position;
    struct table value = {.kind = TABLE_VALUE}, member, mark = {.kind = TABLE_BOOL};
    unsigned slot = VALUE_TYPE;
    if (record->value_type == ETS_DEBUG_TENSOR) {
        if (!get_tensor(d, place, 0)) return;
        member = tensor_table(d);
        slot = VALUE_TENSOR;
    } else if (record->value_type == ETS_DEBUG_TENSOR_LIST) {
        member = (struct table){.kind = TABLE_TENSOR_LIST, .slots = BIT(ONLY_SLOT)};
        slot = VALUE_TENSOR_LIST;
    } else if (record->value_type != ETS_DEBUG_NULL) {
        slot = scalar_member(record, &member);
    }
    set(&mark, ONLY_SLOT, 1);
    set_unless(&value, VALUE_TYPE, (uint64_t)record->value_type, ETS_DEBUG_NULL);
    if (slot != VALUE_TYPE) set(&value, slot, 0);
    if (record->is_output) set(&value, VALUE_OUTPUT, 0);
    uint32_t next = end_of(&value, at);
    if (record->is_output) {
        value.values[VALUE_OUTPUT] = start_of(&mark, next);
        next = end_of(&mark, next);
    }
    if (slot != VALUE_TYPE) value.values[slot] = start_of(&member, next);
    put(d, &value);
    if (record->is_output) put(d, &mark);
    if (slot == VALUE_TENSOR) put_tensor(d);
    else if (slot == VALUE_TENSOR_LIST) put_tensor_list(d, place, record->tensor_count);
    else if (slot != VALUE_TYPE) put(d, &member);
}

static void put_debug(struct etdump_writer *d, const struct ets_etdump_record *record,
                      struct place place)
{
    if ((int)record->value_type < 0 || record->value_type >= ETS_DEBUG_STRING) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "a debug event has a value of unknown type");
        return;
    }
    struct table table = {.kind = TABLE_DEBUG};
    set_unless(&table, DEBUG_CHAIN, (uint64_t)record->chain, 0);
    set_unless(&table, DEBUG_INSTRUCTION, (uint32_t)record->instruction, UINT32_MAX);
    set_unless(&table, DEBUG_DELEGATE_ID, (uint32_t)record->delegate_id, UINT32_MAX);
    set_name(d, &table, DEBUG_DELEGATE_NAME, record->delegate_name);
    set_name(d, &table, DEBUG_NAME, record->name);
    set(&table, DEBUG_ENTRY, 0);
    table.values[DEBUG_ENTRY] = end_of(&table, d->w.position); /* a Value has no 8-byte field */
    d->payload_start = start_of(&table, d->w.position);
    put(d, &table);
    put_value(d, record, place);
}

static void check_payload(struct etdump_writer *d, enum ets_event_kind kind)
{
    d->check = d->check * 31 + d->payload_start + (uint32_t)kind;
}

static void put_payload(struct etdump_writer *d, const struct ets_etdump_record *record,
                        struct place place)
{
    d->stride = 0;
    switch (record->kind) {
    case ETS_EVENT_PROFILE: put_profile(d, record); break;
    case ETS_EVENT_DEBUG: put_debug(d, record, place); break;
    case ETS_EVENT_ALLOCATION: put_allocation(d, record); break;
    default: ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "an event has an unknown kind"); break;
    }
    check_payload(d, record->kind);
}

static unsigned event_slot(enum ets_event_kind kind)
{
    if (kind == ETS_EVENT_PROFILE) return EVENT_PROFILE;
    return kind == ETS_EVENT_DEBUG ? EVENT_DEBUG : EVENT_ALLOCATION;
}

static bool get_event(struct etdump_writer *d, struct place place, struct ets_etdump_record *out)
{
    const struct ets_etdump_source *source = d->source;
    ets_clear(out, sizeof *out);
    out->kind = ETS_EVENT_PROFILE;
    out->name = out->delegate_name = ETS_ETDUMP_NO_NAME;
    out->chain = out->instruction = out->delegate_id = -1;
    return is_well(d) && has_given(d, source->event(source->context, place.run, place.event, out));
}

static bool get_run(struct etdump_writer *d, uint32_t run, struct ets_etdump_run_record *out)
{
    const struct ets_etdump_source *source = d->source;
    ets_clear(out, sizeof *out);
    out->name = ETS_ETDUMP_NO_NAME;
    out->bundled_input_index = -1;
    if (!is_well(d) || !has_given(d, source->run(source->context, run, out))) return false;
    if (out->name == ETS_ETDUMP_NO_NAME) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "a run has no name");
    } else if (out->allocator_count != 0 && source->allocator == NULL) {
        ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT,
                     "a run has allocators, but the source provides none");
    }
    return is_well(d);
}

/* A vector of `count` references and as many tables of 8 bytes. */
static uint64_t list_bytes(uint32_t count)
{
    return count == 0 ? 0 : 4 + 12 * (uint64_t)count;
}

static struct table run_table(struct etdump_writer *d, const struct ets_etdump_run_record *run)
{
    struct table table = {.kind = TABLE_RUN};
    set_name(d, &table, RUN_NAME, run->name);
    set_unless(&table, RUN_BUNDLED_INPUT_INDEX, (uint32_t)run->bundled_input_index, UINT32_MAX);
    if (run->allocator_count != 0) set(&table, RUN_ALLOCATORS, 0);
    if (run->event_count != 0) set(&table, RUN_EVENTS, 0);
    return table;
}

/* The root, the vector of runs and the runs' tables. */
static void put_runs(struct etdump_writer *d)
{
    const uint32_t count = d->source->run_count;
    struct ets_etdump_run_record run;
    struct table root = {.kind = TABLE_ETDUMP}, table;
    set(&root, ETDUMP_RUN_DATA,
        end_of(&(struct table){.kind = TABLE_ETDUMP, .slots = BIT(ETDUMP_RUN_DATA)},
               d->w.position));
    put(d, &root);
    ets_fbw_put_u32(&d->w, count);
    if (count > (ETS_ETDUMP_MAX_BYTES - d->w.position) / 32) { /* a run needs more bytes */
        ets_fbw_fail_limit(&d->w);
        return;
    }
    uint32_t next = d->w.position + 4 * count;
    for (uint32_t i = 0; i < count && get_run(d, i, &run); i++) {
        table = run_table(d, &run);
        ets_fbw_put_reference(&d->w, start_of(&table, next));
        next = end_of(&table, next);
    }
    uint64_t lists_at = next;
    for (uint32_t i = 0; i < count && get_run(d, i, &run); i++) {
        table = run_table(d, &run);
        table.values[RUN_ALLOCATORS] = lists_at;
        table.values[RUN_EVENTS] = lists_at + list_bytes(run.allocator_count);
        lists_at = table.values[RUN_EVENTS] + list_bytes(run.event_count);
        put(d, &table);
    }
}

static void put_allocators(struct etdump_writer *d, uint32_t run, uint32_t count)
{
    const struct ets_etdump_source *source = d->source;
    if (count == 0) return;
    ets_fbw_put_u32(&d->w, count);
    /* 8-byte tables after 4-byte references: each distance is 4 more than the last. */
    ets_fbw_put_row(&d->w, 4 * count, 4, count);
    for (uint32_t i = 0; i < count && is_well(d); i++) {
        uint32_t name = ETS_ETDUMP_NO_NAME;
        struct table table = {.kind = TABLE_ALLOCATOR};
        if (!has_given(d, source->allocator(source->context, run, i, &name))) return;
        if (name == ETS_ETDUMP_NO_NAME) {
            ets_fbw_fail(&d->w, ETS_INVALID_ARGUMENT, "an allocator has no name");
            return;
        }
        set_name(d, &table, ONLY_SLOT, name);
        put(d, &table);
    }
}

/* The number of following events with a payload of the same shape. */
static uint32_t count_alike(const struct etdump_writer *d, struct place place, uint32_t count)
{
    const struct ets_etdump_source *source = d->source;
    const uint32_t most = count - place.event - 1;
    if (source->alike == NULL || d->stride == 0 || most == 0 || !is_well(d)) return 0;
    const uint32_t alike = source->alike(source->context, place.run, place.event, most);
    return alike < most ? alike : most;
}

/* Counts a payload at `next`; returns the start of the following one. */
static uint32_t count_payload(struct etdump_writer *d, const struct ets_etdump_record *record,
                              struct place place, uint32_t next)
{
    const uint32_t position = d->w.position;
    d->w.is_counting = true;
    d->w.position = next;
    put_payload(d, record, place);
    next = d->w.position;
    d->w.is_counting = false;
    d->w.position = position;
    return next;
}

/* Writes a run's events vector and Event tables. Returns the start of the next run's payloads. */
static uint32_t put_event_tables(struct etdump_writer *d, uint32_t run, uint32_t count,
                                 uint32_t next)
{
    if (count == 0) return next;
    ets_fbw_put_u32(&d->w, count);
    ets_fbw_put_row(&d->w, 4 * count, 4, count);
    for (uint32_t i = 0; i < count; i++) {
        struct ets_etdump_record record;
        const struct place place = {run, i};
        if (!get_event(d, place, &record)) return next;
        next = count_payload(d, &record, place, next);
        const uint32_t alike = count_alike(d, place, count);
        ets_fbw_put_pointers(&d->w, &layouts[TABLE_EVENT], BIT(event_slot(record.kind)),
                             d->payload_start, d->stride, 1 + alike);
        for (uint32_t j = 0; j < alike; j++) {
            d->payload_start += d->stride;
            check_payload(d, record.kind);
        }
        next += alike * d->stride;
        i += alike;
    }
    return next;
}

/* Writes the part between the runs' tables and the payloads; measuring needs only counts. */
static void put_lists(struct etdump_writer *d)
{
    uint32_t next = d->payloads_at;
    struct ets_etdump_run_record run;
    d->check = 0;
    for (uint32_t i = 0; i < d->source->run_count && get_run(d, i, &run); i++) {
        if (d->w.is_measuring) {
            if (run.allocator_count != 0) {
                ets_fbw_announce_table(&d->w, &layouts[TABLE_ALLOCATOR], BIT(ONLY_SLOT));
            }
            ets_fbw_skip(&d->w, list_bytes(run.allocator_count));
            ets_fbw_skip(&d->w, list_bytes(run.event_count));
        } else {
            put_allocators(d, i, run.allocator_count);
            next = put_event_tables(d, i, run.event_count, next);
        }
    }
}

static void put_payloads(struct etdump_writer *d)
{
    struct ets_etdump_run_record run;
    struct ets_etdump_record record;
    const uint32_t promised = d->check;
    d->check = 0;
    for (uint32_t i = 0; i < d->source->run_count && get_run(d, i, &run); i++) {
        for (uint32_t j = 0; j < run.event_count; j++) {
            const struct place place = {i, j};
            if (!get_event(d, place, &record)) return;
            put_payload(d, &record, place);
            if (!d->w.is_measuring) continue;
            ets_fbw_announce_table(&d->w, &layouts[TABLE_EVENT], BIT(event_slot(record.kind)));
            const uint32_t alike = count_alike(d, place, run.event_count);
            ets_fbw_skip(&d->w, (uint64_t)alike * d->stride);
            j += alike;
        }
    }
    if (!d->w.is_measuring && d->check != promised) {
        ets_fbw_fail_changed(&d->w);
    }
}

/* Writes the empty vector, aligned for 8-byte elements, and the names. */
static void put_shared(struct etdump_writer *d)
{
    ets_fbw_pad_to(&d->w, ets_fbw_align(d->w.position, 8, 4));
    const uint32_t start = d->w.position;
    if (d->has_empty) ets_fbw_put_u32(&d->w, 0);
    for (uint32_t i = 0; i < d->source->name_count; i++) { /* after a failure nothing is written */
        struct ets_etdump_name *name = &d->source->names[i];
        /* Names lost by a stream are adjacent: thousands of them share one text. */
        if (i > 0 && (name->text.size | name[-1].text.size) == 0) {
            name->at = name[-1].at;
            continue;
        }
        const uint32_t at = d->w.position - start;
        if (d->w.is_measuring) {
            name->at = at;
        } else if (name->at != at) {
            ets_fbw_fail_changed(&d->w);
        }
        ets_fbw_put_u32(&d->w, (uint32_t)name->text.size); /* over 32 bits: the next line fails */
        ets_fbw_put(&d->w, name->text.data, name->text.size);
        ets_fbw_pad_to(&d->w, ets_fbw_align(d->w.position + 1, 4, 0));
    }
    if (d->w.is_measuring) d->shared_at = start;
}

static int put_extra_bytes(void *context, const void *data, size_t size)
{
    struct ets_fbw *w = context;
    ets_fbw_put(w, data, size);
    return w->status == ETS_OK ? 0 : -1;
}

/* Writes the bytes that no table refers to. */
static void put_extra(struct etdump_writer *d)
{
    const struct ets_etdump_sink sink = {&d->w, put_extra_bytes};
    if (d->source->extra == NULL || !is_well(d)) return;
    ets_fbw_pad_to(&d->w, ets_fbw_align(d->w.position, 8, 0));
    (void)has_given(d, d->source->extra(d->source->context, &sink));
}

/* Computes all positions; returns the size of the file. */
static uint32_t measure(struct etdump_writer *d, const struct ets_etdump_source *source,
                        struct ets_error *error)
{
    d->source = source;
    d->payloads_at = d->shared_at = d->payload_start = d->check = 0;
    d->has_empty = false;
    ets_fbw_init(&d->w, layouts, TABLE_COUNT, error);
    put_runs(d);
    put_lists(d);
    d->payloads_at = d->w.position;
    put_payloads(d);
    put_shared(d);
    put_extra(d);
    uint32_t end = d->w.position;
    const uint32_t shift = ets_fbw_place_vtables(&d->w);
    if (shift > ETS_ETDUMP_MAX_BYTES - end) {
        ets_fbw_fail_limit(&d->w);
    }
    d->payloads_at += shift;
    d->shared_at += shift;
    return end + shift;
}

static void write_measured(struct etdump_writer *d, const struct ets_etdump_sink *sink,
                           uint32_t file_bytes)
{
    if (!is_well(d)) return;
    ets_fbw_begin(&d->w, sink, file_bytes, "ED00");
    put_runs(d);
    put_lists(d);
    put_payloads(d);
    put_shared(d);
    put_extra(d);
    ets_fbw_flush(&d->w);
    if (d->w.position != file_bytes) {
        ets_fbw_fail_changed(&d->w);
    }
}

enum ets_status ets_etdump_writer_size(const struct ets_etdump_source *source, size_t *bytes_out,
                                       struct ets_error *error)
{
    struct etdump_writer writer;
    const uint32_t file_bytes = measure(&writer, source, error);
    if (is_well(&writer)) *bytes_out = file_bytes;
    return writer.w.status;
}

enum ets_status ets_etdump_write(const struct ets_etdump_source *source,
                                 const struct ets_etdump_sink *sink, struct ets_error *error)
{
    struct etdump_writer writer;
    write_measured(&writer, sink, measure(&writer, source, error));
    return writer.w.status;
}

/* A sink into memory, whose size was checked before. */
static int append(void *context, const void *data, size_t size)
{
    uint8_t **next = context;
    ets_copy(*next, data, size);
    *next += size;
    return 0;
}

enum ets_status ets_etdump_write_buffer(const struct ets_etdump_source *source, void *buffer,
                                        size_t capacity, size_t *bytes_out, struct ets_error *error)
{
    struct etdump_writer writer;
    uint8_t *next = buffer;
    const struct ets_etdump_sink sink = {&next, append};
    const uint32_t file_bytes = measure(&writer, source, error);
    if (is_well(&writer) && file_bytes > capacity) {
        ets_fbw_fail(&writer.w, ETS_NO_SPACE, "the buffer is too small for the ETDump");
        *bytes_out = file_bytes;
    }
    write_measured(&writer, &sink, file_bytes);
    if (is_well(&writer)) *bytes_out = file_bytes;
    return writer.w.status;
}
