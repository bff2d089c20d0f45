/* Types of programs as those of payloads, and what values of a type are. */
#include "base/load.h"
#include "etscope/tensor.h"
#include "payload/payload_reader.h"

const struct ets_payload_type *ets_payload_scalar_type(int scalar_type)
{
    static const struct ets_payload_type types[] = {
        {"uint8", ETS_SCALAR_BYTE, 8, ETS_PAYLOAD_INTEGER},
        {"int8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INTEGER},
        {"int16", ETS_SCALAR_SHORT, 16, ETS_PAYLOAD_INTEGER},
        {"int32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER},
        {"int64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER},
        {"float16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16},
        {"float32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32},
        {"float64", ETS_SCALAR_DOUBLE, 64, ETS_PAYLOAD_FLOAT64},
        {"bool", ETS_SCALAR_BOOL, 8, ETS_PAYLOAD_INTEGER},
        {"bfloat16", ETS_SCALAR_BFLOAT16, 16, ETS_PAYLOAD_BFLOAT16},
        {"uint16", ETS_SCALAR_UINT16, 16, ETS_PAYLOAD_INTEGER},
        {"uint32", ETS_SCALAR_UINT32, 32, ETS_PAYLOAD_INTEGER},
        {"uint64", ETS_SCALAR_UINT64, 64, ETS_PAYLOAD_INTEGER},
    };
    static const struct ets_payload_type unknown = {"unknown", -1, 0, ETS_PAYLOAD_OTHER};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].scalar_type == scalar_type) return &types[i];
    }
    return &unknown;
}

const char *ets_payload_dtype(const struct ets_payload_type *type)
{
    const char *name = ets_scalar_type_name(type->scalar_type);
    return name != NULL ? name : type->name;
}

uint64_t ets_payload_elements(const struct ets_payload_value *value)
{
    uint64_t count = 1;
    if (value->is_sizeless) return UINT64_MAX;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (!ets_mul_u64(count, value->dims[i], &count)) return UINT64_MAX;
    }
    return count;
}
