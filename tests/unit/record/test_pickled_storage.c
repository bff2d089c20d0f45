/* Tensors that were pickled without torch.save, as in records of ExecuTorch 1.0 to 1.2. */
#include "test_faults_support.h"
#include "test_record_support.h"

#include "numerics/element.h"
#include "record/torch_save.h"

/* The pickles of a storage of two floats, before its elements. */
#define MAGIC "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
#define VERSION "\x80\2M\xe9\3."
#define MACHINE(little) "\x80\2}X\x0d\0\0\0little_endian" little "s."
#define STORAGE_ID                                           \
    "\x80\2(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" \
    "9X\3\0\0\0cpuK\2NtQ."
#define KEYS           \
    "\x80\2]X\1\0\0\0" \
    "9a."
#define ELEMENTS "\2\0\0\0\0\0\0\0"
#define FLOATS "\0\0\x80\x3f\0\0\0\x40"
static const char WHOLE[] = MAGIC VERSION MACHINE("\x88") STORAGE_ID KEYS ELEMENTS FLOATS;
enum { WHOLE_BYTES = sizeof WHOLE - 1 };

/* The pickle of a tensor of both floats, with `size` bytes of `storage`. */
static size_t write_tensor(uint8_t *pickle, const void *storage, size_t size)
{
    static const char before[] =
        "\x80\2ctorch._utils\n_rebuild_tensor_v2\n(ctorch.storage\n_load_from_bytes\nB";
    static const char behind[] = "\x85RK\0K\2\x85K\1\x85\x89}tR.";
    uint8_t *at = pickle;
    memcpy(at, before, sizeof before - 1);
    at += sizeof before - 1;
    put_number(at, size, 4);
    memcpy(at + 4, storage, size);
    at += 4 + size;
    memcpy(at, behind, sizeof behind - 1);
    return (size_t)(at - pickle) + sizeof behind - 1;
}

static enum ets_status read_tensor(const uint8_t *pickle, size_t size,
                                   const struct ets_allocator *allocator, float *last,
                                   struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_torch_save save;
    struct ets_value value;
    ets_arena_init(&arena, allocator, 0);
    enum ets_status status = ets_torch_save_open(
        &save, (struct ets_text){"entry", 5}, (struct ets_bytes){pickle, size}, 0, &arena, error);
    if (status == ETS_OK) status = ets_torch_save_value(&save, save.root, &value);
    if (status == ETS_OK) {
        assert_int_equal(value.kind, ETS_VALUE_TENSOR);
        assert_int_equal(value.as.tensor.scalar_type, ETS_SCALAR_FLOAT);
        assert_int_equal(value.as.tensor.data_bytes, 8);
        *last =
            (float)ets_element_load((const float *)value.as.tensor.data + 1, ETS_SCALAR_FLOAT, 0);
    }
    ets_arena_reset(&arena);
    return status;
}

static enum ets_status read_storage(const void *storage, size_t size, struct ets_error *error)
{
    uint8_t pickle[2 * WHOLE_BYTES + 128];
    float last = 0;
    const size_t used = write_tensor(pickle, storage, size);
    const enum ets_status status = read_tensor(pickle, used, NULL, &last, error);
    if (status == ETS_OK) assert_float_equal(last, 2, 0);
    else assert_true(error->offset == ETS_NO_OFFSET || error->offset <= used);
    return status;
}

static void test_pickled_storage__is_whole_or_damage(void **state)
{
    (void)state;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(read_storage(WHOLE, WHOLE_BYTES, &error), ETS_OK);
    for (size_t size = first_fault(1); size < WHOLE_BYTES; size += FAULT_STRIDE) {
        error = (struct ets_error){.status = ETS_OK};
        assert_damage_told(read_storage(WHOLE, size, &error), &error, sizeof WHOLE + 128);
    }
}

/* Some are other storages: of another type, or of fewer elements. */
static void test_pickled_storage__one_bit_flipped(void **state)
{
    (void)state;
    for (size_t i = first_fault(2); i < WHOLE_BYTES - 8; i += FAULT_STRIDE) {
        char flipped[WHOLE_BYTES];
        uint8_t pickle[2 * WHOLE_BYTES];
        struct ets_arena arena;
        struct ets_torch_save save;
        struct ets_value value;
        struct ets_error error = {.status = ETS_OK};
        memcpy(flipped, WHOLE, WHOLE_BYTES);
        flipped[i] = (char)(flipped[i] ^ 1 << i % 8);
        const struct ets_bytes bytes = {pickle, write_tensor(pickle, flipped, WHOLE_BYTES)};
        ets_arena_init(&arena, NULL, 0);
        enum ets_status status =
            ets_torch_save_open(&save, (struct ets_text){"entry", 5}, bytes, 0, &arena, &error);
        assert_int_equal(status, ETS_OK);
        status = ets_torch_save_value(&save, save.root, &value);
        if (status != ETS_OK) assert_damage_told(status, &error, bytes.size);
        ets_arena_reset(&arena);
    }
}

static void test_pickled_storage__says_what_it_does_not_read(void **state)
{
    (void)state;
    static const char big[] = MAGIC VERSION MACHINE("\x89") STORAGE_ID KEYS ELEMENTS FLOATS;
    static const char later[] =
        MAGIC "\x80\2M\xea\3." MACHINE("\x88") STORAGE_ID KEYS ELEMENTS FLOATS;
    static const char two[] = MAGIC VERSION MACHINE("\x88") STORAGE_ID
        "\x80\2]X\1\0\0\0"
        "9aX\1\0\0\0"
        "8a." ELEMENTS FLOATS;
    static const char number[] = MAGIC VERSION MACHINE("\x88") "\x80\2K\1." KEYS ELEMENTS FLOATS;
    static const char beginning[] =
        VERSION VERSION VERSION VERSION MACHINE("\x88") STORAGE_ID KEYS ELEMENTS;
    static const struct {
        const char *storage;
        size_t size;
        enum ets_status status;
        const char *told;
    } cases[] = {
        {big, sizeof big - 1, ETS_UNSUPPORTED, "big-endian"},
        {later, sizeof later - 1, ETS_UNSUPPORTED, "unknown version"},
        {two, sizeof two - 1, ETS_MALFORMED, "several keys, or none"},
        {number, sizeof number - 1, ETS_MALFORMED, "no persistent id"},
        {beginning, sizeof beginning - 1, ETS_MALFORMED,
         "does not start with torch.save's magic number"},
        {WHOLE, WHOLE_BYTES - 1, ETS_MALFORMED, "shorter than its element count"},
        {WHOLE, WHOLE_BYTES - 9, ETS_TRUNCATED, "before its elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ets_error error = {.status = ETS_OK};
        assert_int_equal(read_storage(cases[i].storage, cases[i].size, &error), cases[i].status);
        assert_non_null(strstr(error.message, cases[i].told));
    }
}

/* A storage of torch.save's zip, where there is none. */
static void test_pickled_storage__a_plain_pickle_has_no_zip(void **state)
{
    (void)state;
    static const char pickle[] =
        "\x80\2ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\n"
        "X\1\0\0\0"
        "0X\3\0\0\0cpuK\2tQK\0K\2\x85K\1\x85\x89}tR.";
    struct ets_error error = {.status = ETS_OK};
    float last;
    assert_int_equal(read_tensor((const uint8_t *)pickle, sizeof pickle - 1, NULL, &last, &error),
                     ETS_MALFORMED);
    assert_non_null(strstr(error.message, "a storage is not in the zip"));
}

static void test_pickled_storage__every_allocation_fails_once(void **state)
{
    (void)state;
    uint8_t pickle[2 * WHOLE_BYTES];
    const size_t used = write_tensor(pickle, WHOLE, WHOLE_BYTES);
    for (unsigned long limit = 0;; limit++) {
        struct failing failing = {.fail_at = limit};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        float last;
        const enum ets_status status = read_tensor(pickle, used, &allocator, &last, &error);
        assert_int_equal(failing.live, 0);
        if (failing.calls <= limit) {
            assert_int_equal(status, ETS_OK);
            break;
        }
        assert_int_equal(status, ETS_NO_MEMORY);
        assert_true(limit < 100);
    }
}

/* A storage that very many tensors share is read for each, up to a limit, and takes no memory. */
static void test_pickled_storage__work_and_memory_are_bounded(void **state)
{
    (void)state;
    uint8_t pickle[2 * WHOLE_BYTES];
    struct ets_arena arena;
    struct ets_torch_save save;
    struct ets_error error = {.status = ETS_OK};
    ets_arena_init(&arena, NULL, 0);
    const struct ets_bytes bytes = {pickle, write_tensor(pickle, WHOLE, WHOLE_BYTES)};
    assert_int_equal(
        ets_torch_save_open(&save, (struct ets_text){"entry", 5}, bytes, 0, &arena, &error),
        ETS_OK);
    enum ets_status status = ETS_OK;
    uint32_t tensors = 0;
    const size_t used_bytes = arena.used_bytes;
    while (status == ETS_OK && tensors < 1000000) {
        struct ets_value value;
        status = ets_torch_save_value(&save, save.root, &value);
        tensors++;
    }
    assert_int_equal(status, ETS_LIMIT);
    assert_true(tensors > 10000);
    assert_int_equal(arena.used_bytes, used_bytes);
    assert_non_null(strstr(error.message, "entry: holds too many storages"));
    ets_arena_reset(&arena);
}

static float float_at(const struct ets_value *value, size_t index)
{
    assert_int_equal(value->kind, ETS_VALUE_TENSOR);
    const struct ets_tensor *tensor = &value->as.tensor;
    const uint8_t *data = tensor->data;
    return (float)ets_element_load(data + index * ets_scalar_type_bytes(tensor->scalar_type),
                                   tensor->scalar_type, 0);
}

/* tests/data/versions/make_pickled.py has the values. */
static void test_pickled_storage__of_a_record(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("versions", "pickled.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_value *values;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(record, &values, &count, NULL), ETS_OK);
    assert_int_equal(count, 13);
    assert_float_equal(float_at(&values[0], 11), 11, 0);
    assert_float_equal(float_at(&values[1], 0), 4, 0); /* begins at the second row */
    assert_int_equal(values[1].as.tensor.strides[1], 2);
    assert_int_equal(values[2].as.tensor.sizes[0], 4);
    assert_int_equal(values[2].as.tensor.strides[0], 1);
    assert_float_equal(float_at(&values[3], 1), -2, 0);
    assert_int_equal(values[4].as.tensor.scalar_type, ETS_SCALAR_BOOL);
    assert_float_equal(float_at(&values[5], 1), -1.5, 0);
    assert_float_equal(float_at(&values[6], 0), 2.5, 0);
    assert_int_equal(values[7].as.tensor.scalar_type, ETS_SCALAR_UINT16);
    assert_float_equal(float_at(&values[7], 1), 65535, 0);
    assert_int_equal(values[8].as.tensor.data_bytes, 0);
    assert_int_equal(values[9].as.int_value, 7);
    assert_int_equal(values[12].kind, ETS_VALUE_NONE);
    assert_int_equal(ets_etrecord_reference_case_count(record, "forward", &count, NULL), ETS_OK);
    assert_int_equal(count, 2);
    assert_int_equal(ets_etrecord_reference_outputs(record, "forward", 1, &values, &count, NULL),
                     ETS_OK);
    assert_float_equal(float_at(&values[0], 1), -2, 0);
    ets_etrecord_close(record);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pickled_storage__is_whole_or_damage),
        cmocka_unit_test(test_pickled_storage__one_bit_flipped),
        cmocka_unit_test(test_pickled_storage__says_what_it_does_not_read),
        cmocka_unit_test(test_pickled_storage__a_plain_pickle_has_no_zip),
        cmocka_unit_test(test_pickled_storage__every_allocation_fails_once),
        cmocka_unit_test(test_pickled_storage__work_and_memory_are_bounded),
        cmocka_unit_test(test_pickled_storage__of_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
