/* Single nodes: with the runtime's kernels against numbers worked out by hand, and with kernels
 * that do nothing against arguments of any kind. */
#include "test_node_support.h"

#include <math.h>

#include "reference/expressions.h"

static void test_views_share_their_storage(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2));
    add(FLOATS(SIZES(2, 3), NUMBERS(1, 2, 3, 4, 5, 6)));
    add(WHOLE(1));
    add(WHOLE(-1));
    assert_int_equal(call_with(&calls, "torch.ops.aten.select.int", 1, &shape), ETS_OK);
    expect_tensor(0, SIZES(2), NUMBERS(3, 6));
    struct reference_value column = made[0], matrix = given[0];
    given_count = 0;
    add(column);
    add(WHOLE(10));
    assert_int_equal(call_with(&calls, "torch.ops.aten.add_.Tensor", 1, &shape), ETS_OK);
    assert_ptr_equal(made[0].as.tensor.view.data, column.as.tensor.view.data);
    ets_reference_value_drop(&memory, &made[0]);
    made[0] = matrix;
    expect_tensor(0, SIZES(2, 3), NUMBERS(1, 2, 13, 4, 5, 16));
    forget(1);
}

static void test_copies_are_no_views(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(3, 2));
    add(FLOATS(SIZES(2, 3), NUMBERS(1, 2, 3, 4, 5, 6)));
    add(ints(SIZES(1, 0)));
    assert_int_equal(
        call_with(&calls, "executorch.exir.dialects.edge.ops.aten.permute_copy.default", 1, &shape),
        ETS_OK);
    assert_ptr_not_equal(made[0].as.tensor.storage, given[0].as.tensor.storage);
    expect_tensor(0, SIZES(3, 2), NUMBERS(1, 4, 2, 5, 3, 6));
    forget(1);
}

static void test_shapes_of_views(void **state)
{
    NEEDS_ENGINE();
    static const double six[] = {1, 2, 3, 4, 5, 6};
    static const double turned[] = {1, 4, 2, 5, 3, 6};
    add(FLOATS(SIZES(2, 3), six));
    add(ints(SIZES(3, -1)));
    check("torch.ops.aten.view.default", SIZES(3, 2), six);
    add(FLOATS(SIZES(2, 3), six));
    check("torch.ops.aten.t.default", SIZES(3, 2), turned);
    add(FLOATS(SIZES(2, 1, 3), six));
    add(WHOLE(1));
    check("torch.ops.aten.squeeze.dim", SIZES(2, 3), six);
    add(FLOATS(SIZES(2, 3), six));
    add(WHOLE(-1));
    check("torch.ops.aten.unsqueeze.default", SIZES(2, 3, 1), six);
    add(FLOATS(SIZES(3), six));
    add(ints(SIZES(2, -1)));
    check("torch.ops.aten.expand.default", SIZES(2, 3), NUMBERS(1, 2, 3, 1, 2, 3));
    add(FLOATS(SIZES(2, 3), six));
    add(WHOLE(1));
    add(WHOLE(-2));
    check("torch.ops.aten.slice.Tensor", SIZES(2, 2), NUMBERS(2, 3, 5, 6));
    add(FLOATS(SIZES(2, 3), six));
    add(WHOLE(1));
    check("torch.ops.aten.diagonal.default", SIZES(2), NUMBERS(2, 6));
    add(FLOATS(SIZES(1, 2, 3), six));
    add(WHOLE(0));
    add(WHOLE(1));
    check("torch.ops.aten.flatten.using_ints", SIZES(2, 3), six);
}

static void test_pieces(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    struct reference_shape shapes[3] = {ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2)),
                                        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2)),
                                        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1))};
    add(FLOATS(SIZES(5), NUMBERS(1, 2, 3, 4, 5)));
    add(WHOLE(2));
    assert_int_equal(call_with(&calls, "torch.ops.aten.split.Tensor", 3, shapes), ETS_OK);
    expect_tensor(0, SIZES(2), NUMBERS(1, 2));
    expect_tensor(2, SIZES(1), NUMBERS(5));
    for (uint32_t i = 0; i < 3; i++) ets_reference_value_drop(&memory, &made[i]);
    assert_int_equal(call_with(&calls, "torch.ops.aten.split.Tensor", 2, shapes), ETS_MISMATCH);
    forget(0);
}

static void test_products_and_convolutions(void **state)
{
    NEEDS_ENGINE();
    add(FLOATS(SIZES(2, 2), NUMBERS(1, 2, 3, 4)));
    add(FLOATS(SIZES(2), NUMBERS(5, 6)));
    check("torch.ops.aten.matmul.default", SIZES(2), NUMBERS(17, 39));
    add(FLOATS(SIZES(2), NUMBERS(10, 20)));
    add(FLOATS(SIZES(2, 2), NUMBERS(1, 2, 3, 4)));
    add(FLOATS(SIZES(2, 2), NUMBERS(1, 0, 0, 1)));
    check("torch.ops.aten.addmm.default", SIZES(2, 2), NUMBERS(11, 22, 13, 24));
    add(FLOATS(SIZES(1, 1, 3, 3), NUMBERS(1, 2, 3, 4, 5, 6, 7, 8, 9)));
    add(FLOATS(SIZES(1, 1, 2, 2), NUMBERS(1, 0, 0, 1)));
    add(FLOATS(SIZES(1), NUMBERS(100)));
    check("torch.ops.aten.conv2d.default", SIZES(1, 1, 2, 2), NUMBERS(106, 108, 112, 114));
    add(FLOATS(SIZES(1, 2, 3), NUMBERS(1, 2, 3, 4, 5, 6)));
    add(FLOATS(SIZES(2, 1, 2), NUMBERS(1, 1, 1, -1)));
    add(NOTHING);
    add(WHOLE(2));
    add(WHOLE(1));
    add(WHOLE(1));
    add(WHOLE(2)); /* groups */
    check("torch.ops.aten.conv1d.default", SIZES(1, 2, 2), NUMBERS(1, 5, -4, -1));
    add(FLOATS(SIZES(1, 1, 2), NUMBERS(1, 2)));
    add(FLOATS(SIZES(1, 1, 2), NUMBERS(1, 10)));
    add(NOTHING);
    add(WHOLE(2)); /* by the runtime's own kernel */
    check("torch.ops.aten.conv_transpose1d.default", SIZES(1, 1, 4), NUMBERS(1, 10, 2, 20));
    add(FLOATS(SIZES(1, 2, 3), NUMBERS(1, 2, 3, 4, 5, 6)));
    add(FLOATS(SIZES(1, 2, 3), NUMBERS(1, 1, 1, 0, 1, 0)));
    add(NOTHING);
    add(WHOLE(1));
    add((struct reference_value){.kind = REFERENCE_STRING, .as.text = {"same", 4}});
    check("torch.ops.aten.conv1d.padding", SIZES(1, 1, 3), NUMBERS(7, 11, 11));
}

/* More groups than are computed at once, of two images; the last ones are left over. */
static void test_groups_are_computed_in_batches(void **state)
{
    NEEDS_ENGINE();
    enum { IMAGES = 2, GROUPS = 5, LENGTH = 50001 };
    const int64_t made_length = LENGTH - 1;
    double *numbers = test_calloc(IMAGES * GROUPS * LENGTH, sizeof *numbers);
    double *expected = test_calloc(IMAGES * GROUPS * LENGTH, sizeof *expected);
    double weights[2 * GROUPS];
    for (int row = 0; row < IMAGES * GROUPS; row++) {
        const int group = row % GROUPS;
        double *from = numbers + row * LENGTH, *to = expected + row * made_length;
        for (int i = 0; i < LENGTH; i++) from[i] = (i + 7 * row) % 100;
        for (int i = 0; i < made_length; i++) to[i] = (group + 1) * from[i] - group * from[i + 1];
        weights[2 * group] = group + 1;
        weights[2 * group + 1] = -group;
    }
    add(FLOATS(SIZES(IMAGES, GROUPS, LENGTH), numbers));
    add(FLOATS(SIZES(GROUPS, 1, 2), weights));
    add(NOTHING);
    add(WHOLE(1));
    add(WHOLE(0));
    add(WHOLE(1));
    add(WHOLE(GROUPS));
    check("torch.ops.aten.conv1d.default", SIZES(IMAGES, GROUPS, made_length), expected);
    test_free(numbers);
    test_free(expected);
}

static void test_layers(void **state)
{
    NEEDS_ENGINE();
    add(FLOATS(SIZES(1, 2), NUMBERS(-1, 1)));
    add(ints(SIZES(2)));
    add(FLOATS(SIZES(2), NUMBERS(2, 2)));
    add(FLOATS(SIZES(2), NUMBERS(0, 1)));
    add(NUMBER(0));
    check("torch.ops.aten.layer_norm.default", SIZES(1, 2), NUMBERS(-2, 3));
    add(FLOATS(SIZES(1, 2, 1), NUMBERS(3, 5)));
    add(FLOATS(SIZES(2), NUMBERS(1, 2)));
    add(FLOATS(SIZES(2), NUMBERS(0, 1)));
    add(FLOATS(SIZES(2), NUMBERS(1, 1)));
    add(FLOATS(SIZES(2), NUMBERS(4, 16)));
    add(TRUTH(0));
    add(NUMBER(0.1));
    add(NUMBER(0));
    add(TRUTH(1));
    check("torch.ops.aten.batch_norm.default", SIZES(1, 2, 1), NUMBERS(1, 3));
    add(FLOATS(SIZES(2), NUMBERS(0, 0)));
    add(WHOLE(0));
    check("torch.ops.aten.log_softmax.int", SIZES(2), NUMBERS(-0.6931472, -0.6931472));
    add(FLOATS(SIZES(3), NUMBERS(-4, 0, 4)));
    check("torch.ops.aten.hardswish.default", SIZES(3), NUMBERS(0, 0, 4));
    add(FLOATS(SIZES(2), NUMBERS(-100, -1))); /* here the numbers are torch's */
    check("torch.ops.aten.mish.default", SIZES(2), NUMBERS(0, -0.3034014));
    add(FLOATS(SIZES(2), NUMBERS(0.4, 0.6)));
    add(NUMBER(2));
    add(NUMBER(1)); /* beyond a threshold of 1 the number itself */
    check("torch.ops.aten.softplus.default", SIZES(2), NUMBERS(0.5855503, 0.6));
    add(FLOATS(SIZES(2), NUMBERS(-100, -1)));
    check("torch.ops.aten.log_sigmoid.default", SIZES(2), NUMBERS(-100, -1.3132617));
    add(FLOATS(SIZES(2), NUMBERS(-1, 2)));
    check("torch.ops.aten.selu.default", SIZES(2), NUMBERS(-1.1113307, 2.1014020));
    add(FLOATS(SIZES(1), NUMBERS(-1)));
    add(NUMBER(0.5));
    check("torch.ops.aten.celu.default", SIZES(1), NUMBERS(-0.4323324));
    add(FLOATS(SIZES(1, 1, 2, 2), NUMBERS(1, 2, 3, 4)));
    add(ints(SIZES(1, 1)));
    check("torch.ops.aten.adaptive_avg_pool2d.default", SIZES(1, 1, 1, 1), NUMBERS(2.5));
    add(FLOATS(SIZES(2), NUMBERS(1, 2)));
    add(WHOLE(2));
    check("torch.ops.aten.repeat_interleave.self_int", SIZES(4), NUMBERS(1, 1, 2, 2));
    add(FLOATS(SIZES(1, 2), NUMBERS(-2, 3)));
    add(FLOATS(SIZES(1), NUMBERS(0.5)));
    check("torch.ops.aten.prelu.default", SIZES(1, 2), NUMBERS(-1, 3));
}

static void test_attention(void **state)
{
    NEEDS_ENGINE();
    add(FLOATS(SIZES(2, 1), NUMBERS(0, 0)));
    add(FLOATS(SIZES(2, 1), NUMBERS(1, 2)));
    add(FLOATS(SIZES(2, 1), NUMBERS(10, 20)));
    add(NOTHING);
    add(NUMBER(0));
    add(TRUTH(1)); /* causal: the first sees itself alone */
    check("torch.ops.aten.scaled_dot_product_attention.default", SIZES(2, 1), NUMBERS(10, 15));
}

static void test_quantised_numbers(void **state)
{
    NEEDS_ENGINE();
    add(FLOATS(SIZES(4), NUMBERS(0.5, 1.5, -3, 1000)));
    add(NUMBER(1));
    add(WHOLE(3));
    add(WHOLE(-128));
    add(WHOLE(127));
    add(WHOLE(ETS_SCALAR_CHAR));
    struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_CHAR, SIZES(4));
    for (int use_double = 0; use_double < 2; use_double++) {
        const struct reference_calls calls = {engine, &memory, use_double != 0};
        assert_int_equal(
            call_with(&calls, "torch.ops.quantized_decomposed.quantize_per_tensor.default", 1,
                      &shape),
            ETS_OK);
        assert_int_equal(made[0].as.tensor.view.scalar_type, ETS_SCALAR_CHAR);
        expect_tensor(0, SIZES(4), NUMBERS(3, 5, 0, 127)); /* halves to even */
        ets_reference_value_drop(&memory, &made[0]);
    }
    forget(0);
    add(tensor_of(ETS_SCALAR_CHAR, SIZES(2, 2), NUMBERS(1, 2, 3, 4)));
    add(FLOATS(SIZES(2), NUMBERS(0.5, 2)));
    add(tensor_of(ETS_SCALAR_LONG, SIZES(2), NUMBERS(1, 0)));
    add(WHOLE(1));
    add(WHOLE(-128));
    add(WHOLE(127));
    add(WHOLE(ETS_SCALAR_CHAR));
    check("torch.ops.quantized_decomposed.dequantize_per_channel.default", SIZES(2, 2),
          NUMBERS(0, 4, 1, 8));
}

static void test_blocks(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shapes[2] = {ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2)),
                                              ets_reference_shape_of(ETS_SCALAR_CHAR, SIZES(1, 2))};
    add(FLOATS(SIZES(1, 4), NUMBERS(0, 255, -5.1, 20.4)));
    add((struct reference_value){.kind = REFERENCE_STRING, .as.text = {"ASYMMETRIC", 10}});
    add(ints(SIZES(1, 2)));
    add(WHOLE(ETS_SCALAR_CHAR));
    add(WHOLE(-128));
    add(WHOLE(127));
    add(NOTHING);
    add(NOTHING);
    add(WHOLE(ETS_SCALAR_CHAR));
    assert_int_equal(
        call_with(&calls, "torch.ops.torchao.choose_qparams_affine.default", 2, shapes), ETS_OK);
    expect_tensor(0, SIZES(1, 2), NUMBERS(1, 0.1));
    expect_tensor(1, SIZES(1, 2), NUMBERS(-128, -77));
    struct reference_value scale = made[0], zero = made[1], blocks, x = given[0];
    assert_int_equal(ets_reference_value_share(&memory, &given[2], &blocks, NULL), ETS_OK);
    given[0] = NOTHING;
    forget_given();
    add(x);
    add(blocks);
    add(scale);
    add(zero);
    add(WHOLE(ETS_SCALAR_CHAR));
    add(WHOLE(-128));
    add(WHOLE(127));
    const struct reference_shape whole = ets_reference_shape_of(ETS_SCALAR_CHAR, SIZES(1, 4));
    assert_int_equal(call_with(&calls, "torch.ops.torchao.quantize_affine.default", 1, &whole),
                     ETS_OK);
    expect_tensor(0, SIZES(1, 4), NUMBERS(-128, 127, -128, 127));
    forget(1);
}

static void test_types(void **state)
{
    NEEDS_ENGINE();
    struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2));
    const struct reference_calls doubles = {engine, &memory, true};
    add(FLOATS(SIZES(2), NUMBERS(1, 2)));
    add(NUMBER(0.1)); /* a number where a tensor is wanted */
    assert_int_equal(call_with(&doubles, "torch.ops.aten.mul.Tensor", 1, &shape), ETS_OK);
    assert_int_equal(made[0].as.tensor.view.scalar_type, ETS_SCALAR_DOUBLE);
    assert_float_equal(ets_element_load(made[0].as.tensor.view.data, ETS_SCALAR_DOUBLE, 0), 0.1, 0);
    assert_false(is_single);
    forget(1);
    add(FLOATS(SIZES(1, 1, 2, 2), NUMBERS(1, 2, 3, 4)));
    add(NOTHING);
    add(TRUTH(0));
    struct reference_value scales[2] = {NUMBER(2), NUMBER(2)};
    struct reference_value list = {.kind = REFERENCE_LIST, .as.list = {scales, 2}};
    assert_int_equal(ets_reference_value_share(&memory, &list, &given[given_count], NULL), ETS_OK);
    inputs[given_count++] = (struct ets_graph_argument){.label = {"", 0}};
    shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 1, 4, 4));
    assert_int_equal(call_with(&doubles, "torch.ops.aten.upsample_bilinear2d.vec", 1, &shape),
                     ETS_OK);
    assert_true(is_single); /* its kernel computes in floats */
    forget(1);
    const struct reference_calls as_recorded = {engine, &memory, false};
    add(tensor_of(ETS_SCALAR_HALF, SIZES(1, 1, 3), NUMBERS(1, 2, 3)));
    add(tensor_of(ETS_SCALAR_HALF, SIZES(1, 1, 2), NUMBERS(1, 1)));
    shape = ets_reference_shape_of(ETS_SCALAR_HALF, SIZES(1, 1, 2));
    assert_int_equal(call_with(&as_recorded, "torch.ops.aten.conv1d.default", 1, &shape), ETS_OK);
    assert_int_equal(made[0].as.tensor.view.scalar_type, ETS_SCALAR_HALF);
    expect_tensor(0, SIZES(1, 1, 2), NUMBERS(3, 5));
    forget(1);
}

static void test_numbers(void **state)
{
    NEEDS_ENGINE();
    static const struct {
        const char *target;
        int64_t a, b, result;
    } cases[] = {{"_operator.add", 2, 3, 5},     {"_operator.floordiv", -7, 2, -4},
                 {"_operator.mod", -7, 2, 1},    {"_operator.le", 3, 3, 1},
                 {"_operator.pow", 2, 10, 1024}, {"torch.sym_max", 2, 9, 9},
                 {"_operator.lshift", 3, 2, 12}, {"_operator.ne", 3, 3, 0}};
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shape = {.scalar_type = -1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add(WHOLE(cases[i].a));
        add(WHOLE(cases[i].b));
        assert_int_equal(call_with(&calls, cases[i].target, 1, &shape), ETS_OK);
        assert_int_equal(made[0].as.int_value, cases[i].result);
        forget(1);
    }
    add(WHOLE(1));
    add(WHOLE(0));
    assert_int_equal(call_with(&calls, "_operator.floordiv", 1, &shape), ETS_INVALID_ARGUMENT);
    given[1] = WHOLE(INT64_MAX);
    assert_int_equal(call_with(&calls, "_operator.add", 1, &shape), ETS_LIMIT);
    forget(0);
    add(tensor_of(ETS_SCALAR_LONG, SIZES(1), NUMBERS(7)));
    assert_int_equal(call_with(&calls, "torch.ops.aten.item.default", 1, &shape), ETS_OK);
    assert_int_equal(made[0].as.int_value, 7);
    forget(1);
}

static void test_every_kernel_of_the_table_is_registered(void **state)
{
    NEEDS_ENGINE();
    for (uint32_t i = 0; i < ets_reference_operator_count; i++) {
        const char *kernel = ets_reference_operators[i].kernel;
        if (kernel == NULL || engine->kernel_exists(kernel)) continue;
        print_message("%s\n", kernel);
        assert_memory_equal(kernel, "quantized_decomposed::", 22); /* a library of their own */
    }
}

static void test_the_table_is_well_formed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ets_reference_operator_count; i++) {
        const struct reference_operator *row = &ets_reference_operators[i];
        assert_true(i == 0 || strcmp(row[-1].name, row->name) < 0);
        assert_ptr_equal(
            ets_reference_operator_named((struct ets_text){row->name, strlen(row->name)}), row);
        assert_true(row->kernel != NULL || ets_reference_expression_named(row->name, true) != NULL);
        const char *schema = row->schema;
        struct reference_parameter parameter;
        uint32_t count = 0;
        while (ets_reference_next_parameter(&schema, &parameter)) {
            count++;
            assert_non_null(strchr("tSifbsDMLVG", parameter.letter));
            assert_true(parameter.name.size > 0);
            if (parameter.has_default) (void)ets_reference_default(&parameter);
        }
        assert_true(count < REFERENCE_MAX_ARGUMENTS);
    }
}

static void test_defaults(void **state)
{
    (void)state;
    const char *schema = "S a=1/100;i b=-1;b c=1;i[] d=[];s e=none;t? f=;f g=1";
    struct reference_parameter parameter;
    struct reference_value values[7];
    for (int i = 0; i < 7; i++) {
        assert_true(ets_reference_next_parameter(&schema, &parameter));
        values[i] = ets_reference_default(&parameter);
    }
    assert_float_equal(values[0].as.double_value, 0.01, 0);
    assert_int_equal(values[1].as.int_value, -1);
    assert_int_equal(values[2].kind, REFERENCE_BOOL);
    assert_int_equal(values[3].kind, REFERENCE_LIST);
    assert_memory_equal(values[4].as.text.data, "none", 4);
    assert_int_equal(values[5].kind, REFERENCE_NOTHING);
    assert_float_equal(values[6].as.double_value, 1, 0);
    assert_false(ets_reference_next_parameter(&schema, &parameter));
}

/* An engine all of whose kernels give zeros. */
static int any_kernel(const char *name)
{
    return name != NULL;
}

static enum ets_status give_zeros(const char *name, struct ets_kernel_argument *arguments,
                                  size_t count, struct ets_error *error)
{
    (void)error;
    if (name == NULL) return ETS_NOT_FOUND;
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].is_output) continue;
        const bool is_list = arguments[i].kind == ETS_KERNEL_TENSOR_LIST;
        for (size_t k = 0; k < (is_list ? arguments[i].count : 1); k++) {
            struct ets_tensor *out = is_list ? arguments[i].as.tensors[k] : arguments[i].as.tensor;
            if (out->data_bytes > 0) memset((void *)(uintptr_t)out->data, 0, out->data_bytes);
        }
    }
    return ETS_OK;
}

static const struct ets_engine idle_engine = {.kernel_exists = any_kernel,
                                              .kernel_call = give_zeros};

static uint32_t seed = 1;

static uint32_t pick(uint32_t count)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % count;
}

static struct reference_value odd_tensor(void)
{
    static const int types[] = {ETS_SCALAR_FLOAT, ETS_SCALAR_LONG, ETS_SCALAR_BOOL, ETS_SCALAR_HALF,
                                ETS_SCALAR_COMPLEX_FLOAT};
    static const int64_t shapes[][4] = {
        {2, 3, 4, 5}, {1, 1, 1, 1}, {0, 3, 2, 2}, {4, 4, 3, 3}, {2, 2, 2, 2}};
    struct reference_value value;
    const int64_t *sizes = shapes[pick(5)];
    assert_int_equal(
        ets_reference_tensor_new(&memory, types[pick(5)], pick(5), sizes, &value, NULL), ETS_OK);
    if (value.as.tensor.storage->size > 0) {
        memset(value.as.tensor.storage->bytes, 0, value.as.tensor.storage->size);
    }
    if (pick(4) == 0) { /* as wide as can be, over one element */
        struct ets_tensor *view = &value.as.tensor.view;
        for (uint32_t i = 0; i < view->rank && view->data_bytes > 0; i++) {
            view->sizes[i] = pick(2) == 0 ? INT64_C(1) << 40 : 1;
            view->strides[i] = 0;
        }
    }
    return value;
}

static struct reference_value odd_number(void)
{
    static const int64_t numbers[] = {0, 1, 2, 3, -1, -2, 7, 17, INT64_MAX, INT64_MIN, 1 << 20};
    static const double reals[] = {0, 0.5, -1e300, NAN, INFINITY};
    switch (pick(8)) {
    case 0: return NUMBER(reals[pick(5)]);
    case 1: return TRUTH(pick(2));
    default: return WHOLE(numbers[pick(11)]);
    }
}

static struct reference_value odd_value(const struct reference_parameter *parameter, bool in_list)
{
    const uint32_t choice = pick(12);
    if (choice == 0) return NOTHING;
    if (choice == 1) return odd_number();
    if (choice == 2) return odd_tensor();
    if (parameter->is_list && !in_list) {
        struct reference_value items[5] = {NOTHING}, list = {.kind = REFERENCE_LIST}, copy;
        list.as.list.items = items;
        list.as.list.count = pick(5);
        for (uint32_t i = 0; i < list.as.list.count; i++) items[i] = odd_value(parameter, true);
        assert_int_equal(ets_reference_value_share(&memory, &list, &copy, NULL), ETS_OK);
        for (uint32_t i = 0; i < list.as.list.count; i++)
            ets_reference_value_drop(&memory, &items[i]);
        return copy;
    }
    if (parameter->letter == 't') return odd_tensor();
    if (parameter->letter == 's') {
        return (struct reference_value){.kind = REFERENCE_STRING, .as.text = {"same", 4}};
    }
    if (parameter->letter == 'D') return WHOLE(pick(30));
    return odd_number();
}

/* The `index`-th operator, now and then in place, with arguments of its kinds and of others. */
static void call_oddly(const struct ets_engine *kernels, uint32_t index, bool use_double)
{
    char target[160], other[128];
    const char *name = ets_reference_operators[index].name,
               *schema = ets_reference_operators[index].schema;
    const char *dot = strrchr(name, '.');
    if (pick(6) == 0) snprintf(other, sizeof other, "%.*s_%s", (int)(dot - name), name, dot);
    else snprintf(other, sizeof other, "%s", name);
    snprintf(target, sizeof target, "torch.ops.%s", other);
    struct reference_parameter parameter;
    while (ets_reference_next_parameter(&schema, &parameter)) add(odd_value(&parameter, false));
    if (pick(10) == 0 && given_count > 1)
        given_count--, ets_reference_value_drop(&memory, &given[given_count]);
    struct reference_shape shapes[3];
    for (uint32_t i = 0; i < 3; i++) {
        shapes[i] = ets_reference_shape_of((int)pick(8) - 1, pick(4),
                                           (const int64_t[]){(int64_t)pick(4) - 1, 2, 3, 4});
    }
    const struct reference_calls calls = {kernels, &memory, use_double};
    const uint32_t count = pick(4);
    const enum ets_status status = call_with(&calls, target, count, shapes);
    if (status != ETS_OK) assert_true(failure.message[0] != '\0');
    forget(status == ETS_OK ? count : 0);
}

static void call_all_oddly(const struct ets_engine *kernels, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < ets_reference_operator_count; i++) {
            call_oddly(kernels, i, round % 2 == 0);
        }
    }
}

static void test_odd_arguments(void **state)
{
    (void)state;
    call_all_oddly(&idle_engine, 60);
}

static void test_odd_arguments_of_kernels(void **state)
{
    NEEDS_ENGINE();
    const uint64_t limit = memory.limit_bytes;
    memory.limit_bytes = 1 << 22;
    call_all_oddly(engine, 20);
    memory.limit_bytes = limit;
}

static void test_what_kernels_are_kept_from(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2, 2));
    struct reference_value value;
    assert_int_equal(
        ets_reference_tensor_new(&memory, ETS_SCALAR_COMPLEX_FLOAT, SIZES(2, 2), &value, NULL),
        ETS_OK);
    add(value);
    assert_int_equal(call_with(&calls, "torch.ops.aten.abs.default", 1, &shape), ETS_UNSUPPORTED);
    forget(0);
    add(FLOATS(SIZES(0, 2), NULL));
    add(WHOLE(0));
    add(TRUTH(0));
    assert_int_equal(call_with(&calls, "torch.ops.aten._softmax.default", 1, &shape),
                     ETS_INVALID_ARGUMENT);
    shape.sizes[0] = 0;
    assert_int_equal(call_with(&calls, "torch.ops.aten._softmax.default", 1, &shape), ETS_OK);
    assert_int_equal(made[0].as.tensor.view.sizes[0], 0);
    forget(1);
}

/* A kernel that writes wherever the numbers say. */
static void test_indices_outside(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2));
    static const double places[] = {3, 4, 1e15, -1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int64_t window[] = {2, 2};
        add(FLOATS(SIZES(1, 1, 1), NUMBERS(5)));
        add(FLOATS(SIZES(1, 2, 2), NUMBERS(1, 2, 3, 4)));
        add(ints(2, window));
        add(ints(2, window));
        add(WHOLE(0));
        add(WHOLE(1));
        add(TRUTH(0));
        add(tensor_of(ETS_SCALAR_LONG, SIZES(1, 1, 1), &places[i]));
        const enum ets_status status =
            call_with(&calls, "torch.ops.aten.max_pool2d_with_indices_backward.default", 1, &shape);
        assert_int_equal(status, i == 0 ? ETS_OK : ETS_INVALID_ARGUMENT);
        if (i == 0) expect_tensor(0, SIZES(1, 2, 2), NUMBERS(0, 0, 0, 5));
        else assert_non_null(strstr(failure.message, "an index is outside the image"));
        forget(i == 0);
    }
}

static size_t allocations_left;

static void *counted(void *context, void *pointer, size_t bytes)
{
    (void)context;
    if (allocations_left == 0) return NULL;
    allocations_left--;
    return realloc(pointer, bytes);
}

static void counted_release(void *context, void *pointer)
{
    (void)context;
    free(pointer);
}

static void fail_allocations(const char *target, uint32_t output_count)
{
    static const struct ets_allocator allocator = {counted, counted_release, NULL};
    const struct reference_shape shapes[3] = {
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2)),
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2)),
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2))};
    enum ets_status status = ETS_NO_MEMORY;
    for (size_t allowed = 0; status == ETS_NO_MEMORY; allowed++) {
        assert_true(allowed < 500);
        struct reference_memory scarce = {.allocator = &allocator};
        const struct reference_calls calls = {&idle_engine, &scarce, true};
        allocations_left = allowed;
        status = call_with(&calls, target, output_count, shapes);
        for (uint32_t i = 0; status == ETS_OK && i < output_count; i++) {
            ets_reference_value_drop(&scarce, &made[i]);
        }
        assert_int_equal(scarce.bytes, 0);
    }
    if (status != ETS_OK) print_message("%s: %s\n", target, failure.message);
    assert_int_equal(status, ETS_OK);
    forget(0);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    static const double numbers[64] = {0};
    add(FLOATS(SIZES(1, 2, 2), numbers));
    add(FLOATS(SIZES(2, 2, 1), numbers));
    add(FLOATS(SIZES(2), numbers));
    fail_allocations("torch.ops.aten.conv1d.default", 1);
    add(FLOATS(SIZES(1, 2, 2), numbers));
    add(FLOATS(SIZES(1, 2, 2), numbers));
    add(FLOATS(SIZES(1, 2, 2), numbers));
    add(NOTHING);
    add(NUMBER(0));
    add(TRUTH(1));
    fail_allocations("torch.ops.aten.scaled_dot_product_attention.default", 1);
    add(FLOATS(SIZES(1, 2, 2), numbers));
    add(ints(SIZES(2)));
    add(FLOATS(SIZES(2), numbers));
    add(FLOATS(SIZES(2), numbers));
    add(NUMBER(0.5));
    fail_allocations("torch.ops.aten.native_layer_norm.default", 3);
    add(FLOATS(SIZES(1, 2, 2), numbers));
    fail_allocations("torch.ops.aten.hardswish_.default", 1);
    for (int i = 0; i < 3; i++) add(FLOATS(SIZES(1, 2, 2, 4), numbers));
    for (int i = 0; i < 2; i++) add(FLOATS(SIZES(1, 4, 2, 4), numbers));
    add(WHOLE(1));
    add(WHOLE(2));
    add(NOTHING);
    add(NUMBER(0));
    add(TRUTH(1));
    fail_allocations("torch.ops.llama.sdpa_with_kv_cache.default", 1);
    add(FLOATS(SIZES(2, 28), numbers));
    fail_allocations("torch.ops.llama.fast_hadamard_transform.default", 1);
}

static void test_what_is_uncovered(void **state)
{
    (void)state;
    const struct reference_calls calls = {&idle_engine, &memory, false};
    assert_int_equal(call_with(&calls, "torch.ops.aten.lstm.input", 0, NULL), ETS_NOT_FOUND);
    assert_string_equal(failure.message, "aten.lstm.input: unknown operator");
    const struct ets_graph_node in_place = {.target = {"torch.ops.aten.relu_.default", 28}};
    const struct ets_graph_node logical = {.target = {"torch.ops.aten.__and__.Tensor", 29}};
    assert_true(ets_reference_operator_writes(&in_place));
    assert_false(ets_reference_operator_writes(&logical));
    const float numbers[2] = {1, 2};
    struct ets_tensor weight = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 1,
                                .sizes = {2},
                                .strides = {1},
                                .data = numbers,
                                .data_bytes = 8};
    struct reference_value borrowed;
    assert_int_equal(ets_reference_tensor_borrow(&memory, &weight, &borrowed, NULL), ETS_OK);
    add(borrowed);
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2));
    assert_int_equal(call_with(&calls, "torch.ops.aten.relu_.default", 1, &shape),
                     ETS_INVALID_ARGUMENT);
    assert_string_equal(failure.message,
                        "node it: aten.relu.default: it would write into an input");
    forget(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_share_their_storage),
        cmocka_unit_test(test_copies_are_no_views),
        cmocka_unit_test(test_shapes_of_views),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_products_and_convolutions),
        cmocka_unit_test(test_groups_are_computed_in_batches),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_quantised_numbers),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_every_kernel_of_the_table_is_registered),
        cmocka_unit_test(test_the_table_is_well_formed),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_odd_arguments),
        cmocka_unit_test(test_odd_arguments_of_kernels),
        cmocka_unit_test(test_what_kernels_are_kept_from),
        cmocka_unit_test(test_indices_outside),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_what_is_uncovered),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
