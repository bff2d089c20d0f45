/* Reading and writing .npy: NumPy's own files, every type, both orders, every damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include "etscope/file.h"
#include "record/numpy.h"

enum { PREAMBLE = 10 };

/* A version 1.0 file of `dict` and `data_bytes` bytes 0, 1, 2... in `buffer`. */
static struct ets_bytes make_file(uint8_t *buffer, const char *dict, size_t data_bytes)
{
    const size_t length = strlen(dict);
    memcpy(buffer, "\x93NUMPY\x01\x00", 8);
    buffer[8] = (uint8_t)(length & 0xff);
    buffer[9] = (uint8_t)(length >> 8);
    memcpy(buffer + PREAMBLE, dict, length);
    for (size_t i = 0; i < data_bytes; i++) buffer[PREAMBLE + length + i] = (uint8_t)i;
    return (struct ets_bytes){buffer, PREAMBLE + length + data_bytes};
}

static enum ets_status read_dict(const char *dict, size_t data_bytes, struct ets_tensor *tensor,
                                 struct ets_error *error)
{
    static uint8_t buffer[4096];
    return ets_npy_read(make_file(buffer, dict, data_bytes), tensor, error);
}

static void test_npy__reads_numpys_own_file(void **state)
{
    (void)state;
    struct ets_file *file;
    struct ets_tensor tensor;
    struct ets_error error;
    assert_int_equal(ets_file_open(TEST_DATA "/mlp_portable/inputs/forward.0.0.npy", &file, &error),
                     ETS_OK);
    assert_int_equal(ets_npy_read(ets_file_bytes(file), &tensor, &error), ETS_OK);
    assert_int_equal(tensor.scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(tensor.rank, 2);
    assert_int_equal(tensor.data_bytes, (size_t)(tensor.sizes[0] * tensor.sizes[1]) * 4);
    assert_true(ets_tensor_is_contiguous(&tensor));
    ets_file_close(file);
}

static void test_npy__strides_follow_the_order(void **state)
{
    (void)state;
    struct ets_tensor tensor;
    assert_int_equal(read_dict("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3, 4), }", 48,
                               &tensor, NULL),
                     ETS_OK);
    assert_int_equal(tensor.strides[0], 12);
    assert_int_equal(tensor.strides[2], 1);
    assert_int_equal(read_dict("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }\n",
                               48, &tensor, NULL),
                     ETS_OK);
    assert_int_equal(tensor.strides[0], 1);
    assert_int_equal(tensor.strides[1], 2);
    assert_int_equal(tensor.strides[2], 6);
}

static void test_npy__shapes(void **state)
{
    (void)state;
    struct ets_tensor tensor;
    assert_int_equal(
        read_dict("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, &tensor, NULL),
        ETS_OK);
    assert_int_equal(tensor.rank, 0);
    assert_int_equal(
        read_dict("{'shape': (3L,), 'fortran_order': False, \"descr\": '=f4'}", 12, &tensor, NULL),
        ETS_OK);
    assert_int_equal(tensor.rank, 1);
    assert_int_equal(tensor.sizes[0], 3);
    assert_int_equal(
        read_dict("{'descr': '|u1', 'fortran_order': True, 'shape': (0, 5), }", 0, &tensor, NULL),
        ETS_OK);
    assert_int_equal(tensor.data_bytes, 0);
    /* Bytes after the array belong to somebody else. */
    assert_int_equal(
        read_dict("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", 9, &tensor, NULL),
        ETS_OK);
    assert_int_equal(tensor.data_bytes, 2);
}

static void test_npy__refusals_say_what_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *dict;
        enum ets_status status;
        const char *part;
        uint64_t offset;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED, "big-endian",
         20},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED,
         "structured", 20},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED, "'|O'", 20},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED, "M8", 20},
        {"{'descr': '|V1', 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED, "V1", 20},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", ETS_MALFORMED, "True", 44},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ETS_MALFORMED, "number", 61},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", ETS_LIMIT,
         "2^63", 61},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", ETS_LIMIT,
         "2^63", 85},
        {"{'descr': '<f4', 'fortran_order': False}", ETS_MALFORMED, "lacks", 50},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", ETS_MALFORMED, "repeated", 27},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", ETS_MALFORMED, "continues",
         66},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", ETS_UNSUPPORTED, "<f4,", 20},
        {"{'descr': '<f4", ETS_MALFORMED, "not terminated", 20},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
         ETS_UNSUPPORTED, "dimensions", 93},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}", ETS_TRUNCATED, "36 bytes", 81},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ets_tensor tensor;
        struct ets_error error = {.status = ETS_OK};
        assert_int_equal(read_dict(cases[i].dict, 16, &tensor, &error), cases[i].status);
        assert_non_null(strstr(error.message, cases[i].part));
        assert_int_equal(error.offset, cases[i].offset);
    }
}

static void test_npy__preambles(void **state)
{
    (void)state;
    static const char dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    uint8_t buffer[128];
    struct ets_tensor tensor;
    struct ets_bytes file = make_file(buffer, dict, 4);
    buffer[6] = 4;
    assert_int_equal(ets_npy_read(file, &tensor, NULL), ETS_UNSUPPORTED);
    buffer[6] = 1;
    buffer[0] = 'N';
    assert_int_equal(ets_npy_read(file, &tensor, NULL), ETS_WRONG_KIND);
    /* Versions 2.0 and 3.0 have a length of four bytes. */
    for (uint8_t major = 2; major <= 3; major++) {
        memcpy(buffer, "\x93NUMPY", 6);
        const uint8_t rest[] = {major, 0, (uint8_t)(sizeof dict - 1), 0, 0, 0};
        memcpy(buffer + 6, rest, sizeof rest);
        memcpy(buffer + 12, dict, sizeof dict - 1);
        file.size = 12 + sizeof dict - 1 + 4;
        assert_int_equal(ets_npy_read(file, &tensor, NULL), ETS_OK);
        buffer[11] = 1;
        assert_int_equal(ets_npy_read(file, &tensor, NULL), ETS_LIMIT);
    }
    assert_int_equal(ets_npy_read((struct ets_bytes){NULL, 0}, &tensor, NULL), ETS_WRONG_KIND);
}

static void test_npy__every_truncation_is_an_error(void **state)
{
    (void)state;
    uint8_t buffer[256];
    struct ets_tensor tensor;
    const struct ets_bytes file =
        make_file(buffer, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 24);
    assert_int_equal(ets_npy_read(file, &tensor, NULL), ETS_OK);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *exact = malloc(size > 0 ? size : 1); /* so a sanitizer sees one byte too far */
        assert_non_null(exact);
        memcpy(exact, buffer, size);
        struct ets_error error;
        assert_int_not_equal(ets_npy_read((struct ets_bytes){exact, size}, &tensor, &error),
                             ETS_OK);
        assert_true(error.offset <= size);
        free(exact);
    }
}

static void test_npy__every_type_is_written_and_read(void **state)
{
    (void)state;
    for (int type = 0; type < 32; type++) {
        struct ets_tensor tensor = {
            .scalar_type = (enum ets_scalar_type)type, .rank = 2, .sizes = {2, 3}};
        uint8_t buffer[ETS_NPY_HEADER_BYTES + 96] = {0};
        size_t size = 0;
        struct ets_tensor again;
        ets_tensor_set_contiguous(&tensor);
        if (ets_npy_type_name(type) == NULL) {
            assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL),
                             ETS_UNSUPPORTED);
            continue;
        }
        assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL), ETS_OK);
        assert_int_equal(size % 64, 0);
        const size_t bytes = 6 * ets_scalar_type_bytes(type);
        const enum ets_status status =
            ets_npy_read((struct ets_bytes){buffer, size + bytes}, &again, NULL);
        if (strcmp(ets_npy_type_name(type), "|V1") == 0) {
            assert_int_equal(status, ETS_UNSUPPORTED);
            continue;
        }
        assert_int_equal(status, ETS_OK);
        assert_int_equal(again.data_bytes, bytes);
        assert_string_equal(ets_npy_type_name((int)again.scalar_type), ets_npy_type_name(type));
        assert_int_equal(again.sizes[1], 3);
    }
}

static void test_npy__writes_what_numpy_writes(void **state)
{
    (void)state;
    static const char wanted[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    struct ets_tensor tensor = {
        .scalar_type = ETS_SCALAR_FLOAT, .rank = 2, .sizes = {2, 3}, .strides = {1, 2}};
    uint8_t buffer[ETS_NPY_HEADER_BYTES];
    size_t size = 0;
    assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL), ETS_OK);
    assert_int_equal(size, 128);
    assert_memory_equal(buffer + PREAMBLE, wanted, sizeof wanted - 1);
    assert_int_equal(buffer[size - 1], '\n');
    for (size_t capacity = 0; capacity < size; capacity++) {
        assert_int_equal(ets_npy_write_header(&tensor, buffer, capacity, &size, NULL),
                         ETS_NO_SPACE);
    }
    tensor.strides[1] = 4;
    assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL),
                     ETS_INVALID_ARGUMENT);
}

static void test_npy__largest_header_has_room(void **state)
{
    (void)state;
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_COMPLEX_DOUBLE,
                                .rank = ETS_TENSOR_MAX_RANK};
    uint8_t buffer[ETS_NPY_HEADER_BYTES];
    size_t size = 0;
    for (uint32_t i = 0; i < tensor.rank; i++) tensor.sizes[i] = i == 0 ? 0 : INT64_MAX;
    assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL),
                     ETS_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < tensor.rank; i++) tensor.sizes[i] = i == 0 ? INT64_MAX : 1;
    ets_tensor_set_contiguous(&tensor);
    assert_int_equal(ets_npy_write_header(&tensor, buffer, sizeof buffer, &size, NULL), ETS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy__reads_numpys_own_file),
        cmocka_unit_test(test_npy__strides_follow_the_order),
        cmocka_unit_test(test_npy__shapes),
        cmocka_unit_test(test_npy__refusals_say_what_and_where),
        cmocka_unit_test(test_npy__preambles),
        cmocka_unit_test(test_npy__every_truncation_is_an_error),
        cmocka_unit_test(test_npy__every_type_is_written_and_read),
        cmocka_unit_test(test_npy__writes_what_numpy_writes),
        cmocka_unit_test(test_npy__largest_header_has_room),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
