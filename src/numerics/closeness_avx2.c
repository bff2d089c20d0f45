/* Checks pairs against a tolerance with AVX2, in place for each type. */
#include "numerics/closeness.h"

#if ETS_HAS_AVX2
#include "numerics/loads_avx2.h"

/* The largest double excludes an infinite difference, and a NaN in `room` stays NaN. */
ETS_AVX2_INLINED __m256d is_inside(__m256d expected, __m256d actual, __m256d absolute,
                                   __m256d relative)
{
    const __m256d sign = _mm256_set1_pd(-0.0), most = _mm256_set1_pd(0x1.fffffffffffffp1023);
    const __m256d error = _mm256_andnot_pd(sign, _mm256_sub_pd(actual, expected));
    const __m256d scaled = _mm256_mul_pd(relative, _mm256_andnot_pd(sign, expected));
    const __m256d room = _mm256_min_pd(most, _mm256_add_pd(absolute, scaled));
    return _mm256_cmp_pd(error, room, _CMP_LE_OQ);
}

#define DEFINE_OUTSIDE(name, type, bytes, products, target)                                     \
    target static bool has_outside_##name(const uint8_t *expected, const uint8_t *actual,       \
                                          size_t count, const struct ets_tolerance *tolerance)  \
    {                                                                                           \
        const __m256d absolute = _mm256_set1_pd(tolerance->absolute);                           \
        const __m256d relative = _mm256_set1_pd(tolerance->relative);                           \
        __m256d inside = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));                           \
        for (size_t at = 0; at < count * (bytes); at += 4 * (bytes)) {                          \
            inside = _mm256_and_pd(                                                             \
                inside, is_inside(ets_four_##name(expected + at), ets_four_##name(actual + at), \
                                  absolute, relative));                                         \
        }                                                                                       \
        return _mm256_movemask_pd(inside) != 15;                                                \
    }
ETS_AVX2_TYPES(DEFINE_OUTSIDE)

ets_has_outside_function *ets_avx2_has_outside(int scalar_type)
{
    switch (scalar_type) {
#define RETURN_OUTSIDE(name, type, bytes, products, target) \
    case type: return has_outside_##name;
        ETS_AVX2_TYPES(RETURN_OUTSIDE)
    default: return NULL;
    }
}
#endif
