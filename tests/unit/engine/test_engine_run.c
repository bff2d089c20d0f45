/* Running the fixture programs on the real runtime, and everything a caller can get wrong. */
#include "test_engine_support.h"

#include <math.h>

static void test_open__says_what_is_there(void **state)
{
    NEEDS_ENGINE();
    assert_int_equal(engine->interface_version, ETS_ENGINE_INTERFACE_VERSION);
    assert_true(engine->kernel_count() > 0);
    assert_non_null(engine->kernel_name(0));
    assert_null(engine->kernel_name(engine->kernel_count()));
    assert_null(engine->backend_name(engine->backend_count()));
    assert_true(engine->thread_count() >= 1);
    assert_true(strlen(engine->runtime_version) > 0);
    assert_true(engine->tick_denominator > 0);
    assert_non_null(strstr(ets_engine_path(engine_library), "etscope_engine"));
}

static void test_open__a_wrong_file_is_unavailable(void **state)
{
    (void)state;
    struct ets_engine_library *library;
    const struct ets_engine *other;
    struct ets_error error;
    assert_int_equal(ets_engine_open("/nowhere/engine.so", &library, &other, &error),
                     ETS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "does not exist"));
    assert_int_equal(ets_engine_open(TEST_DATA "/mlp_portable/model.pte", &library, &other, &error),
                     ETS_UNAVAILABLE);
    assert_int_equal(ets_engine_open("libm.so.6", &library, &other, &error), ETS_UNAVAILABLE);
}

static void test_program__lists_methods_and_their_values(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("multi_method", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method_info info;
    struct ets_engine_value_info value;
    assert_int_equal(engine->method_count(opened.program), 3);
    assert_string_equal(engine->method_name(opened.program, 0), "decode");
    assert_null(engine->method_name(opened.program, 3));
    assert_int_equal(engine->method_info(opened.program, "forward", &info, NULL), ETS_OK);
    assert_int_equal(info.input_count, 1);
    assert_int_equal(info.output_count, 1);
    assert_int_equal(info.instruction_count, 5);
    assert_int_equal(info.planned_bytes, 352);
    assert_int_equal(engine->input_info(opened.program, "forward", 0, &value, NULL), ETS_OK);
    assert_int_equal(value.kind, ETS_VALUE_TENSOR);
    assert_int_equal(value.tensor.scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(value.tensor.rank, 2);
    assert_int_equal(engine->output_info(opened.program, "forward", 1, &value, NULL),
                     ETS_INVALID_ARGUMENT);
    assert_null(engine->method_backend(opened.program, "forward", 0));
    close_model(opened);
    opened = open_model("mlp_xnnpack", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    assert_string_equal(engine->method_backend(opened.program, "forward", 0), "XnnpackBackend");
    close_model(opened);
}

/* Softmax's rows add up to 1, whatever the weights are. */
static void check_softmax(const char *model)
{
    struct opened opened = open_model(model, ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_value output;
    set_inputs(opened, method, model, "forward", 0);
    run(method, 3);
    assert_int_equal(engine->method_get_output(method, 0, &output, NULL), ETS_OK);
    assert_int_equal(output.kind, ETS_VALUE_TENSOR);
    const float *data = output.as.tensor.data;
    for (int64_t row = 0; row < output.as.tensor.sizes[0]; row++) {
        float sum = 0;
        for (int64_t i = 0; i < output.as.tensor.sizes[1]; i++) {
            sum += data[row * output.as.tensor.strides[0] + i];
        }
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
    }
    assert_int_equal(engine->method_get_output(method, 1, &output, NULL), ETS_INVALID_ARGUMENT);
    engine->method_close(method);
    close_model(opened);
}

static void test_execute__portable(void **state)
{
    NEEDS_ENGINE();
    check_softmax("mlp_portable");
}

static void test_execute__delegated(void **state)
{
    NEEDS_BACKEND("XnnpackBackend");
    check_softmax("mlp_xnnpack");
}

static void test_execute__a_dynamic_batch_changes_the_output(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("dynamic", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    for (int number = 0; number < 2; number++) {
        struct ets_value output;
        set_inputs(opened, method, "dynamic", "forward", number);
        run(method, 1);
        assert_int_equal(engine->method_get_output(method, 0, &output, NULL), ETS_OK);
        assert_int_equal(output.as.tensor.sizes[0], number == 0 ? 2 : 5);
    }
    static const float zeros[9 * 16];
    struct ets_error error;
    struct ets_value large = {.kind = ETS_VALUE_TENSOR};
    large.as.tensor = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                                          .rank = 2,
                                          .sizes = {9, 16},
                                          .strides = {16, 1},
                                          .data = zeros,
                                          .data_bytes = sizeof zeros};
    assert_int_equal(engine->method_set_input(method, 0, &large, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "or less, got float32 [9, 16]"));
    engine->method_close(method);
    close_model(opened);
}

static void test_execute__every_kind_of_type_runs(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("types", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_engine_method_info info;
    set_inputs(opened, method, "types", "forward", 0);
    run(method, 2);
    assert_int_equal(engine->method_info(opened.program, "forward", &info, NULL), ETS_OK);
    for (size_t i = 0; i < info.output_count; i++) {
        struct ets_engine_value_info expected;
        struct ets_value output;
        assert_int_equal(engine->output_info(opened.program, "forward", i, &expected, NULL),
                         ETS_OK);
        assert_int_equal(engine->method_get_output(method, i, &output, NULL), ETS_OK);
        assert_int_equal(output.kind, expected.kind);
        assert_int_equal(output.as.tensor.scalar_type, expected.tensor.scalar_type);
        assert_non_null(output.as.tensor.data);
    }
    engine->method_close(method);
    close_model(opened);
}

/* Inputs are laid out anew: a column-major and a row-major copy give the same output. */
static void test_set_input__takes_any_strides(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_engine_value_info info;
    float rows[64], columns[64], first[64];
    struct ets_value value = {.kind = ETS_VALUE_TENSOR}, output;
    assert_int_equal(engine->input_info(opened.program, "forward", 0, &info, NULL), ETS_OK);
    const int64_t height = info.tensor.sizes[0], width = info.tensor.sizes[1];
    assert_true(height * width <= 64);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            rows[y * width + x] = columns[x * height + y] = (float)(y * 7 - x) * 0.25f;
        }
    }
    value.as.tensor = info.tensor;
    value.as.tensor.data = rows;
    assert_int_equal(engine->method_set_input(method, 0, &value, NULL), ETS_OK);
    run(method, 1);
    assert_int_equal(engine->method_get_output(method, 0, &output, NULL), ETS_OK);
    memcpy(first, output.as.tensor.data, output.as.tensor.data_bytes);
    value.as.tensor.data = columns;
    value.as.tensor.strides[0] = 1;
    value.as.tensor.strides[1] = height;
    assert_int_equal(engine->method_set_input(method, 0, &value, NULL), ETS_OK);
    memset(columns, 0, sizeof columns); /* was copied */
    run(method, 2);
    assert_int_equal(engine->method_get_output(method, 0, &output, NULL), ETS_OK);
    assert_memory_equal(first, output.as.tensor.data, output.as.tensor.data_bytes);
    engine->method_close(method);
    close_model(opened);
}

static void test_set_input__refusals_name_expected_and_given(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_engine_value_info info;
    struct ets_error error;
    static const uint8_t bytes[4096];
    assert_int_equal(engine->method_execute(method, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "input 0 of forward is not set"));
    assert_int_equal(engine->input_info(opened.program, "forward", 0, &info, NULL), ETS_OK);
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    value.as.tensor = info.tensor;
    value.as.tensor.data = bytes;
    value.as.tensor.data_bytes = sizeof bytes;
    value.as.tensor.sizes[1] = 8;
    value.as.tensor.strides[0] = 8;
    assert_int_equal(engine->method_set_input(method, 0, &value, &error), ETS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "input 0: expected float32 [2, 16], got float32 [2, 8]");
    value.as.tensor = info.tensor;
    value.as.tensor.data = bytes;
    value.as.tensor.scalar_type = ETS_SCALAR_HALF;
    assert_int_equal(engine->method_set_input(method, 0, &value, &error), ETS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "input 0: expected float32 [2, 16], got float16 [2, 16]");
    value.as.tensor.scalar_type = ETS_SCALAR_FLOAT;
    value.as.tensor.data_bytes = 127;
    assert_int_equal(engine->method_set_input(method, 0, &value, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "127 bytes"));
    const struct ets_value number = {.kind = ETS_VALUE_INT, .as = {.int_value = 3}};
    assert_int_equal(engine->method_set_input(method, 0, &number, &error), ETS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "input 0: expected float32 [2, 16], got int");
    assert_int_equal(engine->method_set_input(method, 1, &number, &error), ETS_INVALID_ARGUMENT);
    engine->method_close(method);
    close_model(opened);
}

static void test_method_open__names_what_is_missing(void **state)
{
    NEEDS_ENGINE();
    static const struct {
        const char *model, *from, *to, *part;
    } cases[] = {
        {"mlp_portable", "aten::relu", "aten::relv", "aten::relv.out"},
        {"mlp_xnnpack", "XnnpackBackend", "XnnpackBackemd", "Backend XnnpackBackemd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ets_file *file = open_fixture(cases[i].model, "model.pte");
        uint8_t *copy = patch_program(ets_file_bytes(file), cases[i].from, cases[i].to);
        struct ets_engine_program_options options = {.program = {copy, ets_file_bytes(file).size}};
        struct ets_engine_program *program;
        struct ets_engine_method *method;
        struct ets_error error;
        assert_int_equal(engine->program_open(&options, &program, &error), ETS_OK);
        assert_int_equal(engine->method_open(program, "forward", &method, &error), ETS_RUNTIME);
        if (strstr(error.message, cases[i].part) == NULL) fail_msg("%s", error.message);
        assert_int_equal(engine->method_open(program, "forwards", &method, &error), ETS_NOT_FOUND);
        assert_non_null(strstr(error.message, "forward"));
        engine->program_close(program);
        free(copy);
        ets_file_close(file);
    }
}

static void test_program_open__other_files_are_named(void **state)
{
    NEEDS_ENGINE();
    struct ets_engine_program *program;
    struct ets_error error;
    struct ets_engine_program_options options = {.tracer = ETS_TRACER_NONE};
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_TRUNCATED);
    struct ets_file *file = open_fixture("mlp_portable", "model.bpte");
    options.program = ets_file_bytes(file);
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_WRONG_KIND);
    assert_non_null(strstr(error.message, "bundled"));
    ets_file_close(file);
    file = open_fixture("mlp_portable", "profile.etdp");
    options.program = ets_file_bytes(file);
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_WRONG_KIND);
    ets_file_close(file);
    file = open_fixture("mlp_portable", "model.pte");
    options.program = ets_file_bytes(file);
    const struct ets_bytes no_data_file = {ets_file_bytes(file).data, 100};
    options.data_files = &no_data_file;
    options.data_file_count = 1;
    assert_int_not_equal(engine->program_open(&options, &program, &error), ETS_OK);
    assert_non_null(strstr(error.message, "data file 0"));
    ets_file_close(file);
}

static void test_program_open__takes_data_files(void **state)
{
    NEEDS_ENGINE();
    struct ets_file *program_file = open_fixture("ptd", "external.pte");
    struct ets_file *data_file = open_fixture("ptd", "external.ptd");
    const struct ets_bytes data = ets_file_bytes(data_file);
    struct ets_engine_program_options options = {.program = ets_file_bytes(program_file)};
    struct ets_engine_program *program;
    struct ets_engine_method *method;
    struct ets_error error;
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_OK);
    assert_int_equal(engine->method_open(program, "forward", &method, &error), ETS_RUNTIME);
    assert_non_null(strstr(error.message, "without its data file"));
    engine->program_close(program);
    options.data_files = &data;
    options.data_file_count = 1;
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_OK);
    assert_int_equal(engine->method_open(program, "forward", &method, &error), ETS_OK);
    engine->method_close(method);
    engine->program_close(program);
    /* The same names twice. */
    const struct ets_bytes twice[] = {data, data};
    options.data_files = twice;
    options.data_file_count = 2;
    assert_int_equal(engine->program_open(&options, &program, &error), ETS_MISMATCH);
    ets_file_close(data_file);
    ets_file_close(program_file);
}

static void test_program_open__every_truncation_is_an_error(void **state)
{
    NEEDS_ENGINE();
    struct ets_file *file = open_fixture("mlp_xnnpack", "model.pte");
    const struct ets_bytes whole = ets_file_bytes(file);
    for (size_t size = 0; size < whole.size; size += 1 + size / 64) {
        struct ets_engine_program_options options = {.program = {whole.data, size}};
        struct ets_engine_program *program;
        struct ets_error error;
        assert_int_not_equal(engine->program_open(&options, &program, &error), ETS_OK);
        assert_true(strlen(error.message) > 0);
    }
    ets_file_close(file);
}

/* A program at an odd address, as inside another file, is copied to an even one. */
static void test_program_open__takes_unaligned_bytes(void **state)
{
    NEEDS_ENGINE();
    struct ets_file *file = open_fixture("mlp_portable", "model.pte");
    const struct ets_bytes whole = ets_file_bytes(file);
    uint8_t *copy = malloc(whole.size + 1);
    assert_non_null(copy);
    memcpy(copy + 1, whole.data, whole.size);
    struct ets_engine_program_options options = {.program = {copy + 1, whole.size}};
    struct opened opened = {file, NULL};
    assert_int_equal(engine->program_open(&options, &opened.program, NULL), ETS_OK);
    struct ets_engine_method *method = open_method(opened, "forward");
    set_inputs(opened, method, "mlp_portable", "forward", 0);
    run(method, 1);
    engine->method_close(method);
    close_model(opened);
    free(copy);
}

static void test_load_library__says_why_not(void **state)
{
    NEEDS_ENGINE();
    struct ets_error error;
    size_t kernels = 9, backends = 9;
    assert_int_equal(engine->load_library("/nowhere/kernels.so", &kernels, &backends, &error),
                     ETS_NOT_FOUND);
    assert_int_equal(engine->load_library(TEST_DATA "/README.md", &kernels, &backends, &error),
                     ETS_RUNTIME);
    assert_non_null(strstr(error.message, "README.md"));
    assert_int_equal(engine->load_library("libm.so.6", &kernels, &backends, &error), ETS_OK);
    assert_int_equal(kernels + backends, 0);
}

/* Runs a method of the program with state and gives its first output, if it has any. */
static float run_state(struct opened opened, const char *name, float input)
{
    struct ets_engine_method *method = open_method(opened, name);
    struct ets_engine_method_info info;
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    value.as.tensor = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                                          .rank = 1,
                                          .sizes = {1},
                                          .strides = {1},
                                          .data = &input,
                                          .data_bytes = sizeof input};
    assert_int_equal(engine->method_info(opened.program, name, &info, NULL), ETS_OK);
    if (info.input_count > 0) {
        assert_int_equal(engine->method_set_input(method, 0, &value, NULL), ETS_OK);
    }
    run(method, 1);
    float output = 0;
    if (info.output_count > 0) {
        assert_int_equal(engine->method_get_output(method, 0, &value, NULL), ETS_OK);
        if (value.kind == ETS_VALUE_TENSOR) memcpy(&output, value.as.tensor.data, sizeof output);
    }
    engine->method_close(method);
    return output;
}

/* What upstream's runtime gives; tests/data/state/make.py has checked that. */
static void test_execute__methods_share_state_where_it_was_planned_so(void **state)
{
    NEEDS_ENGINE();
    static const struct {
        const char *file;
        float set, added, after;
    } cases[] = {{"shared.pte", 5.0f, 12.0f, 6.0f},
                 {"constant.pte", 5.0f, 12.0f, 6.0f},
                 {"own.pte", 0.0f, 2.0f, 0.0f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct opened opened = {open_fixture("state", cases[i].file), NULL};
        const struct ets_engine_program_options options = {.program = ets_file_bytes(opened.file)};
        assert_int_equal(engine->program_open(&options, &opened.program, NULL), ETS_OK);
        (void)run_state(opened, "set_state", 5.0f);
        assert_true(run_state(opened, "get_state", 0.0f) == cases[i].set);
        assert_true(run_state(opened, "forward", 1.0f) == cases[i].added);
        assert_true(run_state(opened, "get_state", 0.0f) == cases[i].after);
        close_model(opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open__says_what_is_there),
        cmocka_unit_test(test_open__a_wrong_file_is_unavailable),
        cmocka_unit_test(test_program__lists_methods_and_their_values),
        cmocka_unit_test(test_execute__portable),
        cmocka_unit_test(test_execute__delegated),
        cmocka_unit_test(test_execute__a_dynamic_batch_changes_the_output),
        cmocka_unit_test(test_execute__every_kind_of_type_runs),
        cmocka_unit_test(test_execute__methods_share_state_where_it_was_planned_so),
        cmocka_unit_test(test_set_input__takes_any_strides),
        cmocka_unit_test(test_set_input__refusals_name_expected_and_given),
        cmocka_unit_test(test_method_open__names_what_is_missing),
        cmocka_unit_test(test_program_open__other_files_are_named),
        cmocka_unit_test(test_program_open__takes_data_files),
        cmocka_unit_test(test_program_open__every_truncation_is_an_error),
        cmocka_unit_test(test_program_open__takes_unaligned_bytes),
        cmocka_unit_test(test_load_library__says_why_not),
    };
    return cmocka_run_group_tests_name("engine_run", tests, open_engine, close_engine);
}
