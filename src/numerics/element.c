/* Elements of any scalar type as doubles. */
#include <stdbool.h>

#include "base/load.h"
#include "etscope/numerics.h"
#include "numerics/avx2.h"
#include "numerics/decode.h"
#include "numerics/element.h"

/* The meaning of a small float's largest exponent. */
enum specials {
    SPECIALS_IEEE, /* infinities and NaNs, as in float32 */
    SPECIALS_FN,   /* one NaN of each sign, all bits set; the rest are numbers */
    SPECIALS_FNUZ  /* the bits of negative zero are the only NaN; the rest are numbers */
};

struct float_layout {
    unsigned exponent_bits, mantissa_bits;
    int bias;
    enum specials specials;
};

static double from_bits(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* `exponent` is that of a normal double. */
static double power_of_two(int exponent)
{
    return from_bits((uint64_t)(exponent + 1023) << 52);
}

/* Exact: every small float is a double. */
ETS_INLINED double widen(uint32_t bits, struct float_layout layout)
{
    const uint32_t mantissa_mask = (UINT32_C(1) << layout.mantissa_bits) - 1;
    const uint32_t exponent_mask = (UINT32_C(1) << layout.exponent_bits) - 1;
    const uint32_t mantissa = bits & mantissa_mask;
    const uint32_t exponent = bits >> layout.mantissa_bits & exponent_mask;
    const bool is_negative = bits >> (layout.mantissa_bits + layout.exponent_bits) & 1;
    const uint64_t sign = (uint64_t)is_negative << 63;
    const double not_a_number = from_bits(sign | UINT64_C(0x7ff8000000000000));
    switch (layout.specials) {
    case SPECIALS_IEEE:
        if (exponent != exponent_mask) break;
        return mantissa != 0 ? not_a_number : from_bits(sign | UINT64_C(0x7ff0000000000000));
    case SPECIALS_FN:
        if (exponent == exponent_mask && mantissa == mantissa_mask) return not_a_number;
        break;
    case SPECIALS_FNUZ:
        if (is_negative && exponent == 0 && mantissa == 0) return not_a_number;
        break;
    }
    /* Subnormal numbers have the least exponent and no hidden bit. */
    const uint32_t significand = exponent == 0 ? mantissa : mantissa | (mantissa_mask + 1);
    const int power = (exponent == 0 ? 1 : (int)exponent) - layout.bias - (int)layout.mantissa_bits;
    const double size = (double)significand * power_of_two(power);
    return is_negative ? -size : size;
}

ETS_INLINED double widen_half(const uint8_t *at)
{
    return widen(ets_load_u16(at), (struct float_layout){5, 10, 15, SPECIALS_IEEE});
}

uint32_t ets_scalar_component_count(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_COMPLEX_HALF:
    case ETS_SCALAR_COMPLEX_FLOAT:
    case ETS_SCALAR_COMPLEX_DOUBLE: return 2;
    case ETS_SCALAR_QUINT4X2:
    case ETS_SCALAR_QUINT2X4:
    case ETS_SCALAR_BITS1X8:
    case ETS_SCALAR_BITS2X4:
    case ETS_SCALAR_BITS4X2:
    case ETS_SCALAR_BITS8:
    case ETS_SCALAR_BITS16: return 0;
    default: return ets_scalar_type_bytes(scalar_type) > 0;
    }
}

ETS_INLINED double load_integer(const uint8_t *at, int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_BOOL: return *at != 0;
    case ETS_SCALAR_CHAR:
    case ETS_SCALAR_QINT8: return (int8_t)*at;
    case ETS_SCALAR_SHORT: return (int16_t)ets_load_u16(at);
    case ETS_SCALAR_UINT16: return ets_load_u16(at);
    case ETS_SCALAR_INT:
    case ETS_SCALAR_QINT32: return (int32_t)ets_load_u32(at);
    case ETS_SCALAR_UINT32: return ets_load_u32(at);
    case ETS_SCALAR_LONG: return (double)(int64_t)ets_load_u64(at);
    case ETS_SCALAR_UINT64: return (double)ets_load_u64(at);
    default: return *at;
    }
}

ETS_INLINED double load_number(const void *at, int scalar_type, uint32_t component)
{
    const uint8_t *bytes = at;
    switch (scalar_type) {
    case ETS_SCALAR_HALF: return widen_half(bytes);
    case ETS_SCALAR_COMPLEX_HALF: return widen_half(bytes + 2 * (size_t)component);
    case ETS_SCALAR_FLOAT: return ets_load_f32(bytes);
    case ETS_SCALAR_COMPLEX_FLOAT: return ets_load_f32(bytes + 4 * (size_t)component);
    case ETS_SCALAR_DOUBLE: return ets_load_f64(bytes);
    case ETS_SCALAR_COMPLEX_DOUBLE: return ets_load_f64(bytes + 8 * (size_t)component);
    case ETS_SCALAR_BFLOAT16:
        return widen(ets_load_u16(bytes), (struct float_layout){8, 7, 127, SPECIALS_IEEE});
    case ETS_SCALAR_FLOAT8E5M2:
        return widen(*bytes, (struct float_layout){5, 2, 15, SPECIALS_IEEE});
    case ETS_SCALAR_FLOAT8E4M3FN: return widen(*bytes, (struct float_layout){4, 3, 7, SPECIALS_FN});
    case ETS_SCALAR_FLOAT8E5M2FNUZ:
        return widen(*bytes, (struct float_layout){5, 2, 16, SPECIALS_FNUZ});
    case ETS_SCALAR_FLOAT8E4M3FNUZ:
        return widen(*bytes, (struct float_layout){4, 3, 8, SPECIALS_FNUZ});
    default: return load_integer(bytes, scalar_type);
    }
}

double ets_element_load(const void *at, int scalar_type, uint32_t component)
{
    return load_number(at, scalar_type, component);
}

/* Inlined, so that each type of `size` bytes gets its own loop. */
ETS_INLINED void load_numbers(const uint8_t *bytes, int scalar_type, size_t size, size_t count,
                              double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = load_number(bytes + i * size, scalar_type, 0);
}

/* The type that most tensors have. */
ETS_AVX2 static void load_singles(const uint8_t *bytes, size_t count, double *out)
{
    load_numbers(bytes, ETS_SCALAR_FLOAT, sizeof(float), count, out);
}

int ets_plain_type(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_COMPLEX_HALF: return ETS_SCALAR_HALF;
    case ETS_SCALAR_COMPLEX_FLOAT: return ETS_SCALAR_FLOAT;
    case ETS_SCALAR_COMPLEX_DOUBLE: return ETS_SCALAR_DOUBLE;
    case ETS_SCALAR_QINT8: return ETS_SCALAR_CHAR;
    case ETS_SCALAR_QUINT8: return ETS_SCALAR_BYTE;
    case ETS_SCALAR_QINT32: return ETS_SCALAR_INT;
    default: return scalar_type;
    }
}

void ets_decode(const void *bytes, int scalar_type, size_t count, double *numbers_out)
{
    const int type = ets_plain_type(scalar_type);
    count *= ets_scalar_component_count(scalar_type);
    if (type == ETS_SCALAR_FLOAT && ets_has_avx2()) {
        load_singles(bytes, count, numbers_out);
        return;
    }
    switch (type) {
#ifndef __OPTIMIZE_SIZE__ /* the common types have a loop of their own */
#define DECODE(name, size) \
    case name: load_numbers(bytes, name, size, count, numbers_out); break
        DECODE(ETS_SCALAR_DOUBLE, 8);
        DECODE(ETS_SCALAR_FLOAT, 4);
        DECODE(ETS_SCALAR_HALF, 2);
        DECODE(ETS_SCALAR_BFLOAT16, 2);
        DECODE(ETS_SCALAR_LONG, 8);
        DECODE(ETS_SCALAR_INT, 4);
        DECODE(ETS_SCALAR_SHORT, 2);
        DECODE(ETS_SCALAR_CHAR, 1);
        DECODE(ETS_SCALAR_BYTE, 1);
        DECODE(ETS_SCALAR_BOOL, 1);
#undef DECODE
#endif
    default: load_numbers(bytes, type, ets_scalar_type_bytes(type), count, numbers_out); break;
    }
}

bool ets_are_doubles(const void *bytes, int scalar_type)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const bool is_aligned = (uintptr_t)bytes % sizeof(double) == 0;
    return is_aligned && ets_plain_type(scalar_type) == ETS_SCALAR_DOUBLE;
#else
    (void)bytes;
    (void)scalar_type;
    return false;
#endif
}

const double *ets_decoded(const void *bytes, int scalar_type, size_t count, double *room)
{
    if (ets_are_doubles(bytes, scalar_type)) return bytes;
    ets_decode(bytes, scalar_type, count, room);
    return room;
}
