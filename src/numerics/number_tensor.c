/* Plain numbers as tensors, byte by byte. */
#include "numerics/number_tensor.h"

/* The element is the first bytes of the number. */
static void wrap(enum ets_scalar_type type, uint64_t bits, uint8_t *room,
                 struct ets_tensor *tensor_out)
{
    for (unsigned i = 0; i < ETS_NUMBER_BYTES; i++) room[i] = (uint8_t)(bits >> 8 * i);
    *tensor_out = (struct ets_tensor){
        .scalar_type = type, .data = room, .data_bytes = ets_scalar_type_bytes(type)};
}

void ets_tensor_of_integer(int64_t value, uint8_t *room, struct ets_tensor *tensor_out)
{
    wrap(ETS_SCALAR_LONG, (uint64_t)value, room, tensor_out);
}

void ets_tensor_of_real(double value, uint8_t *room, struct ets_tensor *tensor_out)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    wrap(ETS_SCALAR_DOUBLE, bits, room, tensor_out);
}

bool ets_tensor_of_value(const struct ets_value *value, enum ets_scalar_type type_of_bool,
                         uint8_t *room, struct ets_tensor *tensor_out)
{
    switch (value->kind) {
    case ETS_VALUE_TENSOR: *tensor_out = value->as.tensor; return true;
    case ETS_VALUE_INT: ets_tensor_of_integer(value->as.int_value, room, tensor_out); return true;
    case ETS_VALUE_BOOL:
        wrap(type_of_bool, value->as.bool_value != 0, room, tensor_out);
        return true;
    case ETS_VALUE_DOUBLE:
        ets_tensor_of_real(value->as.double_value, room, tensor_out);
        return true;
    default: return false;
    }
}
