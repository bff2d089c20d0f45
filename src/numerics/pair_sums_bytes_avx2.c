/*
 * The sums over a block of pairs of 8-bit integers with AVX2: exact, as integers, 16 pairs at once.
 *
 * Relative errors are fractions e / m of small integers. Four are added as one: e1 / m1 + e2 / m2 =
 * (e1 m2 + e2 m1) / (m1 m2) and so on. All parts stay below 2^53, so four fractions take one
 * division and one rounding. Their sum may therefore differ from the portable loop's in its last
 * bits; everything else is equal. The largest fraction is found by cross multiplication.
 */
#include "numerics/decode.h"
#include "numerics/loads_avx2.h"
#include "numerics/pair_sums.h"

#if ETS_HAS_AVX2

enum { LANES = 16 };

/* int32 lanes except for `relative`; int16 lanes for the maxima and `unequal`. */
struct byte_sums {
    __m256i absolute, reference_square, other_square, product;
    __m256i max_error, top, bottom; /* the lanes' largest fractions */
    __m256i unequal;
    __m256d relative;
};

ETS_AVX2_INLINED __m256i swap_neighbours(__m256i v)
{
    return _mm256_or_si256(_mm256_slli_epi32(v, 16), _mm256_srli_epi32(v, 16));
}

/* Converts lanes `half` of fractions numerator / denominator to doubles. */
ETS_AVX2_INLINED __m256d half_of(__m256i v, int half)
{
    return _mm256_cvtepi32_pd(half != 0 ? _mm256_extracti128_si256(v, 1)
                                        : _mm256_castsi256_si128(v));
}

/* `a` where the mask's bits are set, `b` elsewhere. */
ETS_AVX2_INLINED __m256i choose(__m256i mask, __m256i a, __m256i b)
{
    return _mm256_or_si256(_mm256_and_si256(mask, a), _mm256_andnot_si256(mask, b));
}

ETS_AVX2_INLINED void add_relative(struct byte_sums *s, __m256i error, __m256i magnitude)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
    const __m256i least = _mm256_max_epi16(magnitude, one); /* 0 / 0 counts as 0 */
    const __m256i swapped = swap_neighbours(least);
    const __m256i sum = _mm256_madd_epi16(error, swapped);
    const __m256i below = _mm256_madd_epi16(_mm256_blend_epi16(least, zero, 0xaa), swapped);
    const __m256d p = half_of(sum, 0), q = half_of(sum, 1);
    const __m256d r = half_of(below, 0), t = half_of(below, 1);
    const __m256d both = _mm256_add_pd(_mm256_mul_pd(p, t), _mm256_mul_pd(q, r));
    s->relative = _mm256_add_pd(s->relative, _mm256_div_pd(both, _mm256_mul_pd(r, t)));
    /* Where error / least is not above top / bottom; all four are below 2^8. */
    const __m256i above =
        _mm256_subs_epu16(_mm256_mullo_epi16(error, s->bottom), _mm256_mullo_epi16(s->top, least));
    const __m256i keeps = _mm256_cmpeq_epi16(above, zero);
    s->top = choose(keeps, s->top, error);
    s->bottom = choose(keeps, s->bottom, least);
}

ETS_AVX2_INLINED void add_bytes(struct byte_sums *s, __m256i x, __m256i y)
{
    const __m256i one = _mm256_set1_epi16(1);
    const __m256i error = _mm256_abs_epi16(_mm256_sub_epi16(y, x));
    s->reference_square = _mm256_add_epi32(s->reference_square, _mm256_madd_epi16(x, x));
    s->other_square = _mm256_add_epi32(s->other_square, _mm256_madd_epi16(y, y));
    s->product = _mm256_add_epi32(s->product, _mm256_madd_epi16(x, y));
    if (_mm256_testz_si256(error, error)) return;
    s->absolute = _mm256_add_epi32(s->absolute, _mm256_madd_epi16(error, one));
    s->max_error = _mm256_max_epi16(s->max_error, error);
    s->unequal = _mm256_add_epi16(s->unequal, _mm256_min_epi16(error, one));
    add_relative(s, error, _mm256_max_epi16(_mm256_abs_epi16(x), _mm256_abs_epi16(y)));
}

ETS_AVX2_INLINED double sum_32(__m256i v)
{
    int32_t lanes[8];
    int64_t sum = 0;
    _mm256_storeu_si256((__m256i_u *)(void *)lanes, v);
    for (int i = 0; i < 8; i++) sum += lanes[i];
    return (double)sum;
}

/* The largest of the lanes' fractions and errors. */
ETS_AVX2_INLINED void take_maxima(const struct byte_sums *s, struct ets_pair_sums *out)
{
    int16_t errors[LANES], tops[LANES], bottoms[LANES];
    int error = 0, top = 0, bottom = 1;
    _mm256_storeu_si256((__m256i_u *)(void *)errors, s->max_error);
    _mm256_storeu_si256((__m256i_u *)(void *)tops, s->top);
    _mm256_storeu_si256((__m256i_u *)(void *)bottoms, s->bottom);
    for (int i = 0; i < LANES; i++) {
        if (errors[i] > error) error = errors[i];
        if (tops[i] * bottom <= top * bottoms[i]) continue;
        top = tops[i];
        bottom = bottoms[i];
    }
    out->max_error = error;
    out->max_relative = (double)top / bottom;
}

ETS_AVX2_INLINED void take(const struct byte_sums *s, struct ets_pair_sums *out)
{
    double relative[4];
    _mm256_storeu_pd(relative, s->relative);
    *out = (struct ets_pair_sums){
        .absolute = sum_32(s->absolute),
        .reference_square = sum_32(s->reference_square),
        .other_square = sum_32(s->other_square),
        .product = sum_32(s->product),
        .relative = (relative[0] + relative[1]) + (relative[2] + relative[3]),
        .unequal = sum_32(_mm256_madd_epi16(s->unequal, _mm256_set1_epi16(1))),
    };
    out->square = out->reference_square + out->other_square - 2 * out->product;
    if (out->absolute > 0) take_maxima(s, out);
}

ETS_AVX2_INLINED __m256i widen_i8(const uint8_t *at)
{
    return _mm256_cvtepi8_epi16(ets_bytes_16(at));
}

ETS_AVX2_INLINED __m256i widen_u8(const uint8_t *at)
{
    return _mm256_cvtepu8_epi16(ets_bytes_16(at));
}

ETS_AVX2_INLINED __m256i widen_b8(const uint8_t *at)
{
    return _mm256_cvtepu8_epi16(_mm_min_epu8(ets_bytes_16(at), _mm_set1_epi8(1)));
}

/* The pairs after the last whole vector are padded with zeros, which add nothing. */
#define DEFINE_SUMS(name)                                                                         \
    ETS_AVX2 void ets_avx2_sums_of_##name(const uint8_t *reference, const uint8_t *other,         \
                                          size_t count, struct ets_pair_sums *sums_out)           \
    {                                                                                             \
        const __m256i zero = _mm256_setzero_si256();                                              \
        struct byte_sums s = {                                                                    \
            zero, zero, zero, zero, zero, zero, _mm256_set1_epi16(1), zero, _mm256_setzero_pd()}; \
        uint8_t left[LANES] = {0}, right[LANES] = {0};                                            \
        size_t i = 0;                                                                             \
        for (; i + LANES <= count; i += LANES) {                                                  \
            add_bytes(&s, widen_##name(reference + i), widen_##name(other + i));                  \
        }                                                                                         \
        for (size_t k = 0; i + k < count; k++) {                                                  \
            left[k] = reference[i + k];                                                           \
            right[k] = other[i + k];                                                              \
        }                                                                                         \
        add_bytes(&s, widen_##name(left), widen_##name(right));                                   \
        take(&s, sums_out);                                                                       \
    }
DEFINE_SUMS(i8)
DEFINE_SUMS(u8)
DEFINE_SUMS(b8)

/* The differences of 32 bytes of each side, as unsigned bytes. */
ETS_AVX2_INLINED __m256i byte_errors(__m256i x, __m256i y)
{
    return _mm256_or_si256(_mm256_subs_epu8(x, y), _mm256_subs_epu8(y, x));
}

ETS_AVX2 unsigned ets_avx2_largest_byte_error(const uint8_t *left, const uint8_t *right,
                                              size_t count, bool is_signed)
{
    /* Signed bytes have the order of unsigned bytes with the sign bit flipped. */
    const __m256i flip = _mm256_set1_epi8(is_signed ? -128 : 0);
    __m256i most = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += 32) {
        const __m256i x = _mm256_xor_si256(ets_bytes_32(left + i), flip);
        const __m256i y = _mm256_xor_si256(ets_bytes_32(right + i), flip);
        most = _mm256_max_epu8(most, byte_errors(x, y));
    }
    uint8_t lanes[32];
    unsigned largest = 0;
    _mm256_storeu_si256((__m256i_u *)(void *)lanes, most);
    for (int i = 0; i < 32; i++) largest = lanes[i] > largest ? lanes[i] : largest;
    return largest;
}
#endif
