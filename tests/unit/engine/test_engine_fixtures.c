/* Every program that lies here gives the outputs that were bundled with it. */
#include "test_engine_support.h"

#include <dirent.h>
#include <math.h>

#include "numerics/element.h"
#include "record/numpy.h"

#include "etscope/bundle.h"
#include "etscope/numerics.h"
#include "test_little_support.h"

/* How far an output may lie from the expected one, which PyTorch computed. */
enum tolerance {
    FLOATS,      /* 1e-5, and nothing for integers: other orders of summation */
    OUTPUT_STEP, /* outputs are quantized: one step, which is their greatest common divisor */
    INPUT_STEP,  /* inputs are quantized as they come, by PyTorch over the whole tensor, by XNNPACK
                    row by row: both round by half a step, and weights of about 1/16 at random
                    signs spread that over the sum. One step of the input bounds it well */
};

struct model {
    const char *path; /* without ending */
    const char *backend;
    enum tolerance tolerance;
    int has_npy; /* its inputs are inputs/METHOD.CASE.ARGUMENT.npy, too */
};

#define XNNPACK "XnnpackBackend"

static const struct model models[] = {
    {TEST_DATA "/cond/model", NULL, FLOATS, 1},
    {TEST_DATA "/conv_portable/model", NULL, FLOATS, 1},
    {TEST_DATA "/conv_xnnpack/model", XNNPACK, FLOATS, 1},
    {TEST_DATA "/conv_xnnpack_int8/model", XNNPACK, OUTPUT_STEP, 1},
    {TEST_DATA "/dynamic/model", NULL, FLOATS, 1},
    {TEST_DATA "/gpt_portable/model", NULL, FLOATS, 1},
    {TEST_DATA "/gpt_xnnpack/model", XNNPACK, FLOATS, 1},
    {TEST_DATA "/linear_fp32_xnnpack/model", XNNPACK, FLOATS, 1},
    {TEST_DATA "/linear_int8_xnnpack/model", XNNPACK, INPUT_STEP, 1},
    {TEST_DATA "/map_loop/model", NULL, FLOATS, 1},
    {TEST_DATA "/mlp_portable/model", NULL, FLOATS, 1},
    {TEST_DATA "/mlp_xnnpack/model", XNNPACK, FLOATS, 1},
    {TEST_DATA "/multi_method/model", NULL, FLOATS, 1},
    {TEST_DATA "/types/model", NULL, FLOATS, 1},
    {EXAMPLES "/mlp/portable", NULL, FLOATS, 0},
    {EXAMPLES "/mobile_cnn/portable", NULL, FLOATS, 0},
    {EXAMPLES "/mobile_cnn/xnnpack", XNNPACK, FLOATS, 0},
    {EXAMPLES "/tiny_transformer/xnnpack", XNNPACK, FLOATS, 0},
};

enum { MODEL_COUNT = sizeof models / sizeof models[0] };

/* What one comparison is about, for its messages. */
struct subject {
    const struct model *model;
    const char *kind; /* ".pte" or ".bpte" */
    char method[64];
    uint32_t number; /* of the case */
};

static struct ets_file *open_path(const char *path)
{
    struct ets_file *file = NULL;
    struct ets_error error = {.status = ETS_OK};
    if (ets_file_open(path, &file, &error) != ETS_OK) fail_msg("%s: %s", path, error.message);
    return file;
}

static struct ets_file *open_model_file(const struct model *model, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", model->path, ending);
    return open_path(path);
}

/* The greatest step of which all elements are multiples; 1e-4 is above the rounding of floats. */
static double step_of(const struct ets_tensor *tensor)
{
    const float *data = tensor->data;
    const size_t count = tensor->data_bytes / sizeof *data;
    double step = 0;
    for (size_t i = 0; i < count; i++) {
        double a = fabs(ets_element_load(data + i, ETS_SCALAR_FLOAT, 0)), b = step;
        while (b > 1e-4) {
            const double rest = fabs(a - b * round(a / b));
            a = b;
            b = rest;
        }
        step = a;
    }
    return step;
}

/* A step of asymmetric 8-bit quantization, whose range always includes zero. */
static double input_step(const struct ets_bundle_case *test_case)
{
    struct ets_value input;
    ets_bundle_input(test_case, 0, &input);
    const float *data = input.as.tensor.data;
    double low = 0, high = 0;
    for (size_t i = 0; i < input.as.tensor.data_bytes / sizeof *data; i++) {
        if (data[i] < low) low = data[i]; /* fmin here breaks GCC 12 for 64-bit Arm */
        if (data[i] > high) high = data[i];
    }
    return (high - low) / 255;
}

static double tolerance_of(const struct model *model, const struct ets_bundle_case *test_case,
                           const struct ets_tensor *expected)
{
    if (model->tolerance == INPUT_STEP) return input_step(test_case);
    if (model->tolerance == OUTPUT_STEP) return step_of(expected) * 1.001;
    const int is_float = expected->scalar_type == ETS_SCALAR_FLOAT ||
                         expected->scalar_type == ETS_SCALAR_DOUBLE ||
                         expected->scalar_type == ETS_SCALAR_HALF;
    return is_float ? 1e-5 : 0;
}

static void compare(const struct subject *subject, struct ets_engine_method *method,
                    const struct ets_bundle_case *test_case, const char *inputs_from)
{
    assert_true(test_case->expected_count > 0);
    for (uint32_t i = 0; i < test_case->expected_count; i++) {
        struct ets_value expected, found;
        struct ets_comparison sums;
        struct ets_error error = {.status = ETS_OK};
        ets_bundle_expected(test_case, i, &expected);
        assert_int_equal(engine->method_get_output(method, i, &found, &error), ETS_OK);
        assert_int_equal(expected.kind, ETS_VALUE_TENSOR);
        assert_int_equal(found.kind, ETS_VALUE_TENSOR);
        assert_int_equal(found.as.tensor.scalar_type, expected.as.tensor.scalar_type);
        if (ets_comparison_of(&expected.as.tensor, &found.as.tensor, &sums, &error) != ETS_OK) {
            fail_msg("%s: %s", subject->model->path, error.message);
        }
        const double most = tolerance_of(subject->model, test_case, &expected.as.tensor);
        if (sums.broken_count == 0 && sums.max_error <= most) continue;
        fail_msg(
            "%s%s, %s, case %u, inputs from %s, output %u: off by %g at element %llu, "
            "allowed is %g",
            subject->model->path, subject->kind, subject->method, subject->number, inputs_from, i,
            sums.max_error, (unsigned long long)sums.max_error_index, most);
    }
}

static void set_bundled_inputs(struct ets_engine_method *method,
                               const struct ets_bundle_case *test_case)
{
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        struct ets_value input;
        struct ets_error error = {.status = ETS_OK};
        ets_bundle_input(test_case, i, &input);
        if (engine->method_set_input(method, i, &input, &error) != ETS_OK) {
            fail_msg("%s", error.message);
        }
    }
}

static void set_npy_inputs(const struct subject *subject, struct ets_engine_method *method,
                           const struct ets_bundle_case *test_case)
{
    const char *path = subject->model->path;
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        char name[512];
        struct ets_value input = {.kind = ETS_VALUE_TENSOR};
        struct ets_error error = {.status = ETS_OK};
        snprintf(name, sizeof name, "%.*s/inputs/%s.%u.%u.npy", (int)(strrchr(path, '/') - path),
                 path, subject->method, subject->number, i);
        struct ets_file *file = open_path(name);
        if (ets_npy_read(ets_file_bytes(file), &input.as.tensor, &error) != ETS_OK ||
            engine->method_set_input(method, i, &input, &error) != ETS_OK) {
            fail_msg("%s: %s", name, error.message);
        }
        ets_file_close(file); /* was copied */
    }
}

/* Runs all cases of one method, each on both kinds of inputs. */
static void run_suite(struct subject *subject, struct ets_engine_program *program,
                      const struct ets_bundle_suite *suite)
{
    struct ets_engine_method *method;
    struct ets_error error = {.status = ETS_OK};
    snprintf(subject->method, sizeof subject->method, "%.*s", (int)suite->method_name.size,
             suite->method_name.data);
    if (engine->method_open(program, subject->method, &method, &error) != ETS_OK) {
        fail_msg("%s: %s", subject->model->path, error.message);
    }
    for (uint32_t i = 0; i < suite->case_count; i++) {
        struct ets_bundle_case test_case;
        ets_bundle_case(suite, i, &test_case);
        subject->number = i;
        set_bundled_inputs(method, &test_case);
        run(method, 1);
        compare(subject, method, &test_case, "the bundle");
        if (!subject->model->has_npy) continue;
        set_npy_inputs(subject, method, &test_case);
        run(method, 1);
        compare(subject, method, &test_case, ".npy files");
    }
    engine->method_close(method);
}

static void run_program(const struct model *model, const char *kind, struct ets_bytes program,
                        const struct ets_bundle *bundle)
{
    const struct ets_engine_program_options options = {.program = program};
    struct subject subject = {.model = model, .kind = kind};
    struct ets_engine_program *opened;
    struct ets_error error = {.status = ETS_OK};
    if (engine->program_open(&options, &opened, &error) != ETS_OK) {
        fail_msg("%s%s: %s", model->path, kind, error.message);
    }
    assert_int_equal(engine->method_count(opened), bundle->suite_count);
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        run_suite(&subject, opened, &suite);
    }
    engine->program_close(opened);
}

/* The .pte and the program inside of the .bpte, every method, every case. */
static void run_model(const struct model *model)
{
    struct ets_file *program = open_model_file(model, ".pte");
    struct ets_file *bundled = open_model_file(model, ".bpte");
    struct ets_bundle bundle;
    struct ets_error error = {.status = ETS_OK};
    if (ets_bundle_init(&bundle, ets_file_bytes(bundled), &error) != ETS_OK) {
        fail_msg("%s.bpte: %s", model->path, error.message);
    }
    run_program(model, ".pte", ets_file_bytes(program), &bundle);
    run_program(model, ".bpte", bundle.program, &bundle);
    ets_file_close(bundled);
    ets_file_close(program);
}

static void test_fixtures__portable_programs_give_the_bundled_outputs(void **state)
{
    NEEDS_ENGINE();
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        if (models[i].backend == NULL) run_model(&models[i]);
    }
}

static void test_fixtures__delegated_programs_give_the_bundled_outputs(void **state)
{
    NEEDS_BACKEND(XNNPACK);
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        if (models[i].backend != NULL) run_model(&models[i]);
    }
}

/* No bundled program of the fixtures is left out above. */
static void test_fixtures__all_are_listed(void **state)
{
    (void)state;
    size_t found = 0;
    DIR *folder = opendir(TEST_DATA);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[512], bundled[520];
        struct ets_file *file;
        size_t i = 0;
        snprintf(path, sizeof path, TEST_DATA "/%.200s/model", entry->d_name);
        snprintf(bundled, sizeof bundled, "%s.bpte", path);
        if (ets_file_open(bundled, &file, NULL) != ETS_OK) continue;
        ets_file_close(file);
        while (i < MODEL_COUNT && strcmp(models[i].path, path) != 0) i++;
        if (i == MODEL_COUNT) fail_msg("%s is not tested", bundled);
        found++;
    }
    closedir(folder);
    assert_true(found > 0);
}

/* The check of quantized outputs is worth something: their step is found, and is small. */
static void test_fixtures__the_step_of_quantized_outputs(void **state)
{
    (void)state;
    static const float data[] = {-0.75f, 0, 0.5f, 1.25f};
    const struct ets_tensor tensor = {.data = LITTLE(data), .data_bytes = sizeof data};
    assert_true(fabs(step_of(&tensor) - 0.25) < 1e-9);
    struct ets_file *file = open_fixture("conv_xnnpack_int8", "model.bpte");
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_bundle_case test_case;
    struct ets_value expected;
    assert_int_equal(ets_bundle_init(&bundle, ets_file_bytes(file), NULL), ETS_OK);
    ets_bundle_suite(&bundle, 0, &suite);
    ets_bundle_case(&suite, 0, &test_case);
    ets_bundle_expected(&test_case, 0, &expected);
    const double step = step_of(&expected.as.tensor);
    assert_true(step > 0.0018 && step < 0.0019); /* outputs reach 0.25 */
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures__portable_programs_give_the_bundled_outputs),
        cmocka_unit_test(test_fixtures__delegated_programs_give_the_bundled_outputs),
        cmocka_unit_test(test_fixtures__all_are_listed),
        cmocka_unit_test(test_fixtures__the_step_of_quantized_outputs),
    };
    return cmocka_run_group_tests_name("engine_fixtures", tests, open_engine, close_engine);
}
