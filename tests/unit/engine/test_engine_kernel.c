/* Single kernels of the runtime, called by name: what they compute, and what they refuse. */
#define _POSIX_C_SOURCE 200809L

#include "test_engine_support.h"

#include <math.h>
#include <signal.h>

/* A tensor over `data`, row-major: TENSOR(FLOAT, data, 2, 3). */
#define TENSOR(type, values, ...)                                                            \
    make_tensor(ETS_SCALAR_##type, (values), sizeof(values), (const int64_t[]){__VA_ARGS__}, \
                sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct ets_tensor make_tensor(enum ets_scalar_type type, const void *data, size_t bytes,
                                     const int64_t *sizes, size_t rank)
{
    struct ets_tensor tensor = {
        .scalar_type = type, .rank = (uint32_t)rank, .data = data, .data_bytes = bytes};
    memcpy(tensor.sizes, sizes, rank * sizeof *sizes);
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

#define IN(t)                                        \
    {                                                \
        .kind = ETS_KERNEL_TENSOR, .as.tensor = &(t) \
    }
#define OUT(t)                                                       \
    {                                                                \
        .kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &(t) \
    }
#define INT(value)                                      \
    {                                                   \
        .kind = ETS_KERNEL_INT, .as.int_value = (value) \
    }
#define BOOL(value)                                      \
    {                                                    \
        .kind = ETS_KERNEL_BOOL, .as.int_value = (value) \
    }
#define DOUBLE(value)                                         \
    {                                                         \
        .kind = ETS_KERNEL_DOUBLE, .as.double_value = (value) \
    }
#define NONE                    \
    {                           \
        .kind = ETS_KERNEL_NONE \
    }
#define INTS(list)                                                                             \
    {                                                                                          \
        .kind = ETS_KERNEL_INT_LIST, .count = sizeof(list) / sizeof *(list), .as.ints = (list) \
    }

/* Calls and wants success. */
#define CALL(name, ...)                                                                          \
    do {                                                                                         \
        struct ets_kernel_argument call_[] = {__VA_ARGS__};                                      \
        struct ets_error error_ = {.offset = 0};                                                 \
        if (engine->kernel_call(name, call_, sizeof call_ / sizeof *call_, &error_) != ETS_OK) { \
            fail_msg("%s", error_.message);                                                      \
        }                                                                                        \
    } while (0)

/* Calls and wants `status` with a message that contains `part`. */
#define REFUSE(status, part, name, ...)                                              \
    do {                                                                             \
        struct ets_kernel_argument call_[] = {__VA_ARGS__};                          \
        struct ets_error error_ = {.offset = 0};                                     \
        const enum ets_status got_ =                                                 \
            engine->kernel_call(name, call_, sizeof call_ / sizeof *call_, &error_); \
        if (got_ != (status) || strstr(error_.message, part) == NULL) {              \
            fail_msg("status %d: %s", (int)got_, error_.message);                    \
        }                                                                            \
    } while (0)

static void assert_floats(const float *got, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(got[i] - expected[i]) < 1e-5f)) {
            fail_msg("element %zu is %g, not %g", i, (double)got[i], (double)expected[i]);
        }
    }
}

static void test_call__adds(void **state)
{
    NEEDS_ENGINE();
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    float sum[4] = {0};
    struct ets_tensor self = TENSOR(FLOAT, a, 2, 2), other = TENSOR(FLOAT, b, 2, 2);
    struct ets_tensor out = TENSOR(FLOAT, sum, 2, 2);
    assert_true(engine->kernel_exists("aten::add.out"));
    CALL("aten::add.out", IN(self), IN(other), INT(1), OUT(out));
    assert_floats(sum, (float[]){11, 22, 33, 44}, 4);
    CALL("aten::add.out", IN(self), IN(other), DOUBLE(0.5), OUT(out));
    assert_floats(sum, (float[]){6, 12, 18, 24}, 4);
}

static void test_call__writes_elements_at_odd_addresses(void **state)
{
    NEEDS_ENGINE();
    uint8_t a[17], sum[17];
    const float ones[] = {1, 2, 3, 4};
    memcpy(a + 1, ones, sizeof ones);
    struct ets_tensor self = make_tensor(ETS_SCALAR_FLOAT, a + 1, 16, (int64_t[]){4}, 1);
    struct ets_tensor out = make_tensor(ETS_SCALAR_FLOAT, sum + 1, 16, (int64_t[]){4}, 1);
    CALL("aten::add.out", IN(self), IN(self), INT(1), OUT(out));
    float got[4];
    memcpy(got, sum + 1, sizeof got);
    assert_floats(got, (float[]){2, 4, 6, 8}, 4);
}

static void test_call__takes_every_kind_of_argument(void **state)
{
    NEEDS_ENGINE();
    const float rows[] = {0, 0, 1, 1, 1, 3};
    float made[6];
    struct ets_tensor in = TENSOR(FLOAT, rows, 2, 3), out = TENSOR(FLOAT, made, 2, 3);
    CALL("aten::_softmax.out", IN(in), INT(1), BOOL(0), OUT(out));
    assert_floats(made, (float[]){0.2119416f, 0.2119416f, 0.5761169f}, 3);
    assert_true(fabsf(made[3] + made[4] + made[5] - 1) < 1e-6f);

    struct ets_tensor turned = TENSOR(FLOAT, made, 3, 2);
    const int64_t swapped[] = {1, 0};
    CALL("aten::permute_copy.out", IN(in), INTS(swapped), OUT(turned));
    assert_floats(made, (float[]){0, 1, 0, 1, 1, 3}, 6);

    struct ets_tensor row = TENSOR(FLOAT, made, 4);
    CALL("aten::arange.start_out", INT(1), DOUBLE(5), INT(1), OUT(row));
    assert_floats(made, (float[]){1, 2, 3, 4}, 4);

    const int64_t shape[] = {2, 2};
    struct ets_tensor square = TENSOR(FLOAT, made, 2, 2);
    CALL("aten::full.out", INTS(shape), DOUBLE(2.5), OUT(square));
    assert_floats(made, (float[]){2.5f, 2.5f, 2.5f, 2.5f}, 4);

    const struct ets_kernel_argument tanh_name = {.kind = ETS_KERNEL_STRING,
                                                  .as.text = {"tanh", 4}};
    CALL("aten::gelu.out", IN(in), tanh_name, OUT(out));
    assert_floats(made, (float[]){0, 0, 0.841192f, 0.841192f, 0.841192f, 2.9963627f}, 6);

    const double scale[] = {2, 2};
    const float pixel[] = {7};
    struct ets_tensor small = TENSOR(FLOAT, pixel, 1, 1, 1, 1);
    struct ets_tensor large = TENSOR(FLOAT, made, 1, 1, 2, 2);
    const struct ets_kernel_argument factors = {
        .kind = ETS_KERNEL_DOUBLE_LIST, .count = 2, .as.doubles = scale};
    CALL("aten::upsample_nearest2d.vec_out", IN(small), NONE, factors, OUT(large));
    assert_floats(made, (float[]){7, 7, 7, 7}, 4);
}

static void test_call__takes_lists_of_tensors(void **state)
{
    NEEDS_ENGINE();
    const float a[] = {1, 2}, b[] = {3, 4};
    const int64_t chosen[] = {1, 0};
    float made[4];
    struct ets_tensor first = TENSOR(FLOAT, a, 1, 2), second = TENSOR(FLOAT, b, 1, 2);
    struct ets_tensor out = TENSOR(FLOAT, made, 2, 2);
    struct ets_tensor *const both[] = {&first, &second};
    const struct ets_kernel_argument list = {
        .kind = ETS_KERNEL_TENSOR_LIST, .count = 2, .as.tensors = both};
    CALL("aten::cat.out", list, INT(0), OUT(out));
    assert_floats(made, (float[]){1, 2, 3, 4}, 4);

    const float table[] = {1, 2, 3, 4};
    struct ets_tensor self = TENSOR(FLOAT, table, 2, 2), at = TENSOR(LONG, chosen, 2);
    struct ets_tensor *const columns[] = {NULL, &at};
    const struct ets_kernel_argument indices = {
        .kind = ETS_KERNEL_OPTIONAL_TENSOR_LIST, .count = 2, .as.tensors = columns};
    CALL("aten::index.Tensor_out", IN(self), indices, OUT(out));
    assert_floats(made, (float[]){2, 1, 4, 3}, 4);

    float left[2], right[2];
    struct ets_tensor one = TENSOR(FLOAT, left, 2, 1), two = TENSOR(FLOAT, right, 2, 1);
    struct ets_tensor *const halves[] = {&one, &two};
    const struct ets_kernel_argument outs = {
        .kind = ETS_KERNEL_TENSOR_LIST, .is_output = 1, .count = 2, .as.tensors = halves};
    CALL("aten::split_copy.Tensor_out", IN(self), INT(1), INT(1), outs);
    assert_floats(left, (float[]){1, 3}, 2);
    assert_floats(right, (float[]){2, 4}, 2);
}

static void test_call__fills_several_outputs(void **state)
{
    NEEDS_ENGINE();
    const float rows[] = {1, 3, 2, 6};
    float made[4], mean[2], deviation[2];
    const int64_t width[] = {2};
    struct ets_tensor in = TENSOR(FLOAT, rows, 2, 2), out = TENSOR(FLOAT, made, 2, 2);
    struct ets_tensor means = TENSOR(FLOAT, mean, 2, 1), rstds = TENSOR(FLOAT, deviation, 2, 1);
    CALL("aten::native_layer_norm.out", IN(in), INTS(width), NONE, NONE, DOUBLE(0), OUT(out),
         OUT(means), OUT(rstds));
    assert_floats(made, (float[]){-1, 1, -1, 1}, 4);
    assert_floats(mean, (float[]){2, 4}, 2);
    assert_floats(deviation, (float[]){1, 0.5f}, 2);

    int64_t place[2];
    struct ets_tensor best = TENSOR(FLOAT, mean, 2, 1), where = TENSOR(LONG, place, 2, 1);
    CALL("aten::topk.values", IN(in), INT(1), INT(1), BOOL(1), BOOL(1), OUT(best), OUT(where));
    assert_floats(mean, (float[]){3, 6}, 2);
    assert_int_equal(place[0], 1);
}

static void test_call__knows_types_and_layouts(void **state)
{
    NEEDS_ENGINE();
    const double a[] = {1e-300, 2}, b[] = {1, 2};
    double wide[2];
    uint8_t less[2] = {9, 9};
    struct ets_tensor self = TENSOR(DOUBLE, a, 2), other = TENSOR(DOUBLE, b, 2);
    struct ets_tensor product = TENSOR(DOUBLE, wide, 2), truth = TENSOR(BOOL, less, 2);
    CALL("aten::mul.out", IN(self), IN(other), OUT(product));
    assert_true(wide[0] == 1e-300 && wide[1] == 4);
    CALL("aten::lt.Tensor_out", IN(self), IN(other), OUT(truth));
    assert_int_equal(less[0], 1);
    assert_int_equal(less[1], 0);

    /* Two channels of 2x2, whose elements lie pixel by pixel. */
    const float pixels[] = {1, 5, 2, 6, 3, 7, 4, 8};
    float rows[8];
    const int64_t strides[] = {8, 1, 4, 2};
    struct ets_tensor last = TENSOR(FLOAT, pixels, 1, 2, 2, 2);
    struct ets_tensor out = TENSOR(FLOAT, rows, 1, 2, 2, 2);
    const int64_t plain[] = {0, 1, 2, 3};
    memcpy(last.strides, strides, sizeof strides);
    CALL("dim_order_ops::_to_dim_order_copy.out", IN(last), BOOL(0), INTS(plain), OUT(out));
    assert_floats(rows, (float[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    struct ets_tensor same = last;
    same.data = rows;
    CALL("aten::add.out", IN(last), IN(last), INT(1), OUT(same));
    assert_memory_equal(same.strides, strides, sizeof strides);
    assert_floats(rows, (float[]){2, 10, 4, 12, 6, 14, 8, 16}, 8);
}

/* Strides of single elements say little: the layout comes from the others. */
static void test_call__tells_layouts_of_single_elements(void **state)
{
    NEEDS_ENGINE();
    static const struct {
        uint32_t rank;
        int64_t sizes[4], strides[4], made[4];
    } layouts[] = {
        {4, {2, 1, 2, 2}, {4, 1, 2, 1}, {4, 1, 2, 1}}, /* channels last */
        {4, {2, 1, 2, 2}, {4, 4, 2, 1}, {4, 4, 2, 1}}, /* row by row */
        {4, {1, 8, 1, 1}, {8, 1, 8, 8}, {8, 1, 8, 8}},
        {4, {1, 8, 1, 1}, {8, 1, 1, 1}, {8, 1, 1, 1}},
        {4, {1, 8, 1, 1}, {0, 1, 77, 5}, {8, 1, 1, 1}},
        {2, {1, 8}, {1, 1}, {8, 1}},
        {2, {8, 1}, {1, 8}, {1, 1}},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const float values[8] = {-1, 2, -3, 4, -5, 6, -7, 8};
        float made[8];
        struct ets_tensor in = {.scalar_type = ETS_SCALAR_FLOAT, .rank = layouts[i].rank};
        memcpy(in.sizes, layouts[i].sizes, sizeof layouts[i].sizes);
        memcpy(in.strides, layouts[i].strides, sizeof layouts[i].strides);
        in.data = values;
        in.data_bytes = sizeof values;
        struct ets_tensor out = in;
        out.data = made;
        CALL("aten::relu.out", IN(in), OUT(out));
        assert_floats(made, (float[]){0, 2, 0, 4, 0, 6, 0, 8}, 8);
        assert_memory_equal(out.strides, layouts[i].made, in.rank * sizeof *in.strides);
    }
}

static void test_call__computes_layers(void **state)
{
    NEEDS_ENGINE();
    const float x[] = {1, 2}, w[] = {1, 0, 0, 1, 1, 1}, bias[] = {0, 0, 10};
    float made[3];
    struct ets_tensor in = TENSOR(FLOAT, x, 1, 2), weight = TENSOR(FLOAT, w, 3, 2);
    struct ets_tensor add = TENSOR(FLOAT, bias, 3), out = TENSOR(FLOAT, made, 1, 3);
    CALL("aten::linear.out", IN(in), IN(weight), IN(add), OUT(out));
    assert_floats(made, (float[]){1, 2, 13}, 3);
    CALL("aten::linear.out", IN(in), IN(weight), NONE, OUT(out));
    assert_floats(made, (float[]){1, 2, 3}, 3);

    const float image[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, filter[] = {1, 1, 1, 1};
    float conv[4];
    const int64_t ones[] = {1, 1}, zeros[] = {0, 0};
    struct ets_tensor picture = TENSOR(FLOAT, image, 1, 1, 3, 3);
    struct ets_tensor kernel = TENSOR(FLOAT, filter, 1, 1, 2, 2);
    struct ets_tensor map = TENSOR(FLOAT, conv, 1, 1, 2, 2);
    CALL("aten::convolution.out", IN(picture), IN(kernel), NONE, INTS(ones), INTS(zeros),
         INTS(ones), BOOL(0), INTS(zeros), INT(1), OUT(map));
    assert_floats(conv, (float[]){12, 16, 24, 28}, 4);
}
static void test_call__changes_in_place(void **state)
{
    NEEDS_ENGINE();
    const float source[] = {1, 2, 3};
    const int64_t second[] = {1};
    float target[] = {7, 8, 9};
    struct ets_tensor self = TENSOR(FLOAT, target, 3), from = TENSOR(FLOAT, source, 3);
    struct ets_tensor one = TENSOR(FLOAT, source, 1), at = TENSOR(LONG, second, 1);
    CALL("aten::copy_", OUT(self), IN(from), BOOL(0));
    assert_floats(target, source, 3);
    one.data = source + 2;
    struct ets_tensor *const places[] = {&at};
    const struct ets_kernel_argument indices = {
        .kind = ETS_KERNEL_OPTIONAL_TENSOR_LIST, .count = 1, .as.tensors = places};
    CALL("aten::index_put_", OUT(self), indices, IN(one), BOOL(0));
    assert_floats(target, (float[]){1, 3, 3}, 3);
}

static void test_call__makes_an_output_smaller(void **state)
{
    NEEDS_ENGINE();
    const float values[] = {0, 4, 0, 6};
    int64_t found[8] = {0};
    struct ets_tensor in = TENSOR(FLOAT, values, 2, 2), out = TENSOR(LONG, found, 4, 2);
    CALL("aten::nonzero.out", IN(in), OUT(out));
    assert_int_equal(out.sizes[0], 2);
    assert_int_equal(out.sizes[1], 2);
    assert_int_equal(out.strides[0], 2);
    assert_memory_equal(found, ((int64_t[]){0, 1, 1, 1}), 4 * sizeof *found);

    out = TENSOR(LONG, found, 1, 2);
    REFUSE(ETS_RUNTIME, "aten::nonzero.out: ", "aten::nonzero.out", IN(in), OUT(out));
    assert_int_equal(out.sizes[0], 1);

    const float ones[] = {1, 2, 3};
    float made[64];
    struct ets_tensor row = TENSOR(FLOAT, ones, 3), large = TENSOR(FLOAT, made, 64);
    CALL("aten::add.out", IN(row), IN(row), INT(1), OUT(large));
    assert_int_equal(large.sizes[0], 3);
    assert_floats(made, (float[]){2, 4, 6}, 3);
}

static void test_call__quantizes(void **state)
{
    NEEDS_ENGINE();
    const char *name = "quantized_decomposed::quantize_per_tensor.out";
    if (!engine->kernel_exists(name)) SKIP_BECAUSE("the engine lacks a kernel");
    const float values[] = {-1, 0, 0.5f, 100};
    int8_t made[4];
    struct ets_tensor in = TENSOR(FLOAT, values, 4), out = TENSOR(CHAR, made, 4);
    CALL(name, IN(in), DOUBLE(0.5), INT(3), INT(-128), INT(127), INT(ETS_SCALAR_CHAR), OUT(out));
    assert_memory_equal(made, ((int8_t[]){1, 3, 4, 127}), 4);
    float back[4];
    struct ets_tensor again = TENSOR(FLOAT, back, 4);
    CALL("quantized_decomposed::dequantize_per_tensor.out", IN(out), DOUBLE(0.5), INT(3), INT(-128),
         INT(127), INT(ETS_SCALAR_CHAR), NONE, OUT(again));
    assert_floats(back, (float[]){-1, 0, 0.5f, 62}, 4);
}

static void test_call__says_what_a_kernel_refuses(void **state)
{
    NEEDS_ENGINE();
    const float a[] = {1, 2, 3, 4};
    float made[4];
    struct ets_tensor four = TENSOR(FLOAT, a, 4), three = TENSOR(FLOAT, a, 3);
    struct ets_tensor out = TENSOR(FLOAT, made, 4);
    assert_int_equal(engine->kernel_exists("aten::none.out"), 0);
    assert_int_equal(engine->kernel_exists(NULL), 0);
    REFUSE(ETS_NOT_FOUND, "aten::none.out", "aten::none.out", OUT(out));
    REFUSE(ETS_RUNTIME, "InvalidArgument", "aten::add.out", IN(four), IN(three), INT(1), OUT(out));
    REFUSE(ETS_RUNTIME, "", "aten::add.out", IN(four), IN(four), INT(1), OUT(out), INT(1));
    REFUSE(ETS_RUNTIME, "", "aten::add.out", OUT(out));
    /* An assertion, which ends a process. */
    REFUSE(ETS_RUNTIME, "aten::add.out: the runtime aborted: ", "aten::add.out", INT(1), INT(1),
           INT(1), OUT(out));
    REFUSE(ETS_RUNTIME, "", "aten::add.out", IN(four), IN(four), NONE, OUT(out));
    CALL("aten::add.out", IN(four), IN(four), INT(1), OUT(out)); /* it goes on after all that */
    assert_floats(made, (float[]){2, 4, 6, 8}, 4);
}

static void test_call__ends_where_a_kernel_faults(void **state)
{
    NEEDS_ENGINE();
#if !defined(__x86_64__) && !defined(__i386__)
    SKIP_BECAUSE("this processor divides integers by zero without a fault");
#endif
    const int32_t numbers[] = {4, 0, -1}, zeros[] = {0, 0, 0};
    int32_t made[3];
    struct ets_tensor in = TENSOR(INT, numbers, 3), none = TENSOR(INT, zeros, 3);
    struct ets_tensor out = TENSOR(INT, made, 3);
    struct sigaction before, after;
    assert_int_equal(sigaction(SIGFPE, NULL, &before), 0);
    for (int i = 0; i < 3; i++) { /* the signal is not left blocked */
        REFUSE(ETS_INVALID_ARGUMENT, "aten::div.out: the kernel crashed on these arguments (SIGFPE",
               "aten::div.out", IN(in), IN(none), OUT(out));
    }
    assert_int_equal(sigaction(SIGFPE, NULL, &after), 0);
    assert_ptr_equal(before.sa_sigaction, after.sa_sigaction);
    CALL("aten::add.out", IN(in), IN(in), INT(1), OUT(out));
    assert_int_equal(made[0], 8);
}

static void test_call__refuses_what_no_kernel_takes(void **state)
{
    NEEDS_ENGINE();
    const char *name = "aten::neg.out";
    float made[4] = {0};
    struct ets_tensor in = TENSOR(FLOAT, made, 2, 2), out = in, odd = in;
    struct ets_error error;
    REFUSE(ETS_INVALID_ARGUMENT, "no argument is an output", name, IN(in), IN(out));
    odd.data_bytes = 15;
    REFUSE(ETS_INVALID_ARGUMENT, "aten::neg.out: argument 0: float32 [2, 2]: needs more bytes",
           name, IN(odd), OUT(out));
    odd = in;
    odd.data = NULL;
    REFUSE(ETS_INVALID_ARGUMENT, "needs more bytes", name, IN(odd), OUT(out));
    odd = in;
    odd.rank = ETS_TENSOR_MAX_RANK + 1;
    REFUSE(ETS_INVALID_ARGUMENT, "too many dimensions", name, IN(odd), OUT(out));
    odd = in;
    odd.sizes[0] = -1;
    REFUSE(ETS_INVALID_ARGUMENT, "invalid sizes", name, IN(in), OUT(odd));
    odd.sizes[0] = INT64_C(1) << 31;
    odd.sizes[1] = 0;
    REFUSE(ETS_INVALID_ARGUMENT, "32 bits", name, IN(odd), OUT(out));
    odd = in;
    odd.scalar_type = (enum ets_scalar_type)99;
    REFUSE(ETS_INVALID_ARGUMENT, "argument 0", name, IN(odd), OUT(out));
    odd = in;
    odd.strides[0] = 1;
    odd.strides[1] = 1;
    REFUSE(ETS_INVALID_ARGUMENT, "strides", name, IN(odd), OUT(out));
    odd = TENSOR(FLOAT, made, 2, 1);
    odd.strides[0] = 2;
    REFUSE(ETS_INVALID_ARGUMENT, "strides", name, IN(odd), OUT(out));
    REFUSE(ETS_INVALID_ARGUMENT, "a tensor is missing", name, {.kind = ETS_KERNEL_TENSOR},
           OUT(out));
    REFUSE(ETS_INVALID_ARGUMENT, "unknown kind", name, {.kind = (enum ets_kernel_argument_kind)11},
           OUT(out));
    for (int kind = ETS_KERNEL_INT_LIST; kind <= ETS_KERNEL_OPTIONAL_TENSOR_LIST; kind++) {
        const struct ets_kernel_argument list = {.kind = (enum ets_kernel_argument_kind)kind,
                                                 .count = 1};
        struct ets_kernel_argument endless = {
            .kind = (enum ets_kernel_argument_kind)kind, .count = SIZE_MAX, .as.tensors = NULL};
        REFUSE(ETS_INVALID_ARGUMENT, "without its elements", name, list, OUT(out));
        REFUSE(ETS_INVALID_ARGUMENT, "too long", name, endless, OUT(out));
        endless.count = 0;
        REFUSE(ETS_RUNTIME, name, name, endless, OUT(out));
    }
    REFUSE(ETS_INVALID_ARGUMENT, "text", name, {.kind = ETS_KERNEL_STRING}, OUT(out));
    REFUSE(ETS_INVALID_ARGUMENT, "neither", name, IN(in), {.kind = ETS_KERNEL_INT, .is_output = 1});
    assert_int_equal(engine->kernel_call(NULL, NULL, 0, &error), ETS_INVALID_ARGUMENT);
    assert_int_equal(engine->kernel_call(name, NULL, 1, &error), ETS_INVALID_ARGUMENT);
    assert_int_equal(engine->kernel_call(name, NULL, 0, NULL), ETS_INVALID_ARGUMENT);
}

/* `count` arguments of one kind and an output; their operators are all there are. */
static enum ets_status call_oddly(const char *name, int kind, size_t count, struct ets_error *error)
{
    static const int64_t ints[] = {1, 0, 2};
    static const double doubles[] = {0.5, 2, 1};
    float in[6] = {1, 2, 3, 4, 5, 6}, made[6];
    struct ets_tensor self = TENSOR(FLOAT, in, 2, 3), out = TENSOR(FLOAT, made, 2, 3);
    struct ets_tensor *const tensors[] = {&self, &self, &self};
    struct ets_kernel_argument arguments[16] = {{.kind = ETS_KERNEL_NONE}};
    assert_true(count < 16);
    for (size_t i = 0; i < count; i++) {
        struct ets_kernel_argument *argument = &arguments[i];
        argument->kind = (enum ets_kernel_argument_kind)kind;
        argument->count = 3;
        switch (kind) {
        case ETS_KERNEL_INT:
        case ETS_KERNEL_BOOL: argument->as.int_value = 1; break;
        case ETS_KERNEL_DOUBLE: argument->as.double_value = 0.5; break;
        case ETS_KERNEL_STRING: argument->as.text = (struct ets_text){"none", 4}; break;
        case ETS_KERNEL_TENSOR: argument->as.tensor = &self; break;
        case ETS_KERNEL_DOUBLE_LIST: argument->as.doubles = doubles; break;
        case ETS_KERNEL_INT_LIST:
        case ETS_KERNEL_BOOL_LIST: argument->as.ints = ints; break;
        default: argument->as.tensors = tensors; break;
        }
    }
    arguments[count] = (struct ets_kernel_argument)OUT(out);
    return engine->kernel_call(name, arguments, count + 1, error);
}

static void test_call__ends_in_an_error_whatever_it_is_given(void **state)
{
    NEEDS_ENGINE();
    size_t refused = 0, aborted = 0;
    for (size_t k = 0; k < engine->kernel_count(); k++) {
        const char *name = engine->kernel_name(k);
        assert_true(engine->kernel_exists(name));
        for (int kind = ETS_KERNEL_NONE; kind <= ETS_KERNEL_OPTIONAL_TENSOR_LIST; kind++) {
            for (size_t count = 0; count < 12; count++) {
                struct ets_error error = {.status = ETS_OK};
                const enum ets_status status = call_oddly(name, kind, count, &error);
                if (status == ETS_OK) continue;
                if (status != ETS_RUNTIME || strncmp(error.message, name, strlen(name)) != 0) {
                    fail_msg("status %d: %s", (int)status, error.message);
                }
                refused++;
                aborted += strstr(error.message, "aborted") != NULL;
            }
        }
    }
    assert_true(refused > 1000);
    assert_true(aborted > 100);
}

static void test_call__takes_kernels_on_demand(void **state)
{
    NEEDS_ENGINE();
    struct ets_engine_kernels_on_demand found;
    engine->kernels_on_demand(&found);
    assert_non_null(found.path);
    if (found.reason[0] != '\0') SKIP_BECAUSE("the copy of their library is missing");
    assert_int_equal(found.count, 11);
    for (size_t i = 0; i < found.count; i++)
        assert_int_equal(engine->kernel_exists(found.names[i]), 1);
    float given[4] = {1, 0, 0, 0}, got[4];
    struct ets_tensor in = TENSOR(FLOAT, given, 1, 4), out = TENSOR(FLOAT, got, 1, 4);
    CALL("llama::fast_hadamard_transform.out", IN(in), OUT(out));
    assert_floats(got, (float[]){0.5f, 0.5f, 0.5f, 0.5f}, 4);
    assert_int_equal(engine->kernel_exists("llama::none.out"), 0);
    REFUSE(ETS_NOT_FOUND, "llama::none.out: no such kernel", "llama::none.out", IN(in), OUT(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call__adds),
        cmocka_unit_test(test_call__takes_kernels_on_demand),
        cmocka_unit_test(test_call__writes_elements_at_odd_addresses),
        cmocka_unit_test(test_call__takes_every_kind_of_argument),
        cmocka_unit_test(test_call__takes_lists_of_tensors),
        cmocka_unit_test(test_call__fills_several_outputs),
        cmocka_unit_test(test_call__knows_types_and_layouts),
        cmocka_unit_test(test_call__tells_layouts_of_single_elements),
        cmocka_unit_test(test_call__computes_layers),
        cmocka_unit_test(test_call__changes_in_place),
        cmocka_unit_test(test_call__makes_an_output_smaller),
        cmocka_unit_test(test_call__quantizes),
        cmocka_unit_test(test_call__says_what_a_kernel_refuses),
        cmocka_unit_test(test_call__ends_where_a_kernel_faults),
        cmocka_unit_test(test_call__refuses_what_no_kernel_takes),
        cmocka_unit_test(test_call__ends_in_an_error_whatever_it_is_given),
    };
    return cmocka_run_group_tests_name("engine_kernel", tests, open_engine, close_engine);
}
