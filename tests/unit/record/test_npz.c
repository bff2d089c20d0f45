/* .npz files: written and read back, damaged at every byte, without memory, without a disk. */
#include "test_inspect_support.h"

#include "host/output.h"

#include "record/numpy.h"
#include "test_written_support.h"

static const float numbers[6] = {1, 2, 3, 4, 5, 6};
static const int64_t longs[3] = {7, -8, 9};

static struct ets_tensor matrix(void)
{
    return (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                               .rank = 2,
                               .sizes = {2, 3},
                               .strides = {1, 2}, /* column by column */
                               .data = numbers,
                               .data_bytes = sizeof numbers};
}

static struct ets_tensor vector(void)
{
    return (struct ets_tensor){.scalar_type = ETS_SCALAR_LONG,
                               .rank = 1,
                               .sizes = {3},
                               .strides = {1},
                               .data = longs,
                               .data_bytes = sizeof longs};
}

/* Two arrays; the status of the first step that failed. */
static enum ets_status write_two(struct ets_output *output, const struct ets_allocator *allocator,
                                 struct ets_error *error)
{
    const struct ets_tensor first = matrix(), second = vector();
    struct ets_npz_writer *writer = NULL;
    enum ets_status status = ets_npz_writer_open(output, allocator, &writer, error);
    if (status == ETS_OK) status = ets_npz_writer_add(writer, "weight", &first, error);
    if (status == ETS_OK) status = ets_npz_writer_add(writer, "ids", &second, error);
    if (status == ETS_OK) status = ets_npz_writer_finish(writer, error);
    ets_npz_writer_close(writer);
    return status;
}

/* The bytes of the two arrays, to be freed. */
static struct ets_bytes two_arrays(void)
{
    char path[64];
    struct ets_error error;
    struct ets_output *output = begin_written(path);
    const enum ets_status status = write_two(output, NULL, &error);
    struct ets_bytes bytes = take_written(path, output);
    if (status == ETS_UNAVAILABLE) {
        free((void *)(uintptr_t)bytes.data);
        SKIP_BECAUSE(NO_RECORDS);
    }
    assert_int_equal(status, ETS_OK);
    return bytes;
}

static void test_npz__what_is_written_is_read_back(void **state)
{
    (void)state;
    const struct ets_bytes bytes = two_arrays();
    const float row_major[6] = {1, 3, 5, 2, 4, 6};
    struct ets_npz *npz;
    struct ets_tensor tensor;
    struct ets_error error;
    assert_int_equal(ets_npz_open(bytes, NULL, &npz, &error), ETS_OK);
    assert_int_equal(ets_npz_count(npz), 2);
    assert_int_equal(ets_npz_name(npz, 0).size, 6);
    assert_memory_equal(ets_npz_name(npz, 0).data, "weight", 6);
    assert_null(ets_npz_name(npz, 2).data);
    assert_int_equal(ets_npz_find(npz, (struct ets_text){"ids", 3}), 1);
    assert_int_equal(ets_npz_find(npz, (struct ets_text){"id", 2}), 2);
    assert_int_equal(ets_npz_read(npz, 0, &tensor, &error), ETS_OK);
    assert_int_equal(tensor.scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(tensor.sizes[1], 3);
    assert_true(ets_tensor_is_contiguous(&tensor));
    assert_memory_equal(tensor.data, row_major, sizeof row_major);
    assert_int_equal(ets_npz_read(npz, 1, &tensor, &error), ETS_OK);
    assert_memory_equal(tensor.data, longs, sizeof longs);
    assert_int_equal(ets_npz_read(npz, 2, &tensor, &error), ETS_NOT_FOUND);
    ets_npz_close(npz);
    free((void *)(uintptr_t)bytes.data);
}

static void test_npz__what_cannot_be_added_is_left_out(void **state)
{
    (void)state;
    const struct ets_bytes expected = two_arrays();
    char path[64];
    struct ets_error error;
    struct ets_npz_writer *writer;
    struct ets_tensor first = matrix(), second = vector(), bad = vector();
    struct ets_output *output = begin_written(path);
    assert_int_equal(ets_npz_writer_open(output, NULL, &writer, &error), ETS_OK);
    assert_int_equal(ets_npz_writer_add(writer, "weight", &first, &error), ETS_OK);
    assert_int_equal(ets_npz_writer_add(writer, "", &bad, &error), ETS_INVALID_ARGUMENT);
    bad.scalar_type = ETS_SCALAR_COMPLEX_HALF;
    assert_int_equal(ets_npz_writer_add(writer, "half", &bad, &error), ETS_UNSUPPORTED);
    bad = vector();
    bad.sizes[0] = 4;
    assert_int_equal(ets_npz_writer_add(writer, "long", &bad, &error), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_npz_writer_add(writer, "ids", &second, &error), ETS_OK);
    assert_int_equal(ets_npz_writer_finish(writer, &error), ETS_OK);
    ets_npz_writer_close(writer);
    const struct ets_bytes bytes = take_written(path, output);
    assert_int_equal(bytes.size, expected.size);
    assert_memory_equal(bytes.data, expected.data, bytes.size);
    free((void *)(uintptr_t)bytes.data);
    free((void *)(uintptr_t)expected.data);
}

static void test_npz__two_of_one_name_are_refused(void **state)
{
    (void)state;
    struct ets_error error;
    struct ets_npz_writer *writer;
    struct ets_output *output;
    const struct ets_tensor tensor = vector();
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    const enum ets_status status = ets_npz_writer_open(output, NULL, &writer, &error);
    if (status == ETS_OK) {
        assert_int_equal(ets_npz_writer_add(writer, "a", &tensor, &error), ETS_OK);
        assert_int_equal(ets_npz_writer_add(writer, "b", &tensor, &error), ETS_OK);
        assert_int_equal(ets_npz_writer_add(writer, "a", &tensor, &error), ETS_OK);
        assert_int_equal(ets_npz_writer_finish(writer, &error), ETS_INVALID_ARGUMENT);
        ets_npz_writer_close(writer);
    }
    ets_output_discard(output);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(status, ETS_OK);
}

/* As many entries as 16 bits do not count: the zip64 records. */
static void test_npz__seventy_thousand_arrays(void **state)
{
    (void)state;
    enum { COUNT_OF_ARRAYS = 70000 };
    char path[64], name[16];
    struct ets_error error;
    struct ets_npz_writer *writer;
    struct ets_npz *npz;
    struct ets_tensor tensor = vector();
    struct ets_output *output = begin_written(path);
    const enum ets_status status = ets_npz_writer_open(output, NULL, &writer, &error);
    for (int i = 0; status == ETS_OK && i < COUNT_OF_ARRAYS; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(ets_npz_writer_add(writer, name, &tensor, &error), ETS_OK);
    }
    if (status == ETS_OK) {
        assert_int_equal(ets_npz_writer_finish(writer, &error), ETS_OK);
        ets_npz_writer_close(writer);
    }
    const struct ets_bytes bytes = take_written(path, output);
    if (status == ETS_OK) {
        assert_int_equal(ets_npz_open(bytes, NULL, &npz, &error), ETS_OK);
        assert_int_equal(ets_npz_count(npz), COUNT_OF_ARRAYS);
        assert_int_equal(ets_npz_read(npz, COUNT_OF_ARRAYS - 1, &tensor, &error), ETS_OK);
        ets_npz_close(npz);
    }
    free((void *)(uintptr_t)bytes.data);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(status, ETS_OK);
}

/* Opens, and reads what there is. */
static enum ets_status read_all(struct ets_bytes bytes, const struct ets_allocator *allocator,
                                struct ets_error *error)
{
    struct ets_npz *npz;
    struct ets_tensor tensor;
    enum ets_status status = ets_npz_open(bytes, allocator, &npz, error);
    if (status != ETS_OK) return status;
    for (size_t i = 0; status == ETS_OK && i < ets_npz_count(npz); i++) {
        status = ets_npz_read(npz, i, &tensor, error);
    }
    ets_npz_close(npz);
    return status;
}

static void test_npz__every_cut_and_every_changed_byte(void **state)
{
    (void)state;
    struct ets_bytes bytes = two_arrays();
    struct ets_error error = {.status = ETS_OK};
    for (size_t size = 0; size < bytes.size; size++) {
        uint8_t *cut = malloc(size + 1); /* the sanitizer sees the end */
        assert_non_null(cut);
        memcpy(cut, bytes.data, size);
        assert_int_not_equal(read_all((struct ets_bytes){cut, size}, NULL, &error), ETS_OK);
        assert_true(error.message[0] != '\0');
        assert_true(error.offset == ETS_NO_OFFSET || error.offset <= size);
        free(cut);
    }
    uint8_t *changed = (uint8_t *)(uintptr_t)bytes.data;
    for (size_t i = 0; i < bytes.size; i++) {
        changed[i] ^= 0xff;
        (void)read_all(bytes, NULL, &error);
        changed[i] ^= 0xff;
    }
    assert_int_equal(read_all(bytes, NULL, &error), ETS_OK);
    free(changed);
}

static void test_npz__another_zip_is_none(void **state)
{
    (void)state;
    struct ets_file *file;
    struct ets_error error;
    assert_int_equal(ets_file_open(TEST_DATA "/mlp_portable/model.etrecord", &file, NULL), ETS_OK);
    const enum ets_status status = read_all(ets_file_bytes(file), NULL, &error);
    ets_file_close(file);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(status, ETS_WRONG_KIND);
}

static void test_npz__every_allocation_fails_once(void **state)
{
    (void)state;
    const struct ets_bytes bytes = two_arrays();
    enum ets_status status = ETS_NO_MEMORY;
    struct ets_error error;
    for (unsigned long n = 0; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        status = read_all(bytes, &allocator, &error);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    status = ETS_NO_MEMORY;
    for (unsigned long n = 0; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_output *output;
        assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
        status = write_two(output, &allocator, &error);
        ets_output_discard(output);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    free((void *)(uintptr_t)bytes.data);
}

static void test_npz__a_full_device_is_told_at_commit(void **state)
{
    (void)state;
    struct ets_output *output;
    struct ets_error error;
    if (access("/dev/full", W_OK) != 0) SKIP_BECAUSE("needs /dev/full");
    assert_int_equal(ets_output_open("/dev/full", &output, NULL), ETS_OK);
    const enum ets_status status = write_two(output, NULL, &error);
    const enum ets_status committed = ets_output_commit(output, &error);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(committed, ETS_IO);
}

/* Elements from any place on, whatever the strides. */
static void test_npz__elements_are_gathered_in_logical_order(void **state)
{
    (void)state;
    const float row_major[6] = {1, 3, 5, 2, 4, 6};
    const struct ets_tensor tensor = matrix();
    for (size_t first = 0; first <= 6; first++) {
        for (size_t count = 0; first + count <= 6; count++) {
            float out[7] = {0};
            ets_tensor_gather(&tensor, first, count, out);
            assert_memory_equal(out, row_major + first, count * sizeof *out);
            assert_true(out[count] == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npz__what_is_written_is_read_back),
        cmocka_unit_test(test_npz__what_cannot_be_added_is_left_out),
        cmocka_unit_test(test_npz__two_of_one_name_are_refused),
        cmocka_unit_test(test_npz__seventy_thousand_arrays),
        cmocka_unit_test(test_npz__every_cut_and_every_changed_byte),
        cmocka_unit_test(test_npz__another_zip_is_none),
        cmocka_unit_test(test_npz__every_allocation_fails_once),
        cmocka_unit_test(test_npz__a_full_device_is_told_at_commit),
        cmocka_unit_test(test_npz__elements_are_gathered_in_logical_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
