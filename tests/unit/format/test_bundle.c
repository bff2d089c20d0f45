/* The bundle reader against flatc (tests/data/schema/bundles.txt) and the inputs as NumPy files. */
#define _POSIX_C_SOURCE 200809L
#include "etscope/bundle.h"
#include "etscope/program.h"
#include "format/flatbuffer.h"
#include "test_files_support.h"

static struct ets_file *open_bundle(const char *name, struct ets_bundle *bundle)
{
    struct ets_error error = {.message = ""};
    struct ets_file *file = open_file(name);
    const enum ets_status status = ets_bundle_init(bundle, ets_file_bytes(file), &error);
    if (status != ETS_OK) fail_msg("%s: %s", name, error.message);
    return file;
}

static void print_numbers(FILE *out, const int64_t *numbers, uint32_t count)
{
    fputs(" [", out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%lld", i != 0 ? ", " : "", (long long)numbers[i]);
    }
    fputc(']', out);
}

static void print_value(FILE *out, const struct ets_value *value)
{
    switch (value->kind) {
    case ETS_VALUE_INT: fprintf(out, "int %lld\n", (long long)value->as.int_value); return;
    case ETS_VALUE_BOOL: fprintf(out, "bool %d\n", (int)value->as.bool_value); return;
    case ETS_VALUE_DOUBLE: fprintf(out, "double %.9g\n", value->as.double_value); return;
    case ETS_VALUE_TENSOR: break;
    default: fprintf(out, "kind %d\n", (int)value->kind); return;
    }
    const struct ets_tensor *tensor = &value->as.tensor;
    fprintf(out, "tensor %s", ets_scalar_type_name(tensor->scalar_type));
    print_numbers(out, tensor->sizes, tensor->rank);
    print_numbers(out, tensor->strides, tensor->rank);
    fprintf(out, " %016llx\n", (unsigned long long)fnv(tensor->data, tensor->data_bytes));
}

static void print_case(FILE *out, const struct ets_bundle_suite *suite, uint32_t index)
{
    struct ets_bundle_case test_case;
    struct ets_value value;
    ets_bundle_case(suite, index, &test_case);
    for (uint32_t i = 0; i < test_case.input_count; i++) {
        ets_bundle_input(&test_case, i, &value);
        fprintf(out, "%s %u inputs %u ", suite->method_name.data, index, i);
        print_value(out, &value);
    }
    for (uint32_t i = 0; i < test_case.expected_count; i++) {
        ets_bundle_expected(&test_case, i, &value);
        fprintf(out, "%s %u expected_outputs %u ", suite->method_name.data, index, i);
        print_value(out, &value);
    }
}

static void print_bundle(FILE *out, const struct ets_bundle *bundle)
{
    fprintf(out, "version %u program %llu %zu %016llx\n", bundle->version,
            (unsigned long long)bundle->program_offset, bundle->program.size,
            (unsigned long long)fnv(bundle->program.data, bundle->program.size));
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        for (uint32_t j = 0; j < suite.case_count; j++) print_case(out, &suite, j);
    }
}

static void test_bundle__reads_what_flatc_reads(void **state)
{
    (void)state;
    FILE *golden = fopen(TEST_DATA "/schema/bundles.txt", "r");
    assert_non_null(golden);
    char *read = NULL, *expected = NULL, line[4096];
    size_t read_size = 0, expected_size = 0;
    FILE *out = open_memstream(&read, &read_size);
    FILE *copy = open_memstream(&expected, &expected_size);
    unsigned bundles = 0;
    while (fgets(line, sizeof line, golden) != NULL) {
        fputs(line, copy);
        if (line[0] != '#') continue;
        line[strcspn(line, "\n")] = '\0';
        struct ets_bundle bundle;
        struct ets_file *file = open_bundle(line + 2, &bundle);
        fprintf(out, "%s\n", line);
        print_bundle(out, &bundle);
        ets_file_close(file);
        bundles++;
    }
    fclose(golden);
    fclose(out);
    fclose(copy);
    assert_string_equal(read, expected);
    assert_true(bundles >= 15);
    free(read);
    free(expected);
}

/* A .npy file ends in its elements, so that its header need not be read here. */
static void compare_input(const char *model, const struct ets_bundle_suite *suite,
                          uint32_t test_case, uint32_t argument, const struct ets_value *value)
{
    char name[256];
    snprintf(name, sizeof name, "%s/inputs/%s.%u.%u.npy", model, suite->method_name.data, test_case,
             argument);
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    const struct ets_tensor *tensor = &value->as.tensor;
    assert_int_equal(value->kind, ETS_VALUE_TENSOR);
    assert_true(bytes.size > tensor->data_bytes && (bytes.size - tensor->data_bytes) % 64 == 0);
    assert_memory_equal(bytes.data + bytes.size - tensor->data_bytes, tensor->data,
                        tensor->data_bytes);
    ets_file_close(file);
}

static void test_bundle__inputs_are_the_numpy_files(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (size_t m = 0; m < COUNT(fixture_models); m++) {
        char name[128];
        struct ets_bundle bundle;
        snprintf(name, sizeof name, "%s/model.bpte", fixture_models[m]);
        struct ets_file *file = open_bundle(name, &bundle);
        for (uint32_t i = 0; i < bundle.suite_count; i++) {
            struct ets_bundle_suite suite;
            ets_bundle_suite(&bundle, i, &suite);
            for (uint32_t j = 0; j < suite.case_count; j++) {
                struct ets_bundle_case test_case;
                ets_bundle_case(&suite, j, &test_case);
                for (uint32_t k = 0; k < test_case.input_count; k++, compared++) {
                    struct ets_value value;
                    ets_bundle_input(&test_case, k, &value);
                    compare_input(fixture_models[m], &suite, j, k, &value);
                }
            }
        }
        ets_file_close(file);
    }
    assert_true(compared >= 25);
}

static void test_bundle__holds_the_same_program(void **state)
{
    (void)state;
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_file *file = open_bundle("types/model.bpte", &bundle);
    struct ets_file *pte = open_file("types/model.pte");
    assert_int_equal(bundle.program.size, ets_file_bytes(pte).size);
    assert_memory_equal(bundle.program.data, ets_file_bytes(pte).data, bundle.program.size);
    assert_int_equal(ets_program_init(&program, bundle.program, NULL), ETS_OK);
    assert_int_equal(program.method_count, 1);
    ets_file_close(pte);
    ets_file_close(file);
}

static void test_bundle__oddities(void **state)
{
    (void)state;
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_bundle_case test_case;
    struct ets_value value;
    struct ets_file *file = open_bundle("schema/oddities.bpte", &bundle);
    assert_int_equal(bundle.suite_count, 2);
    assert_int_equal(ets_bundle_find_suite(&bundle, "forward", &suite, NULL), ETS_OK);
    assert_int_equal(suite.index, 0); /* of two with that name */
    ets_bundle_case(&suite, 0, &test_case);
    assert_int_equal(test_case.expected_count, 0); /* the vector is absent */
    ets_bundle_case(&suite, 2, &test_case);
    assert_int_equal(test_case.expected_count, 0); /* the vector is empty */
    ets_bundle_case(&suite, 1, &test_case);
    ets_bundle_input(&test_case, 0, &value); /* dim_order 1, 0 */
    assert_int_equal(value.as.tensor.strides[0], 1);
    assert_int_equal(value.as.tensor.strides[1], 2);
    ets_bundle_input(&test_case, 1, &value); /* no bytes */
    assert_null(value.as.tensor.data);
    assert_int_equal(value.as.tensor.data_bytes, 0);
    ets_bundle_input(&test_case, 3, &value); /* stored with more bytes than it has */
    assert_int_equal(value.as.tensor.data_bytes, 2);
    ets_file_close(file);
}

static void test_bundle__names_the_suites_there_are(void **state)
{
    (void)state;
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_error error;
    struct ets_file *file = open_bundle("multi_method/model.bpte", &bundle);
    assert_int_equal(ets_bundle_find_suite(&bundle, "encode", &suite, &error), ETS_OK);
    assert_int_equal(suite.index, 1);
    assert_int_equal(ets_bundle_find_suite(&bundle, "x", &suite, &error), ETS_NOT_FOUND);
    assert_string_equal(
        error.message,
        "no test cases for method 'x'; the bundle has those of decode, encode, forward");
    ets_file_close(file);
}

/* The verifier does not look into a union of unknown kind; neither may the reader. */
static void test_bundle__unknown_kinds_are_not_followed(void **state)
{
    (void)state;
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_bundle_case test_case;
    struct ets_value value;
    struct ets_file *file = open_bundle("schema/oddities.bpte", &bundle);
    const struct ets_bytes bytes = ets_file_bytes(file);
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    ets_bundle_suite(&bundle, 0, &suite);
    ets_bundle_case(&suite, 0, &test_case);
    const struct ets_fb_vector inputs =
        ets_fb_vector((struct ets_fb){bytes.data, test_case.case_at}, 0);
    const struct ets_fb first = ets_fb_vector_table(inputs, 0);
    static const uint8_t tags[] = {0, 5, 200};
    memset(copy + ets_fb_field_at(first, 1), 0xf0, 4);
    for (size_t i = 0; i < sizeof tags; i++) {
        copy[ets_fb_field_at(first, 0)] = tags[i];
        assert_int_equal(ets_bundle_init(&bundle, (struct ets_bytes){copy, bytes.size}, NULL),
                         ETS_OK);
        ets_bundle_suite(&bundle, 0, &suite);
        ets_bundle_case(&suite, 0, &test_case);
        ets_bundle_input(&test_case, 0, &value);
        assert_int_equal(value.kind, tags[i] == 0 ? ETS_VALUE_NONE : ETS_VALUE_OTHER);
    }
    free(copy);
    ets_file_close(file);
}

static void test_bundle__short_tensor_is_refused(void **state)
{
    (void)state;
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_bundle_case test_case;
    struct ets_value value;
    struct ets_error error;
    struct ets_file *file = open_bundle("types/model.bpte", &bundle);
    const struct ets_bytes bytes = ets_file_bytes(file);
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    ets_bundle_suite(&bundle, 0, &suite);
    ets_bundle_case(&suite, 0, &test_case);
    ets_bundle_expected(&test_case, 9, &value);
    /* The length of the data stands in front of them: one byte less than 4 x 6 float64. */
    const size_t length_at = (size_t)((const uint8_t *)value.as.tensor.data - bytes.data) - 4;
    assert_int_equal(copy[length_at], 192);
    copy[length_at] = 191;
    assert_int_equal(ets_bundle_init(&bundle, (struct ets_bytes){copy, bytes.size}, &error),
                     ETS_MALFORMED);
    assert_string_equal(error.message,
                        "method forward, case 0: "
                        "expected output 9: tensor needs 192 bytes but has only 191");
    free(copy);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundle__reads_what_flatc_reads),
        cmocka_unit_test(test_bundle__inputs_are_the_numpy_files),
        cmocka_unit_test(test_bundle__holds_the_same_program),
        cmocka_unit_test(test_bundle__oddities),
        cmocka_unit_test(test_bundle__names_the_suites_there_are),
        cmocka_unit_test(test_bundle__unknown_kinds_are_not_followed),
        cmocka_unit_test(test_bundle__short_tensor_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
