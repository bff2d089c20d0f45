/* What a reference refuses, what it goes on without, and what is left when memory ends. */
#include "test_reference_support.h"

#include "numerics/element.h"
#include "reference/reference.h"

/* An engine of which only kernels are asked: they exist, and give zeros. */
static int any_kernel(const char *name)
{
    return name != NULL;
}

static enum ets_status zero_kernel(const char *name, struct ets_kernel_argument *arguments,
                                   size_t count, struct ets_error *error)
{
    (void)name;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].is_output) continue;
        const int is_list = arguments[i].kind == ETS_KERNEL_TENSOR_LIST;
        for (size_t j = 0; j < (is_list ? arguments[i].count : 1); j++) {
            struct ets_tensor *tensor =
                is_list ? arguments[i].as.tensors[j] : arguments[i].as.tensor;
            if (tensor->data_bytes > 0) {
                memset((void *)(uintptr_t)tensor->data, 0, tensor->data_bytes);
            }
        }
    }
    return ETS_OK;
}

static enum ets_status refusing_kernel(const char *name, struct ets_kernel_argument *arguments,
                                       size_t count, struct ets_error *error)
{
    (void)arguments;
    (void)count;
    if (error != NULL) {
        error->status = ETS_RUNTIME;
        snprintf(error->message, sizeof error->message, "%s: InvalidArgument", name);
    }
    return ETS_RUNTIME;
}

static const struct ets_engine FAKE = {.interface_version = ETS_ENGINE_INTERFACE_VERSION,
                                       .kernel_exists = any_kernel,
                                       .kernel_call = zero_kernel};

/* All but softmax. */
static int most_kernels(const char *name)
{
    return strstr(name, "softmax") == NULL;
}

struct counted {
    size_t left, live;
};

static void *counted_reallocate(void *context, void *pointer, size_t bytes)
{
    struct counted *counted = context;
    if (counted->left == 0) return NULL;
    counted->left--;
    void *result = realloc(pointer, bytes);
    if (result != NULL && pointer == NULL) counted->live++;
    return result;
}

static void counted_release(void *context, void *pointer)
{
    if (pointer != NULL) ((struct counted *)context)->live--;
    free(pointer);
}

static void test_allocations(void **state)
{
    (void)state;
    static const char *const FOLDERS[] = {"map_loop", "cond", "reference", "reference",
                                          "gpt_portable"};
    static const char *const NAMES[] = {"model.etrecord", "model.etrecord", "views.etrecord",
                                        "recurrent.etrecord", "model.etrecord"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        struct subject subject = open_subject(FOLDERS[i], NAMES[i], "forward");
        const struct ets_value *inputs;
        size_t input_count;
        assert_int_equal(
            ets_etrecord_representative_inputs(subject.record, &inputs, &input_count, NULL),
            ETS_OK);
        enum ets_status status = ETS_NO_MEMORY;
        size_t stride = 1;
        for (size_t allowed = 0; status == ETS_NO_MEMORY; allowed += stride) {
            struct counted counted = {.left = allowed};
            const struct ets_allocator allocator = {counted_reallocate, counted_release, &counted};
            const struct ets_reference_options options = {.engine = &FAKE,
                                                          .record = subject.record,
                                                          .graph = subject.aten,
                                                          .fallback = subject.edge,
                                                          .use_double = (int)(i % 2),
                                                          .allocator = &allocator};
            struct ets_reference *reference = NULL;
            struct ets_error error = {.status = ETS_OK};
            status = ets_reference_open(&options, &reference, &error);
            if (status == ETS_OK) {
                status = ets_reference_run(reference, inputs, input_count, NULL, NULL, &error);
            }
            if (status != ETS_OK && status != ETS_NO_MEMORY) print_error("%s\n", error.message);
            assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
            ets_reference_close(reference);
            assert_int_equal(counted.live, 0);
            if (allowed >= 400) stride = 37;
        }
        close_subject(&subject);
    }
}

static void assert_refused(struct ets_reference *reference, const struct ets_value *inputs,
                           size_t count, const char *expected, const char *given)
{
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(ets_reference_run(reference, inputs, count, NULL, NULL, &error),
                     ETS_INVALID_ARGUMENT);
    if (strstr(error.message, expected) == NULL || strstr(error.message, given) == NULL) {
        print_error("%s\n", error.message);
    }
    assert_non_null(strstr(error.message, expected));
    assert_non_null(strstr(error.message, given));
}

static void test_inputs(void **state)
{
    (void)state;
    struct subject subject = open_subject("dynamic", "model.etrecord", "forward");
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = &FAKE, .record = subject.record, .graph = subject.aten, .fallback = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    assert_refused(reference, inputs, 0, "takes 1 inputs", "got 0");
    struct ets_value other = inputs[0];
    other.kind = ETS_VALUE_INT;
    assert_refused(reference, &other, 1, "input 0 (x): the graph takes float32 [s6, ",
                   "got an integer");
    other = inputs[0];
    other.as.tensor.scalar_type = ETS_SCALAR_INT;
    assert_refused(reference, &other, 1, "float32 [s6, ", "got int32 [2, ");
    other = inputs[0];
    other.as.tensor.sizes[1] = 3;
    assert_refused(reference, &other, 1, "float32 [s6, ", ", 3]");
    other = inputs[0];
    other.as.tensor.rank = 1;
    assert_refused(reference, &other, 1, "float32 [s6, ", "float32 [2]");
    other = inputs[0];
    other.as.tensor.data_bytes = 4;
    assert_refused(reference, &other, 1, "fewer bytes", "");
    /* Elements that lie askew are taken all the same. */
    unsigned char *askew = test_malloc(inputs[0].as.tensor.data_bytes + 1);
    memcpy(askew + 1, inputs[0].as.tensor.data, inputs[0].as.tensor.data_bytes);
    other = inputs[0];
    other.as.tensor.data = askew + 1;
    run_reference(reference, &other, 1, NULL, NULL);
    test_free(askew);
    ets_reference_close(reference);
    close_subject(&subject);

    subject = open_subject("reference", "constants.etrecord", "forward");
    const struct ets_reference_options numbers = {
        .engine = &FAKE, .record = subject.record, .graph = subject.aten, .fallback = subject.edge};
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    assert_int_equal(count, 4);
    struct ets_value changed[4];
    memcpy(changed, inputs, sizeof changed);
    reference = open_reference(&numbers);
    changed[1].as.int_value = 4;
    assert_refused(reference, changed, 4, "the integer 3", "another number");
    memcpy(changed, inputs, sizeof changed);
    changed[3].as.double_value = 0.25;
    assert_refused(reference, changed, 4, "of the export", "another number");
    ets_reference_close(reference);
    close_subject(&subject);

    /* No even number of rows. */
    subject = open_subject("reference", "sizes.etrecord", "forward");
    const struct ets_reference_options sizes = {
        .engine = &FAKE, .record = subject.record, .graph = subject.aten};
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    reference = open_reference(&sizes);
    other = inputs[0];
    other.as.tensor.sizes[0] = 3;
    assert_refused(reference, &other, 1, "float32 [2*s", "float32 [3, 6]");
    ets_reference_close(reference);
    close_subject(&subject);
}

static void test_options(void **state)
{
    (void)state;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    struct ets_reference *reference = NULL;
    struct ets_reference_options options = {
        .engine = &FAKE, .record = subject.record, .graph = subject.aten, .fallback = subject.aten};
    assert_int_equal(ets_reference_open(&options, &reference, NULL), ETS_INVALID_ARGUMENT);
    options.engine = NULL;
    options.fallback = NULL;
    assert_int_equal(ets_reference_open(&options, &reference, NULL), ETS_INVALID_ARGUMENT);
    assert_null(reference);
    ets_reference_close(NULL);
    close_subject(&subject);
}

/* A graph by hand: x -> relu -> y. */
struct handmade {
    struct ets_graph graph;
    struct ets_graph_input inputs[2];
    struct ets_graph_output outputs[1];
    struct ets_graph_node nodes[2];
    struct ets_graph_argument reads[2], writes[2];
    struct ets_graph_value values[4];
};

#define TEXT(text) ((struct ets_text){text, sizeof(text) - 1})

static struct ets_graph_argument tensor_named(struct ets_text name)
{
    return (struct ets_graph_argument){
        .kind = ETS_ARGUMENT_TENSOR, .label = TEXT("self"), .name = name};
}

static void make_graph(struct handmade *made)
{
    static const int64_t SIZES[] = {2, 3};
    *made = (struct handmade){.graph = {.name = TEXT("handmade")}};
    const struct ets_text names[] = {TEXT("x"), TEXT("w"), TEXT("y"), TEXT("z")};
    for (unsigned i = 0; i < 4; i++) {
        made->values[i] = (struct ets_graph_value){
            .name = names[i], .scalar_type = ETS_SCALAR_FLOAT, .rank = 2, .sizes = SIZES};
    }
    made->inputs[0] = (struct ets_graph_input){.argument = tensor_named(names[0])};
    for (unsigned i = 0; i < 2; i++) {
        made->reads[i] = tensor_named(names[i == 0 ? 0 : 2]);
        made->writes[i] = tensor_named(names[2 + i]);
        made->nodes[i] = (struct ets_graph_node){.name = names[2 + i],
                                                 .target = TEXT("torch.ops.aten.relu.default"),
                                                 .op = TEXT("relu.default"),
                                                 .input_count = 1,
                                                 .inputs = &made->reads[i],
                                                 .output_count = 1,
                                                 .outputs = &made->writes[i]};
    }
    made->outputs[0].argument = tensor_named(names[3]);
    made->graph.inputs = made->inputs;
    made->graph.input_count = 1;
    made->graph.outputs = made->outputs;
    made->graph.output_count = 1;
    made->graph.nodes = made->nodes;
    made->graph.node_count = 2;
    made->graph.values = made->values;
    made->graph.value_count = 4;
}

static void assert_status(const struct subject *subject, const struct handmade *made,
                          enum ets_status status, const char *message)
{
    struct ets_error error = {.status = ETS_OK};
    struct ets_reference *reference = NULL;
    const struct ets_reference_options options = {
        .engine = &FAKE, .record = subject->record, .graph = &made->graph};
    assert_int_equal(ets_reference_open(&options, &reference, &error), status);
    if (strstr(error.message, message) == NULL) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, message));
    ets_reference_close(reference);
}

static void test_graphs(void **state)
{
    (void)state;
    struct handmade made;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    make_graph(&made);
    assert_status(&subject, &made, ETS_OK, "");
    made.reads[0].name = TEXT("z"); /* of the node behind */
    assert_status(&subject, &made, ETS_MALFORMED, "handmade: y: z is used before it is defined");
    make_graph(&made);
    made.reads[0].name = TEXT("y"); /* its own */
    assert_status(&subject, &made, ETS_MALFORMED, "y: y is used");
    make_graph(&made);
    made.writes[1].name = TEXT("y");
    assert_status(&subject, &made, ETS_MALFORMED, "z: y is defined twice");
    make_graph(&made);
    made.writes[1].name = TEXT("x");
    assert_status(&subject, &made, ETS_MALFORMED, "z: x is defined twice");
    make_graph(&made);
    made.outputs[0].argument.name = TEXT("none");
    assert_status(&subject, &made, ETS_MALFORMED, "output: none is used");
    make_graph(&made);
    made.inputs[1] = (struct ets_graph_input){.argument = tensor_named(TEXT("w")),
                                              .role = ETS_INPUT_PARAMETER,
                                              .source = TEXT("layer.weight")};
    made.graph.input_count = 2;
    assert_status(&subject, &made, ETS_NOT_FOUND, "the record has no weight layer.weight");
    made.graph.name = TEXT("exported_program"); /* which has a weight of another shape */
    made.inputs[1].source = subject.aten->inputs[0].source;
    assert_status(&subject, &made, ETS_MALFORMED, "different type or shape");
    make_graph(&made);
    struct ets_graph_argument body = {.kind = ETS_ARGUMENT_GRAPH, .name = TEXT("body"), .graph = 0};
    made.nodes[0].inputs = &body;
    assert_status(&subject, &made, ETS_MALFORMED, "y: body is not a graph inside it");
    const struct ets_graph *self = &made.graph; /* a body that holds itself */
    made.graph.subgraphs = &self;
    made.graph.subgraph_count = 1;
    assert_status(&subject, &made, ETS_MALFORMED, "y: body is not a graph inside it");
    close_subject(&subject);
}

struct replacing {
    const char *node;       /* whose value is replaced */
    struct ets_value value; /* by this */
    const char *watched;    /* whose first number is kept */
    double number;
    unsigned missing;
    enum ets_status status; /* what the observer answers at `node` */
};

static enum ets_status replace_value(void *context, const struct ets_reference_result *result,
                                     struct ets_value *replacement_out, struct ets_error *error)
{
    struct replacing *replacing = context;
    (void)error;
    replacing->missing += result->value.kind == ETS_VALUE_NONE;
    if (strcmp(result->node->name.data, replacing->watched) == 0 &&
        result->value.kind == ETS_VALUE_TENSOR) {
        replacing->number =
            ets_element_load(result->value.as.tensor.data, result->value.as.tensor.scalar_type, 0);
    }
    if (strcmp(result->node->name.data, replacing->node) != 0) return ETS_OK;
    *replacement_out = replacing->value;
    return replacing->status;
}

static struct ets_value matrix_of(const double *numbers, int64_t rows, int64_t columns)
{
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    value.as.tensor = (struct ets_tensor){.scalar_type = ETS_SCALAR_DOUBLE,
                                          .rank = 2,
                                          .sizes = {rows, columns},
                                          .data = numbers,
                                          .data_bytes = (size_t)(rows * columns) * sizeof(double)};
    ets_tensor_set_contiguous(&value.as.tensor);
    return value;
}

static void test_replacements(void **state)
{
    NEEDS_ENGINE();
    struct handmade made;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    make_graph(&made);
    float ones[6] = {1, 1, 1, 1, 1, 1};
    struct ets_value input = matrix_of(NULL, 2, 3);
    input.as.tensor.scalar_type = ETS_SCALAR_FLOAT;
    input.as.tensor.data = ones;
    input.as.tensor.data_bytes = sizeof ones;
    const double sevens[6] = {7, 7, 7, 7, 7, 7};
    const struct ets_reference_options options = {
        .engine = engine, .record = subject.record, .graph = &made.graph};
    struct ets_reference *reference = open_reference(&options);
    struct replacing replacing = {.node = "none", .watched = "z"};
    run_reference(reference, &input, 1, replace_value, &replacing);
    assert_true(replacing.number == 1);
    replacing = (struct replacing){.node = "y", .watched = "z", .value = matrix_of(sevens, 2, 3)};
    run_reference(reference, &input, 1, replace_value, &replacing);
    assert_true(replacing.number == 7); /* doubles became the record's float32 */
    assert_true(ones[0] == 1);          /* what the caller lent is as it was */

    struct ets_error error = {.status = ETS_OK};
    replacing.value = matrix_of(sevens, 3, 2);
    assert_int_equal(ets_reference_run(reference, &input, 1, replace_value, &replacing, &error),
                     ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "y: the value that replaces it is of a different shape"));
    replacing.value = (struct ets_value){.kind = ETS_VALUE_INT};
    assert_int_equal(ets_reference_run(reference, &input, 1, replace_value, &replacing, &error),
                     ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "of a different kind"));
    replacing.value.kind = ETS_VALUE_NONE;
    replacing.status = ETS_IO; /* an observer that wants no more */
    assert_int_equal(ets_reference_run(reference, &input, 1, replace_value, &replacing, &error),
                     ETS_IO);
    replacing.status = ETS_OK;
    run_reference(reference, &input, 1, replace_value, &replacing);
    assert_true(replacing.number == 1);
    ets_reference_close(reference);
    close_subject(&subject);
}

/* What works in place writes into what it was given, whoever computes it. */
static void test_replacements_in_place(void **state)
{
    NEEDS_ENGINE();
    struct handmade made;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    const double sevens[6] = {7, 7, 7, 7, 7, 7};
    float ones[6] = {1, 1, 1, 1, 1, 1};
    struct ets_value input = matrix_of(NULL, 2, 3);
    input.as.tensor.scalar_type = ETS_SCALAR_FLOAT;
    input.as.tensor.data = ones;
    input.as.tensor.data_bytes = sizeof ones;
    static const struct ets_text TARGETS[] = {TEXT("torch.ops.aten.relu_.default"),
                                              TEXT("torch.ops.torchao.unheard_.default")};
    for (unsigned is_unknown = 0; is_unknown < 2; is_unknown++) {
        make_graph(&made);
        made.nodes[0].target = TARGETS[is_unknown];
        made.reads[1].name = TEXT("x"); /* z is made of x, which y was written into */
        const struct ets_reference_options options = {
            .engine = engine, .record = subject.record, .graph = &made.graph};
        struct ets_reference *reference = open_reference(&options);
        struct replacing replacing = {
            .node = "y", .watched = "z", .value = matrix_of(sevens, 2, 3)};
        run_reference(reference, &input, 1, replace_value, &replacing);
        assert_true(replacing.number == 7);
        assert_int_equal(replacing.missing, is_unknown);
        assert_true(ones[0] == 1);
        /* Not replaced, what was not computed is not there under the first name either. */
        replacing = (struct replacing){.node = "none", .watched = "z"};
        run_reference(reference, &input, 1, replace_value, &replacing);
        assert_int_equal(replacing.missing, is_unknown ? 2 : 0);
        ets_reference_close(reference);
    }
    close_subject(&subject);
}

/* Without a kernel a value is missing, and with it what follows, until the caller gives one. */
static void test_uncovered(void **state)
{
    NEEDS_ENGINE();
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    struct ets_engine poor = *engine;
    poor.kernel_exists = most_kernels;
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = &poor, .record = subject.record, .graph = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    struct shown shown = {.graph = subject.edge};
    run_reference(reference, inputs, count, keep_shown, &shown);
    assert_int_equal(shown.missing, 1);
    assert_non_null(strstr(shown.reason, "softmax"));
    free_shown(&shown);
    ets_reference_close(reference);
    close_subject(&subject);
}

/* What the runtime refuses is told at the node; what stands behind has the same reason. */
static void test_refusals(void **state)
{
    (void)state;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    struct ets_engine refusing = FAKE;
    refusing.kernel_call = refusing_kernel;
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_representative_inputs(subject.record, &inputs, &count, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = &refusing, .record = subject.record, .graph = subject.edge};
    struct ets_reference *reference = open_reference(&options);
    for (int run = 0; run < 2; run++) {
        struct shown shown = {.graph = subject.edge};
        run_reference(reference, inputs, count, keep_shown, &shown);
        assert_true(shown.missing > 2);
        assert_non_null(strstr(shown.reason, "InvalidArgument"));
        free_shown(&shown);
    }
    ets_reference_close(reference);
    close_subject(&subject);
}

/* Thousands of nodes are read in no time that grows with their square. */
static void test_long_graph(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct handmade made;
    struct subject subject = open_subject("mlp_portable", "model.etrecord", "forward");
    make_graph(&made);
    struct ets_graph_node *nodes = test_calloc(COUNT, sizeof *nodes);
    struct ets_graph_argument *arguments = test_calloc(COUNT + 1, sizeof *arguments);
    char(*names)[8] = test_calloc(COUNT + 1, sizeof *names);
    arguments[0] = tensor_named(TEXT("x"));
    for (unsigned i = 0; i < COUNT; i++) {
        const int size = snprintf(names[i], sizeof names[i], "n%u", i);
        arguments[i + 1] = tensor_named((struct ets_text){names[i], (size_t)size});
        nodes[i] = made.nodes[0];
        nodes[i].name = arguments[i + 1].name;
        nodes[i].inputs = &arguments[i];
        nodes[i].outputs = &arguments[i + 1];
    }
    made.graph.nodes = nodes;
    made.graph.node_count = COUNT;
    made.graph.value_count = 1; /* nothing is known of the others */
    made.outputs[0].argument = arguments[COUNT];
    const struct ets_reference_options options = {
        .engine = &FAKE, .record = subject.record, .graph = &made.graph};
    struct ets_reference *reference = open_reference(&options);
    assert_int_equal(ets_reference_node_count(reference), COUNT);
    ets_reference_close(reference);
    test_free(names);
    test_free(arguments);
    test_free(nodes);
    close_subject(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),  cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_options),      cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_replacements), cmocka_unit_test(test_replacements_in_place),
        cmocka_unit_test(test_uncovered),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_long_graph),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
