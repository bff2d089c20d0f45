/*
 * Copies between tensors of one shape. Dimensions with the same layout in both are merged, and the
 * innermost remaining one is copied as a row: with memcpy if possible, else in a loop over elements
 * of one size, or with a conversion in blocks, through int64 between integers and through doubles
 * otherwise.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "etscope/numerics.h"
#include "numerics/decode.h"
#include "numerics/element.h"
#include "reference/reference_value.h"

#define BLOCK 256 /* numbers converted at once */

struct copy {
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK], from[ETS_TENSOR_MAX_RANK], to[ETS_TENSOR_MAX_RANK];
    int from_type, to_type;
    size_t from_bytes, to_bytes; /* of an element */
};

/* Removes dimensions of size 1 and merges adjacent ones with the same layout in both tensors. */
static void plan_copy(const struct ets_tensor *from, const struct ets_tensor *to, struct copy *copy)
{
    *copy = (struct copy){.from_type = from->scalar_type,
                          .to_type = to->scalar_type,
                          .from_bytes = ets_scalar_type_bytes(from->scalar_type),
                          .to_bytes = ets_scalar_type_bytes(to->scalar_type)};
    for (uint32_t i = 0; i < from->rank; i++) {
        if (from->sizes[i] == 1) continue;
        const uint32_t last = copy->rank - 1;
        const int64_t from_stride = from->strides[i], to_stride = to->strides[i];
        if (copy->rank > 0 && copy->from[last] == from_stride * from->sizes[i] &&
            copy->to[last] == to_stride * from->sizes[i]) {
            copy->sizes[last] *= from->sizes[i];
            copy->from[last] = from_stride;
            copy->to[last] = to_stride;
        } else {
            copy->sizes[copy->rank] = from->sizes[i];
            copy->from[copy->rank] = from_stride;
            copy->to[copy->rank++] = to_stride;
        }
    }
    if (copy->rank == 0) {
        copy->rank = 1;
        copy->sizes[0] = copy->from[0] = copy->to[0] = 1;
    }
}

/* `count` elements of `bytes` each, with strides in elements. */
static void move(const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride,
                 int64_t count, size_t bytes)
{
    const size_t from_step = (size_t)from_stride * bytes, to_step = (size_t)to_stride * bytes;
#define ETS_MOVE(size)                                                 \
    case size:                                                         \
        for (; count > 0; count--, from += from_step, to += to_step) { \
            memcpy(to, from, size);                                    \
        }                                                              \
        break;
    switch (bytes) {
        ETS_MOVE(1)
        ETS_MOVE(2)
        ETS_MOVE(4)
        ETS_MOVE(8)
        ETS_MOVE(16)
    default: break;
    }
#undef ETS_MOVE
}

static bool is_integer(int type)
{
    switch (type) {
    case ETS_SCALAR_BYTE:
    case ETS_SCALAR_CHAR:
    case ETS_SCALAR_SHORT:
    case ETS_SCALAR_INT:
    case ETS_SCALAR_LONG:
    case ETS_SCALAR_BOOL:
    case ETS_SCALAR_QINT8:
    case ETS_SCALAR_QUINT8:
    case ETS_SCALAR_QINT32:
    case ETS_SCALAR_UINT16:
    case ETS_SCALAR_UINT32:
    case ETS_SCALAR_UINT64: return true;
    default: return false;
    }
}

static int64_t load_integer(const uint8_t *at, int type)
{
    switch (type) {
    case ETS_SCALAR_BYTE:
    case ETS_SCALAR_QUINT8: return at[0];
    case ETS_SCALAR_BOOL: return at[0] != 0;
    case ETS_SCALAR_CHAR:
    case ETS_SCALAR_QINT8: return (int8_t)at[0];
    case ETS_SCALAR_SHORT: return (int16_t)ets_load_u16(at);
    case ETS_SCALAR_UINT16: return ets_load_u16(at);
    case ETS_SCALAR_INT:
    case ETS_SCALAR_QINT32: return (int32_t)ets_load_u32(at);
    case ETS_SCALAR_UINT32: return ets_load_u32(at);
    default: return (int64_t)ets_load_u64(at);
    }
}

/* Little-endian on all machines; if `bytes` is a constant, compilers emit one store. */
static inline void store_bits(uint64_t bits, size_t bytes, uint8_t *to)
{
    for (size_t k = 0; k < bytes; k++) to[k] = (uint8_t)(bits >> 8 * k);
}

/* Conversions between integers keep the low bytes; bool is 0 or 1. */
static void store_integers(const int64_t *numbers, size_t count, int type, uint8_t *to)
{
    const size_t bytes = ets_scalar_type_bytes(type);
    for (size_t i = 0; i < count; i++, to += bytes) {
        uint64_t bits = (uint64_t)numbers[i];
        if (type == ETS_SCALAR_BOOL) bits = bits != 0;
        store_bits(bits, bytes, to);
    }
}

/* Rounds towards zero; saturates at the limits of int64; NaN becomes 0. */
static int64_t whole_number(double number)
{
    if (!(number == number)) return 0;
    if (number >= 9223372036854775807.0) return INT64_MAX;
    if (number <= -9223372036854775808.0) return INT64_MIN;
    return (int64_t)number;
}

/* Drops the last `drop` bits of `bits`, rounding to nearest, ties to even. */
static uint32_t round_bits(uint32_t bits, uint32_t drop)
{
    const uint32_t half = (UINT32_C(1) << drop) / 2, odd = bits >> drop & 1;
    return (bits + half - 1 + odd) >> drop;
}

static uint16_t bfloat16_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return number == number ? (uint16_t)round_bits(bits, 16) : UINT16_C(0x7fc0);
}

static uint16_t float16_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= UINT32_C(0x7fffffff);
    if (bits > UINT32_C(0x7f800000)) return (uint16_t)(sign | 0x7e00);  /* NaN */
    if (bits >= UINT32_C(0x47800000)) return (uint16_t)(sign | 0x7c00); /* 65536 and above */
    if (bits >= UINT32_C(0x38800000)) {                                 /* a normal number */
        return (uint16_t)(sign | round_bits(bits - UINT32_C(0x38000000), 13));
    }
    /* In steps of 2^-24: the addition rounds, and the last bits of the sum are the number of steps.
     */
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    magnitude += 0.5f;
    memcpy(&bits, &magnitude, sizeof bits);
    return (uint16_t)(sign | (bits - UINT32_C(0x3f000000)));
}

static void store_numbers(const double *numbers, size_t count, int type, uint8_t *to)
{
    if (type == ETS_SCALAR_DOUBLE) {
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers[i], sizeof bits);
            store_bits(bits, sizeof bits, to + i * sizeof bits);
        }
    } else if (type == ETS_SCALAR_FLOAT) {
        for (size_t i = 0; i < count; i++) {
            const float number = (float)numbers[i];
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            store_bits(bits, sizeof bits, to + i * sizeof bits);
        }
    } else if (type == ETS_SCALAR_HALF || type == ETS_SCALAR_BFLOAT16) {
        for (size_t i = 0; i < count; i++) {
            const float number = (float)numbers[i];
            const uint16_t bits =
                type == ETS_SCALAR_HALF ? float16_bits(number) : bfloat16_bits(number);
            store_bits(bits, sizeof bits, to + i * sizeof bits);
        }
    } else if (type == ETS_SCALAR_BOOL) {
        for (size_t i = 0; i < count; i++) to[i] = numbers[i] != 0.0; /* 0.5 and NaN are true */
    } else {
        for (size_t i = 0; i < count; i++) {
            const int64_t whole = whole_number(numbers[i]);
            store_integers(&whole, 1, type, to + i * ets_scalar_type_bytes(type));
        }
    }
}

/* Converts at most BLOCK numbers that are adjacent in both places. */
static void convert_block(const struct copy *copy, const uint8_t *from, size_t count, uint8_t *to)
{
    if (is_integer(copy->from_type) && is_integer(copy->to_type)) {
        int64_t integers[BLOCK];
        for (size_t i = 0; i < count; i++) {
            integers[i] = load_integer(from + i * copy->from_bytes, copy->from_type);
        }
        store_integers(integers, count, copy->to_type, to);
    } else if (ets_are_doubles(to, copy->to_type)) {
        ets_decode(from, copy->from_type, count, (double *)(void *)to);
    } else {
        double numbers[BLOCK];
        ets_decode(from, copy->from_type, count, numbers);
        store_numbers(numbers, count, copy->to_type, to);
    }
}

static void convert_row(const struct copy *copy, const uint8_t *from, uint8_t *to, int64_t size,
                        int64_t from_stride, int64_t to_stride)
{
    uint8_t gathered[BLOCK * 8];
    double room[BLOCK]; /* declared as what may be written there directly */
    uint8_t *const converted = (uint8_t *)room;
    while (size > 0) {
        const int64_t count = size < BLOCK ? size : BLOCK;
        const uint8_t *block = from;
        if (from_stride != 1) {
            move(from, from_stride, gathered, 1, count, copy->from_bytes);
            block = gathered;
        }
        if (to_stride == 1) {
            convert_block(copy, block, (size_t)count, to);
        } else {
            convert_block(copy, block, (size_t)count, converted);
            move(converted, 1, to, to_stride, count, copy->to_bytes);
        }
        from += (size_t)(count * from_stride) * copy->from_bytes;
        to += (size_t)(count * to_stride) * copy->to_bytes;
        size -= count;
    }
}

static void copy_row(const struct copy *copy, const uint8_t *from, uint8_t *to)
{
    const uint32_t last = copy->rank - 1;
    const int64_t size = copy->sizes[last];
    if (copy->from_type != copy->to_type) {
        convert_row(copy, from, to, size, copy->from[last], copy->to[last]);
    } else if (copy->from[last] == 1 && copy->to[last] == 1) {
        memcpy(to, from, (size_t)size * copy->from_bytes);
    } else {
        move(from, copy->from[last], to, copy->to[last], size, copy->from_bytes);
    }
}

static void copy_rows(const struct copy *copy, const uint8_t *from, uint8_t *to)
{
    int64_t position[ETS_TENSOR_MAX_RANK] = {0};
    for (;;) {
        copy_row(copy, from, to);
        uint32_t i = copy->rank - 1;
        for (;; i--) { /* the next index of the outer dimensions */
            if (i == 0) return;
            const size_t from_step = (size_t)copy->from[i - 1] * copy->from_bytes;
            const size_t to_step = (size_t)copy->to[i - 1] * copy->to_bytes;
            from += from_step;
            to += to_step;
            if (++position[i - 1] < copy->sizes[i - 1]) break;
            from -= (size_t)copy->sizes[i - 1] * from_step;
            to -= (size_t)copy->sizes[i - 1] * to_step;
            position[i - 1] = 0;
        }
    }
}

static bool has_store(int type)
{
    return is_integer(type) || type == ETS_SCALAR_HALF || type == ETS_SCALAR_BFLOAT16 ||
           type == ETS_SCALAR_FLOAT || type == ETS_SCALAR_DOUBLE;
}

static bool is_inside(const struct ets_tensor *tensor)
{
    if (tensor->rank > ETS_TENSOR_MAX_RANK) return false;
    const uint64_t extent = ets_tensor_extent(tensor);
    return extent <= tensor->data_bytes && (extent == 0 || tensor->data != NULL);
}

enum ets_status ets_reference_tensor_copy(const struct ets_tensor *from, struct ets_tensor *to,
                                          struct ets_error *error)
{
    if (!is_inside(from) || !is_inside(to)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tensor has fewer bytes than its shape needs");
    }
    if (from->rank != to->rank ||
        (from->rank > 0 && memcmp(from->sizes, to->sizes, from->rank * sizeof *to->sizes) != 0)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "a tensor cannot be copied into one of another shape");
    }
    if (ets_tensor_count(from) == 0) return ETS_OK;
    if (from->scalar_type != to->scalar_type &&
        (ets_scalar_component_count(from->scalar_type) != 1 || !has_store(to->scalar_type))) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "%s cannot be converted to %s",
                        ets_scalar_type_name(from->scalar_type),
                        ets_scalar_type_name(to->scalar_type));
    }
    struct copy copy;
    plan_copy(from, to, &copy);
    copy_rows(&copy, from->data, (uint8_t *)(uintptr_t)to->data);
    return ETS_OK;
}
