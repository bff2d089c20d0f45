/* Debug values, tensors with their bytes, and allocations. */
#include "trace/recorder.h"

enum { BUFFER_ALIGNMENT = 64 }; /* as the runtime's own buffer sink has it */

/* Takes room in the debug buffer: aligned addresses, not offsets, as the runtime does. */
static enum ets_status write_to_buffer(struct ets_trace *trace, const void *data, size_t size,
                                       uint64_t *offset_out)
{
    const struct ets_trace_config *config = &trace->config;
    const uintptr_t base = (uintptr_t)config->debug_buffer;
    const size_t limit =
        config->debug_buffer_bytes < UINT32_MAX ? config->debug_buffer_bytes : UINT32_MAX;
    uint32_t before = ets_load_relaxed(&trace->debug_bytes);
    for (;;) {
        const size_t at = before + (size_t)(-(base + before) & (BUFFER_ALIGNMENT - 1));
        if (at > limit || size > limit - at) return ETS_NO_SPACE;
        if (!ets_exchange_if(&config->section, &trace->debug_bytes, &before,
                             (uint32_t)(at + size))) {
            continue;
        }
        uint8_t *to = config->debug_buffer;
        ets_clear(to + before, at - before);
        ets_copy(to + at, data, size);
        *offset_out = at;
        return ETS_OK;
    }
}

static enum ets_status write_data(struct ets_trace *trace, const void *data, size_t size,
                                  int64_t *offset_out)
{
    const struct ets_trace_config *config = &trace->config;
    uint64_t offset = 0;
    enum ets_status status;
    *offset_out = -1;
    if (size == 0 || (config->data_sink.write == NULL && config->debug_buffer == NULL)) {
        return ETS_OK;
    }
    if (data == NULL) return ETS_INVALID_ARGUMENT;
    if (config->data_sink.write != NULL) {
        ets_section_enter(&config->section);
        status = config->data_sink.write(config->data_sink.context, data, size, &offset);
        ets_section_leave(&config->section);
    } else {
        status = write_to_buffer(trace, data, size, &offset);
    }
    if (status == ETS_OK && offset > INT64_MAX) return ETS_LIMIT;
    if (status == ETS_OK) *offset_out = (int64_t)offset;
    return status;
}

static bool is_enabled(const struct ets_trace *trace, int is_output)
{
    const uint32_t bit = is_output ? ETS_TRACE_OUTPUTS : ETS_TRACE_INTERMEDIATES;
    return (ets_trace_enabled(trace) & bit) != 0;
}

static enum ets_status refuse(struct ets_trace *trace, enum ets_status reason)
{
    ets_trace_drop(trace, reason);
    return reason;
}

/* After the end everything is refused; what is only disabled is not. */
static enum ets_status not_enabled(struct ets_trace *trace)
{
    if ((ets_trace_enabled(trace) & ETS_TRACE_FINISHED) == 0) return ETS_OK;
    return refuse(trace, ETS_INVALID_ARGUMENT);
}

/* Where a value stands: instruction, and part of a delegate. */
static struct ets_slot value_slot(struct ets_trace_thread *thread,
                                  const struct ets_trace_delegate *part, int is_output)
{
    struct ets_slot slot = {.instruction = thread->instruction,
                            .delegate_id = -1,
                            .name = ETS_NO_NAME_ID,
                            .chain_code = ets_chain_code(thread->chain),
                            .kind = is_output ? ETS_RECORD_OUTPUT : 0};
    if (part != NULL && part->name != NULL) slot.name = ets_trace_name(thread->trace, part->name);
    else if (part != NULL) slot.delegate_id = part->id;
    return slot;
}

/* A wide chain needs a second slot; tensors have one anyway. */
static enum ets_status put_value(struct ets_trace_thread *thread, struct ets_slot slot)
{
    const bool is_wide = slot.chain_code == ETS_CHAIN_WIDE;
    const uint32_t slots = is_wide ? 2 : 1;
    slot.kind |= (uint8_t)(ETS_RECORD_VALUE | (is_wide ? ETS_RECORD_LONG : 0));
    uint8_t *at;
    const enum ets_status status = ets_trace_reserve(thread, slots, &at);
    if (status != ETS_OK) return status;
    ets_copy(at, &slot, sizeof slot);
    if (is_wide) {
        const struct ets_long_slot more = {.slots = 2, .chain = thread->chain};
        ets_clear(at + ETS_SLOT_BYTES, ETS_SLOT_BYTES);
        ets_copy(at + ETS_SLOT_BYTES, &more, sizeof more);
    }
    ets_trace_commit(thread, slots, slot.b.value_type != ETS_DEBUG_STRING);
    return ETS_OK;
}

static enum ets_status log_bits(struct ets_trace_thread *thread,
                                const struct ets_trace_delegate *part,
                                enum ets_debug_value_type type, uint64_t bits, int is_output)
{
    if (!is_enabled(thread->trace, is_output)) return not_enabled(thread->trace);
    struct ets_slot slot = value_slot(thread, part, is_output);
    slot.a.bits = bits;
    slot.b.value_type = type;
    return put_value(thread, slot);
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
    if (!is_enabled(trace, is_output)) return not_enabled(trace);
    ets_store_relaxed(&trace->has_strings, 1);
    return log_bits(thread, part, ETS_DEBUG_STRING, ets_trace_name(trace, value), is_output);
}

/* Bytes of the entry of one tensor. */
static size_t entry_bytes(const struct ets_tensor *tensor)
{
    return sizeof(struct ets_tensor_entry) + 2 * sizeof(int64_t) * (size_t)tensor->rank;
}

/* Slots of a record of these tensors; 0: it cannot be one. */
static uint32_t slots_of(const struct ets_tensor *tensors, uint32_t count)
{
    size_t bytes = ETS_SLOT_BYTES + sizeof(struct ets_long_slot);
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i].rank > ETS_TENSOR_MAX_RANK) return 0;
        bytes += entry_bytes(&tensors[i]);
        if (bytes > (size_t)UINT16_MAX * ETS_SLOT_BYTES) return 0;
    }
    uint32_t slots = 2;
    while ((size_t)slots * ETS_SLOT_BYTES < bytes) slots++;
    return slots;
}

static enum ets_status put_entries(struct ets_trace *trace, uint8_t *at,
                                   const struct ets_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_tensor *tensor = &tensors[i];
        const size_t bytes = tensor->rank * sizeof(int64_t);
        struct ets_tensor_entry entry = {.scalar_type = (uint8_t)tensor->scalar_type,
                                         .rank = (uint8_t)tensor->rank};
        const enum ets_status status =
            write_data(trace, tensor->data, tensor->data_bytes, &entry.offset);
        if (status != ETS_OK) return status;
        ets_copy(at, &entry, sizeof entry);
        ets_copy(at + sizeof entry, tensor->sizes, bytes);
        ets_copy(at + sizeof entry + bytes, tensor->strides, bytes);
        at += entry_bytes(tensor);
    }
    return ETS_OK;
}

static enum ets_status log_tensors(struct ets_trace_thread *thread,
                                   const struct ets_trace_delegate *part,
                                   enum ets_debug_value_type type, const struct ets_tensor *tensors,
                                   uint32_t count, int is_output)
{
    struct ets_trace *trace = thread->trace;
    if (!is_enabled(trace, is_output)) return not_enabled(trace);
    const uint32_t slots = slots_of(tensors, count);
    if (slots == 0) return refuse(trace, ETS_INVALID_ARGUMENT);
    struct ets_slot slot = value_slot(thread, part, is_output);
    slot.b.value_type = type;
    slot.kind |= ETS_RECORD_TENSOR | ETS_RECORD_LONG;
    const struct ets_long_slot more = {
        .slots = (uint16_t)slots, .chain = thread->chain, .count = count};
    /* Room for the record first, so that no bytes are kept for one that is dropped. */
    uint8_t *at;
    enum ets_status status = ets_trace_reserve(thread, slots, &at);
    if (status != ETS_OK) return status;
    status = put_entries(trace, at + ETS_SLOT_BYTES + sizeof more, tensors, count);
    if (status != ETS_OK) return refuse(trace, status);
    ets_copy(at, &slot, sizeof slot);
    ets_copy(at + ETS_SLOT_BYTES, &more, sizeof more);
    ets_trace_commit(thread, slots, true);
    return ETS_OK;
}

enum ets_status ets_trace_log_tensor(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part,
                                     const struct ets_tensor *tensor, int is_output)
{
    return log_tensors(thread, part, ETS_DEBUG_TENSOR, tensor, 1, is_output);
}

enum ets_status ets_trace_log_tensors(struct ets_trace_thread *thread,
                                      const struct ets_trace_delegate *part,
                                      const struct ets_tensor *tensors, uint32_t count,
                                      int is_output)
{
    return log_tensors(thread, part, ETS_DEBUG_TENSOR_LIST, tensors, count, is_output);
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
    const struct ets_slot slot = {.name = ets_trace_name(trace, name == NULL ? "" : name),
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
