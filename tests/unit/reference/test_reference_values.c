/* Values of an evaluation: storages that are shared, and copies between all types and layouts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#include "etscope/numerics.h"
#include "host/arena.h"
#include "numerics/element.h"
#include "reference/reference_value.h"
#include "test_little_support.h"

static struct ets_tensor dense(int type, uint32_t rank, const int64_t *sizes, const void *data,
                               size_t bytes)
{
    struct ets_tensor tensor = {
        .scalar_type = (enum ets_scalar_type)type, .rank = rank, .data = data, .data_bytes = bytes};
    for (uint32_t i = 0; i < rank; i++) tensor.sizes[i] = sizes[i];
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static void test_storages_go_with_their_last_value(void **state)
{
    (void)state;
    struct reference_memory memory = {.allocator = &ets_libc_allocator};
    struct reference_value tensor, again, list, copy;
    assert_int_equal(
        ets_reference_tensor_new(&memory, ETS_SCALAR_FLOAT, 2, (int64_t[]){3, 4}, &tensor, NULL),
        ETS_OK);
    assert_int_equal(memory.bytes, 48);
    assert_int_equal(ets_reference_value_share(&memory, &tensor, &again, NULL), ETS_OK);
    assert_ptr_equal(again.as.tensor.view.data, tensor.as.tensor.view.data);
    struct reference_value items[2] = {tensor, {.kind = REFERENCE_NOTHING}};
    list = (struct reference_value){.kind = REFERENCE_LIST, .as.list = {items, 2}};
    assert_int_equal(ets_reference_value_share(&memory, &list, &copy, NULL), ETS_OK);
    ets_reference_value_drop(&memory, &tensor);
    ets_reference_value_drop(&memory, &again);
    assert_int_equal(memory.bytes, 48);
    assert_int_equal(copy.as.list.items[1].kind, REFERENCE_NOTHING);
    ets_reference_value_drop(&memory, &copy);
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(memory.peak_bytes, 48);
}

static void test_what_cannot_be_a_tensor(void **state)
{
    (void)state;
    struct reference_memory memory = {.allocator = &ets_libc_allocator, .limit_bytes = 100};
    struct reference_value value;
    const int64_t huge[2] = {INT64_MAX / 2, 16}, small[1] = {26}, negative[1] = {-1};
    assert_int_equal(ets_reference_tensor_new(&memory, ETS_SCALAR_FLOAT, 2, huge, &value, NULL),
                     ETS_LIMIT);
    assert_int_equal(ets_reference_tensor_new(&memory, ETS_SCALAR_FLOAT, 1, small, &value, NULL),
                     ETS_LIMIT);
    assert_int_equal(ets_reference_tensor_new(&memory, ETS_SCALAR_FLOAT, 1, negative, &value, NULL),
                     ETS_LIMIT);
    assert_int_equal(ets_reference_tensor_new(&memory, 99, 1, small, &value, NULL),
                     ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_reference_tensor_new(&memory, ETS_SCALAR_FLOAT, 17, small, &value, NULL),
                     ETS_INVALID_ARGUMENT);
    const float numbers[3] = {0};
    const struct ets_tensor lying = dense(ETS_SCALAR_FLOAT, 1, (int64_t[]){4}, numbers, 12);
    assert_int_equal(ets_reference_tensor_borrow(&memory, &lying, &value, NULL),
                     ETS_INVALID_ARGUMENT);
    assert_int_equal(memory.bytes, 0);
}

static void *no_memory(void *context, void *pointer, size_t bytes)
{
    size_t *left = context;
    if (*left == 0) return NULL;
    (*left)--;
    return realloc(pointer, bytes);
}

static void release(void *context, void *pointer)
{
    (void)context;
    free(pointer);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    enum ets_status status = ETS_NO_MEMORY;
    for (size_t allowed = 0; status != ETS_OK; allowed++) {
        size_t left = allowed;
        const struct ets_allocator allocator = {no_memory, release, &left};
        struct reference_memory memory = {.allocator = &allocator};
        struct reference_value tensor = {.kind = REFERENCE_NOTHING}, copy = tensor;
        status = ets_reference_tensor_new(&memory, ETS_SCALAR_LONG, 0, NULL, &tensor, NULL);
        struct reference_value items[1] = {tensor};
        struct reference_value inner = {.kind = REFERENCE_LIST, .as.list = {items, 1}};
        struct reference_value lists[2] = {inner, inner};
        struct reference_value list = {.kind = REFERENCE_LIST, .as.list = {lists, 2}};
        if (status == ETS_OK) status = ets_reference_value_share(&memory, &list, &copy, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ets_reference_value_drop(&memory, &copy);
        ets_reference_value_drop(&memory, &tensor);
        assert_int_equal(memory.bytes, 0);
    }
}

/* Numbers that all types but bool have. */
static const double shared_numbers[] = {0, 1, 2, 5, 64, 100, 127, 3};

static void test_every_type_to_every_other(void **state)
{
    (void)state;
    static const int types[] = {ETS_SCALAR_BYTE,   ETS_SCALAR_CHAR,   ETS_SCALAR_SHORT,
                                ETS_SCALAR_INT,    ETS_SCALAR_LONG,   ETS_SCALAR_HALF,
                                ETS_SCALAR_FLOAT,  ETS_SCALAR_DOUBLE, ETS_SCALAR_BFLOAT16,
                                ETS_SCALAR_UINT16, ETS_SCALAR_UINT32, ETS_SCALAR_UINT64,
                                ETS_SCALAR_QINT8,  ETS_SCALAR_QINT32, ETS_SCALAR_QUINT8};
    const int64_t sizes[1] = {8};
    const struct ets_tensor from = dense(ETS_SCALAR_DOUBLE, 1, sizes, LITTLE(shared_numbers), 64);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (size_t k = 0; k < 2 * (sizeof types / sizeof *types); k++) {
            _Alignas(8) uint8_t first[65], room[65];
            uint8_t *second = room + k % 2; /* at any alignment */
            const int type = types[k / 2];
            struct ets_tensor a = dense(types[i], 1, sizes, first + k % 2, 64);
            struct ets_tensor b = dense(type, 1, sizes, second, 64);
            assert_int_equal(ets_reference_tensor_copy(&from, &a, NULL), ETS_OK);
            assert_int_equal(ets_reference_tensor_copy(&a, &b, NULL), ETS_OK);
            for (size_t n = 0; n < 8; n++) {
                const uint8_t *at = second + n * ets_scalar_type_bytes(type);
                assert_float_equal(ets_element_load(at, type, 0), shared_numbers[n], 0);
            }
        }
    }
}

static double converted(double number, int from_type, int to_type)
{
    const double numbers[] = {number};
    uint8_t from_bytes[8], to_bytes[8];
    struct ets_tensor exact = dense(ETS_SCALAR_DOUBLE, 0, NULL, LITTLE(numbers), 8);
    struct ets_tensor from = dense(from_type, 0, NULL, from_bytes, 8);
    struct ets_tensor to = dense(to_type, 0, NULL, to_bytes, 8);
    assert_int_equal(ets_reference_tensor_copy(&exact, &from, NULL), ETS_OK);
    assert_int_equal(ets_reference_tensor_copy(&from, &to, NULL), ETS_OK);
    return ets_element_load(to_bytes, to_type, 0);
}

static void test_conversions_round_and_cut(void **state)
{
    (void)state;
    const int real = ETS_SCALAR_DOUBLE;
    assert_float_equal(converted(-2.9, real, ETS_SCALAR_INT), -2, 0);
    assert_float_equal(converted(300, ETS_SCALAR_INT, ETS_SCALAR_BYTE), 44, 0);
    assert_float_equal(converted(0.25, real, ETS_SCALAR_BOOL), 1, 0);
    assert_float_equal(converted(NAN, real, ETS_SCALAR_BOOL), 1, 0);
    assert_float_equal(converted(256, ETS_SCALAR_INT, ETS_SCALAR_BOOL), 1, 0);
    assert_float_equal(converted(NAN, real, ETS_SCALAR_LONG), 0, 0);
    assert_float_equal(converted(1e300, real, ETS_SCALAR_LONG), 9223372036854775807.0, 0);
    assert_float_equal(converted(2049, real, ETS_SCALAR_HALF), 2048, 0); /* ties to even */
    assert_float_equal(converted(2051, real, ETS_SCALAR_HALF), 2052, 0);
    assert_float_equal(converted(65504, real, ETS_SCALAR_HALF), 65504, 0);
    assert_true(isinf(converted(65520, real, ETS_SCALAR_HALF)));
    assert_true(isnan(converted(NAN, real, ETS_SCALAR_HALF)));
    assert_float_equal(converted(0x1p-24, real, ETS_SCALAR_HALF), 0x1p-24, 0);
    assert_float_equal(converted(0x1.8p-25, real, ETS_SCALAR_HALF), 0x1p-24, 0);
    assert_float_equal(converted(0x1p-26, real, ETS_SCALAR_HALF), 0, 0);
    assert_float_equal(converted(-0x1.ff8p-15, real, ETS_SCALAR_HALF), -0x1.ff8p-15, 0);
    assert_float_equal(converted(257, real, ETS_SCALAR_BFLOAT16), 256, 0);
    assert_float_equal(converted(259, real, ETS_SCALAR_BFLOAT16), 260, 0);
    assert_true(isnan(converted(NAN, real, ETS_SCALAR_BFLOAT16)));
}

/* Element [i, j, k] of `tensor`, whatever its type. */
static double at(const struct ets_tensor *tensor, int64_t i, int64_t j, int64_t k)
{
    const int64_t offset = i * tensor->strides[0] + j * tensor->strides[1] + k * tensor->strides[2];
    const size_t bytes = ets_scalar_type_bytes(tensor->scalar_type);
    return ets_element_load((const uint8_t *)tensor->data + (size_t)offset * bytes,
                            tensor->scalar_type, 0);
}

static void test_strides_of_all_kinds(void **state)
{
    (void)state;
    enum { A = 3, B = 5, C = 700 }; /* rows longer than a block of conversions */
    static const int64_t strides[][3] = {{B * C, C, 1}, {1, A, A * B}, {C, A * C, 1},
                                         {0, 0, 1},     {0, 1, 0},     {2 * B * C, 2 * C, 2}};
    static const int types[] = {ETS_SCALAR_FLOAT, ETS_SCALAR_DOUBLE, ETS_SCALAR_SHORT};
    static uint8_t source[2 * A * B * C * 8], target[A * B * C * 8];
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        for (size_t t = 0; t < 9; t++) {
            struct ets_tensor from =
                dense(types[t % 3], 3, (int64_t[]){A, B, C}, source, sizeof source);
            const size_t bytes = ets_scalar_type_bytes(from.scalar_type);
            for (int64_t i = 0; i < 2 * A * B * C; i++) {
                const double number[] = {(double)(i % 30011)};
                struct ets_tensor one = dense(from.scalar_type, 0, NULL, source + i * bytes, bytes);
                const struct ets_tensor exact =
                    dense(ETS_SCALAR_DOUBLE, 0, NULL, LITTLE(number), 8);
                assert_int_equal(ets_reference_tensor_copy(&exact, &one, NULL), ETS_OK);
            }
            memcpy(from.strides, strides[s], sizeof strides[s]);
            struct ets_tensor to =
                dense(types[t / 3], 3, (int64_t[]){A, B, C}, target, sizeof target);
            if (s < 3) memcpy(to.strides, strides[(s + t) % 3], sizeof strides[s]);
            assert_int_equal(ets_reference_tensor_copy(&from, &to, NULL), ETS_OK);
            for (int64_t i = 0; i < A; i++) {
                for (int64_t j = 0; j < B; j++) {
                    for (int64_t k = 0; k < C; k += 13) {
                        assert_float_equal(at(&to, i, j, k), at(&from, i, j, k), 0);
                    }
                }
            }
        }
    }
}

static void test_copies_that_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[64] = {0};
    struct ets_error error;
    struct ets_tensor from = dense(ETS_SCALAR_FLOAT, 1, (int64_t[]){4}, bytes, 16);
    struct ets_tensor to = dense(ETS_SCALAR_FLOAT, 1, (int64_t[]){5}, bytes + 16, 20);
    assert_int_equal(ets_reference_tensor_copy(&from, &to, &error), ETS_MISMATCH);
    to.sizes[0] = 4;
    to.data_bytes = 15;
    assert_int_equal(ets_reference_tensor_copy(&from, &to, &error), ETS_INVALID_ARGUMENT);
    to.data_bytes = 48;
    to.scalar_type = ETS_SCALAR_COMPLEX_FLOAT;
    assert_int_equal(ets_reference_tensor_copy(&from, &to, &error), ETS_UNSUPPORTED);
    assert_string_equal(error.message, "float32 cannot be converted to complex64");
    from.scalar_type = ETS_SCALAR_COMPLEX_FLOAT;
    from.sizes[0] = to.sizes[0] = 2;
    assert_int_equal(ets_reference_tensor_copy(&from, &to, &error), ETS_OK);
    from.strides[0] = -1;
    assert_int_equal(ets_reference_tensor_copy(&from, &to, &error), ETS_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storages_go_with_their_last_value),
        cmocka_unit_test(test_what_cannot_be_a_tensor),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_every_type_to_every_other),
        cmocka_unit_test(test_conversions_round_and_cut),
        cmocka_unit_test(test_strides_of_all_kinds),
        cmocka_unit_test(test_copies_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
