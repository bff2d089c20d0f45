/*
 * The sums over pairs of four rows with AVX2: one row in each lane, so that additions need not wait
 * for each other and each row's are in order.
 */
#include "numerics/pair_rows.h"

#if ETS_HAS_AVX2
#include <immintrin.h>

#define ETS_AVX2_INLINED ETS_AVX2 ETS_INLINED

struct columns {
    __m256d at[4]; /* of four rows: their numbers i, i + 1, ... */
};

ETS_AVX2_INLINED struct columns load_columns(const double *const *rows, size_t i)
{
    const __m256d a = _mm256_loadu_pd(rows[0] + i), b = _mm256_loadu_pd(rows[1] + i);
    const __m256d c = _mm256_loadu_pd(rows[2] + i), d = _mm256_loadu_pd(rows[3] + i);
    const __m256d even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
    const __m256d even_2 = _mm256_unpacklo_pd(c, d), odd_2 = _mm256_unpackhi_pd(c, d);
    return (struct columns){
        {_mm256_permute2f128_pd(even, even_2, 0x20), _mm256_permute2f128_pd(odd, odd_2, 0x20),
         _mm256_permute2f128_pd(even, even_2, 0x31), _mm256_permute2f128_pd(odd, odd_2, 0x31)}};
}

ETS_AVX2 bool ets_avx2_pair_rows_add(struct ets_pair_row_sums *sums, const double *const *left,
                                     const double *const *right, size_t count)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m256d error = _mm256_setr_pd(sums[0].error, sums[1].error, sums[2].error, sums[3].error);
    __m256d power = _mm256_setr_pd(sums[0].power, sums[1].power, sums[2].power, sums[3].power);
    __m256d reach = _mm256_setr_pd(sums[0].reach, sums[1].reach, sums[2].reach, sums[3].reach);
    for (size_t i = 0; i < count; i += 4) {
        const struct columns x = load_columns(left, i), y = load_columns(right, i);
        for (int k = 0; k < 4; k++) {
            const __m256d apart = _mm256_sub_pd(x.at[k], y.at[k]);
            error = _mm256_add_pd(error, _mm256_mul_pd(apart, apart));
            power = _mm256_add_pd(power, _mm256_mul_pd(x.at[k], x.at[k]));
            reach = _mm256_max_pd(_mm256_andnot_pd(sign, x.at[k]), reach);
        }
    }
    double errors[4], powers[4], reaches[4];
    _mm256_storeu_pd(errors, error);
    _mm256_storeu_pd(powers, power);
    _mm256_storeu_pd(reaches, reach);
    bool is_finite = true;
    for (int k = 0; k < 4; k++) {
        sums[k] = (struct ets_pair_row_sums){errors[k], powers[k], reaches[k]};
        is_finite &= errors[k] - errors[k] == 0;
    }
    return is_finite;
}
#endif
