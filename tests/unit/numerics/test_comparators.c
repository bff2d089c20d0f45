/* Comparators against sums in long double over the same numbers: random, special, large, strided.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include "numerics/element.h"
#include "numerics/upstream_gap.h"
#include "skip_because.h"

#include <math.h>
#include <stdbool.h>

#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"
#include "numerics/closeness.h"
#include "numerics/decode.h"
#include "numerics/pair_sums.h"
#include "test_little_support.h"

static uint64_t state = 1;

/* Uniform in -1 to 1; the same numbers in every run. */
static double next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

/* What the sums should be, one after the other in long double. */
struct reference {
    long double square, absolute, left, right, product, relative;
    double max, max_relative;
    uint64_t max_index, max_relative_index, unequal;
};

static void add(struct reference *r, uint64_t index, double a, double b)
{
    const double d = fabs(b - a), most = fmax(fabs(a), fabs(b)), relative = d / fmax(most, 1e-8);
    r->square += (long double)(b - a) * (b - a);
    r->absolute += d;
    r->left += (long double)a * a;
    r->right += (long double)b * b;
    r->product += (long double)a * b;
    r->relative += relative;
    r->unequal += a != b;
    if (d > r->max) {
        r->max = d;
        r->max_index = index;
    }
    if (relative > r->max_relative) {
        r->max_relative = relative;
        r->max_relative_index = index;
    }
}

static void near(double got, long double wanted, const char *what)
{
    const double error = fabs(got - (double)wanted);
    if (error > 1e-14 * fabs((double)wanted) + 1e-300) {
        fail_msg("%s: %.17g, not %.17g", what, got, (double)wanted);
    }
}

static void expect_sums(const struct ets_comparison *c, const struct reference *r)
{
    near(c->error_square_sum, r->square, "error square");
    near(c->error_absolute_sum, r->absolute, "error absolute");
    near(c->reference_square_sum, r->left, "reference square");
    near(c->other_square_sum, r->right, "other square");
    near(c->relative_error_sum, r->relative, "relative");
    assert_true(fabs(c->product_sum - (double)r->product) <=
                1e-14 * sqrt((double)(r->left * r->right)));
    assert_true(c->max_error == r->max);
    assert_int_equal(c->max_error_index, r->max_index);
    assert_true(c->max_relative_error == r->max_relative);
    assert_int_equal(c->max_relative_error_index, r->max_relative_index);
    assert_int_equal(c->unequal_count, r->unequal);
}

static void test_comparators__random_floats_of_every_length(void **unused)
{
    (void)unused;
    enum { MOST = 1100 };
    static float a[MOST + 1], b[MOST + 1];
    for (int64_t count = 0; count <= MOST; count += count < 530 ? 1 : 97) {
        struct reference wanted = {0};
        struct ets_comparison got;
        for (int64_t i = 0; i < count; i++) {
            a[i + 1] = (float)next();
            b[i + 1] = i % 3 == 0 ? a[i + 1] : (float)(a[i + 1] + 1e-3 * next());
            add(&wanted, (uint64_t)i, a[i + 1], b[i + 1]);
        }
        /* One float in, so that vectors are not aligned. */
        const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a + 1, count);
        const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b + 1, count);
        assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
        assert_int_equal(got.finite_count, count);
        assert_false(got.types_differ || got.layouts_differ);
        expect_sums(&got, &wanted);
    }
}

static void test_comparators__doubles_and_mixed_types(void **unused)
{
    (void)unused;
    enum { COUNT = 5000 };
    static double a[COUNT];
    static float b[COUNT];
    struct reference wanted = {0};
    struct ets_comparison got;
    for (int i = 0; i < COUNT; i++) {
        a[i] = ldexp(next(), i % 60 - 30);
        b[i] = (float)a[i];
        add(&wanted, (uint64_t)i, a[i], b[i]);
    }
    const struct ets_tensor left = test_vector(ETS_SCALAR_DOUBLE, a, COUNT);
    const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, COUNT);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    assert_true(got.types_differ);
    expect_sums(&got, &wanted);
}

/* 0.1 a million times over beside a large first number: plain sums are off by 1e-11. */
static void test_comparators__long_tensors_lose_nothing(void **unused)
{
    (void)unused;
    enum { COUNT = 3000000 };
    double *a = calloc(COUNT, sizeof *a), *b = malloc(COUNT * sizeof *b);
    struct reference wanted = {0};
    struct ets_comparison got;
    assert_non_null(a);
    assert_non_null(b);
    for (int i = 0; i < COUNT; i++) {
        b[i] = i == 0 ? 1e6 : 0.1 + 1e-3 * next();
        add(&wanted, (uint64_t)i, a[i], b[i]);
    }
    const struct ets_tensor left = test_vector(ETS_SCALAR_DOUBLE, a, COUNT);
    const struct ets_tensor right = test_vector(ETS_SCALAR_DOUBLE, b, COUNT);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    expect_sums(&got, &wanted);
    free(a);
    free(b);
}

#if ETS_HAS_AVX2
static void expect_equal_sums(const struct ets_pair_sums *got, const struct ets_pair_sums *wanted,
                              bool is_whole)
{
    near(got->square, wanted->square, "square");
    near(got->absolute, wanted->absolute, "absolute");
    near(got->reference_square, wanted->reference_square, "reference square");
    near(got->other_square, wanted->other_square, "other square");
    near(got->relative, wanted->relative, "relative");
    assert_true(got->max_error == wanted->max_error);
    assert_true(got->max_relative == wanted->max_relative);
    assert_true(got->unequal == wanted->unequal);
    /* Up to whole vectors the lanes are the same. */
    if (is_whole) assert_memory_equal(got, wanted, sizeof *got);
}

/* Any bits, but no NaNs and infinities, with which the sums mean nothing. */
static void fill(uint8_t *bytes, enum ets_scalar_type type, size_t count)
{
    const size_t size = ets_scalar_type_bytes((int)type);
    for (size_t i = 0; i < count; i++) {
        double number;
        do {
            for (size_t k = 0; k < size; k++) bytes[i * size + k] = (uint8_t)(int)(next() * 128);
            number = ets_element_load(bytes + i * size, (int)type, 0);
        } while (!(fabs(number) < 1e100) || (number != 0 && fabs(number) < 1e-100));
    }
}
#endif

/* Both versions of the inner loops give the same sums, for every type and length. */
static void test_comparators__vectors_sum_as_the_plain_loop(void **unused)
{
    (void)unused;
#if ETS_HAS_AVX2
    if (!ets_has_avx2() || !ets_has_f16c()) SKIP_BECAUSE("the processor has no AVX2");
    enum { MOST = 67 };
    for (int type = 0; type < 50; type++) {
        ets_pair_sums_function *sums = ets_avx2_pair_sums(type);
        if (sums == NULL) continue;
        for (size_t count = 0; count <= MOST; count++) {
            uint8_t a[MOST * 8 + 1], b[MOST * 8 + 1];
            double x[MOST], y[MOST];
            struct ets_pair_sums plain, got;
            fill(a + 1, (enum ets_scalar_type)type, count);
            fill(b + 1, (enum ets_scalar_type)type, count);
            ets_decode(a + 1, type, count, x);
            ets_decode(b + 1, type, count, y);
            ets_pair_sums_of_doubles(x, y, count, &plain);
            sums(a + 1, b + 1, count, &got);
            const bool is_wide = ets_scalar_type_bytes(type) > 1; /* bytes: other roundings */
            expect_equal_sums(&got, &plain, is_wide && count % 4 == 0);
        }
    }
#else
    SKIP_BECAUSE("AVX2 is for x86-64");
#endif
}

/* Whether some pair is outside: the loops of all types against that over doubles. */
static void test_comparators__vectors_find_what_is_outside(void **unused)
{
    (void)unused;
#if ETS_HAS_AVX2
    if (!ets_has_avx2() || !ets_has_f16c()) SKIP_BECAUSE("the processor has no AVX2");
    enum { COUNT = 8 };
    for (int type = 0; type < 50; type++) {
        ets_has_outside_function *outside = ets_avx2_has_outside(type);
        unsigned found = 0;
        if (outside == NULL) continue;
        for (int round = 0; round < 2000; round++) {
            uint8_t a[COUNT * 8 + 1], b[COUNT * 8 + 1];
            double x[COUNT], y[COUNT];
            const size_t size = ets_scalar_type_bytes(type), at = (size_t)round % COUNT;
            fill(a + 1, (enum ets_scalar_type)type, COUNT);
            memcpy(b, a, sizeof b);
            if (round % 8 == 0) memset(b + 1 + at * size, 0xff, size); /* a NaN, or -1 */
            if (round % 8 == 1) memset(a + 1 + at * size, 0x7f, size);
            if (round % 8 > 3) fill(b + 1 + at * size, (enum ets_scalar_type)type, 1);
            ets_decode(a + 1, type, COUNT, x);
            ets_decode(b + 1, type, COUNT, y);
            /* Just as wide as the pair is apart, or a bit less. */
            const double apart = fabs(y[at] - x[at]);
            const struct ets_tolerance tolerance = {
                .absolute = apart < 1e300 ? apart * (round % 2 == 0 ? 1 : 0.99) : 1,
                .relative = round % 3 == 0 ? 0.25 : 0};
            const bool wanted = ets_has_outside(x, y, COUNT, &tolerance);
            assert_int_equal(outside(a + 1, b + 1, COUNT, &tolerance), wanted);
            found += wanted;
        }
        assert_true(found > 0 && found < 2000);
    }
#else
    SKIP_BECAUSE("AVX2 is for x86-64");
#endif
}

static void test_comparators__the_largest_error_of_bytes(void **unused)
{
    (void)unused;
#if ETS_HAS_AVX2
    if (!ets_has_avx2()) SKIP_BECAUSE("the processor has no AVX2");
    uint8_t a[64], b[64];
    for (int round = 0; round < 500; round++) {
        unsigned unsigned_most = 0, signed_most = 0;
        for (int i = 0; i < 64; i++) {
            a[i] = (uint8_t)(int)(next() * 128);
            b[i] = (uint8_t)(a[i] + round % 7);
            const unsigned u = (unsigned)abs(a[i] - b[i]);
            const unsigned s = (unsigned)abs((int8_t)a[i] - (int8_t)b[i]);
            unsigned_most = u > unsigned_most ? u : unsigned_most;
            signed_most = s > signed_most ? s : signed_most;
        }
        assert_int_equal(ets_avx2_largest_byte_error(a, b, 64, false), unsigned_most);
        assert_int_equal(ets_avx2_largest_byte_error(a, b, 64, true), signed_most);
    }
#else
    SKIP_BECAUSE("AVX2 is for x86-64");
#endif
}

/* Integers beyond 2^53 are rounded as a conversion rounds them. */
static void test_comparators__vectors_load_extreme_integers(void **unused)
{
    (void)unused;
#if ETS_HAS_AVX2
    if (!ets_has_avx2()) SKIP_BECAUSE("the processor has no AVX2");
    const int64_t numbers[] = {INT64_MIN,
                               INT64_MAX,
                               INT64_MIN + 1,
                               -1,
                               0,
                               1,
                               (1LL << 53) + 1,
                               (1LL << 62) + 255,
                               -(1LL << 53) - 1,
                               (1LL << 48) - 1,
                               -(1LL << 48),
                               0x7fffffffffff0001};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t same[4] = {numbers[i], numbers[i], numbers[i], numbers[i]}, zeros[4] = {0};
        struct ets_pair_sums got;
        ets_avx2_pair_sums(ETS_SCALAR_LONG)((uint8_t *)zeros, (uint8_t *)same, 4, &got);
        assert_true(got.max_error == fabs((double)numbers[i]));
        assert_true(got.absolute == 4 * fabs((double)numbers[i]));
    }
#else
    SKIP_BECAUSE("AVX2 is for x86-64");
#endif
}

static void test_comparators__another_layout_is_a_finding(void **unused)
{
    (void)unused;
    float rows[6] = {0, 1, 2, 3, 4, 5}, columns[6] = {0, 3, 1, 4, 2, 5};
    struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, rows, 6), right = left;
    struct ets_comparison got;
    left.rank = right.rank = 2;
    left.sizes[0] = right.sizes[0] = 2;
    left.sizes[1] = right.sizes[1] = 3;
    left.strides[0] = 3;
    left.strides[1] = 1;
    right.strides[0] = 1;
    right.strides[1] = 2;
    right.data = LITTLE(columns);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    assert_true(got.layouts_differ);
    assert_int_equal(got.unequal_count, 0);
    columns[4] = 7; /* logical element [0, 2] */
    right.data = LITTLE(columns);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    assert_int_equal(got.max_error_index, 2);
    assert_true(got.max_error == 5);
}

/* Tensors of one layout are walked as they lie, and all places are told as if they were not. */
static void test_comparators__places_do_not_depend_on_the_layout(void **unused)
{
    (void)unused;
    enum { A = 5, B = 7, C = 50, COUNT = A * B * C };
    static float rows[2][COUNT], turned[2][COUNT];
    const struct ets_tolerance tolerance = {.absolute = 0.6};
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < COUNT; i++) {
            const int64_t at = (i % C) * A * B + (i / C % B) * A + i / C / B;
            const float number = (float)(i % 3 + 1);
            float other = number + (next() > 0.9 ? 1 : next() > 0.5 ? 0.5f : 0);
            if (round == 1 && next() > 0.99) other = NAN;
            if (round == 2) other = number;
            rows[0][i] = turned[0][at] = number;
            rows[1][i] = turned[1][at] = other;
        }
        struct ets_tensor plain[2], strange[2];
        struct ets_comparison c[3];
        struct ets_closeness closeness[3];
        struct ets_ulps ulps[3];
        struct ets_steps steps[3];
        for (int k = 0; k < 2; k++) {
            plain[k] = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                                           .rank = 3,
                                           .sizes = {A, B, C},
                                           .strides = {B * C, C, 1},
                                           .data = LITTLE(rows[k]),
                                           .data_bytes = sizeof rows[k]};
            strange[k] = plain[k];
            strange[k].data = LITTLE(turned[k]);
            memcpy(strange[k].strides, (int64_t[]){1, A, A * B}, 3 * sizeof(int64_t));
        }
        for (int k = 0; k < 3; k++) { /* the last: two layouts */
            const struct ets_tensor *left = k == 1 ? &strange[0] : &plain[0];
            const struct ets_tensor *right = k == 0 ? &plain[1] : &strange[1];
            assert_int_equal(ets_comparison_of(left, right, &c[k], NULL), ETS_OK);
            assert_int_equal(ets_closeness_of(left, right, &tolerance, &closeness[k], NULL),
                             ETS_OK);
            assert_int_equal(ets_ulps_of(left, right, &ulps[k], NULL), ETS_OK);
            assert_int_equal(ets_steps_of(left, right, 0.5, &steps[k], NULL), ETS_OK);
            near(c[k].relative_error_sum, c[0].relative_error_sum, "relative");
            c[k].relative_error_sum = c[0].relative_error_sum; /* added in another order */
            assert_int_equal(c[k].layouts_differ, k == 2);
            c[k].layouts_differ = 0;
            assert_memory_equal(&c[0], &c[k], sizeof c[0]);
            assert_memory_equal(&closeness[0], &closeness[k], sizeof closeness[0]);
            assert_memory_equal(&ulps[0], &ulps[k], sizeof ulps[0]);
            assert_memory_equal(&steps[0], &steps[k], sizeof steps[0]);
        }
        assert_int_equal(c[0].broken_count > 0, round == 1);
    }
}

static void test_comparators__broken_pairs_have_a_place(void **unused)
{
    (void)unused;
    enum { COUNT = 700 };
    static float a[COUNT], b[COUNT];
    struct ets_comparison got;
    for (int i = 0; i < COUNT; i++) a[i] = b[i] = (float)i;
    b[600] = 1;
    a[300] = b[300] = NAN;
    b[301] = INFINITY;
    b[650] = NAN;
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, COUNT);
    const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, COUNT);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    assert_int_equal(got.count, COUNT);
    assert_int_equal(got.finite_count, COUNT - 3);
    assert_int_equal(got.broken_count, 2);
    assert_int_equal(got.first_broken_index, 301);
    assert_int_equal(got.unequal_count, 3);
    assert_int_equal(got.max_error_index, 600);
    assert_true(isnan(ets_comparison_mse(&got)) && isnan(ets_comparison_snr(&got)));
    assert_true(isnan(ets_comparison_cosine(&got)) && isnan(ets_comparison_rmse(&got)));
}

static struct ets_comparison compare(const float *a, const float *b, int64_t count)
{
    struct ets_comparison got;
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, count);
    const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, count);
    assert_int_equal(ets_comparison_of(&left, &right, &got, NULL), ETS_OK);
    return got;
}

static void test_comparators__roots_and_their_edges(void **unused)
{
    (void)unused;
    const float a[] = {3, 4}, b[] = {3, 4.5f}, zero[] = {0, 0}, turned[] = {-4, 3};
    struct ets_comparison c = compare(a, b, 2);
    assert_true(fabs(ets_comparison_snr(&c) - 20) < 1e-12);
    assert_true(fabs(ets_comparison_rmse(&c) - sqrt(0.125)) < 1e-15);
    assert_true(fabs(ets_comparison_relative_rms(&c) - 0.1) < 1e-15);
    c = compare(zero, a, 2);
    assert_true(isinf(ets_comparison_relative_rms(&c)));
    c = compare(a, a, 2);
    assert_true(isinf(ets_comparison_snr(&c)) && ets_comparison_snr(&c) > 0);
    assert_true(fabs(ets_comparison_cosine(&c) - 1) < 1e-15);
    c = compare(a, turned, 2);
    assert_true(ets_comparison_cosine(&c) == 0);
    c = compare(zero, zero, 2);
    assert_true(ets_comparison_relative_rms(&c) == 0);
    assert_true(isnan(ets_comparison_snr(&c)) && isnan(ets_comparison_cosine(&c)));
    assert_true(ets_comparison_mse(&c) == 0);
    c = compare(a, a, 0);
    assert_true(isnan(ets_comparison_mse(&c)) && isnan(ets_comparison_snr(&c)));
}

static struct ets_closeness closeness(const float *a, const float *b, int64_t count,
                                      struct ets_tolerance tolerance)
{
    struct ets_closeness got;
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, count);
    const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, count);
    assert_int_equal(ets_closeness_of(&left, &right, &tolerance, &got, NULL), ETS_OK);
    assert_int_equal(got.count, count);
    return got;
}

/* NumPy's rule over the expected number, as a plain expression. */
static void test_comparators__closeness_is_numpys(void **unused)
{
    (void)unused;
    enum { COUNT = 3000 };
    static float a[COUNT], b[COUNT];
    const struct ets_tolerance tolerance = {.relative = 1e-3, .absolute = 1e-4};
    uint64_t outside = 0, first = 0, worst = 0;
    double most = 0;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)next();
        b[i] = (float)(a[i] + 1e-3 * next());
        const double error = fabs((double)b[i] - a[i]), room = 1e-4 + 1e-3 * fabs((double)a[i]);
        if (error <= room) continue;
        if (outside++ == 0) first = (uint64_t)i;
        if (error / room > most) {
            most = error / room;
            worst = (uint64_t)i;
        }
    }
    const struct ets_closeness got = closeness(a, b, COUNT, tolerance);
    assert_true(outside > 100);
    assert_int_equal(got.outside_count, outside);
    assert_int_equal(got.first_index, first);
    assert_int_equal(got.worst_index, worst);
    assert_true(got.worst_excess == most);
}

static void test_comparators__what_no_tolerance_makes_close(void **unused)
{
    (void)unused;
    const struct ets_tolerance wide = {.relative = 1e30, .absolute = 1e30};
    const struct ets_tolerance strict = {.nan_differs = 1}, exact = {0};
    const float values[] = {NAN, INFINITY, -INFINITY, 1};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            const bool is_close = closeness(&values[i], &values[k], 1, wide).outside_count == 0;
            assert_int_equal(is_close, i == k); /* NaN and -Infinity above all: upstream says yes */
        }
    }
    assert_int_equal(closeness(values, values, 4, exact).outside_count, 0);
    assert_int_equal(closeness(values, values, 4, strict).outside_count, 1);
    assert_true(isinf(closeness(values, values, 4, strict).worst_excess));
    const float a[] = {1, 2, 3}, b[] = {1, 2.5f, 3.25f};
    assert_int_equal(closeness(a, b, 3, exact).outside_count, 2);
    assert_int_equal(closeness(a, b, 3, exact).worst_index, 1);
    struct ets_closeness untouched = {.count = 77};
    const struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, a, 3);
    const struct ets_tolerance wrong[] = {{.relative = -1}, {.absolute = NAN}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ets_closeness_of(&tensor, &tensor, &wrong[i], &untouched, NULL),
                         ETS_INVALID_ARGUMENT);
    }
    assert_int_equal(untouched.count, 77);
}

static void test_comparators__units_in_the_last_place(void **unused)
{
    (void)unused;
    const float a[] = {1, -0.0f, 0x1p-149f, NAN, 1, INFINITY};
    const float b[] = {nextafterf(1, 2), 0, -0x1p-149f, 1, 1, 1};
    const double x[] = {1, -1}, y[] = {nextafter(nextafter(1, 2), 2), 1};
    const uint16_t half[] = {0x3c00, 0x8001}, other[] = {0x3c05, 0x0001};
    struct ets_ulps ulps;
    struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, 6);
    struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, 6);
    assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_OK);
    assert_int_equal(ulps.count, 4);
    assert_int_equal(ulps.max, 2);
    assert_int_equal(ulps.max_index, 2);
    assert_true(ulps.mean == 0.75);
    left = test_vector(ETS_SCALAR_DOUBLE, x, 2);
    right = test_vector(ETS_SCALAR_DOUBLE, y, 2);
    assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_OK);
    assert_int_equal(ulps.max, UINT64_C(2) * 0x3ff0000000000000);
    left.sizes[0] = right.sizes[0] = 1;
    assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_OK);
    assert_int_equal(ulps.max, 2);
    const enum ets_scalar_type narrow[] = {ETS_SCALAR_HALF, ETS_SCALAR_BFLOAT16};
    for (int i = 0; i < 2; i++) {
        left = test_vector(narrow[i], half, 2);
        right = test_vector(narrow[i], other, 2);
        assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_OK);
        assert_int_equal(ulps.max, 5);
        assert_true(ulps.mean == 3.5);
    }
    right = test_vector(ETS_SCALAR_HALF, other, 2);
    assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_MISMATCH);
    left = right = test_vector(ETS_SCALAR_INT, a, 2);
    assert_int_equal(ets_ulps_of(&left, &right, &ulps, NULL), ETS_UNSUPPORTED);
}

static struct ets_top_k top(const float *a, const float *b, int64_t rows, int64_t columns,
                            uint32_t k)
{
    struct ets_top_k got;
    struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, rows * columns);
    left.rank = 2;
    left.sizes[0] = rows;
    left.sizes[1] = columns;
    left.strides[0] = columns;
    left.strides[1] = 1;
    struct ets_tensor right = left;
    right.data = test_vector(ETS_SCALAR_FLOAT, b, rows * columns).data;
    assert_int_equal(ets_top_k_of(&left, &right, k, &got, NULL), ETS_OK);
    return got;
}

static void test_comparators__top_k_agreement(void **unused)
{
    (void)unused;
    const float a[] = {1, 9, 3, 7, /**/ 5, 5, 1, 0, /**/ 1, 2, NAN, 4};
    const float b[] = {2, 8, 9, 1, /**/ 6, 7, 1, 0, /**/ 1, 2, NAN, 3};
    struct ets_top_k got = top(a, b, 3, 4, 1);
    assert_int_equal(got.row_count, 3);
    assert_int_equal(got.first_agrees, 1); /* the NaN's row */
    got = top(a, b, 3, 4, 2);
    assert_int_equal(got.all_agree, 2);
    assert_int_equal(got.first_unlike, 0);
    assert_true(fabs(got.overlap - (0.5 + 1 + 1) / 3) < 1e-15);
    got = top(a, a, 3, 4, 64); /* rows are shorter */
    assert_int_equal(got.all_agree, 3);
    assert_int_equal(got.first_unlike, 3);
    assert_true(got.overlap == 1);
    got = top(a, a, 0, 4, 1);
    assert_int_equal(got.row_count, 0);
    assert_true(isnan(got.overlap));
    const struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, a, 4);
    assert_int_equal(ets_top_k_of(&tensor, &tensor, 0, &got, NULL), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_top_k_of(&tensor, &tensor, 65, &got, NULL), ETS_INVALID_ARGUMENT);
    const struct ets_tensor complex = test_vector(ETS_SCALAR_COMPLEX_FLOAT, a, 2);
    assert_int_equal(ets_top_k_of(&complex, &complex, 1, &got, NULL), ETS_UNSUPPORTED);
}

static void test_comparators__quantization_steps(void **unused)
{
    (void)unused;
    const int8_t a[] = {1, 2, 3, -128, 5}, b[] = {1, 3, 1, 127, 5};
    const float x[] = {0, 1, 2, NAN}, y[] = {0.124f, 1.13f, 2.25f, 1};
    struct ets_steps steps;
    struct ets_tensor left = test_vector(ETS_SCALAR_CHAR, a, 5),
                      right = test_vector(ETS_SCALAR_CHAR, b, 5);
    assert_int_equal(ets_steps_of(&left, &right, 1, &steps, NULL), ETS_OK);
    assert_int_equal(steps.count, 5);
    assert_int_equal(steps.within[0], 2);
    assert_int_equal(steps.within[1], 1);
    assert_int_equal(steps.within[2], 1);
    assert_true(steps.max == 255);
    assert_int_equal(steps.max_index, 3);
    assert_true(steps.mean == 258.0 / 5);
    left = test_vector(ETS_SCALAR_FLOAT, x, 4);
    right = test_vector(ETS_SCALAR_FLOAT, y, 4);
    assert_int_equal(ets_steps_of(&left, &right, 0.25, &steps, NULL), ETS_OK);
    assert_int_equal(steps.count, 3);
    assert_int_equal(steps.within[0], 1);
    assert_int_equal(steps.within[1], 2);
    assert_int_equal(ets_steps_of(&left, &right, 0, &steps, NULL), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_steps_of(&left, &right, INFINITY, &steps, NULL), ETS_INVALID_ARGUMENT);
}

static struct ets_gap gap(const float *a, const float *b, int64_t count)
{
    struct ets_gap got;
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, count);
    const struct ets_tensor right = test_vector(ETS_SCALAR_FLOAT, b, count);
    assert_int_equal(ets_gap_of(&left, &right, &got, NULL), ETS_OK);
    return got;
}

/* The Inspector's rules; its own numbers on the fixtures are tested with the gap. */
static void test_comparators__the_inspectors_gap(void **unused)
{
    (void)unused;
    const float a[] = {1, 2}, b[] = {1, 4}, nan[] = {NAN, 2}, infinite[] = {INFINITY, 2};
    struct ets_gap g = gap(a, b, 2);
    assert_true(g.mse == 2 && g.l1 == 2 && g.signal == 2.5);
    assert_true(fabs(ets_gap_snr(&g) - 10 * log10(1.25)) < 1e-14);
    g = gap(a, a, 2);
    assert_true(isinf(ets_gap_snr(&g)));
    g = gap(a, nan, 2); /* the NaN counts as 0 */
    assert_true(g.mse == 0.5 && g.l1 == 1);
    g = gap(a, infinite, 2);
    assert_true(isinf(g.mse) && isinf(g.l1));
    g = gap(infinite, infinite, 2); /* infinity less infinity */
    assert_true(isnan(g.mse) && isnan(g.l1));
    const float both[] = {NAN, INFINITY}, zeros[] = {0, 0};
    g = gap(zeros, both, 2); /* beside a NaN the infinity is the largest double */
    assert_true(isinf(g.mse) && g.l1 == 0x1.fffffffffffffp1023);
    g = gap(a, a, 0);
    assert_true(isnan(g.mse) && g.l1 == 0);
    g = gap(zeros, zeros, 2);
    assert_true(isnan(ets_gap_snr(&g)));
}

static void test_comparators__all_refuse_what_cannot_be_compared(void **unused)
{
    (void)unused;
    const float data[6] = {0};
    const struct ets_tolerance exact = {0};
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, data, 6);
    struct ets_tensor others[] = {test_vector(ETS_SCALAR_FLOAT, data, 5),
                                  test_vector(ETS_SCALAR_QUINT4X2, data, 6),
                                  test_vector(ETS_SCALAR_FLOAT, data, 6)};
    const enum ets_status wanted[] = {ETS_MISMATCH, ETS_UNSUPPORTED, ETS_TRUNCATED};
    others[2].data_bytes = 23;
    for (int i = 0; i < 3; i++) {
        struct ets_closeness c;
        struct ets_ulps u;
        struct ets_top_k t;
        struct ets_steps s;
        struct ets_gap g;
        struct ets_error error;
        assert_int_equal(ets_closeness_of(&left, &others[i], &exact, &c, &error), wanted[i]);
        assert_int_equal(ets_ulps_of(&left, &others[i], &u, &error), wanted[i]);
        assert_int_equal(ets_top_k_of(&left, &others[i], 2, &t, &error), wanted[i]);
        assert_int_equal(ets_steps_of(&left, &others[i], 1, &s, &error), wanted[i]);
        assert_int_equal(ets_gap_of(&left, &others[i], &g, &error), wanted[i]);
        assert_int_equal(error.status, wanted[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparators__random_floats_of_every_length),
        cmocka_unit_test(test_comparators__doubles_and_mixed_types),
        cmocka_unit_test(test_comparators__long_tensors_lose_nothing),
        cmocka_unit_test(test_comparators__vectors_sum_as_the_plain_loop),
        cmocka_unit_test(test_comparators__vectors_find_what_is_outside),
        cmocka_unit_test(test_comparators__the_largest_error_of_bytes),
        cmocka_unit_test(test_comparators__vectors_load_extreme_integers),
        cmocka_unit_test(test_comparators__another_layout_is_a_finding),
        cmocka_unit_test(test_comparators__places_do_not_depend_on_the_layout),
        cmocka_unit_test(test_comparators__broken_pairs_have_a_place),
        cmocka_unit_test(test_comparators__roots_and_their_edges),
        cmocka_unit_test(test_comparators__closeness_is_numpys),
        cmocka_unit_test(test_comparators__what_no_tolerance_makes_close),
        cmocka_unit_test(test_comparators__units_in_the_last_place),
        cmocka_unit_test(test_comparators__top_k_agreement),
        cmocka_unit_test(test_comparators__quantization_steps),
        cmocka_unit_test(test_comparators__the_inspectors_gap),
        cmocka_unit_test(test_comparators__all_refuse_what_cannot_be_compared),
    };
    return cmocka_run_group_tests_name("comparators", tests, NULL, NULL);
}
