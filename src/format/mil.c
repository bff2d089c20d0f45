/* Decodes types and values of Core ML's programs. */
#include "format/mil.h"

#include <stddef.h>

/* Fields of ValueType, TensorType, Dimension, Value and TensorValue. */
enum { TYPE_TENSOR = 1, TYPE_STATE = 5, STATE_WRAPPED = 1 };
enum { TENSOR_DATA_TYPE = 1, TENSOR_DIMENSIONS = 3 };
enum { DIMENSION_CONSTANT = 1, CONSTANT_SIZE = 1 };
enum { VALUE_TYPE = 2, VALUE_IMMEDIATE = 3, VALUE_BLOB = 5 };
enum { IMMEDIATE_TENSOR = 1, BLOB_OFFSET = 2, REPEATED_VALUES = 1 };

static void read_dimension(struct ets_bytes dimension, struct ets_mil_type *type)
{
    struct ets_protobuf_field constant;
    if (type->rank >= ETS_MIL_MAX_RANK) {
        type->is_open = true;
        return;
    }
    uint64_t size = 0;
    const bool is_fixed = ets_protobuf_find(dimension, DIMENSION_CONSTANT, &constant);
    if (is_fixed) size = ets_protobuf_find_number(constant.bytes, CONSTANT_SIZE, 0);
    if (!is_fixed || size >= UINT32_MAX) {
        type->is_open = true;
        size = 0;
    }
    type->dims[type->rank++] = (uint32_t)size;
}

struct ets_mil_type ets_mil_type_of(struct ets_bytes value_type)
{
    struct ets_mil_type type = {.data_type = 0};
    struct ets_bytes tensor = ets_protobuf_find_bytes(value_type, TYPE_TENSOR);
    const struct ets_bytes state = ets_protobuf_find_bytes(value_type, TYPE_STATE);
    if (tensor.data == NULL && state.data != NULL) {
        type.is_state = true;
        tensor =
            ets_protobuf_find_bytes(ets_protobuf_find_bytes(state, STATE_WRAPPED), TYPE_TENSOR);
    }
    struct ets_protobuf reader = ets_protobuf_of(tensor);
    struct ets_protobuf_field field;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number == TENSOR_DATA_TYPE) type.data_type = (uint32_t)field.value;
        if (field.number == TENSOR_DIMENSIONS) read_dimension(field.bytes, &type);
    }
    return type;
}

struct ets_mil_value ets_mil_value_of(struct ets_bytes value)
{
    static const uint8_t numbers[] = {
        [1] = ETS_MIL_FLOATS,  [2] = ETS_MIL_INTEGERS, [3] = ETS_MIL_INTEGERS,
        [4] = ETS_MIL_STRINGS, [5] = ETS_MIL_INTEGERS, [6] = ETS_MIL_DOUBLES,
        [7] = ETS_MIL_RAW,
    };
    struct ets_mil_value out = {.type =
                                    ets_mil_type_of(ets_protobuf_find_bytes(value, VALUE_TYPE))};
    struct ets_protobuf_field field;
    if (ets_protobuf_find(value, VALUE_BLOB, &field)) {
        out.is_blob = true;
        out.blob_offset = ets_protobuf_find_number(field.bytes, BLOB_OFFSET, 0);
        return out;
    }
    struct ets_protobuf reader = ets_protobuf_of(
        ets_protobuf_find_bytes(ets_protobuf_find_bytes(value, VALUE_IMMEDIATE), IMMEDIATE_TENSOR));
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number >= sizeof numbers || field.wire != ETS_PROTOBUF_BYTES) continue;
        out.numbers = (enum ets_mil_numbers)numbers[field.number];
        out.items = field.bytes;
    }
    if (out.numbers == ETS_MIL_RAW) {
        out.items = ets_protobuf_find_bytes(out.items, REPEATED_VALUES);
    }
    return out;
}

struct ets_bytes ets_mil_elements(const struct ets_mil_value *value)
{
    const struct ets_bytes none = {NULL, 0};
    struct ets_protobuf_field field;
    if (value->numbers == ETS_MIL_RAW) return value->items;
    if (value->numbers != ETS_MIL_FLOATS && value->numbers != ETS_MIL_DOUBLES) return none;
    struct ets_protobuf reader = ets_protobuf_of(value->items);
    if (!ets_protobuf_next(&reader, &field) || field.number != REPEATED_VALUES) return none;
    return reader.at == value->items.size ? field.bytes : none;
}
