/*
 * The portable loop with AVX2, because compilers leave it scalar. Operations and lanes are the
 * same, and so are the sums.
 */
#include "numerics/loads_avx2.h"
#include "numerics/tensor_statistics_sums.h"

#if ETS_HAS_AVX2

/* Sums of the lanes of two vectors: (0 + 1) + (2 + 3). */
ETS_AVX2_INLINED __m128d add_lanes(__m256d a, __m256d b)
{
    const __m256d halves = _mm256_hadd_pd(a, b);
    return _mm_add_pd(_mm256_castpd256_pd128(halves), _mm256_extractf128_pd(halves, 1));
}

/* Of equal lanes, such as 0 and -0, the first, as in the portable loop. */
ETS_AVX2_INLINED double least_lane(__m256d v)
{
    const __m256d halves = _mm256_min_pd(_mm256_permute_pd(v, 5), v);
    return _mm_cvtsd_f64(
        _mm_min_sd(_mm256_extractf128_pd(halves, 1), _mm256_castpd256_pd128(halves)));
}

ETS_AVX2_INLINED double greatest_lane(__m256d v)
{
    const __m256d halves = _mm256_max_pd(_mm256_permute_pd(v, 5), v);
    return _mm_cvtsd_f64(
        _mm_max_sd(_mm256_extractf128_pd(halves, 1), _mm256_castpd256_pd128(halves)));
}

ETS_AVX2 void ets_avx2_block_sums(const double *numbers, size_t count, double pivot,
                                  struct ets_block_sums *sums_out)
{
    const __m256d pivots = _mm256_set1_pd(pivot), one = _mm256_set1_pd(1);
    const __m256d sign = _mm256_set1_pd(-0.0), zero = _mm256_setzero_pd();
    __m256d min = _mm256_set1_pd(numbers[0]), max = min;
    __m256d absolute = zero, difference = zero, square = zero, zeros = zero;
    for (size_t i = 0; i < count; i += ETS_TENSOR_STATISTICS_LANES) {
        const __m256d x = _mm256_loadu_pd(numbers + i), apart = _mm256_sub_pd(x, pivots);
        min = _mm256_min_pd(x, min);
        max = _mm256_max_pd(x, max);
        absolute = _mm256_add_pd(absolute, _mm256_andnot_pd(sign, x));
        difference = _mm256_add_pd(difference, apart);
        square = _mm256_add_pd(square, _mm256_mul_pd(apart, apart));
        zeros = _mm256_add_pd(zeros, _mm256_and_pd(_mm256_cmp_pd(x, zero, _CMP_EQ_OQ), one));
    }
    sums_out->min = least_lane(min);
    sums_out->max = greatest_lane(max);
    _mm_storeu_pd(&sums_out->absolute, add_lanes(absolute, difference));
    _mm_storeu_pd(&sums_out->difference_square, add_lanes(square, zeros));
}
#endif
