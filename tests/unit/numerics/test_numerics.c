/* Every scalar type as numbers, against values worked out by hand; any strides; sums and counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include <math.h>

#include "etscope/numerics.h"
#include "numerics/element.h"
#include "numerics/element_blocks.h"
#include "numerics/pairs.h"
#include "test_little_support.h"

static double load(const void *at, enum ets_scalar_type type)
{
    return ets_element_load(at, (int)type, 0);
}

/* Bits of a 1- or 2-byte float and what they mean. */
struct small_float {
    enum ets_scalar_type type;
    uint16_t bits;
    double value;
};

static void test_numerics__small_floats(void **state)
{
    (void)state;
    const struct small_float cases[] = {
        {ETS_SCALAR_HALF, 0x3c00, 1},
        {ETS_SCALAR_HALF, 0xc000, -2},
        {ETS_SCALAR_HALF, 0x3555, 0.333251953125},
        {ETS_SCALAR_HALF, 0x7bff, 65504},
        {ETS_SCALAR_HALF, 0x0400, 0x1p-14},
        {ETS_SCALAR_HALF, 0x03ff, 1023 * 0x1p-24},
        {ETS_SCALAR_HALF, 0x0001, 0x1p-24},
        {ETS_SCALAR_HALF, 0x8000, -0.0},
        {ETS_SCALAR_HALF, 0x7c00, INFINITY},
        {ETS_SCALAR_HALF, 0xfc00, -INFINITY},
        {ETS_SCALAR_HALF, 0x7e00, NAN},
        {ETS_SCALAR_HALF, 0xfc01, NAN},
        {ETS_SCALAR_BFLOAT16, 0x3f80, 1},
        {ETS_SCALAR_BFLOAT16, 0xbf80, -1},
        {ETS_SCALAR_BFLOAT16, 0x4049, 3.140625},
        {ETS_SCALAR_BFLOAT16, 0x7f7f, 0x1.fep127},
        {ETS_SCALAR_BFLOAT16, 0x0080, 0x1p-126},
        {ETS_SCALAR_BFLOAT16, 0x0001, 0x1p-133},
        {ETS_SCALAR_BFLOAT16, 0x8000, -0.0},
        {ETS_SCALAR_BFLOAT16, 0xff80, -INFINITY},
        {ETS_SCALAR_BFLOAT16, 0x7fc0, NAN},
        {ETS_SCALAR_FLOAT8E5M2, 0x3c, 1},
        {ETS_SCALAR_FLOAT8E5M2, 0xc0, -2},
        {ETS_SCALAR_FLOAT8E5M2, 0x7b, 57344},
        {ETS_SCALAR_FLOAT8E5M2, 0x04, 0x1p-14},
        {ETS_SCALAR_FLOAT8E5M2, 0x01, 0x1p-16},
        {ETS_SCALAR_FLOAT8E5M2, 0x80, -0.0},
        {ETS_SCALAR_FLOAT8E5M2, 0xfc, -INFINITY},
        {ETS_SCALAR_FLOAT8E5M2, 0x7d, NAN},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x38, 1},
        {ETS_SCALAR_FLOAT8E4M3FN, 0xb8, -1},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x7e, 448},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x7c, 384},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x08, 0x1p-6},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x01, 0x1p-9},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x80, -0.0},
        {ETS_SCALAR_FLOAT8E4M3FN, 0x7f, NAN},
        {ETS_SCALAR_FLOAT8E4M3FN, 0xff, NAN},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0x40, 1},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0xc0, -1},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0x7f, 57344},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0x01, 0x1p-17},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0x00, 0},
        {ETS_SCALAR_FLOAT8E5M2FNUZ, 0x80, NAN},
        {ETS_SCALAR_FLOAT8E4M3FNUZ, 0x40, 1},
        {ETS_SCALAR_FLOAT8E4M3FNUZ, 0xc0, -1},
        {ETS_SCALAR_FLOAT8E4M3FNUZ, 0x7f, 240},
        {ETS_SCALAR_FLOAT8E4M3FNUZ, 0x01, 0x1p-10},
        {ETS_SCALAR_FLOAT8E4M3FNUZ, 0x80, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t bytes[] = {(uint8_t)(cases[i].bits & 0xff), (uint8_t)(cases[i].bits >> 8)};
        const double value = load(bytes, cases[i].type);
        const double wanted = cases[i].value;
        const int is_right =
            isnan(wanted) ? isnan(value) : value == wanted && !signbit(value) == !signbit(wanted);
        if (!is_right) {
            fail_msg("%s 0x%x: %g, not %g", ets_scalar_type_name((int)cases[i].type), cases[i].bits,
                     value, wanted);
        }
    }
}

static void test_numerics__every_half_and_bfloat16(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const uint8_t bytes[] = {(uint8_t)(bits & 0xff), (uint8_t)(bits >> 8)};
        /* bfloat16 is the upper half of a float32. */
        const uint32_t wide = bits << 16;
        float single;
        memcpy(&single, &wide, sizeof single);
        const double brain = load(bytes, ETS_SCALAR_BFLOAT16);
        assert_true(isnan(single) ? isnan(brain) : brain == (double)single);

        const int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
        const double sign = bits >> 15 ? -1 : 1;
        const double half = load(bytes, ETS_SCALAR_HALF);
        if (exponent == 31) assert_true(mantissa != 0 ? isnan(half) : half == sign * INFINITY);
        else if (exponent == 0) assert_true(half == sign * ldexp(mantissa, -24));
        else assert_true(half == sign * ldexp(mantissa + 1024, exponent - 25));
    }
}

static void test_numerics__integers_and_bool(void **state)
{
    (void)state;
    /* One byte in, so that nothing is aligned. */
    const uint8_t ones[17] = {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const struct {
        enum ets_scalar_type type;
        double value;
    } cases[] = {
        {ETS_SCALAR_BYTE, 255},
        {ETS_SCALAR_CHAR, -1},
        {ETS_SCALAR_SHORT, -1},
        {ETS_SCALAR_INT, -1},
        {ETS_SCALAR_LONG, -1},
        {ETS_SCALAR_BOOL, 1},
        {ETS_SCALAR_QINT8, -1},
        {ETS_SCALAR_QUINT8, 255},
        {ETS_SCALAR_QINT32, -1},
        {ETS_SCALAR_UINT16, 65535},
        {ETS_SCALAR_UINT32, 4294967295.0},
        {ETS_SCALAR_UINT64, 18446744073709551616.0}, /* rounded up from 2^64 - 1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(load(ones + 1, cases[i].type) == cases[i].value);
        assert_int_equal(ets_scalar_component_count((int)cases[i].type), 1);
    }
    const uint8_t minimum[] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    assert_true(load(minimum, ETS_SCALAR_LONG) == -0x1p63);
    assert_true(load(minimum, ETS_SCALAR_UINT64) == 0x1p63);
    /* 2^53 + 1 lies between two doubles: the even one. */
    const uint8_t tie[] = {1, 0, 0, 0, 0, 0, 0x20, 0};
    assert_true(load(tie, ETS_SCALAR_LONG) == 0x1p53);
    assert_true(load(minimum, ETS_SCALAR_BOOL) == 0);
}

static void test_numerics__floats_and_complex(void **state)
{
    (void)state;
    const float native_singles[] = {1.5f, -0.25f}, *singles = LITTLE(native_singles);
    const double native_doubles[] = {1e300, -5e-324}, *doubles = LITTLE(native_doubles);
    const uint8_t halves[] = {0x00, 0x3c, 0x00, 0xc0};
    assert_true(load(&singles[1], ETS_SCALAR_FLOAT) == -0.25);
    assert_true(load(&doubles[1], ETS_SCALAR_DOUBLE) == -5e-324);
    assert_true(ets_element_load(singles, ETS_SCALAR_COMPLEX_FLOAT, 0) == 1.5);
    assert_true(ets_element_load(singles, ETS_SCALAR_COMPLEX_FLOAT, 1) == -0.25);
    assert_true(ets_element_load(doubles, ETS_SCALAR_COMPLEX_DOUBLE, 0) == 1e300);
    assert_true(ets_element_load(doubles, ETS_SCALAR_COMPLEX_DOUBLE, 1) == -5e-324);
    assert_true(ets_element_load(halves, ETS_SCALAR_COMPLEX_HALF, 0) == 1);
    assert_true(ets_element_load(halves, ETS_SCALAR_COMPLEX_HALF, 1) == -2);
    assert_int_equal(ets_scalar_component_count(ETS_SCALAR_COMPLEX_HALF), 2);
}

static void test_numerics__types_without_numbers_are_refused(void **state)
{
    (void)state;
    const uint8_t byte[2] = {0};
    const int types[] = {
        ETS_SCALAR_QUINT4X2, ETS_SCALAR_QUINT2X4, ETS_SCALAR_BITS1X8, ETS_SCALAR_BITS2X4,
        ETS_SCALAR_BITS4X2,  ETS_SCALAR_BITS8,    ETS_SCALAR_BITS16,  30};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct ets_elements elements;
        struct ets_error error;
        const struct ets_tensor tensor = {
            .scalar_type = (enum ets_scalar_type)types[i], .data = byte, .data_bytes = sizeof byte};
        assert_int_equal(ets_scalar_component_count(types[i]), 0);
        assert_int_equal(ets_elements_init(&elements, &tensor, &error), ETS_UNSUPPORTED);
        assert_int_equal(error.status, ETS_UNSUPPORTED);
    }
    assert_int_equal(ets_scalar_component_count(-1), 0);
}

/* Takes all numbers of a tensor `room` at a time: they are those of ets_elements_next. */
static void take_all(const struct ets_tensor *tensor, size_t room)
{
    struct ets_elements taken, next;
    double in_room[16], one;
    const double *numbers;
    size_t count;
    assert_int_equal(ets_elements_init(&taken, tensor, NULL), ETS_OK);
    assert_int_equal(ets_elements_init(&next, tensor, NULL), ETS_OK);
    while (numbers = ets_elements_take(&taken, in_room, room, &count), count > 0) {
        assert_true(count <= room);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(ets_elements_next(&next, &one), 1);
            assert_memory_equal(&numbers[i], &one, sizeof one);
        }
    }
    assert_int_equal(ets_elements_next(&next, &one), 0);
}

static void take_in_rooms(const struct ets_tensor *tensor)
{
    for (size_t room = 2; room <= 16; room++) take_all(tensor, room);
}

static void test_numerics__many_at_a_time_are_the_same(void **state)
{
    (void)state;
    _Alignas(8) uint8_t bytes[7 * 16 + 1];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 11);
    for (int type = 0; type <= 30; type++) {
        if (ets_scalar_component_count(type) == 0) continue;
        struct ets_tensor tensor = test_vector((enum ets_scalar_type)type, bytes, 7);
        take_in_rooms(&tensor);
        tensor.data = bytes + 1; /* not aligned */
        take_in_rooms(&tensor);
        tensor.sizes[0] = 0;
        take_in_rooms(&tensor);
    }
}

/* Walks over int8 elements 0, 1, 2... of `sizes` and `strides`; writes what comes out. */
static size_t walk(uint32_t rank, const int64_t *sizes, const int64_t *strides, double *out)
{
    static int8_t data[64];
    struct ets_elements elements;
    size_t count = 0;
    struct ets_tensor tensor = {
        .scalar_type = ETS_SCALAR_CHAR, .rank = rank, .data = data, .data_bytes = sizeof data};
    for (size_t i = 0; i < sizeof data; i++) data[i] = (int8_t)i;
    for (uint32_t i = 0; i < rank; i++) {
        tensor.sizes[i] = sizes[i];
        tensor.strides[i] = strides[i];
    }
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_OK);
    while (ets_elements_next(&elements, &out[count])) {
        assert_int_equal(elements.index, count);
        count++;
    }
    assert_false(ets_elements_next(&elements, &out[count]));
    take_in_rooms(&tensor);
    return count;
}

static void expect(const double *got, size_t count, const double *wanted, size_t wanted_count)
{
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) assert_true(got[i] == wanted[i]);
}

static void test_numerics__logical_order_whatever_the_strides(void **state)
{
    (void)state;
    double got[65];
    expect(got, walk(2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, got), (double[]){0, 1, 2, 3, 4, 5},
           6);
    expect(got, walk(2, (int64_t[]){2, 3}, (int64_t[]){1, 2}, got), (double[]){0, 2, 4, 1, 3, 5},
           6);
    expect(got, walk(2, (int64_t[]){2, 3}, (int64_t[]){0, 1}, got), (double[]){0, 1, 2, 0, 1, 2},
           6);
    /* Channels last: 1 x 2 x 2 x 2. */
    expect(got, walk(4, (int64_t[]){1, 2, 2, 2}, (int64_t[]){8, 1, 4, 2}, got),
           (double[]){0, 2, 4, 6, 1, 3, 5, 7}, 8);
    expect(got, walk(1, (int64_t[]){3}, (int64_t[]){20}, got), (double[]){0, 20, 40}, 3);
    expect(got, walk(0, NULL, NULL, got), (double[]){0}, 1);
    assert_int_equal(walk(2, (int64_t[]){3, 0}, (int64_t[]){1, 1}, got), 0);
}

static void test_numerics__tensors_past_their_bytes(void **state)
{
    (void)state;
    float data[6] = {0};
    struct ets_elements elements;
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 2,
                                .sizes = {2, 3},
                                .strides = {3, 1},
                                .data = data,
                                .data_bytes = sizeof data};
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_OK);
    tensor.data_bytes--;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_TRUNCATED);
    tensor.data_bytes = sizeof data;
    tensor.strides[0] = INT64_MAX;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_TRUNCATED);
    tensor.strides[0] = -3;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_INVALID_ARGUMENT);
    tensor.strides[0] = 3;
    tensor.sizes[1] = -1;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_INVALID_ARGUMENT);
    tensor.sizes[1] = 3;
    tensor.data = NULL;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_TRUNCATED);
    tensor.sizes[0] = 0;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_OK);
    tensor.rank = ETS_TENSOR_MAX_RANK + 1;
    assert_int_equal(ets_elements_init(&elements, &tensor, NULL), ETS_INVALID_ARGUMENT);
}

static void test_numerics__sums_of_a_comparison(void **state)
{
    (void)state;
    const double reference_data[] = {1, -2, 3, 0};
    const float other_data[] = {1.5f, -2, 1, 0};
    const struct ets_tensor reference = test_vector(ETS_SCALAR_DOUBLE, reference_data, 4);
    const struct ets_tensor other = test_vector(ETS_SCALAR_FLOAT, other_data, 4);
    struct ets_comparison sums;
    assert_int_equal(ets_comparison_of(&reference, &other, &sums, NULL), ETS_OK);
    assert_int_equal(sums.count, 4);
    assert_int_equal(sums.finite_count, 4);
    assert_int_equal(sums.unequal_count, 2);
    assert_int_equal(sums.broken_count, 0);
    assert_true(sums.error_square_sum == 0.25 + 4);
    assert_true(sums.error_absolute_sum == 2.5);
    assert_true(sums.reference_square_sum == 14);
    assert_true(sums.other_square_sum == 2.25 + 4 + 1);
    assert_true(sums.product_sum == 1.5 + 4 + 3);
    assert_true(sums.max_error == 2);
    assert_int_equal(sums.max_error_index, 2);
    assert_true(ets_comparison_mse(&sums) == 4.25 / 4);
    assert_true(ets_comparison_l1(&sums) == 2.5 / 4);
}

static void test_numerics__nan_and_infinity_are_counted_apart(void **state)
{
    (void)state;
    const float a[] = {NAN, INFINITY, -INFINITY, 1, NAN, 2};
    const float b[] = {NAN, INFINITY, INFINITY, NAN, 3, 2.5f};
    const struct ets_tensor reference = test_vector(ETS_SCALAR_FLOAT, a, 6);
    const struct ets_tensor other = test_vector(ETS_SCALAR_FLOAT, b, 6);
    struct ets_comparison sums;
    assert_int_equal(ets_comparison_of(&reference, &other, &sums, NULL), ETS_OK);
    assert_int_equal(sums.finite_count, 1);
    assert_int_equal(sums.reference_nan_count, 2);
    assert_int_equal(sums.reference_infinite_count, 2);
    assert_int_equal(sums.other_nan_count, 2);
    assert_int_equal(sums.other_infinite_count, 2);
    assert_int_equal(sums.broken_count, 3);
    assert_int_equal(sums.unequal_count, 4);
    assert_true(sums.error_square_sum == 0.25);
    assert_int_equal(sums.max_error_index, 5);
    assert_true(isnan(ets_comparison_mse(&sums)));
    /* The same without the broken pairs: the mean is over the finite ones. */
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, 2);
    assert_int_equal(ets_comparison_of(&left, &left, &sums, NULL), ETS_OK);
    assert_int_equal(sums.unequal_count, 0);
    assert_true(isnan(ets_comparison_mse(&sums)));
    ets_comparison_add(&sums, 2, 1, 1);
    assert_true(ets_comparison_mse(&sums) == 0);
}

static void test_numerics__complex_pairs_are_two_numbers(void **state)
{
    (void)state;
    const float a[] = {1, 2, 3, 4}, b[] = {1, 2, 3, 6};
    const struct ets_tensor reference = test_vector(ETS_SCALAR_COMPLEX_FLOAT, a, 2);
    const struct ets_tensor other = test_vector(ETS_SCALAR_COMPLEX_FLOAT, b, 2);
    const struct ets_tensor plain = test_vector(ETS_SCALAR_FLOAT, b, 2);
    struct ets_comparison sums;
    assert_int_equal(ets_comparison_of(&reference, &other, &sums, NULL), ETS_OK);
    assert_int_equal(sums.count, 4);
    assert_true(sums.max_error == 2);
    assert_int_equal(sums.max_error_index, 1);
    assert_int_equal(ets_comparison_of(&reference, &plain, &sums, NULL), ETS_MISMATCH);
}

static void test_numerics__shapes_must_agree(void **state)
{
    (void)state;
    const float data[6] = {0};
    const struct ets_tensor reference = test_vector(ETS_SCALAR_FLOAT, data, 6);
    struct ets_tensor other = test_vector(ETS_SCALAR_FLOAT, data, 5);
    struct ets_comparison sums = {.count = 77};
    assert_int_equal(ets_comparison_of(&reference, &other, &sums, NULL), ETS_MISMATCH);
    other = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 2,
                                .sizes = {2, 3},
                                .strides = {3, 1},
                                .data = data,
                                .data_bytes = sizeof data};
    assert_int_equal(ets_comparison_of(&reference, &other, &sums, NULL), ETS_MISMATCH);
    assert_int_equal(sums.count, 77);
}

static void test_numerics__merged_parts_are_the_whole(void **state)
{
    (void)state;
    struct ets_comparison whole, first, second;
    ets_comparison_init(&whole);
    ets_comparison_init(&first);
    ets_comparison_init(&second);
    for (uint64_t i = 0; i < 64; i++) {
        /* Sixteenths, so that every sum is exact; the largest error occurs in both parts. */
        const double reference = (double)(i % 7) / 16, other = (double)(i % 5) / 16;
        ets_comparison_add(&whole, i, reference, i == 40 ? NAN : other);
        ets_comparison_add(i % 2 ? &first : &second, i, reference, i == 40 ? NAN : other);
    }
    ets_comparison_merge(&first, &second);
    assert_int_equal(first.count, whole.count);
    assert_int_equal(first.finite_count, whole.finite_count);
    assert_int_equal(first.unequal_count, whole.unequal_count);
    assert_int_equal(first.broken_count, 1);
    assert_int_equal(first.other_nan_count, 1);
    assert_true(first.error_square_sum == whole.error_square_sum);
    assert_true(first.error_absolute_sum == whole.error_absolute_sum);
    assert_true(first.product_sum == whole.product_sum);
    assert_true(first.reference_square_sum == whole.reference_square_sum);
    assert_true(first.other_square_sum == whole.other_square_sum);
    assert_true(first.max_error == whole.max_error);
    assert_int_equal(first.max_error_index, whole.max_error_index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numerics__small_floats),
        cmocka_unit_test(test_numerics__every_half_and_bfloat16),
        cmocka_unit_test(test_numerics__integers_and_bool),
        cmocka_unit_test(test_numerics__floats_and_complex),
        cmocka_unit_test(test_numerics__types_without_numbers_are_refused),
        cmocka_unit_test(test_numerics__many_at_a_time_are_the_same),
        cmocka_unit_test(test_numerics__logical_order_whatever_the_strides),
        cmocka_unit_test(test_numerics__tensors_past_their_bytes),
        cmocka_unit_test(test_numerics__sums_of_a_comparison),
        cmocka_unit_test(test_numerics__nan_and_infinity_are_counted_apart),
        cmocka_unit_test(test_numerics__complex_pairs_are_two_numbers),
        cmocka_unit_test(test_numerics__shapes_must_agree),
        cmocka_unit_test(test_numerics__merged_parts_are_the_whole),
    };
    return cmocka_run_group_tests_name("numerics", tests, NULL, NULL);
}
