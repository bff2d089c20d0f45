/* Tensor data files: one made with flatc, one exported by ExecuTorch together with its program. */
#include "base/load.h"
#include "etscope/program.h"
#include "format/program_lists.h"
#include "test_files_support.h"

static struct ets_text text(const char *string)
{
    return (struct ets_text){string, strlen(string)};
}

static void test_data_file__tensors_and_opaque_bytes(void **state)
{
    (void)state;
    struct ets_data_file data;
    struct ets_data_entry entry;
    struct ets_error error;
    struct ets_file *file = open_file("schema/named.ptd");
    assert_int_equal(ets_kind_sniff(ets_file_bytes(file)), ETS_KIND_DATA_FILE);
    assert_int_equal(ets_data_file_init(&data, ets_file_bytes(file), &error), ETS_OK);
    assert_int_equal(data.entry_count, 4);
    assert_int_equal(data.segment_count, 3);
    ets_data_file_entry(&data, 0, &entry);
    assert_memory_equal(entry.key.data, "linear.weight", entry.key.size);
    assert_int_equal(entry.tensor.scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(entry.tensor.strides[0], 3);
    assert_int_equal(entry.tensor.data_bytes, 24);
    assert_true(ets_load_f32((const uint8_t *)entry.tensor.data + 20) == 5.0f);
    const void *shared = entry.bytes.data;
    assert_int_equal(ets_data_file_find(&data, text("linear.turned"), &entry, &error), ETS_OK);
    assert_ptr_equal(entry.bytes.data, shared); /* two keys, one segment */
    assert_int_equal(entry.tensor.strides[0], 1);
    assert_int_equal(entry.tensor.strides[1], 2);
    assert_int_equal(ets_data_file_find(&data, text("opaque"), &entry, &error), ETS_OK);
    assert_int_equal(entry.has_layout, 0);
    assert_int_equal(entry.bytes.size, 8);
    assert_memory_equal(entry.bytes.data, "anything", 8);
    assert_int_equal(ets_data_file_find(&data, text("empty"), &entry, &error), ETS_OK);
    assert_int_equal(entry.tensor.data_bytes, 0);
    assert_null(entry.tensor.data);
    assert_int_equal(ets_data_file_find(&data, text("linear"), &entry, &error), ETS_NOT_FOUND);
    assert_string_equal(error.message, "no entry 'linear' among 4");
    ets_file_close(file);
}

static void test_data_file__holds_what_a_program_asks_for(void **state)
{
    (void)state;
    struct ets_data_file data;
    struct ets_program program;
    struct ets_method method;
    struct ets_file *file = open_file("ptd/external.ptd"), *pte = open_file("ptd/external.pte");
    assert_int_equal(ets_data_file_init(&data, ets_file_bytes(file), NULL), ETS_OK);
    assert_int_equal(ets_program_init(&program, ets_file_bytes(pte), NULL), ETS_OK);
    ets_program_method(&program, 0, &method);
    unsigned found = 0;
    for (uint32_t i = 0; i < method.value_count; i++) {
        struct ets_evalue value;
        struct ets_data_entry entry;
        ets_method_value(&method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR || value.tensor.place != ETS_PLACE_EXTERNAL_CONSTANT) {
            continue;
        }
        assert_int_equal(ets_data_file_find(&data, value.tensor.qualified_name, &entry, NULL),
                         ETS_OK);
        assert_int_equal(entry.tensor.data_bytes, value.tensor.tensor_bytes);
        assert_memory_equal(entry.tensor.sizes, value.tensor.tensor.sizes,
                            sizeof entry.tensor.sizes);
        found++;
    }
    assert_int_equal(found, 2);
    ets_file_close(pte);
    ets_file_close(file);
}

/* One change of `width` bytes at `at`, and what the reader says then. */
struct change {
    size_t at, width;
    uint64_t value;
    enum ets_status status;
    const char *message;
};

static void test_data_file__header(void **state)
{
    (void)state;
    struct ets_file *file = open_file("schema/named.ptd");
    const struct ets_bytes bytes = ets_file_bytes(file);
    struct ets_data_file data;
    assert_int_equal(ets_data_file_init(&data, bytes, NULL), ETS_OK);
    assert_int_equal(data.flatbuffer_bytes, 456);
    assert_int_equal(data.segment_base, 512);
    assert_int_equal(data.segment_bytes, 136);
    const struct change changes[] = {
        {8, 4, 0, ETS_MALFORMED, "header FH01 is missing after the identifier"},
        {12, 4, 39, ETS_MALFORMED, "header has 39 bytes instead of 40"},
        {24, 8, 700, ETS_TRUNCATED, "the header announces 700 bytes at 48, but the file has 648"},
        {24, 8, UINT64_MAX, ETS_TRUNCATED, NULL},
        {16, 8, UINT64_MAX, ETS_TRUNCATED, NULL},
        {32, 8, 455, ETS_MALFORMED, "segments start at 455, inside the FlatBuffer of 456 bytes"},
        {32, 8, 0, ETS_MALFORMED, "segment 0 has 24 bytes, but the header lists no segments"},
        {40, 8, 137, ETS_TRUNCATED,
         "137 bytes of segments at 512 run past the end of the file of 648"},
        {40, 8, 135, ETS_MALFORMED,
         "segment 1: 8 bytes at 128 lie outside the 135 bytes of segments"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct ets_error error = {.message = ""};
        uint8_t copy[1024];
        memcpy(copy, bytes.data, bytes.size);
        for (size_t j = 0; j < changes[i].width; j++) {
            copy[changes[i].at + j] = (uint8_t)(changes[i].value >> 8 * j);
        }
        const struct ets_bytes changed = {copy, bytes.size};
        assert_int_equal(ets_data_file_init(&data, changed, &error), changes[i].status);
        if (changes[i].message != NULL) assert_string_equal(error.message, changes[i].message);
    }
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_file__tensors_and_opaque_bytes),
        cmocka_unit_test(test_data_file__holds_what_a_program_asks_for),
        cmocka_unit_test(test_data_file__header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
