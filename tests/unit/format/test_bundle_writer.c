/* Bundles that are written come back as they were; what cannot be written is refused before. */
#include "test_bundle_support.h"

#include "etscope/file.h"
#include "etscope/program.h"

static const int64_t matrix_sizes[] = {2, 3};
static const float numbers[] = {0, 1, 2, 3, 4, 5};
static const struct ets_bytes stub = {(const uint8_t *)"ET12 stands for a program", 25};

static void expect_same(const struct ets_value *a, const struct ets_value *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == ETS_VALUE_INT) assert_true(a->as.int_value == b->as.int_value);
    if (a->kind == ETS_VALUE_BOOL) assert_true(a->as.bool_value == b->as.bool_value);
    if (a->kind == ETS_VALUE_DOUBLE) assert_true(a->as.double_value == b->as.double_value);
    if (a->kind != ETS_VALUE_TENSOR) return;
    const struct ets_tensor *x = &a->as.tensor, *y = &b->as.tensor;
    assert_int_equal(x->scalar_type, y->scalar_type);
    assert_int_equal(x->rank, y->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        assert_int_equal(x->sizes[i], y->sizes[i]);
        assert_int_equal(x->strides[i], y->strides[i]);
    }
    assert_int_equal(x->data_bytes, y->data_bytes);
    if (x->data_bytes > 0) assert_memory_equal(x->data, y->data, x->data_bytes);
}

static void expect_case(const struct ets_bundle_suite *suite, uint32_t index,
                        const struct ets_new_case *wanted)
{
    struct ets_bundle_case found;
    struct ets_value value;
    ets_bundle_case(suite, index, &found);
    assert_int_equal(found.input_count, wanted->input_count);
    assert_int_equal(found.expected_count, wanted->expected_count);
    for (uint32_t i = 0; i < found.input_count; i++) {
        ets_bundle_input(&found, i, &value);
        expect_same(&value, &wanted->inputs[i]);
        if (value.kind == ETS_VALUE_TENSOR && value.as.tensor.data_bytes > 0) {
            const uint8_t *at = value.as.tensor.data;
            assert_int_equal((at - suite->bundle->bytes.data) % 16, 0);
        }
    }
    for (uint32_t i = 0; i < found.expected_count; i++) {
        ets_bundle_expected(&found, i, &value);
        expect_same(&value, &wanted->expected[i]);
    }
}

static void expect_bundle(const struct ets_bundle *view, const struct ets_new_bundle *wanted)
{
    assert_int_equal(view->version, 2);
    assert_int_equal(view->program_offset % 128, 0);
    assert_int_equal(view->program.size, wanted->program.size);
    assert_memory_equal(view->program.data, wanted->program.data, wanted->program.size);
    assert_int_equal(view->suite_count, wanted->suite_count);
    for (uint32_t s = 0; s < view->suite_count; s++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(view, s, &suite);
        assert_int_equal(suite.method_name.size, strlen(wanted->suites[s].method));
        assert_memory_equal(suite.method_name.data, wanted->suites[s].method,
                            suite.method_name.size);
        assert_int_equal(suite.case_count, wanted->suites[s].case_count);
        for (uint32_t c = 0; c < suite.case_count; c++) {
            expect_case(&suite, c, &wanted->suites[s].cases[c]);
        }
    }
}

/* A value of every kind and some scalar types; the last tensor's dimensions are permuted. */
enum { VALUES = 9 };
static void make_values(struct ets_value values[VALUES])
{
    static const uint16_t halves[] = {0x3c00, 0x7e00, 0xfc00};
    static const uint8_t bytes[] = {7};
    const int64_t three = 3, none[] = {0, 4};
    values[0] = tensor_value(ETS_SCALAR_FLOAT, 2, matrix_sizes, numbers);
    values[1] = (struct ets_value){.kind = ETS_VALUE_INT, .as.int_value = INT64_MIN};
    values[2] = (struct ets_value){.kind = ETS_VALUE_BOOL, .as.bool_value = 1};
    values[3] = (struct ets_value){.kind = ETS_VALUE_DOUBLE, .as.double_value = -0.1};
    values[4] = tensor_value(ETS_SCALAR_HALF, 1, &three, halves);
    values[5] = tensor_value(ETS_SCALAR_BOOL, 0, NULL, bytes);
    values[6] = tensor_value(ETS_SCALAR_LONG, 2, none, NULL);
    values[7] = (struct ets_value){.kind = ETS_VALUE_NONE};
    values[8] = values[0];
    values[8].as.tensor.strides[0] = 1;
    values[8].as.tensor.strides[1] = 2;
}

static void test_bundle_writer__every_kind_of_value_comes_back(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_value values[VALUES];
    make_values(values);
    /* Every number of values and names of several lengths, for every alignment. */
    for (uint32_t count = 0; count <= VALUES; count++) {
        const struct ets_new_case cases[] = {
            {values, count, values, VALUES - count}, {NULL, 0, NULL, 0}, {values + 3, 2, NULL, 0}};
        const struct ets_new_suite suites[] = {
            {"", cases, 1}, {"decode", cases, count % 4}, {"encode_all", cases + 1, 2}};
        const struct ets_new_bundle bundle = {{stub.data, stub.size - count}, suites, 3};
        write_and_open(&bundle, &kept, &view);
        expect_bundle(&view, &bundle);
    }
}

static void test_bundle_writer__gaps_are_left_out(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_bundle_suite suite;
    struct ets_value value = tensor_value(ETS_SCALAR_FLOAT, 2, (int64_t[]){2, 2}, numbers);
    const struct ets_new_case test_case = {&value, 1, NULL, 0};
    const struct ets_new_suite source = {"forward", &test_case, 1};
    const struct ets_new_bundle bundle = {stub, &source, 1};
    const struct {
        int64_t strides[2];
        float wanted[4];
    } cases[] = {{{3, 1}, {0, 1, 3, 4}}, {{1, 3}, {0, 3, 1, 4}}, {{0, 2}, {0, 2, 0, 2}}};
    for (int i = 0; i < 3; i++) {
        struct ets_bundle_case found;
        struct ets_value got;
        value.as.tensor.strides[0] = cases[i].strides[0];
        value.as.tensor.strides[1] = cases[i].strides[1];
        value.as.tensor.data = LITTLE(numbers);
        value.as.tensor.data_bytes = sizeof numbers;
        write_and_open(&bundle, &kept, &view);
        ets_bundle_suite(&view, 0, &suite);
        ets_bundle_case(&suite, 0, &found);
        ets_bundle_input(&found, 0, &got);
        assert_true(ets_tensor_is_contiguous(&got.as.tensor));
        assert_memory_equal(got.as.tensor.data, LITTLE(cases[i].wanted), sizeof cases[i].wanted);
    }
}

/* Over the size of a piece, from one run of memory: the sink gets pieces of it, not a copy. */
struct pieces {
    size_t size, most;
    const uint8_t *program, *end;
    size_t straight;
};

static int count_piece(void *context, const void *data, size_t size)
{
    struct pieces *pieces = context;
    const uint8_t *at = data;
    pieces->size += size;
    if (size > pieces->most) pieces->most = size;
    if (at >= pieces->program && at < pieces->end) pieces->straight += size;
    return 0;
}

static void test_bundle_writer__large_programs_go_in_pieces(void **unused)
{
    (void)unused;
    const size_t size = 3 * ETS_BUNDLE_PIECE + 12345;
    uint8_t *program = calloc(size, 1);
    struct pieces pieces = {.program = program, .end = program + size};
    const struct ets_bundle_sink sink = {&pieces, count_piece};
    const struct ets_new_bundle bundle = {{program, size}, NULL, 0};
    size_t wanted = 0;
    assert_non_null(program);
    assert_int_equal(ets_bundle_write_size(&bundle, &wanted, NULL), ETS_OK);
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_OK);
    assert_int_equal(pieces.size, wanted);
    assert_int_equal(pieces.straight, size);
    assert_true(pieces.most <= ETS_BUNDLE_PIECE);
    free(program);
}

static void test_bundle_writer__every_refusal_of_the_sink_is_told(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_value values[VALUES];
    struct ets_error error;
    static float large[400];
    make_values(values);
    values[0] = float_vector(large, 400);
    const struct ets_new_case test_case = {values, VALUES, values, VALUES};
    const struct ets_new_suite suite = {"forward", &test_case, 1};
    const struct ets_new_bundle bundle = {stub, &suite, 1};
    const struct ets_bundle_sink sink = {&kept, keep};
    write_and_open(&bundle, &kept, &view);
    const size_t calls = kept.calls;
    assert_true(calls >= 4);
    for (size_t fail_at = 1; fail_at <= calls; fail_at++) {
        kept = (struct kept){.fail_at = fail_at};
        assert_int_equal(ets_bundle_write(&bundle, &sink, &error), ETS_IO);
        assert_int_equal(error.offset, kept.size);
        assert_int_equal(kept.calls, fail_at); /* nothing more after the refusal */
    }
}

static void test_bundle_writer__what_no_bundle_can_hold(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_value value = float_vector(numbers, 6);
    const struct ets_new_case test_case = {&value, 1, NULL, 0};
    struct ets_new_suite suites[] = {{"encode", &test_case, 1}, {"forward", &test_case, 1}};
    struct ets_new_bundle bundle = {stub, suites, 2};
    const struct ets_bundle_sink sink = {&kept, keep};
    kept = (struct kept){.size = 0};
    value.as.tensor.data_bytes = 23;
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    value = float_vector(numbers, -1);
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    value = float_vector(numbers, 6);
    value.as.tensor.rank = ETS_TENSOR_MAX_RANK + 1;
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    value = float_vector(numbers, 6);
    value.as.tensor.scalar_type = (enum ets_scalar_type)99;
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_UNSUPPORTED);
    value.kind = ETS_VALUE_OTHER;
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_UNSUPPORTED);
    value = (struct ets_value){.kind = ETS_VALUE_INT};
    suites[1].method = "encode";
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    suites[1].method = "decode";
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    suites[1].method = "forward";
    bundle.program.size = 0;
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_INVALID_ARGUMENT);
    bundle.program.size = (size_t)INT32_MAX; /* never read: the size is known before */
    assert_int_equal(ets_bundle_write(&bundle, &sink, NULL), ETS_LIMIT);
    assert_int_equal(kept.calls, 0);
}

static struct ets_file *open_program(const char *path, struct ets_bundle *bundle,
                                     struct ets_program *program)
{
    struct ets_file *file;
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    assert_int_equal(ets_bundle_init(bundle, ets_file_bytes(file), NULL), ETS_OK);
    assert_int_equal(ets_program_init(program, bundle->program, NULL), ETS_OK);
    return file;
}

/* The cases of a fixture, taken out of it. */
static void take_case(const struct ets_bundle *bundle, const char *method, uint32_t index,
                      struct ets_value values[32], struct ets_new_case *out)
{
    struct ets_bundle_suite suite;
    struct ets_bundle_case found;
    assert_int_equal(ets_bundle_find_suite(bundle, method, &suite, NULL), ETS_OK);
    ets_bundle_case(&suite, index, &found);
    assert_true(found.input_count + found.expected_count <= 32);
    for (uint32_t i = 0; i < found.input_count; i++) ets_bundle_input(&found, i, &values[i]);
    for (uint32_t i = 0; i < found.expected_count; i++) {
        ets_bundle_expected(&found, i, &values[found.input_count + i]);
    }
    *out = (struct ets_new_case){values, found.input_count, values + found.input_count,
                                 found.expected_count};
}

static void test_bundle_writer__fixtures_written_again(void **unused)
{
    (void)unused;
    static const char *const models[] = {"types", "mlp_portable", "map_loop", "dynamic"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        static struct kept kept;
        char path[512];
        struct ets_bundle bundle, view;
        struct ets_program program;
        struct ets_value values[32];
        struct ets_new_case test_case;
        snprintf(path, sizeof path, "%s/%s/model.bpte", TEST_DATA, models[i]);
        struct ets_file *file = open_program(path, &bundle, &program);
        take_case(&bundle, "forward", 0, values, &test_case);
        const struct ets_new_suite suite = {"forward", &test_case, 1};
        const struct ets_new_bundle again = {bundle.program, &suite, 1};
        struct ets_error error = {.message = ""};
        if (ets_new_bundle_check(&again, &program, &error) != ETS_OK) fail_msg("%s", error.message);
        write_and_open(&again, &kept, &view);
        expect_bundle(&view, &again);
        ets_file_close(file);
    }
}

static void test_bundle_writer__cases_of_another_program(void **unused)
{
    (void)unused;
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_value values[32], number = {.kind = ETS_VALUE_INT};
    struct ets_new_case good, bad;
    struct ets_error error;
    struct ets_file *file = open_program(TEST_DATA "/mlp_portable/model.bpte", &bundle, &program);
    take_case(&bundle, "forward", 0, values, &good);
    struct ets_new_suite suite = {"forward", &bad, 1};
    const struct ets_new_bundle source = {bundle.program, &suite, 1};
    static const float data[64] = {0};
    const struct ets_value shapes[] = {
        tensor_value(ETS_SCALAR_FLOAT, 2, (int64_t[]){2, 15}, data),
        tensor_value(ETS_SCALAR_INT, 2, (int64_t[]){2, 16}, data),
        tensor_value(ETS_SCALAR_FLOAT, 1, (int64_t[]){32}, data),
    };
    const struct {
        struct ets_new_case test_case;
        const char *message;
    } cases[] = {
        {{values, 0, NULL, 0}, "forward, case 0: has 0 inputs instead of 1"},
        {{values, 2, NULL, 0}, "has 2 inputs instead of 1"},
        {{&number, 1, NULL, 0}, "input 0 is float32 [2, 16], not an int"},
        {{&shapes[0], 1, NULL, 0}, "input 0 is float32 [2, 16], not float32 [2, 15]"},
        {{&shapes[1], 1, NULL, 0}, "input 0 is float32 [2, 16], not int32 [2, 16]"},
        {{&shapes[2], 1, NULL, 0}, "input 0 is float32 [2, 16], not float32 [32]"},
        {{values, 1, values, 1}, "expected output 0 is float32 [2, 4], not float32 [2, 16]"},
        {{values, 1, values, 2}, "has 2 expected outputs instead of 1"},
        {{values, 1, &number, 1}, "expected output 0 is a tensor, not an int"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bad = cases[i].test_case;
        assert_int_equal(ets_new_bundle_check(&source, &program, &error), ETS_MISMATCH);
        if (strstr(error.message, cases[i].message) == NULL) fail_msg("%s", error.message);
    }
    bad = good;
    assert_int_equal(ets_new_bundle_check(&source, &program, &error), ETS_OK);
    suite.method = "encode";
    assert_int_equal(ets_new_bundle_check(&source, &program, &error), ETS_MISMATCH);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundle_writer__every_kind_of_value_comes_back),
        cmocka_unit_test(test_bundle_writer__gaps_are_left_out),
        cmocka_unit_test(test_bundle_writer__large_programs_go_in_pieces),
        cmocka_unit_test(test_bundle_writer__every_refusal_of_the_sink_is_told),
        cmocka_unit_test(test_bundle_writer__what_no_bundle_can_hold),
        cmocka_unit_test(test_bundle_writer__fixtures_written_again),
        cmocka_unit_test(test_bundle_writer__cases_of_another_program),
    };
    return cmocka_run_group_tests_name("bundle_writer", tests, NULL, NULL);
}
