/* Reads an opened ETDump: runs, events, debug values and their tensors. */
#include "etscope/etdump.h"
#include "dump/etdump_parts.h"

#include <string.h>

#include "dump/etdump_schema.h"
#include "format/wrong_kind.h"

enum ets_status ets_etdump_root_at(struct ets_bytes bytes, size_t *root_at_out,
                                   struct ets_error *error)
{
    if (ets_kind_sniff(bytes) != ETS_KIND_ETDUMP) {
        return ets_fail_kind(error, "an ETDump", bytes, 12);
    }
    const int is_prefixed = bytes.size >= 12 && memcmp(bytes.data + 8, "ED00", 4) == 0;
    *root_at_out = is_prefixed ? 4 : 0;
    return ETS_OK;
}

static void read_run(const uint8_t *base, size_t run_at, struct ets_etdump_run *run_out)
{
    const struct ets_fb table = {base, run_at};
    const struct ets_fb_vector events = ets_fb_vector(table, RUN_EVENTS);
    const struct ets_fb_vector allocators = ets_fb_vector(table, RUN_ALLOCATORS);
    *run_out = (struct ets_etdump_run){
        .name = ets_fb_text(table, RUN_NAME),
        .bundled_input_index = ets_fb_i32(table, RUN_BUNDLED_INPUT_INDEX, -1),
        .event_count = events.count,
        .allocator_count = allocators.count,
        .has_events = events.at != 0,
        .events_at = events.at,
        .allocators_at = allocators.at,
    };
}

void ets_etdump_run(const struct ets_etdump *dump, uint32_t index, struct ets_etdump_run *run_out)
{
    const struct ets_fb_vector runs = {dump->bytes.data, dump->runs_at, dump->run_count};
    read_run(dump->bytes.data, ets_fb_vector_table(runs, index).at, run_out);
}

static void read_profile(struct ets_fb table, struct ets_etdump_event *event)
{
    event->kind = ETS_EVENT_PROFILE;
    event->payload_at = table.at;
    event->name = ets_fb_text(table, PROFILE_NAME);
    event->chain = ets_fb_i32(table, PROFILE_CHAIN, 0);
    event->instruction = ets_fb_i32(table, PROFILE_INSTRUCTION, -1);
    event->delegate_id = ets_fb_i32(table, PROFILE_DELEGATE_ID, -1);
    event->delegate_name = ets_fb_text(table, PROFILE_DELEGATE_NAME);
    event->metadata = ets_fb_bytes(table, PROFILE_METADATA);
    event->start_ticks = ets_fb_u64(table, PROFILE_START, 0);
    event->end_ticks = ets_fb_u64(table, PROFILE_END, 0);
}

static void read_debug(struct ets_fb table, struct ets_etdump_event *event)
{
    event->kind = ETS_EVENT_DEBUG;
    event->payload_at = table.at;
    event->name = ets_fb_text(table, DEBUG_NAME);
    event->chain = (int64_t)ets_fb_u64(table, DEBUG_CHAIN, 0); /* 2^64-1 is -1, sign-extended */
    event->instruction = ets_fb_i32(table, DEBUG_INSTRUCTION, -1);
    event->delegate_id = ets_fb_i32(table, DEBUG_DELEGATE_ID, -1);
    event->delegate_name = ets_fb_text(table, DEBUG_DELEGATE_NAME);
}

/* If a writer set several, uses the precedence of ExecuTorch's reader. */
void ets_etdump_read_event(const uint8_t *base, size_t event_at, struct ets_etdump_event *event_out)
{
    const struct ets_fb table = {base, event_at};
    *event_out = (struct ets_etdump_event){.kind = ETS_EVENT_UNKNOWN,
                                           .chain = -1,
                                           .instruction = -1,
                                           .delegate_id = -1,
                                           .payload_at = event_at};
    const struct ets_fb profile = ets_fb_table(table, EVENT_PROFILE);
    const struct ets_fb debug = ets_fb_table(table, EVENT_DEBUG);
    const struct ets_fb allocation = ets_fb_table(table, EVENT_ALLOCATION);
    if (profile.at != 0) {
        read_profile(profile, event_out);
    } else if (debug.at != 0) {
        read_debug(debug, event_out);
    } else if (allocation.at != 0) {
        event_out->kind = ETS_EVENT_ALLOCATION;
        event_out->payload_at = allocation.at;
        event_out->allocator = ets_fb_i32(allocation, ALLOCATION_ALLOCATOR, 0);
        event_out->allocated_bytes = ets_fb_u64(allocation, ALLOCATION_BYTES, 0);
    }
}

void ets_etdump_event(const struct ets_etdump *dump, const struct ets_etdump_run *run,
                      uint32_t index, struct ets_etdump_event *event_out)
{
    const struct ets_fb_vector events = {dump->bytes.data, run->events_at, run->event_count};
    ets_etdump_read_event(dump->bytes.data, ets_fb_vector_table(events, index).at, event_out);
}

struct ets_text ets_etdump_allocator_name(const struct ets_etdump *dump,
                                          const struct ets_etdump_run *run, uint32_t index)
{
    const struct ets_fb_vector allocators = {dump->bytes.data, run->allocators_at,
                                             run->allocator_count};
    return ets_fb_text(ets_fb_vector_table(allocators, index), ALLOCATOR_NAME);
}

struct ets_bytes ets_etdump_metadata(const struct ets_etdump *dump, size_t payload_at)
{
    const struct ets_fb event = {dump->bytes.data, payload_at};
    return ets_fb_bytes(event, PROFILE_METADATA);
}

void ets_etdump_debug_value(const struct ets_etdump *dump, size_t payload_at,
                            struct ets_debug_value *value_out)
{
    const struct ets_fb event = {dump->bytes.data, payload_at};
    const struct ets_fb value = ets_fb_table(event, DEBUG_ENTRY);
    const struct ets_fb output = ets_fb_table(value, VALUE_OUTPUT);
    *value_out = (struct ets_debug_value){
        .type = ets_fb_i8(value, VALUE_TYPE, 0),
        .is_output = output.at != 0 && ets_fb_u8(output, 0, 0) != 0,
        .value_at = value.at,
    };
    static const uint8_t member_slots[] = {
        [ETS_DEBUG_INT] = VALUE_INT,       [ETS_DEBUG_BOOL] = VALUE_BOOL,
        [ETS_DEBUG_FLOAT] = VALUE_FLOAT,   [ETS_DEBUG_DOUBLE] = VALUE_DOUBLE,
        [ETS_DEBUG_TENSOR] = VALUE_TENSOR, [ETS_DEBUG_TENSOR_LIST] = VALUE_TENSOR_LIST,
    };
    if (value_out->type <= 0 || value_out->type > ETS_DEBUG_TENSOR_LIST) {
        value_out->is_present = value_out->type == ETS_DEBUG_NULL;
        return;
    }
    const struct ets_fb member = ets_fb_table(value, member_slots[value_out->type]);
    value_out->is_present = member.at != 0;
    switch (value_out->type) {
    case ETS_DEBUG_INT: value_out->int_value = ets_fb_i64(member, 0, 0); break;
    case ETS_DEBUG_BOOL: value_out->int_value = ets_fb_u8(member, 0, 0) != 0; break;
    case ETS_DEBUG_FLOAT: value_out->double_value = (double)ets_fb_f32(member, 0, 0); break;
    case ETS_DEBUG_DOUBLE: value_out->double_value = ets_fb_f64(member, 0, 0); break;
    case ETS_DEBUG_TENSOR: value_out->tensor_count = member.at != 0; break;
    default: value_out->tensor_count = ets_fb_vector(member, 0).count; break;
    }
}

enum ets_status ets_etdump_tensor(const struct ets_etdump *dump,
                                  const struct ets_debug_value *value, uint32_t index,
                                  struct ets_tensor *tensor_out, int64_t *offset_out,
                                  struct ets_error *error)
{
    const struct ets_fb owner = {dump->bytes.data, value->value_at};
    struct ets_fb table = ets_fb_table(owner, VALUE_TENSOR);
    if (value->type == ETS_DEBUG_TENSOR_LIST) {
        table =
            ets_fb_vector_table(ets_fb_vector(ets_fb_table(owner, VALUE_TENSOR_LIST), 0), index);
    }
    const struct ets_fb_vector sizes = ets_fb_vector(table, TENSOR_SIZES);
    const struct ets_fb_vector strides = ets_fb_vector(table, TENSOR_STRIDES);
    const int scalar_type = ets_fb_i8(table, TENSOR_SCALAR_TYPE, 0);
    if (ets_scalar_type_name(scalar_type) == NULL) {
        return ets_fail(error, ETS_UNSUPPORTED, table.at, "tensor with unknown scalar type %d",
                        scalar_type);
    }
    if (sizes.count > ETS_TENSOR_MAX_RANK) {
        return ets_fail(error, ETS_UNSUPPORTED, table.at,
                        "tensor with %u dimensions; at most %d are supported", sizes.count,
                        ETS_TENSOR_MAX_RANK);
    }
    if (strides.count != sizes.count && strides.count != 0) {
        return ets_fail(error, ETS_MALFORMED, table.at, "tensor with %u sizes and %u strides",
                        sizes.count, strides.count);
    }
    *tensor_out =
        (struct ets_tensor){.scalar_type = (enum ets_scalar_type)scalar_type, .rank = sizes.count};
    for (uint32_t i = 0; i < sizes.count; i++) {
        tensor_out->sizes[i] = ets_fb_vector_i64(sizes, i);
        if (strides.count != 0) tensor_out->strides[i] = ets_fb_vector_i64(strides, i);
        if (tensor_out->sizes[i] < 0 || tensor_out->strides[i] < 0) {
            return ets_fail(error, ETS_MALFORMED, table.at,
                            "tensor with a negative size or stride");
        }
    }
    if (strides.count == 0) ets_tensor_set_contiguous(tensor_out);
    *offset_out = ets_fb_i64(table, TENSOR_OFFSET, 0);
    return ETS_OK;
}

enum ets_status ets_etdump_tensor_data(struct ets_bytes debug_buffer, int64_t offset,
                                       struct ets_tensor *tensor, struct ets_error *error)
{
    const uint64_t bytes = ets_tensor_extent(tensor);
    tensor->data = NULL;
    tensor->data_bytes = 0;
    if (bytes == 0) return ETS_OK;
    if (offset == -1) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "the %llu bytes of this tensor were not recorded",
                        (unsigned long long)bytes);
    }
    if (offset < 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "tensor of %llu bytes has debug buffer offset %lld",
                        (unsigned long long)bytes, (long long)offset);
    }
    if (!ets_range_fits((uint64_t)offset, bytes, debug_buffer.size)) {
        return ets_fail(error, ETS_TRUNCATED, (uint64_t)offset,
                        "tensor of %llu bytes at offset %lld lies outside the debug buffer of %zu",
                        (unsigned long long)bytes, (long long)offset, debug_buffer.size);
    }
    tensor->data = debug_buffer.data + offset;
    tensor->data_bytes = (size_t)bytes;
    return ETS_OK;
}
