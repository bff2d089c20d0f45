/* Plain numbers as tensors: little-endian bytes on every processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "numerics/element.h"
#include "numerics/number_tensor.h"

static uint8_t room[ETS_NUMBER_BYTES];

static void assert_number(const struct ets_tensor *tensor, int type, size_t bytes, double number)
{
    assert_int_equal(tensor->scalar_type, type);
    assert_int_equal(tensor->rank, 0);
    assert_int_equal(tensor->data_bytes, bytes);
    assert_true(ets_element_load(tensor->data, type, 0) == number);
}

static void test_number_tensor__bytes_are_little_endian(void **unused)
{
    static const uint8_t integer[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t real[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    struct ets_tensor tensor;
    (void)unused;
    ets_tensor_of_integer(-2, room, &tensor);
    assert_memory_equal(room, integer, sizeof integer);
    assert_number(&tensor, ETS_SCALAR_LONG, 8, -2);
    ets_tensor_of_real(1.5, room, &tensor);
    assert_memory_equal(room, real, sizeof real);
    assert_number(&tensor, ETS_SCALAR_DOUBLE, 8, 1.5);
}

static void test_number_tensor__values_of_every_kind(void **unused)
{
    const float data = 0;
    const struct ets_value truth = {.kind = ETS_VALUE_BOOL, .as.bool_value = 7};
    const struct ets_value integer = {.kind = ETS_VALUE_INT, .as.int_value = 300};
    const struct ets_value real = {.kind = ETS_VALUE_DOUBLE, .as.double_value = -0.75};
    const struct ets_value given = {
        .kind = ETS_VALUE_TENSOR,
        .as.tensor = {.scalar_type = ETS_SCALAR_FLOAT, .data = &data, .data_bytes = 4}};
    const struct ets_value none = {.kind = ETS_VALUE_NONE}, other = {.kind = ETS_VALUE_OTHER};
    struct ets_tensor tensor;
    (void)unused;
    assert_true(ets_tensor_of_value(&truth, ETS_SCALAR_BOOL, room, &tensor));
    assert_number(&tensor, ETS_SCALAR_BOOL, 1, 1);
    assert_true(ets_tensor_of_value(&truth, ETS_SCALAR_LONG, room, &tensor));
    assert_number(&tensor, ETS_SCALAR_LONG, 8, 1);
    assert_true(ets_tensor_of_value(&integer, ETS_SCALAR_BOOL, room, &tensor));
    assert_number(&tensor, ETS_SCALAR_LONG, 8, 300);
    assert_true(ets_tensor_of_value(&real, ETS_SCALAR_BOOL, room, &tensor));
    assert_number(&tensor, ETS_SCALAR_DOUBLE, 8, -0.75);
    assert_true(ets_tensor_of_value(&given, ETS_SCALAR_BOOL, room, &tensor));
    assert_ptr_equal(tensor.data, &data);
    assert_false(ets_tensor_of_value(&none, ETS_SCALAR_BOOL, room, &tensor));
    assert_false(ets_tensor_of_value(&other, ETS_SCALAR_BOOL, room, &tensor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_tensor__bytes_are_little_endian),
        cmocka_unit_test(test_number_tensor__values_of_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
