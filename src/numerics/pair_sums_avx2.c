/*
 * The sums over a block of pairs with AVX2: compilers leave the maxima of the plain loop in scalar
 * registers. Same operations in the same lanes, so the same sums as the plain loop's, but for the
 * pairs behind the last whole vector, which are added at the end.
 */
#include "numerics/pair_sums.h"

#if ETS_HAS_AVX2
#include <immintrin.h>

#define AVX2_INLINED ETS_AVX2 ETS_INLINED

struct vectors {
    __m256d square, absolute, reference_square, other_square, product, relative, max_error,
        max_relative, unequal;
};

AVX2_INLINED __m256d size_of(__m256d x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

AVX2_INLINED __m256d add_product(__m256d sum, __m256d a, __m256d b)
{
    return _mm256_add_pd(sum, _mm256_mul_pd(a, b));
}

AVX2_INLINED void add_pairs(struct vectors *v, __m256d x, __m256d y)
{
    const __m256d difference = _mm256_sub_pd(y, x), size = size_of(difference);
    const __m256d magnitude =
        _mm256_max_pd(_mm256_max_pd(size_of(x), size_of(y)), _mm256_set1_pd(ETS_LEAST_MAGNITUDE));
    const __m256d relative = _mm256_div_pd(size, magnitude);
    const __m256d differs = _mm256_cmp_pd(x, y, _CMP_NEQ_UQ);
    v->square = add_product(v->square, difference, difference);
    v->absolute = _mm256_add_pd(v->absolute, size);
    v->reference_square = add_product(v->reference_square, x, x);
    v->other_square = add_product(v->other_square, y, y);
    v->product = add_product(v->product, x, y);
    v->relative = _mm256_add_pd(v->relative, relative);
    v->max_error = _mm256_max_pd(size, v->max_error);
    v->max_relative = _mm256_max_pd(relative, v->max_relative);
    v->unequal = _mm256_add_pd(v->unequal, _mm256_and_pd(differs, _mm256_set1_pd(1)));
}

AVX2_INLINED double sum(__m256d v)
{
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

AVX2_INLINED double greatest(__m256d v)
{
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    for (int i = 1; i < 4; i++) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
}

AVX2_INLINED struct vectors zeros(void)
{
    const __m256d zero = _mm256_setzero_pd();
    return (struct vectors){zero, zero, zero, zero, zero, zero, zero, zero, zero};
}

AVX2_INLINED void take(const struct vectors *v, struct ets_pair_sums *sums_out)
{
    *sums_out = (struct ets_pair_sums){
        .square = sum(v->square),
        .absolute = sum(v->absolute),
        .reference_square = sum(v->reference_square),
        .other_square = sum(v->other_square),
        .product = sum(v->product),
        .relative = sum(v->relative),
        .max_error = greatest(v->max_error),
        .max_relative = greatest(v->max_relative),
        .unequal = sum(v->unequal),
    };
}

/* The last pairs, fewer than a vector's. */
static void add_rest(const double *reference, const double *other, size_t count,
                     struct ets_pair_sums *sums)
{
    struct ets_pair_sums rest;
    if (count == 0) return;
    ets_pair_sums_of_doubles(reference, other, count, &rest);
    sums->square += rest.square;
    sums->absolute += rest.absolute;
    sums->reference_square += rest.reference_square;
    sums->other_square += rest.other_square;
    sums->product += rest.product;
    sums->relative += rest.relative;
    if (rest.max_error > sums->max_error) sums->max_error = rest.max_error;
    if (rest.max_relative > sums->max_relative) sums->max_relative = rest.max_relative;
    sums->unequal += rest.unequal;
}

ETS_AVX2 void ets_avx2_sums_of_doubles(const double *reference, const double *other, size_t count,
                                       struct ets_pair_sums *sums_out)
{
    struct vectors v = zeros();
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        add_pairs(&v, _mm256_loadu_pd(reference + i), _mm256_loadu_pd(other + i));
    }
    take(&v, sums_out);
    add_rest(reference + i, other + i, count - i, sums_out);
}

AVX2_INLINED __m256d load_floats(const unsigned char *at)
{
    float floats[4];
    __builtin_memcpy(floats, at, sizeof floats);
    return _mm256_cvtps_pd(_mm_loadu_ps(floats));
}

ETS_AVX2 void ets_avx2_sums_of_floats(const void *reference, const void *other, size_t count,
                                      struct ets_pair_sums *sums_out)
{
    const unsigned char *x = reference, *y = other;
    struct vectors v = zeros();
    size_t i = 0;
    for (; i + 4 <= count; i += 4) add_pairs(&v, load_floats(x + 4 * i), load_floats(y + 4 * i));
    take(&v, sums_out);
    double left[4], right[4];
    const size_t rest = count - i;
    for (size_t k = 0; k < rest; k++) {
        float number;
        __builtin_memcpy(&number, x + 4 * (i + k), sizeof number);
        left[k] = number;
        __builtin_memcpy(&number, y + 4 * (i + k), sizeof number);
        right[k] = number;
    }
    add_rest(left, right, rest, sums_out);
}
#endif
