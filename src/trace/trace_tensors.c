/* Records tensors: with their bytes, as events of the ETDump, or without, in the extra block. */
#include "etscope/numerics.h"
#include "trace/store.h"
#include "trace/trace_payload.h"
#include "trace/trace_values.h"

_Static_assert(offsetof(struct ets_tensor_statistics, first_count) ==
                   ETS_TENSOR_STATISTICS_SUMS_BYTES,
               "the fields before are 8 bytes each, and written as they lie");

enum { LONGEST_RECORD = UINT16_MAX * ETS_SLOT_BYTES };

/*
 * A tensor takes 280 bytes on a device. Functions that hold one are not inlined, so that stack
 * frames do not add up.
 */

/* The logged tensors and their position. */
struct list {
    const struct ets_trace_tensors *tensors;
    const struct ets_trace_delegate *part;
    enum ets_debug_value_type type;
    int is_output;
};

static enum ets_status get(const struct list *list, uint32_t index, struct ets_tensor *out)
{
    ets_clear(out, sizeof *out);
    const enum ets_status status = list->tensors->get(list->tensors->context, index, out);
    if (status == ETS_OK && out->rank > ETS_TENSOR_MAX_RANK) return ETS_INVALID_ARGUMENT;
    return status;
}

/* Bytes of the entry of one tensor. */
static size_t entry_bytes(const struct ets_tensor *tensor)
{
    return sizeof(struct ets_tensor_entry) + 2 * sizeof(int64_t) * (size_t)tensor->rank;
}

/* Slots of a record whose entries take `bytes`, at most the limit of a record. */
static uint32_t slots_for(size_t bytes)
{
    uint32_t slots = 2;
    bytes += ETS_SLOT_BYTES + sizeof(struct ets_long_slot);
    while ((size_t)slots * ETS_SLOT_BYTES < bytes) slots++;
    return slots;
}

/* Writes a record without its entries. */
static void put_head(struct ets_trace_thread *thread, const struct list *list, uint8_t *at,
                     enum ets_record_kind kind, uint32_t slots, uint32_t count)
{
    uint32_t name;
    struct ets_slot slot = ets_trace_value_slot(thread, list->part, list->is_output, &name);
    const struct ets_long_slot more = {.slots = (uint16_t)slots,
                                       .far_name = ets_far_name(name),
                                       .chain = thread->chain,
                                       .count = count};
    slot.b.value_type = list->type;
    slot.kind |= (uint8_t)kind | ETS_RECORD_LONG;
    ets_copy(at, &slot, sizeof slot);
    ets_copy(at + ETS_SLOT_BYTES, &more, sizeof more);
}

static uint8_t *put_entry(uint8_t *at, const struct ets_tensor *tensor, int64_t offset,
                          uint32_t statistics_bytes)
{
    const size_t bytes = tensor->rank * sizeof(int64_t);
    const struct ets_tensor_entry entry = {.offset = offset,
                                           .scalar_type = (uint8_t)tensor->scalar_type,
                                           .rank = (uint8_t)tensor->rank,
                                           .statistics_bytes = (uint16_t)statistics_bytes};
    ets_copy(at, &entry, sizeof entry);
    ets_copy_words(at + sizeof entry, tensor->sizes, tensor->rank);
    ets_copy_words(at + sizeof entry + bytes, tensor->strides, tensor->rank);
    return at + sizeof entry + 2 * bytes;
}

/* The bytes of a list's tensors in a record and in a part of the debug buffer. */
ETS_NOINLINE static enum ets_status measure(const struct list *list, size_t *bytes_out,
                                            size_t *padded_out)
{
    struct ets_tensor tensor;
    size_t bytes = 0, padded = 0;
    for (uint32_t i = 0; i < list->tensors->count; i++) {
        const enum ets_status status = get(list, i, &tensor);
        if (status != ETS_OK) return status;
        const size_t data_bytes = ets_trace_padded(tensor.data_bytes);
        bytes += entry_bytes(&tensor);
        padded = data_bytes > SIZE_MAX - padded ? SIZE_MAX : padded + data_bytes;
        if (bytes > LONGEST_RECORD - 2 * ETS_SLOT_BYTES) return ETS_INVALID_ARGUMENT;
    }
    *bytes_out = bytes;
    *padded_out = padded;
    return ETS_OK;
}

ETS_NOINLINE static enum ets_status put_entries(struct ets_trace_thread *thread,
                                                const struct list *list, uint8_t *at, size_t bytes)
{
    struct ets_tensor tensor;
    for (uint32_t i = 0; i < list->tensors->count; i++) {
        int64_t offset;
        enum ets_status status = get(list, i, &tensor);
        if (status != ETS_OK) return status;
        if (entry_bytes(&tensor) > bytes) return ETS_MISMATCH; /* it was smaller before */
        bytes -= entry_bytes(&tensor);
        status = ets_trace_write_data(thread, tensor.data, tensor.data_bytes, &offset);
        if (status != ETS_OK) return status;
        at = put_entry(at, &tensor, offset, 0);
    }
    return bytes == 0 ? ETS_OK : ETS_MISMATCH;
}

/* Reserves the record first, so that no bytes are kept for a dropped record. */
static enum ets_status keep(struct ets_trace_thread *thread, const struct list *list)
{
    size_t bytes, padded;
    uint8_t *at;
    enum ets_status status = measure(list, &bytes, &padded);
    if (status == ETS_OK) status = ets_trace_prepare_payload(thread, padded);
    if (status != ETS_OK) return ets_trace_refuse(thread->trace, status);
    const uint32_t slots = slots_for(bytes);
    status = ets_trace_reserve(thread, slots, &at);
    if (status != ETS_OK) return status;
    status = put_entries(thread, list, at + ETS_SLOT_BYTES + sizeof(struct ets_long_slot), bytes);
    if (status != ETS_OK) return ets_trace_refuse(thread->trace, status);
    put_head(thread, list, at, ETS_RECORD_TENSOR, slots, list->tensors->count);
    ets_trace_commit_value(thread, slots, true);
    return ETS_OK;
}

/* Computes statistics if requested and possible; 0 bytes: none. */
static enum ets_status reduce(const struct ets_trace *trace, const struct list *list,
                              const struct ets_tensor *tensor,
                              struct ets_tensor_statistics *statistics, uint32_t *bytes_out)
{
    const struct ets_trace_choices *choices = &trace->choices;
    *bytes_out = 0;
    if ((choices->reducer.what & ets_value_kind_of(list->is_output)) == 0) return ETS_OK;
    const enum ets_status status =
        choices->summarize(tensor, choices->reducer.first_count, statistics);
    if (status == ETS_UNSUPPORTED) return ETS_OK; /* its elements are not numbers */
    if (status != ETS_OK) return ETS_INVALID_ARGUMENT;
    *bytes_out = ETS_TENSOR_STATISTICS_BYTES + statistics->first_count * (uint32_t)sizeof(double);
    return ETS_OK;
}

static void put_statistics(uint8_t *at, const struct ets_tensor_statistics *statistics)
{
    ets_copy_words(at, statistics, ETS_TENSOR_STATISTICS_SUMS_BYTES / 8);
    at = ets_store_u32(at + ETS_TENSOR_STATISTICS_SUMS_BYTES, statistics->first_count);
    at = ets_store_u32(at, 0);
    ets_copy_words(at, statistics->first, statistics->first_count);
}

ETS_NOINLINE static enum ets_status put_shape(struct ets_trace_thread *thread,
                                              const struct list *list, uint32_t index)
{
    struct ets_trace *trace = thread->trace;
    struct ets_tensor tensor;
    struct ets_tensor_statistics statistics;
    uint32_t statistics_bytes = 0;
    uint8_t *at;
    enum ets_status status = get(list, index, &tensor);
    if (status == ETS_OK) status = reduce(trace, list, &tensor, &statistics, &statistics_bytes);
    if (status != ETS_OK) return ets_trace_refuse(trace, status);
    const uint32_t slots = slots_for(entry_bytes(&tensor) + statistics_bytes);
    status = ets_trace_reserve(thread, slots, &at);
    if (status != ETS_OK) return status;
    put_head(thread, list, at, ETS_RECORD_SHAPE, slots, index);
    at = put_entry(at + ETS_SLOT_BYTES + sizeof(struct ets_long_slot), &tensor, -1,
                   statistics_bytes);
    if (statistics_bytes != 0) put_statistics(at, &statistics);
    ets_store_relaxed(&trace->has_extra_values, 1);
    ets_trace_commit_value(thread, slots, false);
    return ETS_OK;
}

/* Writes one record per tensor; counts those without room. */
static enum ets_status put_shapes(struct ets_trace_thread *thread, const struct list *list)
{
    enum ets_status first = ETS_OK;
    for (uint32_t i = 0; i < list->tensors->count; i++) {
        const enum ets_status status = put_shape(thread, list, i);
        if (first == ETS_OK) first = status;
    }
    return first;
}

static enum ets_status log_list(struct ets_trace_thread *thread, const struct list *list)
{
    const struct ets_trace *trace = thread->trace;
    const uint32_t kind = ets_value_kind_of(list->is_output);
    if (!ets_trace_wants(thread, kind, list->part)) return ets_trace_not_wanted(thread->trace);
    const bool has_bytes = ets_trace_has_sink(trace) && (trace->choices.reducer.what & kind) == 0;
    return has_bytes || list->tensors->count == 0 ? keep(thread, list) : put_shapes(thread, list);
}

static enum ets_status get_of_array(void *context, uint32_t index, struct ets_tensor *tensor_out)
{
    const struct ets_tensor *array = context;
    if (array == NULL) return ETS_INVALID_ARGUMENT;
    *tensor_out = array[index];
    return ETS_OK;
}

static struct ets_trace_tensors array_of(const struct ets_tensor *tensors, uint32_t count)
{
    return (struct ets_trace_tensors){(void *)(uintptr_t)tensors, count, get_of_array};
}

enum ets_status ets_trace_log_tensor(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part,
                                     const struct ets_tensor *tensor, int is_output)
{
    const struct ets_trace_tensors one = array_of(tensor, 1);
    const struct list list = {&one, part, ETS_DEBUG_TENSOR, is_output};
    return log_list(thread, &list);
}

enum ets_status ets_trace_log_tensors(struct ets_trace_thread *thread,
                                      const struct ets_trace_delegate *part,
                                      const struct ets_tensor *tensors, uint32_t count,
                                      int is_output)
{
    const struct ets_trace_tensors all = array_of(tensors, count);
    return ets_trace_log_tensor_list(thread, part, &all, is_output);
}

enum ets_status ets_trace_log_tensor_list(struct ets_trace_thread *thread,
                                          const struct ets_trace_delegate *part,
                                          const struct ets_trace_tensors *tensors, int is_output)
{
    const struct list list = {tensors, part, ETS_DEBUG_TENSOR_LIST, is_output};
    return log_list(thread, &list);
}
