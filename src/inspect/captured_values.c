/* Debug events as values, with the rows that made them. */
#include "etscope/captured_values.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"

void ets_captured_values_init(struct ets_captured_values *values,
                              const struct ets_inspection *inspection,
                              struct ets_bytes debug_buffer,
                              const struct ets_captured_filter *filter)
{
    *values = (struct ets_captured_values){
        .inspection = inspection,
        .debug_buffer = debug_buffer,
        .filter = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = ETS_NO_INDEX},
        .event = ETS_NO_INDEX};
    if (filter != NULL) values->filter = *filter;
}

static bool is_wanted(const struct ets_captured_values *values)
{
    const struct ets_captured_filter *filter = &values->filter;
    const uint32_t run = ets_inspection_events(values->inspection)->run[values->event];
    return (filter->event == ETS_NO_INDEX || filter->event == values->event) &&
           (filter->run == ETS_NO_INDEX || filter->run == run) &&
           (filter->block == ETS_NO_INDEX ||
            filter->block == ets_inspection_run(values->inspection, run)->block) &&
           (!filter->outputs_only || values->value.is_output);
}

static bool is_of_same_call(const struct ets_event_table *events, uint32_t a, uint32_t b)
{
    return events->run[a] == events->run[b] && events->chain[a] == events->chain[b] &&
           events->instruction[a] == events->instruction[b];
}

/*
 * A kernel's values are logged before the kernel's own event, which ends later: the row is that of
 * the next profile event of the same instruction. The search goes on where the last one ended.
 */
static uint32_t find_row(struct ets_captured_values *values)
{
    const struct ets_event_table *events = ets_inspection_events(values->inspection);
    const uint32_t event = values->event;
    if (events->chain[event] < 0) return ETS_NO_INDEX;
    uint32_t at = values->made_by > event ? values->made_by : event + 1;
    while (at < events->count && is_of_same_call(events, event, at) &&
           events->kind[at] != ETS_EVENT_PROFILE) {
        at++;
    }
    values->made_by = at;
    if (at >= events->count || !is_of_same_call(events, event, at)) return ETS_NO_INDEX;
    const bool is_of_delegate =
        events->delegate_id[event] >= 0 || events->delegate_name[event] != 0;
    if (is_of_delegate && (events->delegate_id[event] != events->delegate_id[at] ||
                           events->delegate_name[event] != events->delegate_name[at])) {
        return ETS_NO_INDEX;
    }
    return events->row[at];
}

/* The next debug event that holds anything; false at the end. */
static bool next_event(struct ets_captured_values *values)
{
    const struct ets_event_table *events = ets_inspection_events(values->inspection);
    uint32_t previous = values->event;
    for (uint32_t i = previous == ETS_NO_INDEX ? 0 : previous + 1; i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        const bool goes_on =
            previous != ETS_NO_INDEX && previous + 1 == i && is_of_same_call(events, previous, i);
        values->index = goes_on ? values->index + 1 : 0;
        values->event = previous = i;
        values->item = 0;
        ets_etdump_debug_value(ets_inspection_dump(values->inspection),
                               (size_t)events->payload_at[i], &values->value);
        const bool is_empty_list =
            values->value.type == ETS_DEBUG_TENSOR_LIST && values->value.tensor_count == 0;
        if (!is_empty_list && is_wanted(values)) return true;
    }
    values->event = events->count;
    values->value.tensor_count = 0;
    return false;
}

static enum ets_status read_tensor(struct ets_captured_values *values,
                                   struct ets_captured_value *out)
{
    struct ets_error *error = &out->reason;
    ETS_TRY(ets_etdump_tensor(ets_inspection_dump(values->inspection), &values->value, values->item,
                              &out->tensor, &out->offset, error));
    out->has_tensor = 1;
    /* Elements in one place would make the work on few bytes endless; the runtime has none. */
    uint64_t bytes;
    const uint64_t count = ets_tensor_count(&out->tensor);
    if (!ets_mul_u64(count, ets_scalar_type_bytes(out->tensor.scalar_type), &bytes) ||
        bytes > ets_tensor_extent(&out->tensor)) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "the tensor's elements overlap");
    }
    if (values->debug_buffer.data == NULL && bytes > 0 && out->offset >= 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no debug buffer was given");
    }
    return ets_etdump_tensor_data(values->debug_buffer, out->offset, &out->tensor, error);
}

/* A plain number as a tensor of rank 0. */
static enum ets_status read_number(struct ets_captured_values *values,
                                   struct ets_captured_value *out)
{
    enum ets_scalar_type type;
    switch (values->value.type) {
    case ETS_DEBUG_INT:
        values->number.integer = values->value.int_value;
        type = ETS_SCALAR_LONG;
        break;
    case ETS_DEBUG_BOOL:
        values->number.truth = values->value.int_value != 0;
        type = ETS_SCALAR_BOOL;
        break;
    case ETS_DEBUG_FLOAT:
    case ETS_DEBUG_DOUBLE:
        values->number.real = values->value.double_value;
        type = ETS_SCALAR_DOUBLE;
        break;
    default:
        return ets_fail(&out->reason, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "the value is no tensor and no number");
    }
    if (!values->value.is_present) {
        return ets_fail(&out->reason, ETS_MALFORMED, ETS_NO_OFFSET, "the value is missing");
    }
    out->has_tensor = 1;
    out->tensor = (struct ets_tensor){.scalar_type = type,
                                      .data = &values->number,
                                      .data_bytes = ets_scalar_type_bytes((int)type)};
    return ETS_OK;
}

int ets_captured_values_next(struct ets_captured_values *values,
                             struct ets_captured_value *value_out)
{
    const struct ets_debug_value *value = &values->value;
    const bool is_inside = values->event != ETS_NO_INDEX && ++values->item < value->tensor_count;
    if (!is_inside && !next_event(values)) return 0;
    const bool is_list = value->type == ETS_DEBUG_TENSOR_LIST;
    *value_out = (struct ets_captured_value){.event = values->event,
                                             .row = find_row(values),
                                             .index = values->index,
                                             .is_output = value->is_output,
                                             .type = value->type,
                                             .item = values->item,
                                             .item_count = is_list ? value->tensor_count : 0,
                                             .offset = -1};
    if (value->tensor_count > 0) value_out->status = read_tensor(values, value_out);
    else value_out->status = read_number(values, value_out);
    return 1;
}
