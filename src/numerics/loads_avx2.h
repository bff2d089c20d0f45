/*
 * Loads four adjacent numbers as four doubles with AVX2, equal to those from ets_element_load.
 * ETS_AVX2_TYPES lists the types: X(name, scalar type, bytes of a number, how to add products of
 * two numbers (exact in double for narrow types), target).
 */
#ifndef ETSCOPE_NUMERICS_LOADS_AVX2_H
#define ETSCOPE_NUMERICS_LOADS_AVX2_H

#include "numerics/avx2.h"

#if ETS_HAS_AVX2
#include <immintrin.h>
#include <stdint.h>

#include "etscope/tensor.h"

#define ETS_AVX2_INLINED ETS_AVX2 ETS_INLINED
#define ETS_F16C __attribute__((target("avx2,fma,f16c")))

/* clang-format off */
#define ETS_AVX2_WIDE_TYPES(X)                      \
    X(f64, ETS_SCALAR_DOUBLE, 8, add_products, ETS_AVX2)   \
    X(f32, ETS_SCALAR_FLOAT, 4, add_exact_products, ETS_FMA)      \
    X(f16, ETS_SCALAR_HALF, 2, add_exact_products, ETS_F16C)      \
    X(bf16, ETS_SCALAR_BFLOAT16, 2, add_exact_products, ETS_FMA)  \
    X(i64, ETS_SCALAR_LONG, 8, add_products, ETS_AVX2)     \
    X(i32, ETS_SCALAR_INT, 4, add_products, ETS_AVX2)      \
    X(i16, ETS_SCALAR_SHORT, 2, add_exact_products, ETS_FMA)      \
    X(u16, ETS_SCALAR_UINT16, 2, add_exact_products, ETS_FMA)
#define ETS_AVX2_TYPES(X)                     \
    ETS_AVX2_WIDE_TYPES(X)                    \
    X(i8, ETS_SCALAR_CHAR, 1, add_exact_products, ETS_FMA)  \
    X(u8, ETS_SCALAR_BYTE, 1, add_exact_products, ETS_FMA)  \
    X(b8, ETS_SCALAR_BOOL, 1, add_exact_products, ETS_FMA)
/* clang-format on */

ETS_AVX2_INLINED __m128i ets_bytes_4(const uint8_t *at)
{
    int32_t bits;
    __builtin_memcpy(&bits, at, sizeof bits);
    return _mm_cvtsi32_si128(bits);
}

ETS_AVX2_INLINED __m128i ets_bytes_8(const uint8_t *at)
{
    return _mm_loadl_epi64((const __m128i_u *)(const void *)at);
}

ETS_AVX2_INLINED __m128i ets_bytes_16(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i_u *)(const void *)at);
}

ETS_AVX2_INLINED __m256i ets_bytes_32(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i_u *)(const void *)at);
}

ETS_AVX2_INLINED __m256d ets_four_f64(const uint8_t *at)
{
    return _mm256_castsi256_pd(ets_bytes_32(at));
}

ETS_AVX2_INLINED __m256d ets_four_f32(const uint8_t *at)
{
    return _mm256_cvtps_pd(_mm_castsi128_ps(ets_bytes_16(at)));
}

ETS_F16C ETS_INLINED __m256d ets_four_f16(const uint8_t *at)
{
    return _mm256_cvtps_pd(_mm_cvtph_ps(ets_bytes_8(at)));
}

ETS_AVX2_INLINED __m256d ets_four_bf16(const uint8_t *at)
{
    const __m128i bits = _mm_unpacklo_epi16(_mm_setzero_si128(), ets_bytes_8(at));
    return _mm256_cvtps_pd(_mm_castsi128_ps(bits));
}

/*
 * Puts upper and lower bits into the fractions of two large doubles. Subtracting one of these is
 * exact, so only the last sum rounds: once, to the nearest, like a conversion.
 */
ETS_AVX2_INLINED __m256d ets_four_i64(const uint8_t *at)
{
    const __m256i x = ets_bytes_32(at);
    const __m256d upper_base = _mm256_set1_pd(0x1.8p68), lower_base = _mm256_set1_pd(0x1p52);
    const __m256i upper_bits = /* bits 48 to 63 of x, extended */
        _mm256_blend_epi16(_mm256_srai_epi32(x, 16), _mm256_setzero_si256(), 0x33);
    const __m256i upper = _mm256_add_epi64(upper_bits, _mm256_castpd_si256(upper_base));
    const __m256i lower = _mm256_blend_epi16(x, _mm256_castpd_si256(lower_base), 0x88);
    const __m256d bases = _mm256_add_pd(upper_base, lower_base);
    const __m256d high = _mm256_sub_pd(_mm256_castsi256_pd(upper), bases);
    return _mm256_add_pd(high, _mm256_castsi256_pd(lower));
}

ETS_AVX2_INLINED __m256d ets_four_i32(const uint8_t *at)
{
    return _mm256_cvtepi32_pd(ets_bytes_16(at));
}

ETS_AVX2_INLINED __m256d ets_four_i16(const uint8_t *at)
{
    return _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(ets_bytes_8(at)));
}

ETS_AVX2_INLINED __m256d ets_four_u16(const uint8_t *at)
{
    return _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(ets_bytes_8(at)));
}

ETS_AVX2_INLINED __m256d ets_four_i8(const uint8_t *at)
{
    return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(ets_bytes_4(at)));
}

ETS_AVX2_INLINED __m256d ets_four_u8(const uint8_t *at)
{
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(ets_bytes_4(at)));
}

ETS_AVX2_INLINED __m256d ets_four_b8(const uint8_t *at)
{
    const __m128i bits = _mm_min_epu8(ets_bytes_4(at), _mm_set1_epi8(1));
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(bits));
}
#endif

#endif
