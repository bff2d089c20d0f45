/*
 * Reads debug events as values, with the rows that computed them, and in between the values of the
 * extra block: strings, and tensors without bytes.
 */
#include "etscope/experimental/captured_values.h"
#include "inspect/patterns.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"
#include "inspect/delegates/inner_values.h"
#include "inspect/extra_values.h"

void ets_captured_values_init(struct ets_captured_values *values,
                              const struct ets_inspection *inspection,
                              struct ets_bytes debug_buffer,
                              const struct ets_captured_filter *filter)
{
    *values = (struct ets_captured_values){
        .inspection = inspection,
        .debug_buffer = debug_buffer,
        .filter = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = ETS_NO_INDEX},
        .passed = ETS_NO_INDEX};
    if (filter != NULL) values->filter = *filter;
    ets_extra_values_next(values);
}

struct ets_text ets_captured_value_operator(const struct ets_inspection *inspection,
                                            const struct ets_captured_value *value)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    if (value->is_output) return (struct ets_text){"(output)", 8};
    if (value->delegate_name.size > 0) return value->delegate_name;
    if (value->chain >= 0) {
        const struct ets_text inside = ets_inspection_tapped_operator(
            inspection, ets_inspection_run(inspection, value->run)->block, value->chain,
            value->instruction, value->index);
        if (inside.data != NULL) return inside;
    }
    if (value->row != ETS_NO_INDEX) {
        return ets_row_operator(ets_inspection_row(inspection, value->row));
    }
    if (value->event == ETS_NO_INDEX) return (struct ets_text){NULL, 0};
    return ets_inspection_text(inspection, events->name[value->event]);
}

/* Whether the filter matches the value's row or, for a filter with only a name, its operator. */
static bool is_of_rows(const struct ets_captured_values *values,
                       const struct ets_captured_value *value)
{
    const struct ets_row_filter *rows = values->filter.rows;
    if (rows == NULL || ets_row_filter_is_empty(rows)) return true;
    if (value->row != ETS_NO_INDEX &&
        ets_row_filter_matches(rows, values->inspection, value->row)) {
        return true;
    }
    struct ets_row_filter others = *rows;
    others.name = NULL;
    return ets_row_filter_is_empty(&others) &&
           ets_operator_matches(rows->name, ets_captured_value_operator(values->inspection, value));
}

static bool is_wanted(const struct ets_captured_values *values,
                      const struct ets_captured_value *value)
{
    const struct ets_captured_filter *filter = &values->filter;
    return (filter->event == ETS_NO_INDEX || filter->event == value->event) &&
           (filter->run == ETS_NO_INDEX || filter->run == value->run) &&
           (filter->block == ETS_NO_INDEX ||
            filter->block == ets_inspection_run(values->inspection, value->run)->block) &&
           (!filter->outputs_only || value->is_output) && is_of_rows(values, value);
}

static bool is_of_call(const struct ets_event_table *events, const struct ets_captured_value *value,
                       uint32_t event)
{
    return events->run[event] == value->run && events->chain[event] == value->chain &&
           events->instruction[event] == value->instruction;
}

/*
 * A kernel's values are logged before its event, which ends later, so the row is that of the next
 * profile event of the same instruction, from event `from` on. The search continues where the last
 * one ended.
 */
static uint32_t find_row(struct ets_captured_values *values, const struct ets_captured_value *value,
                         uint32_t from)
{
    const struct ets_event_table *events = ets_inspection_events(values->inspection);
    if (value->chain < 0) return ETS_NO_INDEX;
    uint32_t at = values->made_by > from ? values->made_by : from;
    while (at < events->count && is_of_call(events, value, at) &&
           events->kind[at] != ETS_EVENT_PROFILE) {
        at++;
    }
    values->made_by = at;
    if (at >= events->count || !is_of_call(events, value, at)) return ETS_NO_INDEX;
    const bool is_of_part = value->delegate_id >= 0 || value->delegate_name.size > 0;
    const struct ets_text part = ets_inspection_text(values->inspection, events->delegate_name[at]);
    if (is_of_part && (value->delegate_id != events->delegate_id[at] ||
                       !ets_text_equal(value->delegate_name, part))) {
        return ETS_NO_INDEX;
    }
    return events->row[at];
}

/* Numbers a value that precedes event `from`; events up to `next` are then done. */
static void number_value(struct ets_captured_values *values, const struct ets_captured_value *value,
                         uint32_t from, uint32_t next)
{
    const bool goes_on = values->passed == from && values->run == value->run &&
                         values->chain == value->chain && values->instruction == value->instruction;
    if (!goes_on) values->index = 0;
    else if (value->item == 0) values->index++;
    values->passed = next;
    values->run = value->run;
    values->chain = value->chain;
    values->instruction = value->instruction;
}

/* Reads the current debug event, except its elements. */
static struct ets_captured_value value_of_event(const struct ets_captured_values *values)
{
    const struct ets_event_table *events = ets_inspection_events(values->inspection);
    const uint32_t event = values->event;
    const bool is_list = values->value.type == ETS_DEBUG_TENSOR_LIST;
    return (struct ets_captured_value){
        .event = event,
        .run = events->run[event],
        .chain = events->chain[event],
        .instruction = events->instruction[event],
        .delegate_id = events->delegate_id[event],
        .delegate_name = ets_inspection_text(values->inspection, events->delegate_name[event]),
        .is_output = values->value.is_output,
        .type = values->value.type,
        .item = values->item,
        .item_count = is_list ? values->value.tensor_count : 0,
        .offset = -1};
}

/* Moves to the next non-empty debug event before `end`; false at `end`. */
static bool next_event(struct ets_captured_values *values, uint32_t end)
{
    const struct ets_event_table *events = ets_inspection_events(values->inspection);
    for (uint32_t i = values->next_event; i < end; i++) {
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        values->event = i;
        values->next_event = i + 1;
        values->item = 0;
        ets_etdump_debug_value(ets_inspection_dump(values->inspection),
                               (size_t)events->payload_at[i], &values->value);
        struct ets_captured_value value = value_of_event(values);
        number_value(values, &value, i, i + 1);
        value.row = find_row(values, &value, i + 1);
        const bool is_empty_list =
            values->value.type == ETS_DEBUG_TENSOR_LIST && values->value.tensor_count == 0;
        if (!is_empty_list && is_wanted(values, &value)) return true;
    }
    if (end > values->next_event) values->next_event = end;
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
    /* Overlapping elements would make the work on few bytes unbounded; the runtime has none. */
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

static void keep_bits(struct ets_captured_values *values, uint64_t bits)
{
    for (size_t i = 0; i < sizeof values->number; i++) values->number[i] = (uint8_t)(bits >> 8 * i);
}

/* A plain number as a tensor of rank 0. */
static enum ets_status read_number(struct ets_captured_values *values,
                                   struct ets_captured_value *out)
{
    enum ets_scalar_type type;
    uint64_t real_bits;
    switch (values->value.type) {
    case ETS_DEBUG_INT:
        keep_bits(values, (uint64_t)values->value.int_value);
        type = ETS_SCALAR_LONG;
        break;
    case ETS_DEBUG_BOOL:
        keep_bits(values, values->value.int_value != 0);
        type = ETS_SCALAR_BOOL;
        break;
    case ETS_DEBUG_FLOAT:
    case ETS_DEBUG_DOUBLE:
        memcpy(&real_bits, &values->value.double_value, sizeof real_bits);
        keep_bits(values, real_bits);
        type = ETS_SCALAR_DOUBLE;
        break;
    default:
        return ets_fail(&out->reason, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "the value is neither a tensor nor a number");
    }
    if (!values->value.is_present) {
        return ets_fail(&out->reason, ETS_MALFORMED, ETS_NO_OFFSET, "the value is missing");
    }
    out->has_tensor = 1;
    out->tensor = (struct ets_tensor){.scalar_type = type,
                                      .data = values->number,
                                      .data_bytes = ets_scalar_type_bytes((int)type)};
    return ETS_OK;
}

static int give_element(struct ets_captured_values *values, struct ets_captured_value *value_out)
{
    *value_out = value_of_event(values);
    value_out->index = values->index;
    value_out->row = find_row(values, value_out, values->event + 1);
    if (values->value.tensor_count > 0) value_out->status = read_tensor(values, value_out);
    else value_out->status = read_number(values, value_out);
    return 1;
}

/* Fills the extra block's value before the next event, except row and index. */
static int give_extra(struct ets_captured_values *values, struct ets_captured_value *value_out)
{
    *value_out = values->extra.value;
    const uint32_t from = values->extra.before;
    number_value(values, value_out, from, from);
    value_out->index = values->index;
    value_out->row = find_row(values, value_out, from);
    ets_extra_values_next(values);
    return is_wanted(values, value_out);
}

int ets_captured_values_next(struct ets_captured_values *values,
                             struct ets_captured_value *value_out)
{
    const uint32_t count = ets_inspection_events(values->inspection)->count;
    if (values->next_event > 0 && ++values->item < values->value.tensor_count) {
        return give_element(values, value_out);
    }
    for (;;) {
        const uint32_t end = values->extra.before < count ? values->extra.before : count;
        if (next_event(values, end)) return give_element(values, value_out);
        if (values->extra.before == ETS_NO_INDEX) return 0;
        if (give_extra(values, value_out)) return 1;
    }
}
