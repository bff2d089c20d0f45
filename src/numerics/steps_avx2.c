/* Counts errors of a block in quantization steps with AVX2, in place for each type. */
#include "numerics/steps.h"

#if ETS_HAS_AVX2
#include "numerics/loads_avx2.h"

struct vectors {
    __m256d sum, max;
    __m256i within[3];
};

ETS_AVX2_INLINED void add_four(struct vectors *v, __m256d x, __m256d y, __m256d step)
{
    const __m256d apart = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(y, x));
    const __m256d error = _mm256_div_pd(apart, step);
    const __m256d whole = _mm256_round_pd(error, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    v->sum = _mm256_add_pd(v->sum, error);
    v->max = _mm256_max_pd(error, v->max);
    for (int i = 0; i < 3; i++) { /* a comparison gives -1 */
        const __m256d is_so = _mm256_cmp_pd(whole, _mm256_set1_pd(i), _CMP_EQ_OQ);
        v->within[i] = _mm256_sub_epi64(v->within[i], _mm256_castpd_si256(is_so));
    }
}

ETS_AVX2_INLINED void take(const struct vectors *v, struct ets_step_sums *out)
{
    double sum[4], max[4];
    int64_t within[4];
    _mm256_storeu_pd(sum, v->sum);
    _mm256_storeu_pd(max, v->max);
    *out = (struct ets_step_sums){.sum = (sum[0] + sum[1]) + (sum[2] + sum[3])};
    for (int i = 0; i < 4; i++) out->max = max[i] > out->max ? max[i] : out->max;
    for (int i = 0; i < 3; i++) {
        _mm256_storeu_si256((__m256i_u *)(void *)within, v->within[i]);
        out->within[i] = (uint64_t)(within[0] + within[1] + within[2] + within[3]);
    }
}

#define DEFINE_STEPS(name, type, bytes, products, target)                                      \
    target static void steps_of_##name(const uint8_t *reference, const uint8_t *other,         \
                                       size_t count, double step, struct ets_step_sums *out)   \
    {                                                                                          \
        const __m256d steps = _mm256_set1_pd(step), zero = _mm256_setzero_pd();                \
        const __m256i none = _mm256_setzero_si256();                                           \
        struct vectors v = {zero, zero, {none, none, none}};                                   \
        for (size_t at = 0; at < count * (bytes); at += 4 * (bytes)) {                         \
            add_four(&v, ets_four_##name(reference + at), ets_four_##name(other + at), steps); \
        }                                                                                      \
        take(&v, out);                                                                         \
    }
ETS_AVX2_TYPES(DEFINE_STEPS)

ets_steps_function *ets_avx2_steps(int scalar_type)
{
    switch (scalar_type) {
#define RETURN_STEPS(name, type, bytes, products, target) \
    case type: return steps_of_##name;
        ETS_AVX2_TYPES(RETURN_STEPS)
    default: return NULL;
    }
}
#endif
