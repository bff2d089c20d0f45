/* Values and constants of Core ML's programs: what types are, and how weights are stored. */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "payload/coreml_parts.h"

static const struct ets_payload_type types[ETS_MIL_DATA_TYPES] = {
    [ETS_MIL_BOOL] = {"bool", ETS_SCALAR_BOOL, 8, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_FLOAT16] = {"float16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16},
    [ETS_MIL_FLOAT32] = {"float32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32},
    [ETS_MIL_FLOAT64] = {"float64", ETS_SCALAR_DOUBLE, 64, ETS_PAYLOAD_FLOAT64},
    [ETS_MIL_BFLOAT16] = {"bfloat16", ETS_SCALAR_BFLOAT16, 16, ETS_PAYLOAD_BFLOAT16},
    [ETS_MIL_INT8] = {"int8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INT8},
    [ETS_MIL_INT16] = {"int16", ETS_SCALAR_SHORT, 16, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_INT32] = {"int32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_INT64] = {"int64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_INT4] = {"int4", -1, 4, ETS_PAYLOAD_INT4},
    [ETS_MIL_UINT8] = {"uint8", ETS_SCALAR_BYTE, 8, ETS_PAYLOAD_INT8},
    [ETS_MIL_UINT16] = {"uint16", ETS_SCALAR_UINT16, 16, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_UINT32] = {"uint32", ETS_SCALAR_UINT32, 32, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_UINT64] = {"uint64", ETS_SCALAR_UINT64, 64, ETS_PAYLOAD_INTEGER},
    [ETS_MIL_UINT4] = {"uint4", -1, 4, ETS_PAYLOAD_INT4},
    [ETS_MIL_UINT2] = {"uint2", -1, 2, ETS_PAYLOAD_OTHER},
    [ETS_MIL_UINT1] = {"uint1", -1, 1, ETS_PAYLOAD_OTHER},
    [ETS_MIL_UINT6] = {"uint6", -1, 6, ETS_PAYLOAD_OTHER},
    [ETS_MIL_UINT3] = {"uint3", -1, 3, ETS_PAYLOAD_OTHER},
    [ETS_MIL_FLOAT8E4M3FN] = {"float8_e4m3fn", ETS_SCALAR_FLOAT8E4M3FN, 8, ETS_PAYLOAD_OTHER},
    [ETS_MIL_FLOAT8E5M2] = {"float8_e5m2", ETS_SCALAR_FLOAT8E5M2, 8, ETS_PAYLOAD_OTHER},
};
static const struct ets_payload_type unknown_type = {"unknown", -1, 0, ETS_PAYLOAD_OTHER};

static const struct ets_payload_type *type_of(uint32_t data_type)
{
    const bool is_known = data_type < ETS_MIL_DATA_TYPES && types[data_type].name != NULL;
    return is_known ? &types[data_type] : &unknown_type;
}

bool ets_coreml_add_value(struct ets_coreml_reading *r, const struct ets_mil_type *type,
                          uint32_t *value_out)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    uint32_t *dims = ets_payload_room(r->builder, type->rank, sizeof *dims);
    *value_out = ETS_PAYLOAD_NONE;
    if (dims == NULL || graph->value_count >= r->value_room) return false;
    if (type->rank > 0) memcpy(dims, type->dims, type->rank * sizeof *dims);
    graph->values[graph->value_count] = (struct ets_payload_value){
        .type = type_of(type->data_type),
        .rank = type->rank,
        .dims = dims,
        .argument = ETS_PAYLOAD_NONE,
        .constant = ETS_PAYLOAD_NONE,
        .quantization = {.scale_constant = ETS_PAYLOAD_NONE},
    };
    *value_out = graph->value_count++;
    return true;
}

uint32_t ets_coreml_add_constant(struct ets_coreml_reading *r, const struct ets_mil_value *literal)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (graph->constant_count >= r->constant_room) return ETS_PAYLOAD_NONE;
    graph->constants[graph->constant_count].bytes =
        literal->is_blob ? ets_coreml_blob(r->weights, literal->blob_offset)
                         : ets_mil_elements(literal);
    return graph->constant_count++;
}

bool ets_coreml_add_literal(struct ets_coreml_reading *r, const struct ets_mil_value *literal,
                            uint32_t *value_out)
{
    if (!ets_coreml_add_value(r, &literal->type, value_out)) return false;
    const uint32_t constant = ets_coreml_add_constant(r, literal);
    r->builder->graph.values[*value_out].constant = constant;
    return constant != ETS_PAYLOAD_NONE;
}

struct ets_coreml_name *ets_coreml_define(struct ets_coreml_reading *r, struct ets_text name)
{
    const uint32_t number = ets_strings_add(&r->names, name);
    if (number == UINT32_MAX) return NULL;
    r->definitions = ets_arena_grow(r->builder->arena, r->definitions, number, &r->definition_room,
                                    sizeof *r->definitions);
    if (r->definitions == NULL) return NULL;
    struct ets_coreml_name *definition = &r->definitions[number];
    *definition = (struct ets_coreml_name){.value = ETS_PAYLOAD_NONE, .producer = ETS_PAYLOAD_NONE};
    return definition;
}

struct ets_coreml_name *ets_coreml_lookup(struct ets_coreml_reading *r, struct ets_text name)
{
    if (name.size == 0) return NULL;
    const uint32_t number = ets_strings_find(&r->names, name);
    return number != UINT32_MAX ? &r->definitions[number] : NULL;
}

struct ets_bytes ets_coreml_entry(struct ets_bytes message, uint32_t map, const char *key)
{
    struct ets_protobuf reader = ets_protobuf_of(message);
    struct ets_protobuf_field field;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != map || field.wire != ETS_PROTOBUF_BYTES) continue;
        if (!ets_text_is(ets_protobuf_find_text(field.bytes, ETS_MAP_KEY), key)) continue;
        return ets_protobuf_find_bytes(field.bytes, ETS_MAP_VALUE);
    }
    return (struct ets_bytes){NULL, 0};
}

/* An input of a constexpr operation: a value among its attributes, or a literal of that name.
 * Programs for iOS 16 and 17 have the first, later ones the second. */
static bool find_literal(struct ets_coreml_reading *r, struct ets_bytes operation, const char *name,
                         struct ets_mil_value *out)
{
    struct ets_bytes value = ets_coreml_entry(operation, ETS_MIL_OPERATION_ATTRIBUTES, name);
    if (value.data == NULL) {
        const struct ets_bytes argument =
            ets_coreml_entry(operation, ETS_MIL_OPERATION_INPUTS, name);
        const struct ets_bytes binding =
            ets_protobuf_find_bytes(argument, ETS_MIL_ARGUMENT_BINDINGS);
        const struct ets_coreml_name *named =
            ets_coreml_lookup(r, ets_protobuf_find_text(binding, ETS_MIL_BINDING_NAME));
        if (named != NULL && named->is_literal) {
            *out = named->literal;
            return true;
        }
        value = ets_protobuf_find_bytes(binding, ETS_MIL_BINDING_VALUE);
    }
    if (value.data == NULL) return false;
    *out = ets_mil_value_of(value);
    return true;
}

static uint64_t elements_of(const struct ets_mil_type *type)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (!ets_mul_u64(count, type->dims[i], &count)) return UINT64_MAX;
    }
    return count;
}

/* One scale for all, one for each channel, or one for each block of a channel. */
static void read_scales(struct ets_coreml_reading *r, const struct ets_mil_value *scale,
                        uint64_t axis, const struct ets_mil_type *data,
                        struct ets_payload_quantization *out)
{
    const uint64_t count = elements_of(&scale->type);
    out->is_given = true;
    out->scale_constant = ets_coreml_add_constant(r, scale);
    out->scale_count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (count == 1) {
        out->kind = ETS_PAYLOAD_PER_TENSOR;
        const struct ets_bytes bytes = ets_mil_elements(scale);
        const bool is_float = scale->type.data_type == ETS_MIL_FLOAT32 && bytes.size == 4;
        if (is_float) out->scale = ets_load_f32(bytes.data);
        return;
    }
    out->kind = ETS_PAYLOAD_PER_CHANNEL;
    out->channel_dim = axis < data->rank ? (int32_t)axis : 0;
    if (scale->type.rank != data->rank) return;
    for (uint32_t i = 0; i < data->rank; i++) {
        const uint32_t scales = scale->type.dims[i];
        if (scales == 1) continue;
        if (scales == data->dims[i]) {
            out->channel_dim = (int32_t)i;
        } else if (scales > 0 && data->dims[i] / scales <= INT32_MAX) {
            out->kind = ETS_PAYLOAD_PER_GROUP;
            out->group_size = (int32_t)(data->dims[i] / scales);
        }
    }
}

/* Indices of a look-up table are as wide as the table is long. */
static uint32_t index_type(uint64_t entries)
{
    static const struct {
        uint64_t entries;
        uint32_t type;
    } known[] = {{2, ETS_MIL_UINT1},  {4, ETS_MIL_UINT2},  {8, ETS_MIL_UINT3},
                 {16, ETS_MIL_UINT4}, {64, ETS_MIL_UINT6}, {256, ETS_MIL_UINT8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (entries == known[i].entries) return known[i].type;
    }
    return 0;
}

static bool add_data(struct ets_coreml_reading *r, const struct ets_mil_type *result,
                     const struct ets_mil_value *data, uint32_t data_type, uint32_t *value_out)
{
    struct ets_mil_type stored = *result;
    stored.data_type = data_type;
    if (!ets_coreml_add_value(r, &stored, value_out)) return false;
    const uint32_t constant = ets_coreml_add_constant(r, data);
    r->builder->graph.values[*value_out].constant = constant;
    return constant != ETS_PAYLOAD_NONE;
}

static bool add_quantized(struct ets_coreml_reading *r, struct ets_bytes operation,
                          const struct ets_mil_type *result, const struct ets_mil_value *data,
                          uint32_t *value_out)
{
    struct ets_mil_value scale, axis;
    uint64_t number = 0;
    struct ets_protobuf_field field;
    if (!add_data(r, result, data, data->type.data_type, value_out)) return false;
    if (!find_literal(r, operation, "scale", &scale)) return true;
    if (find_literal(r, operation, "axis", &axis) && ets_protobuf_find(axis.items, 1, &field)) {
        size_t at = 0;
        ets_protobuf_number(&field, ETS_PROTOBUF_VARINT, &at, &number);
    }
    struct ets_payload_value *value = &r->builder->graph.values[*value_out];
    read_scales(r, &scale, number, result, &value->quantization);
    return value->quantization.scale_constant != ETS_PAYLOAD_NONE;
}

bool ets_coreml_add_weight(struct ets_coreml_reading *r, struct ets_bytes operation,
                           struct ets_text type, const struct ets_mil_type *result,
                           uint32_t *value_out)
{
    struct ets_mil_value data, table;
    if (ets_text_is(type, "constexpr_affine_dequantize") &&
        find_literal(r, operation, "quantized_data", &data)) {
        return add_quantized(r, operation, result, &data, value_out);
    }
    if (ets_text_is(type, "constexpr_blockwise_shift_scale") &&
        find_literal(r, operation, "data", &data)) {
        return add_quantized(r, operation, result, &data, value_out);
    }
    if (ets_text_is(type, "constexpr_lut_to_dense") &&
        find_literal(r, operation, "indices", &data)) {
        const bool has_table = find_literal(r, operation, "lut", &table);
        uint32_t stored = data.type.data_type;
        const bool is_packed = stored == ETS_MIL_UINT8 && has_table && table.type.rank == 1;
        if (is_packed) stored = index_type(table.type.dims[0]);
        return add_data(r, result, &data, stored, value_out);
    }
    if (ets_text_is(type, "constexpr_sparse_to_dense") &&
        find_literal(r, operation, "nonzero_data", &data)) {
        return add_data(r, result, &data, 0, value_out);
    }
    if (ets_text_is(type, "constexpr_cast") && find_literal(r, operation, "source_val", &data)) {
        return add_data(r, result, &data, data.type.data_type, value_out);
    }
    return ets_coreml_add_value(r, result, value_out); /* of bytes that are not known */
}
