/*
 * The sums over a block of pairs with AVX2: compilers keep the maxima of the portable loop in
 * scalar registers. The operations and lanes are the same as in the portable loop, so the sums are,
 * too, except for the pairs after the last whole vector, which are added at the end.
 */
#include "numerics/decode.h"
#include "numerics/loads_avx2.h"
#include "numerics/pair_sums.h"

#if ETS_HAS_AVX2

struct vectors {
    __m256d square, absolute, reference_square, other_square, product, relative, max_error,
        max_relative;
    __m256i unequal;
};

ETS_AVX2_INLINED __m256d size_of(__m256d x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

ETS_AVX2_INLINED __m256d add_product(__m256d sum, __m256d a, __m256d b)
{
    return _mm256_add_pd(sum, _mm256_mul_pd(a, b));
}

ETS_AVX2_INLINED void add_products(struct vectors *v, __m256d x, __m256d y)
{
    v->reference_square = add_product(v->reference_square, x, x);
    v->other_square = add_product(v->other_square, y, y);
    v->product = add_product(v->product, x, y);
}

/* Exact products: the same sums with one instruction each. */
ETS_FMA ETS_INLINED void add_exact_products(struct vectors *v, __m256d x, __m256d y)
{
    v->reference_square = _mm256_fmadd_pd(x, x, v->reference_square);
    v->other_square = _mm256_fmadd_pd(y, y, v->other_square);
    v->product = _mm256_fmadd_pd(x, y, v->product);
}

/* Adds everything else of four pairs. */
ETS_AVX2_INLINED void add_pairs(struct vectors *v, __m256d x, __m256d y)
{
    const __m256d difference = _mm256_sub_pd(y, x), size = size_of(difference);
    const __m256d magnitude =
        _mm256_max_pd(_mm256_max_pd(size_of(x), size_of(y)), _mm256_set1_pd(ETS_LEAST_MAGNITUDE));
    const __m256d relative = _mm256_div_pd(size, magnitude);
    const __m256i differs = _mm256_castpd_si256(_mm256_cmp_pd(x, y, _CMP_NEQ_UQ)); /* -1 */
    v->square = add_product(v->square, difference, difference);
    v->absolute = _mm256_add_pd(v->absolute, size);
    v->relative = _mm256_add_pd(v->relative, relative);
    v->max_error = _mm256_max_pd(size, v->max_error);
    v->max_relative = _mm256_max_pd(relative, v->max_relative);
    v->unequal = _mm256_sub_epi64(v->unequal, differs);
}

ETS_AVX2_INLINED double sum(__m256d v)
{
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

ETS_AVX2_INLINED double count(__m256i v)
{
    int64_t lanes[4];
    _mm256_storeu_si256((__m256i_u *)(void *)lanes, v);
    return (double)(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

ETS_AVX2_INLINED double greatest(__m256d v)
{
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    for (int i = 1; i < 4; i++) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
}

ETS_AVX2_INLINED struct vectors zeros(void)
{
    const __m256d zero = _mm256_setzero_pd();
    return (struct vectors){zero, zero, zero, zero, zero, zero, zero, zero, _mm256_setzero_si256()};
}

ETS_AVX2_INLINED void take(const struct vectors *v, struct ets_pair_sums *sums_out)
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
        .unequal = count(v->unequal),
    };
}

/* Adds the last pairs, fewer than a vector. */
static void add_rest(int scalar_type, const uint8_t *reference, const uint8_t *other, size_t count,
                     struct ets_pair_sums *sums)
{
    double left[3], right[3];
    struct ets_pair_sums rest;
    if (count == 0) return;
    ets_decode(reference, scalar_type, count, left);
    ets_decode(other, scalar_type, count, right);
    ets_pair_sums_of_doubles(left, right, count, &rest);
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

/* One function for each type. */
#define DEFINE_SUMS(name, type, bytes, products, target)                                    \
    target static void sums_of_##name(const uint8_t *reference, const uint8_t *other,       \
                                      size_t count, struct ets_pair_sums *sums_out)         \
    {                                                                                       \
        struct vectors v = zeros();                                                         \
        const size_t whole = count - count % 4;                                             \
        for (size_t at = 0; at < whole * (bytes); at += 4 * (bytes)) {                      \
            const __m256d x = ets_four_##name(reference + at);                              \
            const __m256d y = ets_four_##name(other + at);                                  \
            add_pairs(&v, x, y);                                                            \
            products(&v, x, y);                                                             \
        }                                                                                   \
        take(&v, sums_out);                                                                 \
        add_rest(type, reference + whole * (bytes), other + whole * (bytes), count - whole, \
                 sums_out);                                                                 \
    }
ETS_AVX2_WIDE_TYPES(DEFINE_SUMS)

ets_pair_sums_function *ets_avx2_pair_sums(int scalar_type)
{
    switch (scalar_type) {
#define RETURN_SUMS(name, type, bytes, products, target) \
    case type: return sums_of_##name;
        ETS_AVX2_WIDE_TYPES(RETURN_SUMS)
    case ETS_SCALAR_CHAR: return ets_avx2_sums_of_i8;
    case ETS_SCALAR_BYTE: return ets_avx2_sums_of_u8;
    case ETS_SCALAR_BOOL: return ets_avx2_sums_of_b8;
    default: return NULL;
    }
}
#endif
