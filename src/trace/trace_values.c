/* Records debug values other than tensors, and allocations. */
#include "trace/trace_values.h"

enum ets_status ets_trace_not_wanted(struct ets_trace *trace)
{
    if ((ets_trace_enabled(trace) & ETS_TRACE_FINISHED) == 0) return ETS_OK;
    return ets_trace_refuse(trace, ETS_INVALID_ARGUMENT);
}

int ets_trace_wants_value(const struct ets_trace_thread *thread,
                          const struct ets_trace_delegate *part, int is_output)
{
    return ets_trace_wants(thread, ets_value_kind_of(is_output), part);
}

struct ets_slot ets_trace_value_slot(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, int is_output,
                                     uint32_t *name_out)
{
    struct ets_slot slot = {.instruction = thread->instruction,
                            .delegate_id = -1,
                            .name = ETS_NO_NAME_ID,
                            .chain_code = ets_chain_code(thread->chain),
                            .kind = is_output ? ETS_RECORD_OUTPUT : 0};
    *name_out = ets_trace_name(thread->trace, part != NULL ? part->name : NULL);
    slot.name = ets_near_name(*name_out);
    if (part != NULL && part->name == NULL) slot.delegate_id = part->id;
    return slot;
}

/* A wide chain or a name beyond 65,535 needs a second slot; tensors have one anyway. */
static enum ets_status put_value(struct ets_trace_thread *thread, struct ets_slot slot,
                                 uint32_t name)
{
    const bool is_wide = slot.chain_code == ETS_CHAIN_WIDE || ets_far_name(name) != 0;
    const uint32_t slots = is_wide ? 2 : 1;
    slot.kind |= (uint8_t)(ETS_RECORD_VALUE | (is_wide ? ETS_RECORD_LONG : 0));
    uint8_t *at;
    const enum ets_status status = ets_trace_reserve(thread, slots, &at);
    if (status != ETS_OK) return status;
    ets_copy(at, &slot, sizeof slot);
    if (is_wide) {
        const struct ets_long_slot more = {
            .slots = 2, .far_name = ets_far_name(name), .chain = thread->chain};
        ets_clear(at + ETS_SLOT_BYTES, ETS_SLOT_BYTES);
        ets_copy(at + ETS_SLOT_BYTES, &more, sizeof more);
    }
    ets_trace_commit_value(thread, slots, slot.b.value_type != ETS_DEBUG_STRING);
    return ETS_OK;
}

static enum ets_status log_bits(struct ets_trace_thread *thread,
                                const struct ets_trace_delegate *part,
                                enum ets_debug_value_type type, uint64_t bits, int is_output)
{
    if (!ets_trace_wants(thread, ets_value_kind_of(is_output), part)) {
        return ets_trace_not_wanted(thread->trace);
    }
    uint32_t name;
    struct ets_slot slot = ets_trace_value_slot(thread, part, is_output, &name);
    slot.a.bits = bits;
    slot.b.value_type = type;
    return put_value(thread, slot, name);
}

enum ets_status ets_trace_log_int(struct ets_trace_thread *thread,
                                  const struct ets_trace_delegate *part, int64_t value,
                                  int is_output)
{
    return log_bits(thread, part, ETS_DEBUG_INT, (uint64_t)value, is_output);
}

enum ets_status ets_trace_log_bool(struct ets_trace_thread *thread,
                                   const struct ets_trace_delegate *part, int value, int is_output)
{
    return log_bits(thread, part, ETS_DEBUG_BOOL, value != 0, is_output);
}

enum ets_status ets_trace_log_double(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, double value,
                                     int is_output)
{
    uint64_t bits;
    ets_copy(&bits, &value, sizeof bits);
    return log_bits(thread, part, ETS_DEBUG_DOUBLE, bits, is_output);
}

enum ets_status ets_trace_log_string(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, const char *value,
                                     int is_output)
{
    struct ets_trace *trace = thread->trace;
    if (!ets_trace_wants(thread, ets_value_kind_of(is_output), part)) {
        return ets_trace_not_wanted(trace);
    }
    ets_store_relaxed(&trace->has_extra_values, 1);
    const uint32_t id = ets_trace_name(trace, value);
    const uint32_t number = id == ETS_NO_NAME_ID ? ETS_ETDUMP_NO_NAME : ets_name_number(id);
    return log_bits(thread, part, ETS_DEBUG_STRING, number, is_output);
}

static bool has_allocations(struct ets_trace *trace)
{
    const uint32_t enabled = ets_trace_enabled(trace);
    if ((enabled & ETS_TRACE_FINISHED) != 0) ets_trace_drop(trace, ETS_INVALID_ARGUMENT);
    return (enabled & ETS_TRACE_ALLOCATIONS) != 0;
}

static bool put_allocation(struct ets_trace_thread *thread, struct ets_slot slot)
{
    uint8_t *at;
    if (ets_trace_reserve(thread, 1, &at) != ETS_OK) return false;
    slot.instruction = thread->instruction;
    slot.delegate_id = -1;
    slot.chain_code = ets_chain_code(thread->chain);
    ets_copy(at, &slot, sizeof slot);
    ets_trace_commit(thread, 1, slot.kind == ETS_RECORD_ALLOCATION);
    return true;
}

int32_t ets_trace_add_allocator(struct ets_trace_thread *thread, const char *name)
{
    struct ets_trace *trace = thread->trace;
    if (!has_allocations(trace)) return 0;
    const struct ets_slot slot = {.name = ets_trace_near_name(trace, name == NULL ? "" : name),
                                  .kind = ETS_RECORD_ALLOCATOR};
    ets_store_relaxed(&trace->has_allocators, 1);
    if (!put_allocation(thread, slot)) return 0;
    return ++thread->allocators;
}

void ets_trace_log_allocation(struct ets_trace_thread *thread, int32_t allocator, uint64_t bytes)
{
    if (!has_allocations(thread->trace)) return;
    const struct ets_slot slot = {.a.bytes = bytes,
                                  .b.allocator = allocator,
                                  .name = ETS_NO_NAME_ID,
                                  .kind = ETS_RECORD_ALLOCATION};
    put_allocation(thread, slot);
}
