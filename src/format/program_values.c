/*
 * Reads the values of a method: numbers, lists and tensors, and the location of a tensor's bytes.
 */
#include "format/program_lists.h"
#include "format/program_names.h"
#include "format/program_parts.h"
#include "format/program_schema.h"

/* Finds the bytes of a constant or initial value by its number. */
static enum ets_status find_constant(const struct ets_program *program, struct ets_fb offsets_table,
                                     uint32_t buffer, size_t at, struct ets_bytes *bytes_out,
                                     struct ets_error *error)
{
    const struct ets_fb_vector offsets = ets_fb_vector(offsets_table, OFFSETS_OFFSETS);
    if (buffer >= offsets.count) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "data buffer %u is out of range; the program has %u", buffer,
                        offsets.count);
    }
    const uint32_t segment_index = ets_fb_u32(offsets_table, OFFSETS_SEGMENT, 0);
    if (segment_index >= program->segment_count) {
        return ets_fail(error, ETS_MALFORMED, offsets_table.at,
                        "constants are in segment %u, but the program has %u", segment_index,
                        program->segment_count);
    }
    struct ets_segment segment;
    ets_program_segment(program, segment_index, &segment);
    const uint64_t offset = ets_fb_vector_u64(offsets, buffer);
    if (offset > segment.size) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "data buffer %u starts at %llu in a segment of %llu bytes", buffer,
                        (unsigned long long)offset, (unsigned long long)segment.size);
    }
    if (segment.bytes.data == NULL) {
        *bytes_out = (struct ets_bytes){NULL, 0};
        return ETS_OK;
    }
    *bytes_out = (struct ets_bytes){segment.bytes.data + offset, (size_t)(segment.size - offset)};
    return ETS_OK;
}

/*
 * Constants are in the constant segment, or in the FlatBuffer itself in older files. A constant
 * segment with a single offset has only the placeholder, and the runtime ignores it.
 */
static enum ets_status find_read_only(const struct ets_program *program, uint32_t buffer, size_t at,
                                      struct ets_bytes *bytes_out, struct ets_error *error)
{
    const struct ets_fb root = ets_program_root(program);
    const struct ets_fb segment = ets_fb_table(root, PROGRAM_CONSTANT_SEGMENT);
    if (ets_fb_vector(segment, OFFSETS_OFFSETS).count > 1) {
        return find_constant(program, segment, buffer, at, bytes_out, error);
    }
    const struct ets_fb_vector buffers = ets_fb_vector(root, PROGRAM_CONSTANT_BUFFER);
    if (buffer >= buffers.count) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "constant buffer %u is out of range; the program has %u", buffer,
                        buffers.count);
    }
    *bytes_out = ets_fb_bytes(ets_fb_vector_table(buffers, buffer), 0);
    return ETS_OK;
}

/* The runtime reads initial values only from the first list, for all tensors. */
static enum ets_status find_start_value(const struct ets_program *program, struct ets_fb extra,
                                        uint32_t buffer, size_t at, struct ets_bytes *bytes_out,
                                        struct ets_error *error)
{
    const struct ets_fb_vector lists =
        ets_fb_vector(ets_program_root(program), PROGRAM_MUTABLE_SEGMENTS);
    const uint64_t list = ets_fb_u64(extra, EXTRA_MUTABLE_SEGMENT, 0);
    if (list != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, at, "initial value in mutable data segment %llu",
                        (unsigned long long)list);
    }
    if (lists.count == 0) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "initial value %u, but the program has no mutable data", buffer);
    }
    return find_constant(program, ets_fb_vector_table(lists, 0), buffer, at, bytes_out, error);
}

/* Reads memory id and offset, and checks that the tensor fits in its arena. */
static enum ets_status read_allocation(const struct ets_method *method, struct ets_fb allocation,
                                       struct ets_program_tensor *tensor, struct ets_error *error)
{
    const uint32_t memory_id = ets_fb_u32(allocation, ALLOCATION_MEMORY_ID, 0);
    if (memory_id == 0 || memory_id > method->arena_count) {
        return ets_fail(error, ETS_MALFORMED, allocation.at,
                        "tensor in planned memory %u, but the method has %u (from 1)", memory_id,
                        method->arena_count);
    }
    const uint64_t offset = (uint64_t)ets_fb_u32(allocation, ALLOCATION_OFFSET_HIGH, 0) << 32 |
                            ets_fb_u32(allocation, ALLOCATION_OFFSET_LOW, 0);
    const uint64_t arena_bytes =
        ets_fb_vector_u64(ets_fb_vector(ets_method_plan(method), PLAN_ARENAS), memory_id);
    if (!ets_range_fits(offset, tensor->tensor_bytes, arena_bytes)) {
        return ets_fail(error, ETS_MALFORMED, allocation.at,
                        "tensor of %llu bytes at %llu lies outside planned memory %u of %llu",
                        (unsigned long long)tensor->tensor_bytes, (unsigned long long)offset,
                        memory_id, (unsigned long long)arena_bytes);
    }
    tensor->memory_id = memory_id;
    tensor->memory_offset = offset;
    return ETS_OK;
}

/* Finds the place of the tensor, and its bytes if they are in this file. */
static enum ets_status read_place(const struct ets_method *method, struct ets_fb table,
                                  struct ets_program_tensor *tensor, struct ets_error *error)
{
    const struct ets_fb allocation = ets_fb_table(table, TENSOR_ALLOCATION);
    const struct ets_fb extra = ets_fb_table(table, TENSOR_EXTRA);
    const bool is_planned = allocation.at != 0;
    const int location = ets_fb_i8(extra, EXTRA_LOCATION, TENSOR_IN_SEGMENT);
    if (is_planned) ETS_TRY(read_allocation(method, allocation, tensor, error));
    if (location == TENSOR_EXTERNAL) {
        tensor->place = is_planned ? ETS_PLACE_EXTERNAL_STATE : ETS_PLACE_EXTERNAL_CONSTANT;
        tensor->data_buffer_idx = 0; /* some writers leave another number here */
        if (tensor->qualified_name.data != NULL) return ETS_OK;
        return ets_fail(error, ETS_MALFORMED, extra.at, "external tensor without a name");
    }
    if (location != TENSOR_IN_SEGMENT) {
        return ets_fail(error, ETS_UNSUPPORTED, extra.at, "tensor at unknown location %d",
                        location);
    }
    if (tensor->data_buffer_idx == 0) {
        tensor->place = is_planned ? ETS_PLACE_PLANNED : ETS_PLACE_RUNTIME;
        return ETS_OK;
    }
    struct ets_bytes bytes = {NULL, 0};
    tensor->place = is_planned ? ETS_PLACE_PLANNED_STATE : ETS_PLACE_CONSTANT;
    if (is_planned) {
        ETS_TRY(find_start_value(method->program, extra, tensor->data_buffer_idx, table.at, &bytes,
                                 error));
    } else {
        ETS_TRY(find_read_only(method->program, tensor->data_buffer_idx, table.at, &bytes, error));
    }
    if (tensor->tensor_bytes > bytes.size) {
        return ets_fail(
            error, ETS_MALFORMED, table.at, "tensor of %llu bytes, but data buffer %u has only %zu",
            (unsigned long long)tensor->tensor_bytes, tensor->data_buffer_idx, bytes.size);
    }
    tensor->tensor.data_bytes = (size_t)tensor->tensor_bytes;
    tensor->tensor.data = tensor->tensor_bytes != 0 ? bytes.data : NULL;
    return ETS_OK;
}

/* Reads a Tensor table: its layout and where its bytes live. */
static enum ets_status read_tensor(const struct ets_method *method, struct ets_fb table,
                                   struct ets_program_tensor *tensor_out, struct ets_error *error)
{
    const struct ets_fb extra = ets_fb_table(table, TENSOR_EXTRA);
    const int dynamism = ets_fb_i8(table, TENSOR_DYNAMISM, ETS_SHAPE_STATIC);
    const int layout = ets_fb_i8(table, TENSOR_LAYOUT, 0);
    const int32_t storage_offset = ets_fb_i32(table, TENSOR_STORAGE_OFFSET, 0);
    if (layout != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, table.at,
                        "tensor with unsupported layout %d (not strided)", layout);
    }
    if (storage_offset != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, table.at,
                        "tensor with unsupported storage offset %d", (int)storage_offset);
    }
    if (dynamism < ETS_SHAPE_STATIC || dynamism > ETS_SHAPE_UNBOUND) {
        return ets_fail(error, ETS_UNSUPPORTED, table.at, "tensor with unknown shape dynamism %d",
                        dynamism);
    }
    struct ets_program_tensor tensor = {
        .dynamism = (enum ets_shape_dynamism)dynamism,
        .data_buffer_idx = ets_fb_u32(table, TENSOR_DATA_BUFFER, 0),
        .requires_grad = ets_fb_u8(table, TENSOR_REQUIRES_GRAD, 0) != 0,
        .qualified_name = ets_fb_text(extra, EXTRA_NAME),
        .device_type = ets_fb_i8(extra, EXTRA_DEVICE_TYPE, ETS_DEVICE_CPU),
        .device_index = ets_fb_i8(extra, EXTRA_DEVICE_INDEX, 0),
    };
    ETS_TRY(ets_parts_read_layout(
        table.at, ets_fb_i8(table, TENSOR_SCALAR_TYPE, 0), ets_fb_vector(table, TENSOR_SIZES),
        ets_fb_vector(table, TENSOR_DIM_ORDER), &tensor.tensor, &tensor.tensor_bytes, error));
    ETS_TRY(read_place(method, table, &tensor, error));
    *tensor_out = tensor;
    return ETS_OK;
}

enum ets_status ets_program_read_value(const struct ets_method *method, uint32_t index,
                                       struct ets_evalue *value_out, struct ets_error *error)
{
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(method), PLAN_VALUES), index);
    const uint8_t tag = ets_fb_u8(table, EVALUE_TAG, 0);
    *value_out = (struct ets_evalue){
        .kind =
            tag <= ETS_EVALUE_OPTIONAL_TENSOR_LIST ? (enum ets_evalue_kind)tag : ETS_EVALUE_UNKNOWN,
        .tag = tag,
        .index = index,
        .value_at = table.at,
        .program = method->program,
    };
    if (value_out->kind == ETS_EVALUE_UNKNOWN || value_out->kind == ETS_EVALUE_NULL) return ETS_OK;
    const struct ets_fb member = ets_fb_table(table, EVALUE_MEMBER);
    switch (value_out->kind) {
    case ETS_EVALUE_INT: value_out->int_value = ets_fb_i64(member, 0, 0); break;
    case ETS_EVALUE_BOOL: value_out->int_value = ets_fb_u8(member, 0, 0) != 0; break;
    case ETS_EVALUE_DOUBLE: value_out->double_value = ets_fb_f64(member, 0, 0.0); break;
    case ETS_EVALUE_STRING: value_out->string = ets_fb_text(member, 0); break;
    case ETS_EVALUE_TENSOR: return read_tensor(method, member, &value_out->tensor, error);
    default: {
        const struct ets_fb_vector items = ets_fb_vector(member, 0);
        value_out->item_count = items.count;
        value_out->items_at = items.at;
        break;
    }
    }
    return ETS_OK;
}

void ets_method_value(const struct ets_method *method, uint32_t index, struct ets_evalue *value_out)
{
    (void)ets_program_read_value(method, index, value_out, NULL);
}

void ets_method_input(const struct ets_method *method, uint32_t index, struct ets_evalue *value_out)
{
    const struct ets_fb_vector inputs = ets_fb_vector(ets_method_plan(method), PLAN_INPUTS);
    ets_method_value(method, (uint32_t)ets_fb_vector_i32(inputs, index), value_out);
}

void ets_method_output(const struct ets_method *method, uint32_t index,
                       struct ets_evalue *value_out)
{
    const struct ets_fb_vector outputs = ets_fb_vector(ets_method_plan(method), PLAN_OUTPUTS);
    ets_method_value(method, (uint32_t)ets_fb_vector_i32(outputs, index), value_out);
}

int32_t ets_evalue_item(const struct ets_evalue *list, uint32_t index)
{
    const struct ets_fb_vector items = {list->program->bytes.data, list->items_at,
                                        list->item_count};
    /* Indices of an IntList are stored in 64 bits; verified ones fit in 31. */
    if (list->kind == ETS_EVALUE_INT_LIST) return (int32_t)ets_fb_vector_i64(items, index);
    return ets_fb_vector_i32(items, index);
}

void ets_evalue_dim_order(const struct ets_evalue *tensor, uint8_t *dim_order_out)
{
    const struct ets_bytes bytes = tensor->program->bytes;
    const struct ets_fb value = {bytes.data, tensor->value_at};
    const struct ets_fb_vector order =
        ets_fb_vector(ets_fb_table(value, EVALUE_MEMBER), TENSOR_DIM_ORDER);
    for (uint32_t i = 0; i < order.count; i++) dim_order_out[i] = order.base[order.at + i];
}

double ets_evalue_double(const struct ets_evalue *list, uint32_t index)
{
    return ets_load_f64(list->program->bytes.data + list->items_at + 8 * (size_t)index);
}

int ets_evalue_bool(const struct ets_evalue *list, uint32_t index)
{
    return list->program->bytes.data[list->items_at + index] != 0;
}

const char *ets_evalue_kind_name(enum ets_evalue_kind kind)
{
    switch (kind) {
    case ETS_EVALUE_NULL: return "null";
    case ETS_EVALUE_INT: return "int";
    case ETS_EVALUE_BOOL: return "bool";
    case ETS_EVALUE_DOUBLE: return "double";
    case ETS_EVALUE_TENSOR: return "tensor";
    case ETS_EVALUE_STRING: return "string";
    case ETS_EVALUE_INT_LIST: return "int list";
    case ETS_EVALUE_DOUBLE_LIST: return "double list";
    case ETS_EVALUE_BOOL_LIST: return "bool list";
    case ETS_EVALUE_TENSOR_LIST: return "tensor list";
    case ETS_EVALUE_OPTIONAL_TENSOR_LIST: return "optional tensor list";
    case ETS_EVALUE_UNKNOWN: break;
    }
    return "unknown";
}

const char *ets_tensor_place_name(enum ets_tensor_place place)
{
    switch (place) {
    case ETS_PLACE_CONSTANT: return "constant";
    case ETS_PLACE_PLANNED: return "planned";
    case ETS_PLACE_PLANNED_STATE: return "planned, with state";
    case ETS_PLACE_RUNTIME: return "runtime";
    case ETS_PLACE_EXTERNAL_CONSTANT: return "external";
    case ETS_PLACE_EXTERNAL_STATE: return "external state";
    }
    return "unknown";
}
