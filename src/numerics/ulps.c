/* Measures errors in units of the last place, by the order of floating-point bits. */
#include "base/error.h"
#include "base/load.h"
#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"
#include "numerics/avx2.h"
#include "numerics/pairs.h"

/* The bits of a floating-point type: their number, and those of infinity. */
struct bit_layout {
    unsigned bits;
    uint64_t infinity;
};

static struct bit_layout layout_of(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_COMPLEX_DOUBLE: return (struct bit_layout){64, UINT64_C(0x7ff0000000000000)};
    case ETS_SCALAR_FLOAT:
    case ETS_SCALAR_COMPLEX_FLOAT: return (struct bit_layout){32, 0x7f800000};
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_COMPLEX_HALF: return (struct bit_layout){16, 0x7c00};
    case ETS_SCALAR_BFLOAT16: return (struct bit_layout){16, 0x7f80};
    default: return (struct bit_layout){0, 0};
    }
}

ETS_INLINED uint64_t load_bits(const uint8_t *at, unsigned bits)
{
    return bits == 64 ? ets_load_u64(at) : bits == 32 ? ets_load_u32(at) : ets_load_u16(at);
}

/* Numbers of one sign are in the order of their bits; those of the other sign are beyond zero. */
ETS_INLINED uint64_t distance(uint64_t a, uint64_t b, uint64_t sign)
{
    const uint64_t left = a & ~sign, right = b & ~sign;
    if (((a ^ b) & sign) != 0) return left + right;
    return left > right ? left - right : right - left;
}

ETS_INLINED void add_numbers(struct ets_ulps *ulps, double *sum, const struct ets_pairs *pairs,
                             struct bit_layout layout)
{
    const size_t count = pairs->count * pairs->component_count;
    const uint64_t sign = UINT64_C(1) << (layout.bits - 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = load_bits(pairs->left_bytes + i * (layout.bits / 8), layout.bits);
        const uint64_t b = load_bits(pairs->right_bytes + i * (layout.bits / 8), layout.bits);
        if ((a & ~sign) >= layout.infinity || (b & ~sign) >= layout.infinity) continue;
        const uint64_t apart = distance(a, b, sign);
        ulps->count++;
        *sum += (double)apart;
        if (apart < ulps->max || apart == 0) continue;
        const uint64_t index = ets_pairs_index(pairs, i / pairs->component_count);
        if (apart > ulps->max || index < ulps->max_index) {
            ulps->max = apart;
            ulps->max_index = index;
        }
    }
}

/* Sums over a block of numbers. */
struct block_sums {
    double sum;
    uint64_t max;
    int has_specials; /* some are NaN or infinite; the other fields are undefined */
};

/* Distances take 64 bits, so upper and lower halves are added separately. */
ETS_INLINED void sum_doubles(const uint8_t *left, const uint8_t *right, size_t count,
                             struct block_sums *out)
{
    const int64_t infinity = 0x7ff0000000000000;
    uint64_t upper = 0, lower = 0;
    int64_t max = INT64_MIN, specials = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t a = (int64_t)ets_load_u64(left + 8 * i);
        const int64_t b = (int64_t)ets_load_u64(right + 8 * i);
        const int64_t x = a & INT64_MAX, y = b & INT64_MAX;
        const int64_t from = a < 0 ? -x : x, to = b < 0 ? -y : y;
        const uint64_t apart =
            from > to ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
        const int64_t ordered = (int64_t)(apart ^ (UINT64_C(1) << 63)); /* as signed numbers are */
        specials |= (x >= infinity) | (y >= infinity);
        max = ordered > max ? ordered : max;
        upper += apart >> 32;
        lower += apart & UINT32_MAX;
    }
    *out = (struct block_sums){(double)upper * 0x1p32 + (double)lower,
                               (uint64_t)max ^ (UINT64_C(1) << 63), specials != 0};
}

/* Has no branch, so that compilers vectorize it. */
ETS_INLINED void sum_singles(const uint8_t *left, const uint8_t *right, size_t count,
                             struct block_sums *out)
{
    uint64_t sum = 0;
    uint32_t max = 0;
    int specials = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t a = (int32_t)ets_load_u32(left + 4 * i);
        const int32_t b = (int32_t)ets_load_u32(right + 4 * i);
        const int32_t x = a & 0x7fffffff, y = b & 0x7fffffff;
        const int32_t from = a < 0 ? -x : x, to = b < 0 ? -y : y;
        const uint32_t apart =
            from > to ? (uint32_t)from - (uint32_t)to : (uint32_t)to - (uint32_t)from;
        specials |= (x >= 0x7f800000) | (y >= 0x7f800000);
        max = apart > max ? apart : max;
        sum += apart;
    }
    *out = (struct block_sums){(double)sum, max, specials};
}

/* A block's sum of distances below 2^16 fits in 32 bits. */
ETS_INLINED void sum_halves(const uint8_t *left, const uint8_t *right, size_t count,
                            int32_t infinity, struct block_sums *out)
{
    int32_t sum = 0, max = 0, specials = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t a = (int16_t)ets_load_u16(left + 2 * i);
        const int32_t b = (int16_t)ets_load_u16(right + 2 * i);
        const int32_t x = a & 0x7fff, y = b & 0x7fff;
        const int32_t difference = (a < 0 ? -x : x) - (b < 0 ? -y : y);
        const int32_t apart = difference < 0 ? -difference : difference;
        specials |= (x >= infinity) | (y >= infinity);
        max = apart > max ? apart : max;
        sum += apart;
    }
    *out = (struct block_sums){sum, (uint64_t)max, specials};
}

ETS_INLINED void sum_distances(const uint8_t *left, const uint8_t *right, size_t count,
                               struct bit_layout layout, struct block_sums *out)
{
    if (layout.bits == 64) sum_doubles(left, right, count, out);
    else if (layout.bits == 32) sum_singles(left, right, count, out);
    else sum_halves(left, right, count, (int32_t)layout.infinity, out);
}

static void sum_plainly(const uint8_t *left, const uint8_t *right, size_t count,
                        struct bit_layout layout, struct block_sums *out)
{
    sum_distances(left, right, count, layout, out);
}

ETS_AVX2 static void sum_with_avx2(const uint8_t *left, const uint8_t *right, size_t count,
                                   struct bit_layout layout, struct block_sums *out)
{
    sum_distances(left, right, count, layout, out);
}

/* False if the block must be visited one by one: for a position, or because of NaNs or infinities.
 */
static bool add_whole(struct ets_ulps *ulps, double *sum, const struct ets_pairs *pairs,
                      struct bit_layout layout)
{
    struct block_sums sums;
    const size_t count = pairs->count * pairs->component_count;
    (ets_has_avx2() ? sum_with_avx2 : sum_plainly)(pairs->left_bytes, pairs->right_bytes, count,
                                                   layout, &sums);
    const bool is_tie = pairs->is_reordered && sums.max == ulps->max && sums.max > 0;
    if (sums.has_specials || sums.max > ulps->max || is_tie) return false;
    ulps->count += count;
    *sum += sums.sum;
    return true;
}

enum ets_status ets_ulps_of(const struct ets_tensor *reference, const struct ets_tensor *other,
                            struct ets_ulps *ulps_out, struct ets_error *error)
{
    struct ets_pairs pairs;
    const struct bit_layout layout = layout_of(reference->scalar_type);
    const enum ets_status status = ets_pairs_init(&pairs, reference, other, error);
    if (status != ETS_OK) return status;
    if (reference->scalar_type != other->scalar_type) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "units in the last place need tensors of one type");
    }
    if (layout.bits == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "units in the last place are not supported for %s",
                        ets_scalar_type_name(reference->scalar_type));
    }
    struct ets_ulps ulps = {.count = 0};
    double sum = 0;
    while (ets_pairs_next(&pairs)) {
        double part = 0;
        if (!add_whole(&ulps, &part, &pairs, layout)) add_numbers(&ulps, &part, &pairs, layout);
        sum += part;
    }
    ulps.mean = ulps.count > 0 ? sum / (double)ulps.count : __builtin_nan("");
    *ulps_out = ulps;
    return ETS_OK;
}
