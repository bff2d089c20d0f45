/* Reads the strings and tensors of the extra block one by one, in logging order. */
#include "inspect/extra_values.h"
#include "dump/extra_entries.h"

#include <stdbool.h>

#include "base/error.h"
#include "inspect/inspection.h"

/* The entry at `*at`; false at the end. Entries are read one by one, in linear time. */
static bool next_entry(const struct ets_trace_extra *extra, size_t *at, uint32_t *key_out,
                       struct ets_trace_extra *entry_out)
{
    struct ets_bytes value;
    const size_t start = *at;
    if (!ets_trace_extra_next(extra, at, key_out, &value)) return false;
    entry_out->entries = (struct ets_bytes){extra->entries.data + start, *at - start};
    return true;
}

static bool read_string(const struct ets_trace_extra *entry, struct ets_captured_value *out,
                        uint32_t *next_event_out)
{
    struct ets_trace_extra_string string;
    size_t at = 0;
    if (!ets_trace_extra_next_string(entry, &at, &string)) return false;
    *out = (struct ets_captured_value){.run = string.run,
                                       .chain = string.chain,
                                       .instruction = (int32_t)string.instruction,
                                       .delegate_id = string.delegate_id,
                                       .delegate_name = string.delegate_name,
                                       .is_output = string.is_output,
                                       .type = ETS_DEBUG_STRING,
                                       .text = string.value};
    *next_event_out = string.next_event;
    out->status = ETS_UNSUPPORTED;
    ets_set_error(&out->reason, out->status, ETS_NO_OFFSET, "the value is a string");
    return true;
}

static bool read_tensor(const struct ets_trace_extra *entry, struct ets_captured_value *out,
                        uint32_t *next_event_out)
{
    struct ets_trace_extra_tensor tensor;
    size_t at = 0;
    if (!ets_trace_extra_next_tensor(entry, &at, &tensor)) return false;
    *out = (struct ets_captured_value){
        .run = tensor.run,
        .chain = tensor.chain,
        .instruction = (int32_t)tensor.instruction,
        .delegate_id = tensor.delegate_id,
        .delegate_name = tensor.delegate_name,
        .is_output = tensor.is_output,
        .type = tensor.is_list ? ETS_DEBUG_TENSOR_LIST : ETS_DEBUG_TENSOR,
        .item = tensor.is_list ? tensor.list_index : 0,
        .has_tensor = ets_scalar_type_bytes((int)tensor.tensor.scalar_type) > 0,
        .tensor = tensor.tensor,
        .has_statistics = tensor.has_statistics,
        .statistics = tensor.statistics};
    *next_event_out = tensor.next_event;
    out->status = ETS_NOT_FOUND;
    ets_set_error(&out->reason, out->status, ETS_NO_OFFSET,
                  tensor.has_statistics ? "the tensor was reduced to its statistics"
                                        : "the tensor's bytes were not recorded");
    return true;
}

/* The number of list elements after the first one, which was just read: adjacent entries. */
static uint32_t count_items(const struct ets_trace_extra *extra, size_t at,
                            const struct ets_captured_value *first)
{
    struct ets_trace_extra entry;
    struct ets_captured_value value;
    uint32_t key, next_event, count = 1;
    while (next_entry(extra, &at, &key, &entry) && key == ETS_TRACE_KEY_TENSOR &&
           read_tensor(&entry, &value, &next_event) && value.type == first->type &&
           value.item == count && value.run == first->run && value.chain == first->chain &&
           value.instruction == first->instruction) {
        count++;
    }
    return count;
}

void ets_extra_values_next(struct ets_captured_values *values)
{
    const struct ets_inspection *inspection = values->inspection;
    struct ets_captured_value *value = &values->extra.value;
    struct ets_trace_extra entry;
    uint32_t key, next_event = 0;
    while (inspection->has_extra &&
           next_entry(&inspection->extra, &values->extra.at, &key, &entry)) {
        const bool is_value =
            (key == ETS_TRACE_KEY_STRING && read_string(&entry, value, &next_event)) ||
            (key == ETS_TRACE_KEY_TENSOR && read_tensor(&entry, value, &next_event));
        if (!is_value || value->run >= inspection->run_count) continue;
        const struct ets_run *run = &inspection->runs[value->run];
        if (run->thread == ETS_NO_INDEX) continue; /* after salvage it may be another run */
        if (value->type == ETS_DEBUG_TENSOR_LIST) {
            if (value->item == 0) {
                values->extra.items = count_items(&inspection->extra, values->extra.at, value);
            } else if (values->extra.items <= value->item) {
                values->extra.items = value->item < UINT32_MAX ? value->item + 1 : value->item;
            }
            value->item_count = values->extra.items;
        }
        value->event = ETS_NO_INDEX;
        value->offset = -1;
        values->extra.before =
            run->first_event + (next_event < run->event_count ? next_event : run->event_count);
        return;
    }
    values->extra.before = ETS_NO_INDEX;
}
