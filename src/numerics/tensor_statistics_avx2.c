/*
 * The portable loop with AVX2, because compilers leave it scalar. Operations and lanes are the
 * same, and so are the sums.
 */
#include "numerics/loads_avx2.h"
#include "numerics/tensor_statistics_sums.h"

#if ETS_HAS_AVX2

ETS_AVX2 void ets_avx2_summary_add(struct ets_tensor_statistics_lanes *lanes, const double *numbers,
                                   size_t count, double pivot)
{
    const __m256d pivots = _mm256_set1_pd(pivot), one = _mm256_set1_pd(1);
    const __m256d sign = _mm256_set1_pd(-0.0), zero = _mm256_setzero_pd();
    __m256d min = _mm256_loadu_pd(lanes->min), max = _mm256_loadu_pd(lanes->max);
    __m256d absolute = _mm256_loadu_pd(lanes->absolute);
    __m256d difference = _mm256_loadu_pd(lanes->difference);
    __m256d square = _mm256_loadu_pd(lanes->difference_square);
    __m256d zeros = _mm256_loadu_pd(lanes->zeros);
    for (size_t i = 0; i < count; i += ETS_TENSOR_STATISTICS_LANES) {
        const __m256d x = _mm256_loadu_pd(numbers + i), apart = _mm256_sub_pd(x, pivots);
        min = _mm256_min_pd(x, min);
        max = _mm256_max_pd(x, max);
        absolute = _mm256_add_pd(absolute, _mm256_andnot_pd(sign, x));
        difference = _mm256_add_pd(difference, apart);
        square = _mm256_add_pd(square, _mm256_mul_pd(apart, apart));
        zeros = _mm256_add_pd(zeros, _mm256_and_pd(_mm256_cmp_pd(x, zero, _CMP_EQ_OQ), one));
    }
    _mm256_storeu_pd(lanes->min, min);
    _mm256_storeu_pd(lanes->max, max);
    _mm256_storeu_pd(lanes->absolute, absolute);
    _mm256_storeu_pd(lanes->difference, difference);
    _mm256_storeu_pd(lanes->difference_square, square);
    _mm256_storeu_pd(lanes->zeros, zeros);
}
#endif
