/* Summaries against brute force over ets_elements: every type, special values, strides, edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include <math.h>

#include "base/xxh64.h"
#include "etscope/numerics.h"
#include "numerics/tensor_statistics_sums.h"
#include "test_little_support.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What a statistics must say, added up in long double. */
struct wanted {
    uint64_t count, nan_count, infinite_count, zero_count, finite_count;
    double min, max, first[ETS_TENSOR_STATISTICS_FIRST_LIMIT];
    long double sum, absolute_sum, square_sum, deviation_square_sum;
};

static struct wanted brute_force(const struct ets_tensor *tensor)
{
    struct wanted wanted = {.min = INFINITY, .max = -INFINITY};
    struct ets_elements elements;
    double x;
    assert_int_equal(ets_elements_init(&elements, tensor, NULL), ETS_OK);
    while (ets_elements_next(&elements, &x)) {
        if (wanted.count < ETS_TENSOR_STATISTICS_FIRST_LIMIT) wanted.first[wanted.count] = x;
        wanted.count++;
        wanted.nan_count += isnan(x);
        wanted.infinite_count += isinf(x) != 0;
        if (!isfinite(x)) continue;
        wanted.finite_count++;
        wanted.zero_count += x == 0;
        wanted.min = fmin(wanted.min, x);
        wanted.max = fmax(wanted.max, x);
        wanted.sum += x;
        wanted.absolute_sum += fabs(x);
        wanted.square_sum += (long double)x * x;
    }
    const long double mean = wanted.sum / (long double)wanted.finite_count;
    assert_int_equal(ets_elements_init(&elements, tensor, NULL), ETS_OK);
    while (ets_elements_next(&elements, &x)) {
        if (isfinite(x)) wanted.deviation_square_sum += (x - mean) * (x - mean);
    }
    return wanted;
}

/* The elements' bytes in logical order, and their hash over the whole. */
static uint64_t hash_of(const struct ets_tensor *tensor)
{
    const size_t size = ets_scalar_type_bytes((int)tensor->scalar_type);
    const size_t count = (size_t)ets_tensor_count(tensor);
    uint8_t *bytes = malloc(count * size + 1);
    assert_non_null(bytes);
    for (size_t index = 0; index < count; index++) {
        size_t rest = index, at = 0;
        for (uint32_t i = tensor->rank; i-- > 0;) {
            at += rest % (size_t)tensor->sizes[i] * (size_t)tensor->strides[i];
            rest /= (size_t)tensor->sizes[i];
        }
        memcpy(bytes + index * size, (const uint8_t *)tensor->data + at * size, size);
    }
    struct ets_xxh64 hash;
    const size_t stripes = count * size / ETS_XXH64_STRIPE_BYTES;
    ets_xxh64_init(&hash);
    ets_xxh64_add_stripes(&hash, bytes, stripes);
    const uint64_t result = ets_xxh64_finish(&hash, bytes + stripes * ETS_XXH64_STRIPE_BYTES,
                                             count * size % ETS_XXH64_STRIPE_BYTES);
    free(bytes);
    return result;
}

static void expect_near(const char *what, double got, long double wanted, long double scale)
{
    if (!(fabsl(got - wanted) <= 1e-13L * scale)) {
        fail_msg("%s: %.17g, not %.17Lg", what, got, wanted);
    }
}

static void check(const struct ets_tensor *tensor)
{
    const struct wanted wanted = brute_force(tensor);
    struct ets_tensor_statistics statistics;
    assert_int_equal(
        ets_tensor_statistics_of(tensor, ETS_TENSOR_STATISTICS_FIRST_LIMIT, &statistics), ETS_OK);
    assert_int_equal(statistics.count, wanted.count);
    assert_int_equal(statistics.nan_count, wanted.nan_count);
    assert_int_equal(statistics.infinite_count, wanted.infinite_count);
    assert_int_equal(statistics.zero_count, wanted.zero_count);
    assert_int_equal(ets_tensor_statistics_finite_count(&statistics), wanted.finite_count);
    assert_true(statistics.hash == hash_of(tensor));
    assert_int_equal(statistics.first_count, wanted.count < ETS_TENSOR_STATISTICS_FIRST_LIMIT
                                                 ? wanted.count
                                                 : ETS_TENSOR_STATISTICS_FIRST_LIMIT);
    for (uint32_t i = 0; i < statistics.first_count; i++) {
        assert_true(statistics.first[i] == wanted.first[i] ||
                    (isnan(statistics.first[i]) && isnan(wanted.first[i])));
    }
    if (wanted.finite_count == 0) {
        assert_true(isnan(statistics.min) && isnan(statistics.max) &&
                    isnan(statistics.absolute_max));
        assert_true(isnan(ets_tensor_statistics_mean(&statistics)) &&
                    isnan(ets_tensor_statistics_std(&statistics)));
        assert_true(statistics.sum == 0 && ets_tensor_statistics_l2(&statistics) == 0);
        return;
    }
    const long double n = (long double)wanted.finite_count;
    assert_true(statistics.min == wanted.min && statistics.max == wanted.max);
    assert_true(statistics.absolute_max == fmax(fabs(wanted.min), fabs(wanted.max)));
    expect_near("sum", statistics.sum, wanted.sum, wanted.absolute_sum);
    expect_near("absolute sum", statistics.absolute_sum, wanted.absolute_sum, wanted.absolute_sum);
    expect_near("square sum", statistics.square_sum, wanted.square_sum, wanted.square_sum);
    expect_near("l2", ets_tensor_statistics_l2(&statistics), sqrtl(wanted.square_sum),
                sqrtl(wanted.square_sum));
    expect_near("mean", ets_tensor_statistics_mean(&statistics), wanted.sum / n,
                wanted.absolute_sum / n);
    const long double deviation = sqrtl(wanted.deviation_square_sum / n);
    expect_near("std", ets_tensor_statistics_std(&statistics), deviation,
                deviation + 1e-4L * fabsl(wanted.sum / n));
}

static const int number_types[] = {ETS_SCALAR_BYTE,           ETS_SCALAR_CHAR,
                                   ETS_SCALAR_SHORT,          ETS_SCALAR_INT,
                                   ETS_SCALAR_LONG,           ETS_SCALAR_HALF,
                                   ETS_SCALAR_FLOAT,          ETS_SCALAR_DOUBLE,
                                   ETS_SCALAR_COMPLEX_HALF,   ETS_SCALAR_COMPLEX_FLOAT,
                                   ETS_SCALAR_COMPLEX_DOUBLE, ETS_SCALAR_BOOL,
                                   ETS_SCALAR_QINT8,          ETS_SCALAR_QUINT8,
                                   ETS_SCALAR_QINT32,         ETS_SCALAR_BFLOAT16,
                                   ETS_SCALAR_FLOAT8E5M2,     ETS_SCALAR_FLOAT8E4M3FN,
                                   ETS_SCALAR_FLOAT8E5M2FNUZ, ETS_SCALAR_FLOAT8E4M3FNUZ,
                                   ETS_SCALAR_UINT16,         ETS_SCALAR_UINT32,
                                   ETS_SCALAR_UINT64};

enum { TYPES = sizeof number_types / sizeof *number_types };

/* Random bits are NaN and infinite often enough; doubles are kept where squares are finite. */
static void fill(uint8_t *bytes, size_t size, int type, uint64_t *state)
{
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(next_random(state) >> 32);
    if (type != ETS_SCALAR_DOUBLE && type != ETS_SCALAR_COMPLEX_DOUBLE) return;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        double x[] = {(double)(int64_t)next_random(state) * 0x1p-40};
        if (next_random(state) % 9 == 0) x[0] = next_random(state) % 2 ? NAN : -INFINITY;
        if (next_random(state) % 9 == 0) x[0] = 0;
        memcpy(bytes + i, LITTLE(x), sizeof x);
    }
}

static void test_tensor_statistics__every_type_in_every_layout(void **state)
{
    (void)state;
    static uint8_t data[16 * 3 * 5 * 7 * 4 + 1];
    uint64_t seed = 88172645463325252u;
    for (size_t t = 0; t < TYPES; t++) {
        struct ets_tensor tensor = {.scalar_type = (enum ets_scalar_type)number_types[t],
                                    .rank = 4,
                                    .sizes = {3, 5, 7, 4},
                                    .data = data + 1, /* unaligned */
                                    .data_bytes = sizeof data - 1};
        fill(data + 1, sizeof data - 1, number_types[t], &seed);
        ets_tensor_set_contiguous(&tensor);
        check(&tensor);
        const uint8_t orders[][4] = {{0, 2, 3, 1}, {3, 2, 1, 0}, {1, 0, 3, 2}};
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(ets_tensor_set_dim_order(&tensor, orders[i]), ETS_OK);
            check(&tensor);
        }
        /* Gaps, and one row seen three times. */
        tensor.sizes[1] = 2;
        memcpy(tensor.strides, (int64_t[]){0, 70, 9, 2}, 4 * sizeof(int64_t));
        check(&tensor);
    }
}

static void test_tensor_statistics__every_length(void **state)
{
    (void)state;
    static uint8_t data[200 * 16];
    uint64_t seed = 362436069;
    for (size_t t = 0; t < TYPES; t++) {
        struct ets_tensor tensor = {.scalar_type = (enum ets_scalar_type)number_types[t],
                                    .rank = 1,
                                    .strides = {1},
                                    .data = data};
        fill(data, sizeof data, number_types[t], &seed);
        for (tensor.sizes[0] = 0; tensor.sizes[0] <= 200; tensor.sizes[0]++) {
            tensor.data_bytes = (size_t)ets_tensor_extent(&tensor);
            check(&tensor);
        }
    }
}

static double sum_of_lanes(const double lanes[4])
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* Number i of a block goes to lane i % 4, whatever the processor has. */
static void test_tensor_statistics__sums_of_a_block_are_of_four_lanes(void **state)
{
    (void)state;
    double numbers[64];
    for (size_t count = 4; count <= 64; count += 4) {
        struct ets_tensor_statistics statistics, sums;
        double absolute[4] = {0}, apart[4] = {0}, square[4] = {0};
        for (size_t i = 0; i < count; i++) {
            numbers[i] = sin((double)(i * count)) * pow(10, (double)(i % 7));
            const double difference = numbers[i] - numbers[0];
            absolute[i % 4] += fabs(numbers[i]);
            apart[i % 4] += difference;
            square[i % 4] += difference * difference;
        }
        const struct ets_tensor tensor = test_vector(ETS_SCALAR_DOUBLE, numbers, (int64_t)count);
        assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_OK);
        const double all = (double)count * numbers[0] + sum_of_lanes(apart);
        assert_true(statistics.absolute_sum == sum_of_lanes(absolute));
        assert_true(statistics.sum == all);
        assert_true(statistics.square_sum ==
                    sum_of_lanes(square) + numbers[0] * (sum_of_lanes(apart) + all));
        assert_int_equal(ets_tensor_sums_of(&tensor, &sums), ETS_OK);
        assert_int_equal(sums.hash, 0);
        sums.hash = statistics.hash;
        assert_memory_equal(&sums, &statistics, sizeof sums);
    }
}

/* Of 0 and -0, the first of the lane that comes first. */
static void test_tensor_statistics__zeros_of_both_signs(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct ets_tensor_statistics statistics;
        const double numbers[] = {
            first ? -0.0 : 0.0, first ? 0.0 : -0.0, 0.0, -0.0, -0.0, 0.0, 0.0, -0.0};
        const struct ets_tensor tensor = test_vector(ETS_SCALAR_DOUBLE, numbers, 8);
        assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_OK);
        assert_int_equal(statistics.zero_count, 8);
        assert_true((signbit(statistics.min) != 0) == (first != 0));
        assert_true((signbit(statistics.max) != 0) == (first != 0));
    }
}

static void test_tensor_statistics__values_worked_out_by_hand(void **state)
{
    (void)state;
    const float data[] = {3, -4, 0, NAN, -0.0f, INFINITY, 1, -INFINITY};
    const struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, data, 8);
    struct ets_tensor_statistics statistics;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 2, &statistics), ETS_OK);
    assert_int_equal(statistics.count, 8);
    assert_int_equal(statistics.nan_count, 1);
    assert_int_equal(statistics.infinite_count, 2);
    assert_int_equal(statistics.zero_count, 2);
    assert_true(statistics.min == -4 && statistics.max == 3 && statistics.absolute_max == 4);
    assert_true(statistics.sum == 0 && statistics.absolute_sum == 8 && statistics.square_sum == 26);
    assert_true(ets_tensor_statistics_mean(&statistics) == 0);
    assert_true(ets_tensor_statistics_std(&statistics) == sqrt(26.0 / 5));
    assert_int_equal(statistics.first_count, 2);
    assert_true(statistics.first[1] == -4);
}

static void test_tensor_statistics__nothing_finite(void **state)
{
    (void)state;
    float data[150];
    for (size_t i = 0; i < 150; i++) data[i] = i % 3 ? NAN : INFINITY;
    struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, data, 150);
    check(&tensor);
    data[140] = 7; /* the first finite number is in a late block */
    tensor = test_vector(ETS_SCALAR_FLOAT, data, 150);
    check(&tensor);
    tensor.data = NULL;
    tensor.sizes[0] = 0;
    check(&tensor);
}

/* The deviation is not lost behind a large mean, nor behind an outlier in front. */
static void test_tensor_statistics__sums_that_cancel(void **state)
{
    (void)state;
    static float data[100000];
    uint64_t seed = 521288629;
    for (size_t i = 0; i < 100000; i++) {
        data[i] = 1e7f + (float)(next_random(&seed) % 16);
    }
    struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, data, 100000);
    check(&tensor);
    data[0] = -3.4e38f;
    tensor = test_vector(ETS_SCALAR_FLOAT, data, 100000);
    check(&tensor);
    volatile float tenth = 0.1f; /* a constant may have more digits: FLT_EVAL_METHOD */
    for (size_t i = 0; i < 100000; i++) data[i] = tenth;
    tensor = test_vector(ETS_SCALAR_FLOAT, data, 100000);
    struct ets_tensor_statistics statistics;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_OK);
    assert_true(ets_tensor_statistics_std(&statistics) == 0);
    assert_true(ets_tensor_statistics_mean(&statistics) == (double)tenth);
}

static void test_tensor_statistics__a_scalar_tensor(void **state)
{
    (void)state;
    const int64_t value[] = {-5};
    const struct ets_tensor tensor = {
        .scalar_type = ETS_SCALAR_LONG, .data = LITTLE(value), .data_bytes = sizeof value};
    struct ets_tensor_statistics statistics;
    check(&tensor);
    assert_int_equal(ets_tensor_statistics_of(&tensor, 8, &statistics), ETS_OK);
    assert_true(statistics.first_count == 1 && statistics.first[0] == -5);
}

/* The published test vectors of XXH64 with seed 0. */
static void test_tensor_statistics__hash_is_xxh64(void **state)
{
    (void)state;
    const char *text = "Nobody inspects the spammish repetition";
    const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {{"", 0xef46db3751d8e999},
                 {"a", 0xd24ec4f1a98c6e5b},
                 {"abc", 0x44bc2cf5ad770999},
                 {text, 0xfbcea83c8a378bf1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = strlen(cases[i].text);
        const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                          .rank = 1,
                                          .sizes = {(int64_t)size},
                                          .strides = {1},
                                          .data = cases[i].text,
                                          .data_bytes = size};
        struct ets_tensor_statistics statistics;
        assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_OK);
        assert_true(statistics.hash == cases[i].hash);
    }
}

static void test_tensor_statistics__tensors_that_are_refused(void **state)
{
    (void)state;
    const float data[6] = {0};
    struct ets_tensor_statistics statistics = {.count = 77};
    struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, data, 6);
    assert_int_equal(ets_tensor_statistics_of(&tensor, 9, &statistics), ETS_INVALID_ARGUMENT);
    tensor.data_bytes--;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_TRUNCATED);
    tensor.data = NULL;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_TRUNCATED);
    tensor = test_vector(ETS_SCALAR_FLOAT, data, 6);
    tensor.strides[0] = -1;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_INVALID_ARGUMENT);
    tensor.strides[0] = INT64_MAX;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_INVALID_ARGUMENT);
    tensor = test_vector(ETS_SCALAR_FLOAT, data, -1);
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_INVALID_ARGUMENT);
    tensor = test_vector(ETS_SCALAR_FLOAT, data, 6);
    tensor.rank = ETS_TENSOR_MAX_RANK + 1;
    assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_INVALID_ARGUMENT);
    tensor.rank = 1;
    for (int type = ETS_SCALAR_QUINT4X2; type <= ETS_SCALAR_BITS16; type++) {
        tensor.scalar_type = (enum ets_scalar_type)type;
        assert_int_equal(ets_tensor_statistics_of(&tensor, 0, &statistics), ETS_UNSUPPORTED);
    }
    assert_int_equal(statistics.count, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_statistics__every_type_in_every_layout),
        cmocka_unit_test(test_tensor_statistics__every_length),
        cmocka_unit_test(test_tensor_statistics__sums_of_a_block_are_of_four_lanes),
        cmocka_unit_test(test_tensor_statistics__zeros_of_both_signs),
        cmocka_unit_test(test_tensor_statistics__values_worked_out_by_hand),
        cmocka_unit_test(test_tensor_statistics__nothing_finite),
        cmocka_unit_test(test_tensor_statistics__sums_that_cancel),
        cmocka_unit_test(test_tensor_statistics__a_scalar_tensor),
        cmocka_unit_test(test_tensor_statistics__hash_is_xxh64),
        cmocka_unit_test(test_tensor_statistics__tensors_that_are_refused),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
