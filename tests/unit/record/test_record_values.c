/* Tensors of state dicts, inputs and reference outputs. */
#include "test_record_support.h"

#include "numerics/element.h"

#include "etscope/numerics.h"

static const struct ets_named_value *find_value(const struct ets_named_value *values, size_t count,
                                                const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].name.data, name) == 0) return &values[i];
    }
    return NULL;
}

static float float_at(const struct ets_tensor *tensor, size_t index)
{
    return (float)ets_element_load((const float *)tensor->data + index, ETS_SCALAR_FLOAT, 0);
}

static void test_values__of_state_dicts_point_into_the_file(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("conv_portable", "model.etrecord");
    const struct ets_bytes bytes = ets_file_bytes(file);
    struct ets_etrecord *record = open_record(bytes);
    const struct ets_named_value *values;
    size_t count;
    assert_int_equal(
        ets_etrecord_named_values(record, "edge_dialect_exported_program/forward_state_dict",
                                  &values, &count, NULL),
        ETS_OK);
    assert_int_equal(count, 13);
    const struct ets_named_value *weight = find_value(values, count, "c2.weight");
    assert_int_equal(weight->value.kind, ETS_VALUE_TENSOR);
    const struct ets_tensor *tensor = &weight->value.as.tensor;
    static const int64_t sizes[] = {16, 1, 3, 3};
    assert_int_equal(tensor->rank, 4);
    assert_memory_equal(tensor->sizes, sizes, sizeof sizes);
    assert_int_equal(tensor->scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(tensor->data_bytes, 576);
    assert_true((const uint8_t *)tensor->data > bytes.data &&
                (const uint8_t *)tensor->data < bytes.data + bytes.size);
    assert_float_equal(float_at(tensor, 0), 0.0788516f, 1e-7);
    const struct ets_named_value *tracked = find_value(values, count, "bn.num_batches_tracked");
    assert_int_equal(tracked->value.as.tensor.scalar_type, ETS_SCALAR_LONG);
    assert_int_equal(tracked->value.as.tensor.rank, 0);
    assert_int_equal(tracked->value.as.tensor.data_bytes, 8);
    ets_etrecord_close(record);
    ets_file_close(file);
}

/* The data of a NumPy file (version 1.0) is the tensor's. */
static void check_input(const char *model, size_t index, const struct ets_tensor *tensor)
{
    char name[64];
    snprintf(name, sizeof name, "inputs/forward.0.%zu.npy", index);
    struct ets_file *file = open_fixture(model, name);
    const struct ets_bytes npy = ets_file_bytes(file);
    const size_t header = 10 + npy.data[8] + ((size_t)npy.data[9] << 8);
    assert_int_equal(npy.size - header, tensor->data_bytes);
    assert_memory_equal(npy.data + header, tensor->data, tensor->data_bytes);
    ets_file_close(file);
}

static void test_values__of_inputs_equal_the_numpy_files(void **state)
{
    (void)state;
    static const char *const models[] = {"cond",     "conv_xnnpack", "dynamic",      "gpt_portable",
                                         "map_loop", "mlp_portable", "multi_method", "types"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct ets_file *file = open_fixture(models[i], "model.etrecord");
        struct ets_etrecord *record = open_record(ets_file_bytes(file));
        const struct ets_value *values;
        size_t count;
        assert_int_equal(ets_etrecord_representative_inputs(record, &values, &count, NULL), ETS_OK);
        assert_int_equal(count, strcmp(models[i], "types") == 0 ? 3 : 1);
        for (size_t j = 0; j < count; j++) check_input(models[i], j, &values[j].as.tensor);
        ets_etrecord_close(record);
        ets_file_close(file);
    }
}

static void test_values__of_inputs_say_how_they_were_nested(void **state)
{
    (void)state;
    static const struct ets_nest expected[] = {
        {ETS_NEST_TUPLE, 2, {NULL, 0}}, {ETS_NEST_LIST, 2, {NULL, 0}},
        {ETS_NEST_VALUE, 0, {NULL, 0}}, {ETS_NEST_VALUE, 0, {NULL, 0}},
        {ETS_NEST_DICT, 1, {NULL, 0}},  {ETS_NEST_VALUE, 0, {"scale", 5}},
    };
    struct ets_file *file = open_fixture("nested", "keywords.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_nest *nests;
    size_t count;
    assert_int_equal(ets_etrecord_representative_nests(record, &nests, &count, NULL), ETS_OK);
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nests[i].kind, expected[i].kind);
        assert_int_equal(nests[i].count, expected[i].count);
        assert_int_equal(nests[i].key.size, expected[i].key.size);
        if (nests[i].key.size > 0) {
            assert_memory_equal(nests[i].key.data, expected[i].key.data, nests[i].key.size);
        }
    }
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_values__of_reference_outputs_are_by_method_and_case(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("multi_method", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_value *values;
    struct ets_error error;
    size_t count;
    assert_int_equal(ets_etrecord_reference_outputs(record, "encode", 0, &values, &count, NULL),
                     ETS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(values[0].as.tensor.sizes[1], 6);
    assert_float_equal(float_at(&values[0].as.tensor, 0), 0.625058f, 1e-6);
    assert_int_equal(ets_etrecord_reference_outputs(record, "encode", 1, &values, &count, &error),
                     ETS_NOT_FOUND);
    assert_int_equal(ets_etrecord_reference_outputs(record, "other", 0, &values, &count, &error),
                     ETS_NOT_FOUND);
    ets_etrecord_close(record);
    ets_file_close(file);

    file = open_fixture("types", "model.etrecord");
    record = open_record(ets_file_bytes(file));
    assert_int_equal(ets_etrecord_reference_case_count(record, "forward", &count, NULL), ETS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(ets_etrecord_reference_outputs(record, "forward", 0, &values, &count, NULL),
                     ETS_OK);
    assert_int_equal(count, 10);
    assert_int_equal(values[1].as.tensor.scalar_type, ETS_SCALAR_BOOL);
    assert_int_equal(values[8].as.tensor.scalar_type, ETS_SCALAR_CHAR);
    assert_int_equal(values[9].as.tensor.scalar_type, ETS_SCALAR_DOUBLE);
    /* One column of a split: 4 rows, 6 columns that lie 2 apart, as the file says. */
    assert_int_equal(values[7].as.tensor.strides[0], 6);
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_values__of_every_fixture_are_readable(void **state)
{
    (void)state;
    static const char *const models[] = {
        "cond", "conv_xnnpack_int8", "gpt_xnnpack", "linear_int8_xnnpack", "map_loop", "types"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct ets_file *file = open_fixture(models[i], "model.etrecord");
        struct ets_etrecord *record = open_record(ets_file_bytes(file));
        for (size_t j = 0; j < ets_etrecord_entry_count(record); j++) {
            const char *name = ets_etrecord_entry(record, j)->name.data;
            const struct ets_named_value *values;
            size_t count;
            if (strstr(name, "_state_dict") == NULL && strstr(name, "_constants") == NULL) continue;
            assert_int_equal(ets_etrecord_named_values(record, name, &values, &count, NULL),
                             ETS_OK);
            for (size_t k = 0; k < count; k++) {
                assert_int_equal(values[k].value.kind, ETS_VALUE_TENSOR);
            }
        }
        ets_etrecord_close(record);
        ets_file_close(file);
    }
}

/* A payload with one storage of 8 bytes and the pickle given. */
static enum ets_status open_values(const char *pickle, size_t size,
                                   const struct ets_named_value **values, size_t *count,
                                   struct ets_etrecord **record_out, struct ets_error *error)
{
    static struct zip_writer outer, inner;
    inner = outer = (struct zip_writer){.size = 0};
    zip_add(&inner, "p/data.pkl", pickle, size);
    zip_add(&inner, "p/byteorder", "little", 6);
    zip_add(&inner, "p/data/0", "\0\0\x80\x3f\0\0\0\x40", 8);
    const struct ets_bytes payload = zip_finish(&inner, NULL);
    zip_add(&outer, "ETRECORD_V0", "", 0);
    zip_add(&outer, "x_state_dict", payload.data, payload.size);
    *record_out = open_record(zip_finish(&outer, NULL));
    return ets_etrecord_named_values(*record_out, "x_state_dict", values, count, error);
}

#define STORAGE                                        \
    "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" \
    "0X\3\0\0\0cpuK\2tQ"
#define TENSOR(offset, size) \
    "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE "K" offset "K" size "\x85K\1\x85\x89}tR"

static void test_values__keep_the_tensors_inside_of_unknown_objects(void **state)
{
    (void)state;
    static const char pickle[] =
        "\x80\2}(X\1\0\0\0w"
        "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_wrapper_subclass\n"
        "ctorchao\nInt4\n)}X\5\0\0\0scale" TENSOR("\1", "\1") "stRX\1\0\0\0pK\7X\1\0\0\0nNu.";
    const struct ets_named_value *values;
    struct ets_etrecord *record;
    size_t count;
    assert_int_equal(open_values(pickle, sizeof pickle - 1, &values, &count, &record, NULL),
                     ETS_OK);
    assert_int_equal(count, 4);
    assert_string_equal(values[0].name.data, "w");
    assert_int_equal(values[0].value.kind, ETS_VALUE_OTHER);
    assert_string_equal(values[0].class_name.data, "torchao.Int4");
    assert_null(values[1].class_name.data);
    assert_string_equal(values[1].name.data, "w.scale");
    assert_int_equal(values[1].value.kind, ETS_VALUE_TENSOR);
    assert_float_equal(float_at(&values[1].value.as.tensor, 0), 2.0f, 0);
    assert_int_equal(values[2].value.as.int_value, 7);
    assert_int_equal(values[3].value.kind, ETS_VALUE_NONE);
    ets_etrecord_close(record);
}

/* A parameter of such a class, whose attributes lie beside those of __slots__. */
static void test_values__parameters_of_unknown_classes_have_their_tensors(void **state)
{
    (void)state;
    static const char pickle[] =
        "\x80\2}(X\1\0\0\0w"
        "ctorch._utils\n_rebuild_parameter\n("
        "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_wrapper_subclass\n"
        "ctorchao\nInt4\n)(}X\5\0\0\0scale" TENSOR("\1", "\1") "s}ttR\x88}tRu.";
    const struct ets_named_value *values;
    struct ets_etrecord *record;
    struct ets_error error;
    size_t count;
    if (open_values(pickle, sizeof pickle - 1, &values, &count, &record, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(count, 2);
    assert_string_equal(values[0].class_name.data, "torchao.Int4");
    assert_string_equal(values[1].name.data, "w.scale");
    ets_etrecord_close(record);
}

static void test_values__that_leave_their_storage_are_malformed(void **state)
{
    (void)state;
    static const char good[] = "\x80\2}X\1\0\0\0w" TENSOR("\0", "\2") "s.";
    static const char far[] = "\x80\2}X\1\0\0\0w" TENSOR("\1", "\2") "s.";
    static const char bare[] =
        "\x80\2}X\1\0\0\0w"
        "cos\nsystem\n(X\4\0\0\0truetRs.";
    const struct ets_named_value *values;
    struct ets_etrecord *record;
    struct ets_error error;
    size_t count;
    assert_int_equal(open_values(good, sizeof good - 1, &values, &count, &record, NULL), ETS_OK);
    assert_int_equal(values[0].value.as.tensor.data_bytes, 8);
    ets_etrecord_close(record);
    assert_int_equal(open_values(far, sizeof far - 1, &values, &count, &record, &error),
                     ETS_MALFORMED);
    assert_non_null(strstr(error.message, "x_state_dict"));
    ets_etrecord_close(record);
    assert_int_equal(open_values(bare, sizeof bare - 1, &values, &count, &record, NULL), ETS_OK);
    assert_int_equal(values[0].value.kind, ETS_VALUE_OTHER); /* a name, never called */
    ets_etrecord_close(record);
    static const char call[] = "\x80\2cos\nsystem\n(X\4\0\0\0truetR.";
    assert_int_equal(open_values(call, sizeof call - 1, &values, &count, &record, &error),
                     ETS_MALFORMED);
    assert_non_null(strstr(error.message, "calls os.system instead of holding a dict"));
    ets_etrecord_close(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values__of_state_dicts_point_into_the_file),
        cmocka_unit_test(test_values__of_inputs_equal_the_numpy_files),
        cmocka_unit_test(test_values__of_inputs_say_how_they_were_nested),
        cmocka_unit_test(test_values__of_reference_outputs_are_by_method_and_case),
        cmocka_unit_test(test_values__of_every_fixture_are_readable),
        cmocka_unit_test(test_values__keep_the_tensors_inside_of_unknown_objects),
        cmocka_unit_test(test_values__parameters_of_unknown_classes_have_their_tensors),
        cmocka_unit_test(test_values__that_leave_their_storage_are_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
