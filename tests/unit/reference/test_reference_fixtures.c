/* Graphs of real records, evaluated with the runtime's kernels, against PyTorch's outputs. */
#include "test_reference_support.h"

#include "numerics/element.h"
#include "record/numpy.h"
#include "record/record_maps.h"
#include "reference/reference.h"

/* Runs a graph on `inputs` and compares its outputs with a case of the record. */
static void check_case(const struct subject *subject, int is_edge, int use_double,
                       const char *method, size_t test_case, const struct ets_value *inputs,
                       size_t input_count)
{
    const struct ets_value *expected;
    size_t count;
    const struct ets_reference_options options = {
        .engine = engine,
        .record = subject->record,
        .graph = is_edge ? subject->edge : subject->aten,
        .fallback = is_edge ? NULL : subject->edge,
        .use_double = use_double,
    };
    struct shown shown = {.graph = options.graph};
    struct ets_reference *reference = open_reference(&options);
    run_reference(reference, inputs, input_count, keep_shown, &shown);
    assert_int_equal(
        ets_etrecord_reference_outputs(subject->record, method, test_case, &expected, &count, NULL),
        ETS_OK);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) assert_near(&expected[i], &shown.outputs[i]);
    assert_true(ets_reference_peak_bytes(reference) > 0);
    free_shown(&shown);
    ets_reference_close(reference);
}

static void check_record(const char *folder, const char *name)
{
    const struct ets_value *inputs;
    size_t count;
    struct subject subject = open_subject(folder, name, "forward");
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    for (int is_edge = 0; is_edge < 2; is_edge++) {
        for (int use_double = 0; use_double < 2; use_double++) {
            check_case(&subject, is_edge, use_double, "forward", 0, inputs, count);
        }
    }
    close_subject(&subject);
}

static void test_models(void **state)
{
    NEEDS_ENGINE();
    static const char *const NAMES[] = {"mlp_portable",
                                        "mlp_xnnpack",
                                        "conv_portable",
                                        "conv_xnnpack_int8",
                                        "linear_int8_xnnpack",
                                        "gpt_portable",
                                        "gpt_xnnpack",
                                        "linear_fp32_xnnpack",
                                        "cond",
                                        "map_loop",
                                        "dynamic"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        check_record(NAMES[i], "model.etrecord");
    }
}

/* Float16 inside, so that float64 gives other numbers: the record's types alone. */
static void test_types(void **state)
{
    NEEDS_ENGINE();
    const struct ets_value *inputs;
    size_t count;
    struct subject subject = open_subject("types", "model.etrecord", "forward");
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    check_case(&subject, 0, 0, "forward", 0, inputs, count);
    check_case(&subject, 1, 0, "forward", 0, inputs, count);
    close_subject(&subject);
}

/* Written views, sizes out of data and of expressions, plain numbers, an LSTM, attention. */
static void test_made(void **state)
{
    NEEDS_ENGINE();
    static const char *const NAMES[] = {"cache.etrecord", "views.etrecord",    "chosen.etrecord",
                                        "sizes.etrecord", "mixed.etrecord",    "recurrent.etrecord",
                                        "last.etrecord",  "constants.etrecord"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        check_record("reference", NAMES[i]);
    }
}

/* The inputs of one test case, which live in *files_out. */
static size_t read_case(const char *model, const char *method, unsigned test_case,
                        struct ets_file **files, struct ets_value *values, size_t capacity)
{
    char path[512];
    size_t count = 0;
    for (; count < capacity; count++) {
        snprintf(path, sizeof path, TEST_DATA "/%s/inputs/%s.%u.%zu.npy", model, method, test_case,
                 count);
        files[count] = NULL;
        if (ets_file_open(path, &files[count], NULL) != ETS_OK) break;
        values[count].kind = ETS_VALUE_TENSOR;
        assert_int_equal(ets_npy_read(ets_file_bytes(files[count]), &values[count].as.tensor, NULL),
                         ETS_OK);
    }
    return count;
}

static void check_cases(const char *model, const char *method, unsigned cases, int has_aten)
{
    struct subject subject = open_subject(model, "model.etrecord", method);
    for (unsigned i = 0; i < cases; i++) {
        struct ets_file *files[4];
        struct ets_value inputs[4];
        const size_t count = read_case(model, method, i, files, inputs, 4);
        assert_true(count > 0);
        check_case(&subject, 1, 0, method, i, inputs, count);
        if (has_aten) check_case(&subject, 0, 0, method, i, inputs, count);
        for (size_t j = 0; j < count; j++) ets_file_close(files[j]);
    }
    close_subject(&subject);
}

static void test_cases(void **state)
{
    NEEDS_ENGINE();
    check_cases("dynamic", "forward", 2, 1); /* batches of 2 and of 5 */
    check_cases("cond", "forward", 2, 1);    /* both branches */
    check_cases("multi_method", "forward", 1, 1);
    check_cases("multi_method", "encode", 1, 0);
    check_cases("multi_method", "decode", 1, 0);
}

/* Which of the names of two nodes, one for each branch, were shown. */
static enum ets_status keep_branch(void *context, const struct ets_reference_result *result,
                                   struct ets_value *replacement_out, struct ets_error *error)
{
    (void)replacement_out;
    (void)error;
    if (strcmp(result->node->name.data, "sin") == 0) *(int *)context |= 1;
    if (strcmp(result->node->name.data, "cos") == 0) *(int *)context |= 2;
    return ETS_OK;
}

static void test_branches(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("cond", "model.etrecord", "forward");
    const struct ets_reference_options options = {.engine = engine,
                                                  .record = subject.record,
                                                  .graph = subject.aten,
                                                  .fallback = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    const struct ets_graph *graph = subject.aten;
    const struct ets_graph_value *x = ets_graph_find_value(graph, (struct ets_text){"x", 1});
    float numbers[64] = {0};
    struct ets_value input = {.kind = ETS_VALUE_TENSOR};
    input.as.tensor = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT, .rank = x->rank};
    memcpy(input.as.tensor.sizes, x->sizes, x->rank * sizeof x->sizes[0]);
    ets_tensor_set_contiguous(&input.as.tensor);
    input.as.tensor.data = numbers;
    input.as.tensor.data_bytes = (size_t)ets_tensor_extent(&input.as.tensor);
    assert_true(input.as.tensor.data_bytes <= sizeof numbers);
    for (int is_true = 0; is_true < 2; is_true++) {
        int seen = 0;
        for (size_t i = 0; i < 64; i++) numbers[i] = is_true ? 1.0f : -1.0f;
        run_reference(reference, &input, 1, keep_branch, &seen);
        assert_int_equal(seen, is_true ? 1 : 2);
    }
    ets_reference_close(reference);
    close_subject(&subject);
}

static enum ets_status keep_turns(void *context, const struct ets_reference_result *result,
                                  struct ets_value *replacement_out, struct ets_error *error)
{
    uint32_t *turns = context;
    (void)replacement_out;
    (void)error;
    if (strcmp(result->node->name.data, "tanh") == 0) {
        assert_int_equal(result->iteration, *turns);
        ++*turns;
    } else if (strcmp(result->node->name.data, "map_impl") == 0) {
        assert_int_equal(result->iteration, 0);
    }
    return ETS_OK;
}

static void test_turns(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("map_loop", "model.etrecord", "forward");
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = engine, .record = subject.record, .graph = subject.aten};
    struct ets_reference *reference = open_reference(&options);
    for (int run = 0; run < 2; run++) { /* counted anew in each */
        uint32_t turns = 0;
        run_reference(reference, inputs, count, keep_turns, &turns);
        assert_int_equal(turns, inputs[0].as.tensor.sizes[0]);
    }
    /* The graph's own nodes first, then the body's. */
    assert_int_equal(ets_reference_node_count(reference), 4);
    assert_string_equal(ets_reference_node(reference, 0)->node->name.data, "map_impl");
    assert_string_equal(ets_reference_node(reference, 1)->node->name.data, "matmul");
    assert_null(ets_reference_node(reference, 4));
    ets_reference_close(reference);
    close_subject(&subject);
}

/* Every run begins with the buffers that the edge program has; the ATen program's were used. */
static void test_buffers(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("reference", "cache.etrecord", "forward");
    const struct ets_named_value *values;
    const struct ets_value *inputs, *expected;
    size_t count, input_count, output_count;
    assert_int_equal(ets_etrecord_named_values(subject.record, "exported_program_state_dict",
                                               &values, &count, NULL),
                     ETS_OK);
    int is_used = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].name.data, "count") != 0) continue;
        const struct ets_tensor *tensor = &values[i].value.as.tensor;
        is_used = ets_element_load(tensor->data, tensor->scalar_type, 0) == 1;
    }
    assert_true(is_used);
    assert_int_equal(
        ets_etrecord_representative_inputs(subject.record, &inputs, &input_count, NULL), ETS_OK);
    assert_int_equal(ets_etrecord_reference_outputs(subject.record, "forward", 0, &expected,
                                                    &output_count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {.engine = engine,
                                                  .record = subject.record,
                                                  .graph = subject.aten,
                                                  .fallback = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    for (int run = 0; run < 3; run++) {
        struct shown shown = {.graph = subject.aten};
        run_reference(reference, inputs, input_count, keep_shown, &shown);
        assert_near(&expected[0], &shown.outputs[0]);
        free_shown(&shown);
    }
    ets_reference_close(reference);
    close_subject(&subject);
}

static const struct ets_reference_node *find_node(const struct ets_reference *reference,
                                                  const char *name)
{
    for (uint32_t i = 0; i < ets_reference_node_count(reference); i++) {
        const struct ets_reference_node *node = ets_reference_node(reference, i);
        if (strcmp(node->node->name.data, name) == 0) return node;
    }
    return NULL;
}

static void test_routes(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("reference", "recurrent.etrecord", "forward");
    struct ets_reference_options options = {.engine = engine,
                                            .record = subject.record,
                                            .graph = subject.aten,
                                            .fallback = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    assert_int_equal(find_node(reference, "lstm")->route, ETS_ROUTE_FALLBACK);
    assert_non_null(strstr(find_node(reference, "lstm")->reason, "lstm"));
    assert_int_equal(find_node(reference, "tanh")->route, ETS_ROUTE_KERNEL);
    assert_string_equal(find_node(reference, "tanh")->kernel, "aten::tanh.out");
    ets_reference_close(reference);

    /* Without the edge program nothing of the LSTM is there, and the reason says why. */
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    options.fallback = NULL;
    reference = open_reference(&options);
    assert_int_equal(find_node(reference, "lstm")->route, ETS_ROUTE_UNCOVERED);
    assert_non_null(strstr(find_node(reference, "lstm")->reason, "lstm"));
    struct shown shown = {.graph = subject.aten};
    run_reference(reference, inputs, count, keep_shown, &shown);
    assert_int_equal(shown.missing, 6); /* its three outputs, and what is computed from each */
    assert_non_null(strstr(shown.reason, "lstm"));
    free_shown(&shown);
    ets_reference_close(reference);
    close_subject(&subject);
}

/* What needs random numbers is not available; what needs their shape alone is. */
static void test_random_numbers(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("random", "random.etrecord", "forward");
    struct ets_reference_options options = {.engine = engine,
                                            .record = subject.record,
                                            .graph = subject.aten,
                                            .fallback = subject.edge};
    for (options.use_double = 0; options.use_double < 2; options.use_double++) {
        struct ets_reference *reference = open_reference(&options);
        struct shown shown = {.graph = subject.aten};
        const struct ets_value *inputs;
        size_t count;
        assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                         ETS_OK);
        run_reference(reference, inputs, count, keep_shown, &shown);
        assert_int_equal(shown.outputs[0].kind, ETS_VALUE_NONE);
        assert_int_equal(shown.outputs[1].kind, ETS_VALUE_TENSOR);
        assert_non_null(strstr(shown.reason, "draws random numbers"));
        free_shown(&shown);
        ets_reference_close(reference);
    }
    close_subject(&subject);
}

static void test_complex_numbers(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("random", "complex.etrecord", "forward");
    struct ets_reference_options options = {
        .engine = engine, .record = subject.record, .graph = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    const struct ets_reference_node *node = find_node(reference, "aten__fft_r2c_default");
    assert_int_equal(node->route, ETS_ROUTE_UNCOVERED);
    assert_non_null(strstr(node->reason, "complex numbers"));
    ets_reference_close(reference);
    close_subject(&subject);
}

/* Two outputs that nothing uses, of one shape: which is which is not guessed. */
static void test_ambiguous_outputs(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("reference", "last.etrecord", "forward");
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {.engine = engine,
                                                  .record = subject.record,
                                                  .graph = subject.aten,
                                                  .fallback = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    struct shown shown = {.graph = subject.aten};
    run_reference(reference, inputs, count, keep_shown, &shown);
    assert_int_equal(find_node(reference, "lstm")->route, ETS_ROUTE_FALLBACK);
    assert_int_equal(shown.missing, 2);
    assert_string_equal(shown.reason, "several values of the edge program could be its output");
    assert_int_equal(shown.outputs[0].kind, ETS_VALUE_TENSOR);
    free_shown(&shown);
    ets_reference_close(reference);
    close_subject(&subject);
}

/* Weights live in the record, values go after their last use: less than all of them together. */
static void test_memory(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("gpt_portable", "model.etrecord", "forward");
    const struct ets_value *inputs;
    size_t count;
    uint64_t all = 0;
    for (uint32_t i = 0; i < subject.edge->value_count; i++) {
        const struct ets_graph_value *value = &subject.edge->values[i];
        uint64_t bytes = 4;
        for (uint32_t j = 0; j < value->rank; j++) bytes *= (uint64_t)value->sizes[j];
        all += value->scalar_type >= 0 ? bytes : 0;
    }
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = engine, .record = subject.record, .graph = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    run_reference(reference, inputs, count, NULL, NULL);
    assert_true(ets_reference_peak_bytes(reference) < all / 8);
    ets_reference_close(reference);
    close_subject(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_complex_numbers),
        cmocka_unit_test(test_ambiguous_outputs),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
