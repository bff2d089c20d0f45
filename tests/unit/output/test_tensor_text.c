/* Tensors as text, against what NumPy 2 prints of the same arrays; quantiles and histograms. */
#define _POSIX_C_SOURCE 200809L
#include "test_inspect_support.h"

#include <float.h>
#include <math.h>

#include "host/output.h"

#include "output/text/tensor_text.h"
#include "test_little_support.h"
#include "test_written_support.h"

static struct ets_tensor tensor_of(enum ets_scalar_type type, const void *data, size_t bytes,
                                   uint32_t rank, int64_t a, int64_t b, int64_t c)
{
    struct ets_tensor tensor = {.scalar_type = type,
                                .rank = rank,
                                .sizes = {a, b, c},
                                .data = LITTLE_OF(type, data, bytes),
                                .data_bytes = bytes};
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static const struct ets_tensor_text_options defaults = {.threshold = 1000, .precision = -1};

static void assert_shown(const struct ets_tensor *tensor,
                         const struct ets_tensor_text_options *options, const char *expected)
{
    char path[64];
    struct ets_error error;
    struct ets_output *output = begin_written(path);
    assert_int_equal(ets_tensor_text_write(tensor, options, output, &error), ETS_OK);
    struct ets_bytes bytes = take_written(path, output);
    char *text = malloc(bytes.size + 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    assert_string_equal(text, expected);
    free(text);
    free((void *)(uintptr_t)bytes.data);
}

#define VECTOR(type, array)                                                                        \
    tensor_of(type, array, sizeof array, 1, (int64_t)(sizeof array / ets_scalar_type_bytes(type)), \
              0, 0)

static void assert_vector(enum ets_scalar_type type, const void *data, size_t bytes,
                          const char *expected)
{
    const struct ets_tensor tensor =
        tensor_of(type, data, bytes, 1, (int64_t)(bytes / ets_scalar_type_bytes((int)type)), 0, 0);
    assert_shown(&tensor, &defaults, expected);
}

static void test_tensor_text__numbers_are_as_numpy_prints_them(void **state)
{
    (void)state;
    const float small[] = {1e-5f, 1, 123.5f}, large[] = {1e8f, -2.5f};
    const float odd[] = {NAN, 1.5f, -INFINITY}, none[] = {NAN, INFINITY};
    const float tiny[] = {1e-7f, NAN, -3e-7f}, wide[] = {123456.789f, 0.5f};
    const uint16_t halves[] = {0x2e66, 0x3266, 0x3555};
    const double thirds[] = {1 / 3.0, 2 / 3.0}, zeros[] = {-0.0, 0.0};
    const double far[] = {1e-300, 1}, farther[] = {1e200, -INFINITY};
    assert_vector(ETS_SCALAR_FLOAT, small, sizeof small, "[1.000e-05 1.000e+00 1.235e+02]\n");
    assert_vector(ETS_SCALAR_FLOAT, large, sizeof large, "[ 1.0e+08 -2.5e+00]\n");
    assert_vector(ETS_SCALAR_FLOAT, odd, sizeof odd, "[ nan  1.5 -inf]\n");
    assert_vector(ETS_SCALAR_FLOAT, none, sizeof none, "[nan inf]\n");
    assert_vector(ETS_SCALAR_FLOAT, tiny, sizeof tiny, "[ 1.e-07     nan -3.e-07]\n");
    assert_vector(ETS_SCALAR_FLOAT, wide, sizeof wide, "[1.2345679e+05 5.0000000e-01]\n");
    assert_vector(ETS_SCALAR_HALF, halves, sizeof halves, "[0.1    0.2    0.3333]\n");
    assert_vector(ETS_SCALAR_DOUBLE, thirds, sizeof thirds, "[0.33333333 0.66666667]\n");
    assert_vector(ETS_SCALAR_DOUBLE, zeros, sizeof zeros, "[-0.  0.]\n");
    assert_vector(ETS_SCALAR_DOUBLE, far, sizeof far, "[1.e-300 1.e+000]\n");
    assert_vector(ETS_SCALAR_DOUBLE, farther, sizeof farther, "[1.e+200    -inf]\n");
}

static void test_tensor_text__every_other_type(void **state)
{
    (void)state;
    const int64_t longs[] = {INT64_MAX, INT64_MIN};
    const uint64_t unsigned_longs[] = {UINT64_MAX, 0};
    const uint8_t truths[] = {1, 0}, bits[] = {0x0f, 0xa0}, eights[] = {0x38, 0x7f, 0x01};
    const uint16_t brains[] = {0x3f80, 0xc049};
    const float complexes[] = {1, 2, -0.5f, -1.25f};
    const int8_t quantized[] = {-128, 5};
    assert_vector(ETS_SCALAR_LONG, longs, sizeof longs,
                  "[ 9223372036854775807 -9223372036854775808]\n");
    assert_vector(ETS_SCALAR_UINT64, unsigned_longs, sizeof unsigned_longs,
                  "[18446744073709551615                    0]\n");
    assert_vector(ETS_SCALAR_BOOL, truths, sizeof truths, "[ True False]\n");
    assert_vector(ETS_SCALAR_BITS8, bits, sizeof bits, "[0f a0]\n");
    assert_vector(ETS_SCALAR_BITS16, bits, sizeof bits, "[a00f]\n");
    assert_vector(ETS_SCALAR_QINT8, quantized, sizeof quantized, "[-128    5]\n");
    assert_vector(ETS_SCALAR_BFLOAT16, brains, sizeof brains, "[ 1.   -3.14]\n");
    assert_vector(ETS_SCALAR_FLOAT8E4M3FN, eights, sizeof eights, "[1.      nan 0.002]\n");
    assert_vector(ETS_SCALAR_COMPLEX_FLOAT, complexes, sizeof complexes,
                  "[ 1. +2.j   -0.5-1.25j]\n");
}

static void test_tensor_text__ranks_and_strides(void **state)
{
    (void)state;
    const float numbers[] = {0.5f, 1, 2.25f, -1, 0, 8};
    struct ets_tensor tensor = tensor_of(ETS_SCALAR_FLOAT, numbers, sizeof numbers, 2, 2, 3, 0);
    assert_shown(&tensor, &defaults, "[[ 0.5   1.    2.25]\n [-1.    0.    8.  ]]\n");
    tensor.strides[0] = 1;
    tensor.strides[1] = 2;
    assert_shown(&tensor, &defaults, "[[ 0.5   2.25  0.  ]\n [ 1.   -1.    8.  ]]\n");
    tensor = tensor_of(ETS_SCALAR_FLOAT, numbers, sizeof numbers, 3, 3, 1, 2);
    assert_shown(&tensor, &defaults,
                 "[0]\n[[ 0.5   1.  ]]\n\n[1]\n[[ 2.25 -1.  ]]\n\n[2]\n[[ 0.    8.  ]]\n");
    tensor = tensor_of(ETS_SCALAR_FLOAT, numbers, sizeof numbers, 0, 0, 0, 0);
    assert_shown(&tensor, &defaults, "0.5\n");
    tensor = tensor_of(ETS_SCALAR_FLOAT, NULL, 0, 2, 0, 3, 0);
    assert_shown(&tensor, &defaults, "[]\n");
}

static void test_tensor_text__large_tensors_show_their_ends(void **state)
{
    (void)state;
    static int64_t numbers[1001];
    for (int i = 0; i < 1001; i++) numbers[i] = i;
    struct ets_tensor tensor = VECTOR(ETS_SCALAR_LONG, numbers);
    assert_shown(&tensor, &defaults, "[   0    1    2 ...  998  999 1000]\n");
    tensor = tensor_of(ETS_SCALAR_LONG, numbers, sizeof numbers, 2, 10, 100, 0);
    struct ets_tensor_text_options options = {.threshold = 10, .edge_items = 1, .precision = -1};
    assert_shown(&tensor, &options, "[[  0 ...  99]\n ...\n [900 ... 999]]\n");
    tensor = tensor_of(ETS_SCALAR_LONG, numbers, sizeof numbers, 3, 10, 10, 10);
    assert_shown(&tensor, &options,
                 "[0]\n[[  0 ...   9]\n ...\n [ 90 ...  99]]\n\n...\n\n"
                 "[9]\n[[900 ... 909]\n ...\n [990 ... 999]]\n");
    tensor = tensor_of(ETS_SCALAR_LONG, numbers, sizeof numbers, 1, 12, 0, 0);
    options = (struct ets_tensor_text_options){.threshold = UINT64_MAX, .width = 20};
    assert_shown(&tensor, &options, "[ 0  1  2  3  4  5\n  6  7  8  9 10 11]\n");
}

static void test_tensor_text__what_cannot_be_printed_is_refused(void **state)
{
    (void)state;
    const float numbers[] = {1, 2};
    struct ets_error error;
    struct ets_output *output;
    struct ets_tensor tensor = VECTOR(ETS_SCALAR_FLOAT, numbers);
    const struct ets_tensor_text_options precise = {.precision = 18}, broad = {.width = 10001};
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    assert_int_equal(ets_tensor_text_write(&tensor, &precise, output, &error),
                     ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_tensor_text_write(&tensor, &broad, output, &error), ETS_INVALID_ARGUMENT);
    tensor.data_bytes = 7;
    assert_int_equal(ets_tensor_text_write(&tensor, &defaults, output, &error), ETS_TRUNCATED);
    assert_int_equal(ets_tensor_spread_write(&tensor, 1, NULL, output, &error), ETS_TRUNCATED);
    tensor.sizes[0] = -1;
    assert_int_equal(ets_tensor_text_write(&tensor, &defaults, output, &error),
                     ETS_INVALID_ARGUMENT);
    ets_output_discard(output);
}

static void test_tensor_text__the_spread_has_quantiles_and_bins(void **state)
{
    (void)state;
    static double numbers[101];
    for (int i = 0; i < 101; i++) numbers[i] = 100 - i;
    struct ets_tensor tensor = VECTOR(ETS_SCALAR_DOUBLE, numbers);
    char path[64];
    struct ets_error error;
    struct ets_output *output = begin_written(path);
    assert_int_equal(ets_tensor_spread_write(&tensor, 1, NULL, output, &error), ETS_OK);
    tensor.sizes[0] = 1; /* one number has no spread */
    assert_int_equal(ets_tensor_spread_write(&tensor, 1, NULL, output, &error), ETS_OK);
    const double both[] = {-DBL_MAX, NAN, DBL_MAX};
    tensor = VECTOR(ETS_SCALAR_DOUBLE, both);
    assert_int_equal(ets_tensor_spread_write(&tensor, 0, NULL, output, &error), ETS_OK);
    const struct ets_bytes bytes = take_written(path, output);
    static const char expected[] =
        "quantiles 5% 5, 25% 25, 50% 50, 75% 75, 95% 95\n"
        "histogram 0 [@****" /* 101 numbers in 32 bins: 4 or 3 in each */;
    assert_true(bytes.size > sizeof expected);
    assert_memory_equal(bytes.data, expected, strlen(expected));
    assert_memory_equal(bytes.data + bytes.size - 19, "at most 1 in a bin\n", 19);
    free((void *)(uintptr_t)bytes.data);
}

static void test_tensor_text__a_failed_allocation_is_told(void **state)
{
    (void)state;
    const float numbers[] = {1, 2, 3};
    const struct ets_tensor tensor = VECTOR(ETS_SCALAR_FLOAT, numbers);
    struct ets_output *output;
    enum ets_status status = ETS_NO_MEMORY;
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    for (unsigned long n = 0; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        status = ets_tensor_spread_write(&tensor, 0, &allocator, output, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    ets_output_discard(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_text__numbers_are_as_numpy_prints_them),
        cmocka_unit_test(test_tensor_text__every_other_type),
        cmocka_unit_test(test_tensor_text__ranks_and_strides),
        cmocka_unit_test(test_tensor_text__large_tensors_show_their_ends),
        cmocka_unit_test(test_tensor_text__what_cannot_be_printed_is_refused),
        cmocka_unit_test(test_tensor_text__the_spread_has_quantiles_and_bins),
        cmocka_unit_test(test_tensor_text__a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
