/* Quantizes weights as torchao's configurations do, and dequantizes them. */
#include "quality/weight_schemes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"

enum { BYTE = 8, LEAST_FLOAT_BITS = 16 };

const struct ets_weight_scheme ets_weight_schemes[ETS_WEIGHT_SCHEMES] = {
    {.bits = 4}, {4, 128, false}, {4, 64, false}, {4, 32, false}, {.bits = 8}, {.bits = 32},
};

bool ets_weight_scheme_is_float(const struct ets_weight_scheme *scheme)
{
    return scheme->bits >= LEAST_FLOAT_BITS;
}

bool ets_weight_scheme_fits(const struct ets_weight_scheme *scheme, uint64_t columns)
{
    return scheme->group == 0 || (columns >= scheme->group && columns % scheme->group == 0);
}

uint64_t ets_weight_scheme_bytes(const struct ets_weight_scheme *scheme, uint64_t rows,
                                 uint64_t columns, bool has_wide_scales)
{
    const uint64_t row = (columns * scheme->bits + BYTE - 1) / BYTE;
    if (ets_weight_scheme_is_float(scheme)) return rows * row;
    if (scheme->is_of_tensor) return rows * row + sizeof(float);
    const uint64_t scales = scheme->group > 0 ? columns / scheme->group : 1;
    const uint64_t scale_bytes = scheme->group > 0 && !has_wide_scales ? 2 : sizeof(float);
    return rows * (row + scales * scale_bytes);
}

/* One scale for all of these numbers. */
static void round_group(uint32_t bits, const float *numbers, size_t count, float *out)
{
    const float least = -(float)(1u << (bits - 1)), most = (float)(1u << (bits - 1)) - 1;
    float largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf(numbers[i]));
    const float scale = fmaxf(largest / ((most - least) / 2), FLT_MIN);
    const float inverse = 1 / scale;
    for (size_t i = 0; i < count; i++) {
        const float whole = rintf(numbers[i] * inverse); /* half to even */
        out[i] = fminf(fmaxf(whole, least), most) * scale;
    }
}

void ets_weight_scheme_round(const struct ets_weight_scheme *scheme, const float *numbers,
                             size_t rows, size_t columns, float *out)
{
    const size_t count = rows * columns;
    if (ets_weight_scheme_is_float(scheme)) {
        for (size_t i = 0; i < count; i++) out[i] = numbers[i];
        return;
    }
    const size_t group = scheme->is_of_tensor ? count : scheme->group > 0 ? scheme->group : columns;
    for (size_t at = 0; group > 0 && at + group <= count; at += group) {
        round_group(scheme->bits, numbers + at, group, out + at);
    }
}

void ets_weight_scheme_describe(const struct ets_weight_scheme *scheme,
                                char text[ETS_WEIGHT_SCHEME_CHARS])
{
    const size_t room = ETS_WEIGHT_SCHEME_CHARS;
    if (scheme->bits == 0) {
        (void)ets_print_text(text, room, "%s", "");
    } else if (ets_weight_scheme_is_float(scheme)) {
        (void)ets_print_text(text, room, "float");
    } else if (scheme->group > 0) {
        (void)ets_print_text(text, room, "%u bit, groups of %u", scheme->bits, scheme->group);
    } else {
        (void)ets_print_text(text, room, "%u bit per %s", scheme->bits,
                             scheme->is_of_tensor ? "tensor" : "channel");
    }
}
