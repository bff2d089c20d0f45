/* The work of single operators: numbers computed by hand, for each family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cost/call_names.h"
#include "cost/cost_rules.h"

enum { MOST = 16, MARKS = 64, F = ETS_SCALAR_FLOAT, I = ETS_SCALAR_LONG, B = ETS_SCALAR_CHAR };

/* A call that is put together piece by piece; tensors are distinct. */
struct made {
    struct ets_cost_call call;
    struct ets_cost_argument arguments[MOST];
    struct ets_cost_tensor tensors[2 * MOST];
    int64_t sizes[2 * MOST][5];
    int64_t integers[MOST][4];
    struct ets_cost_tensor outputs[MOST];
    struct ets_cost_marks marks;
    uint32_t room[MARKS];
    uint32_t tensor_count;
};

static struct ets_text text(const char *chars)
{
    return (struct ets_text){chars, strlen(chars)};
}

static void begin(struct made *m, const char *name)
{
    *m = (struct made){.tensor_count = 0};
    m->marks.marks = m->room;
    m->call.arguments = m->arguments;
    m->call.outputs = m->outputs;
    m->call.marks = &m->marks;
    m->call.is_kernel = true;
    ets_cost_call_name(text("aten"), text(name), &m->call);
}

static struct ets_cost_tensor *new_tensor(struct made *m, int type, uint32_t rank,
                                          const int64_t *sizes)
{
    const uint32_t at = m->tensor_count++;
    memcpy(m->sizes[at], sizes, rank * sizeof *sizes);
    m->tensors[at] = (struct ets_cost_tensor){
        .scalar_type = type, .rank = rank, .sizes = m->sizes[at], .identity = at};
    return &m->tensors[at];
}

#define SIZES(...)                                                    \
    (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) \
    {                                                                 \
        __VA_ARGS__                                                   \
    }

static struct ets_cost_tensor *take(struct made *m, int type, uint32_t rank, const int64_t *sizes)
{
    struct ets_cost_tensor *tensor = new_tensor(m, type, rank, sizes);
    m->arguments[m->call.argument_count++] =
        (struct ets_cost_argument){.kind = ETS_COST_TENSORS, .count = 1, .tensors = tensor};
    return tensor;
}

static void weight(struct made *m, int type, uint32_t rank, const int64_t *sizes)
{
    take(m, type, rank, sizes)->is_constant = true;
}

static void again(struct made *m, uint32_t argument)
{
    m->arguments[m->call.argument_count++] = m->arguments[argument];
}

static void none(struct made *m)
{
    m->arguments[m->call.argument_count++] = (struct ets_cost_argument){.kind = ETS_COST_NOTHING};
}

static void numbers(struct made *m, uint32_t count, const int64_t *values)
{
    const uint32_t at = m->call.argument_count++;
    memcpy(m->integers[at], values, count * sizeof *values);
    m->arguments[at] = (struct ets_cost_argument){
        .kind = ETS_COST_INTEGERS, .count = count, .integers = m->integers[at]};
}

static void real(struct made *m, double value)
{
    m->arguments[m->call.argument_count++] =
        (struct ets_cost_argument){.kind = ETS_COST_REAL, .real = value};
}

static void give(struct made *m, int type, uint32_t rank, const int64_t *sizes)
{
    m->outputs[m->call.output_count++] = *new_tensor(m, type, rank, sizes);
}

struct expected {
    uint64_t macs, ops, special, read, weights, written;
};

static void check(struct made *m, struct expected e)
{
    const struct ets_cost cost = ets_cost_of_call(&m->call);
    assert_int_equal(ets_cost_state(&cost), ETS_COST_KNOWN);
    assert_int_equal(cost.macs, e.macs);
    assert_int_equal(cost.ops, e.ops);
    assert_int_equal(cost.special, e.special);
    assert_int_equal(cost.bytes_read, e.read);
    assert_int_equal(cost.weight_bytes, e.weights);
    assert_int_equal(cost.bytes_written, e.written);
}

static void convolve(struct made *m, int64_t transposed)
{
    none(m);
    numbers(m, SIZES(1, 1));
    numbers(m, SIZES(1, 1));
    numbers(m, SIZES(1, 1));
    numbers(m, SIZES(transposed));
}

static void test_cost_rules__convolution_counts_every_tap(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "convolution"); /* 4 -> 8, 3x3 with padding 1 on 6x6: torch counts 20,736 flops */
    take(&m, F, SIZES(1, 4, 6, 6));
    weight(&m, F, SIZES(8, 4, 3, 3));
    convolve(&m, 0);
    give(&m, F, SIZES(1, 8, 6, 6));
    check(&m, (struct expected){10368, 0, 0, 576, 1152, 1152});
}

static void test_cost_rules__groups_divide_the_depth(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "convolution"); /* depthwise 4 -> 4, 3x3: 2,592 flops by torch */
    take(&m, F, SIZES(1, 4, 6, 6));
    weight(&m, F, SIZES(4, 1, 3, 3));
    convolve(&m, 0);
    give(&m, F, SIZES(1, 4, 6, 6));
    check(&m, (struct expected){1296, 0, 0, 576, 144, 576});
}

static void test_cost_rules__convolution_of_1_and_3_dimensions(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "convolution"); /* 4 -> 8, kernel 3 on 12 without padding: 1,920 flops */
    take(&m, F, SIZES(1, 4, 12));
    weight(&m, F, SIZES(8, 4, 3));
    convolve(&m, 0);
    give(&m, F, SIZES(1, 8, 10));
    check(&m, (struct expected){960, 0, 0, 192, 384, 320});
    begin(&m, "convolution"); /* 4 -> 8, 3x3x3 on 4x4x4 with padding 1: 110,592 flops */
    take(&m, F, SIZES(1, 4, 4, 4, 4));
    weight(&m, F, SIZES(8, 4, 3, 3, 3));
    convolve(&m, 0);
    give(&m, F, SIZES(1, 8, 4, 4, 4));
    check(&m, (struct expected){55296, 0, 0, 1024, 3456, 2048});
}

static void test_cost_rules__transposed_convolution_counts_inputs(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "convolution"); /* 4 -> 8, 3x3, stride 2 on 6x6: 20,736 flops */
    take(&m, F, SIZES(1, 4, 6, 6));
    weight(&m, F, SIZES(4, 8, 3, 3));
    convolve(&m, 1);
    give(&m, F, SIZES(1, 8, 13, 13));
    check(&m, (struct expected){10368, 0, 0, 576, 1152, 5408});
}

static void test_cost_rules__linear_layers_count_their_weights(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "linear"); /* 16 -> 32 of 2x5 rows: 10,240 flops */
    take(&m, F, SIZES(2, 5, 16));
    weight(&m, F, SIZES(32, 16));
    weight(&m, F, SIZES(32));
    give(&m, F, SIZES(2, 5, 32));
    check(&m, (struct expected){5120, 0, 0, 640, 2176, 1280});
    begin(&m, "addmm");
    weight(&m, F, SIZES(32));
    take(&m, F, SIZES(2, 16));
    take(&m, F, SIZES(16, 32));
    give(&m, F, SIZES(2, 32));
    check(&m, (struct expected){1024, 0, 0, 128 + 2048, 128, 256});
}

static void test_cost_rules__addmm_counts_beta_and_alpha_unless_1(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "addmm");
    take(&m, F, SIZES(3));
    take(&m, F, SIZES(2, 4));
    take(&m, F, SIZES(4, 3));
    numbers(&m, SIZES(1));
    real(&m, 0.5);
    give(&m, F, SIZES(2, 3));
    check(&m, (struct expected){24, 6, 0, 12 + 32 + 48, 0, 24});
}

static void test_cost_rules__batched_products(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "bmm"); /* 2x3x8 with 2x8x5: 480 flops */
    take(&m, F, SIZES(2, 3, 8));
    take(&m, F, SIZES(2, 8, 5));
    give(&m, F, SIZES(2, 3, 5));
    check(&m, (struct expected){240, 0, 0, 192 + 320, 0, 120});
    begin(&m, "mv");
    take(&m, F, SIZES(3, 8));
    take(&m, F, SIZES(8));
    give(&m, F, SIZES(3));
    check(&m, (struct expected){24, 0, 0, 96 + 32, 0, 12});
}

static void test_cost_rules__attention_counts_heads_of_queries(void **state)
{
    (void)state;
    struct made m;
    begin(&m,
          "scaled_dot_product_attention"); /* 4 heads, 2 of keys, 6 steps, 4 wide: 2,304 flops */
    take(&m, F, SIZES(1, 4, 6, 4));
    take(&m, F, SIZES(1, 2, 6, 4));
    take(&m, F, SIZES(1, 2, 6, 4));
    give(&m, F, SIZES(1, 4, 6, 4));
    /* 144 scores: scale 1, softmax 5 with one exp */
    check(&m, (struct expected){1152, 864, 144, 384 + 192 + 192, 0, 384});
}

static void test_cost_rules__elements_count_as_the_table_says(void **state)
{
    static const struct {
        const char *name;
        uint64_t ops, special;
    } cases[] = {{"relu", 1, 0},     {"clamp", 1, 0}, {"hardswish", 3, 0},   {"leaky_relu", 2, 0},
                 {"sigmoid", 4, 1},  {"tanh", 6, 1},  {"gelu", 5, 1},        {"silu", 5, 1},
                 {"exp", 1, 1},      {"sqrt", 1, 1},  {"hardsigmoid", 3, 0}, {"relu_", 1, 0},
                 {"_softmax", 5, 1}, {"rsqrt", 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        begin(&m, cases[i].name);
        take(&m, F, SIZES(2, 10));
        give(&m, F, SIZES(2, 10));
        check(&m, (struct expected){0, 20 * cases[i].ops, 20 * cases[i].special, 80, 0, 80});
    }
}

static void test_cost_rules__tanh_form_of_gelu_costs_more(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "gelu");
    take(&m, F, SIZES(10));
    m.call.text = text("tanh");
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 90, 10, 40, 0, 40});
}

static void test_cost_rules__broadcast_operand_is_read_once(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "add");
    take(&m, F, SIZES(4, 10));
    take(&m, F, SIZES(10));
    numbers(&m, SIZES(1));
    give(&m, F, SIZES(4, 10));
    check(&m, (struct expected){0, 40, 0, 160 + 40, 0, 160});
    begin(&m, "add"); /* alpha 2 is a product for each element */
    take(&m, F, SIZES(4, 10));
    take(&m, F, SIZES(10));
    numbers(&m, SIZES(2));
    give(&m, F, SIZES(4, 10));
    check(&m, (struct expected){0, 80, 0, 200, 0, 160});
}

static void test_cost_rules__operand_used_twice_is_read_once(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "mul");
    take(&m, F, SIZES(10));
    again(&m, 0);
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 10, 0, 40, 0, 40});
}

static void test_cost_rules__square_is_a_product(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "pow");
    take(&m, F, SIZES(10));
    numbers(&m, SIZES(2));
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 10, 0, 40, 0, 40});
    begin(&m, "pow");
    take(&m, F, SIZES(10));
    real(&m, 2.5);
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 10, 10, 40, 0, 40});
}

static void test_cost_rules__norms(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "_native_batch_norm_legit_no_training");
    take(&m, F, SIZES(1, 4, 5, 5));
    for (int i = 0; i < 4; i++) weight(&m, F, SIZES(4));
    give(&m, F, SIZES(1, 4, 5, 5));
    give(&m, F, SIZES(0)); /* saved statistics, emitted without elements */
    check(&m, (struct expected){0, 200, 0, 400, 64, 400});
    begin(&m, "native_layer_norm");
    take(&m, F, SIZES(3, 10));
    numbers(&m, SIZES(10));
    weight(&m, F, SIZES(10));
    weight(&m, F, SIZES(10));
    give(&m, F, SIZES(3, 10));
    check(&m, (struct expected){0, 240, 3, 120, 80, 120});
    begin(&m, "rms_norm");
    take(&m, F, SIZES(3, 10));
    numbers(&m, SIZES(10));
    weight(&m, F, SIZES(10));
    give(&m, F, SIZES(3, 10));
    check(&m, (struct expected){0, 120, 3, 120, 40, 120});
    begin(&m, "group_norm");
    take(&m, F, SIZES(2, 4, 5));
    numbers(&m, SIZES(2));
    give(&m, F, SIZES(2, 4, 5));
    check(&m, (struct expected){0, 320, 4, 160, 0, 160});
}

static void test_cost_rules__log_softmax_has_a_log_for_each_row(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "_log_softmax");
    take(&m, F, SIZES(3, 10));
    numbers(&m, SIZES(1));
    give(&m, F, SIZES(3, 10));
    check(&m, (struct expected){0, 153, 33, 120, 0, 120});
}

static void test_cost_rules__pools_count_their_window(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "max_pool2d_with_indices");
    take(&m, F, SIZES(1, 2, 6, 6));
    numbers(&m, SIZES(3, 2));
    give(&m, F, SIZES(1, 2, 2, 3));
    give(&m, I, SIZES(1, 2, 2, 3));
    check(&m, (struct expected){0, 72, 0, 288, 0, 48 + 96});
    begin(&m, "avg_pool2d"); /* one number stands for both; a division each */
    take(&m, F, SIZES(1, 2, 6, 6));
    numbers(&m, SIZES(3));
    give(&m, F, SIZES(1, 2, 2, 2));
    check(&m, (struct expected){0, 80, 0, 288, 0, 32});
    begin(&m, "_adaptive_avg_pool2d");
    take(&m, F, SIZES(1, 2, 6, 6));
    give(&m, F, SIZES(1, 2, 1, 1));
    check(&m, (struct expected){0, 72, 0, 288, 0, 8});
}

static void test_cost_rules__reductions_count_their_input(void **state)
{
    static const struct {
        const char *name;
        uint64_t ops;
    } cases[] = {{"mean", 1}, {"sum", 1}, {"amax", 1}, {"var", 4}, {"argmax", 1}, {"cumsum", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        begin(&m, cases[i].name);
        take(&m, F, SIZES(2, 10));
        give(&m, F, SIZES(2));
        check(&m, (struct expected){0, 20 * cases[i].ops, 0, 80, 0, 8});
    }
}

static void test_cost_rules__sorts(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "topk");
    take(&m, F, SIZES(2, 10));
    numbers(&m, SIZES(4));
    numbers(&m, SIZES(-1));
    give(&m, F, SIZES(2, 4));
    give(&m, I, SIZES(2, 4));
    check(&m, (struct expected){0, 20 * 2 + 2 * 4, 0, 80, 0, 32 + 64});
    begin(&m, "sort");
    take(&m, F, SIZES(2, 8));
    numbers(&m, SIZES(-1));
    give(&m, F, SIZES(2, 8));
    check(&m, (struct expected){0, 16 * 3, 0, 64, 0, 64});
}

static void test_cost_rules__conversions(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "quantize_per_tensor");
    take(&m, F, SIZES(10));
    give(&m, B, SIZES(10));
    check(&m, (struct expected){0, 40, 0, 40, 0, 10});
    begin(&m, "dequantize_per_tensor");
    take(&m, B, SIZES(10));
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 20, 0, 10, 0, 40});
    begin(&m, "choose_qparams");
    take(&m, F, SIZES(10));
    give(&m, ETS_SCALAR_DOUBLE, SIZES(1));
    give(&m, I, SIZES(1));
    check(&m, (struct expected){0, 20, 0, 40, 0, 16});
    begin(&m, "_to_dim_order_copy");
    take(&m, I, SIZES(10));
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 10, 0, 80, 0, 40});
    begin(&m, "_to_copy"); /* of one type, nothing is converted */
    take(&m, F, SIZES(10));
    give(&m, F, SIZES(10));
    check(&m, (struct expected){0, 0, 0, 40, 0, 40});
}

static void test_cost_rules__lookups_read_what_they_give(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "embedding");
    weight(&m, F, SIZES(1000, 16));
    take(&m, I, SIZES(3));
    give(&m, F, SIZES(3, 16));
    check(&m, (struct expected){0, 0, 0, 24, 192, 192});
    begin(&m, "index_select");
    take(&m, F, SIZES(100, 4));
    numbers(&m, SIZES(0));
    take(&m, I, SIZES(5));
    give(&m, F, SIZES(5, 4));
    check(&m, (struct expected){0, 0, 0, 80 + 40, 0, 80});
}

/* A query of 3 tokens, 4 heads of 8; caches of 10 positions, 2 heads. */
static void attend(struct made *m, const char *name, int type)
{
    begin(m, name);
    take(m, F, SIZES(1, 3, 4, 8));
    take(m, type, SIZES(1, 10, 2, 8))->is_state = true;
    take(m, type, SIZES(1, 10, 2, 8))->is_state = true;
    numbers(m, SIZES(-1));
    give(m, F, SIZES(1, 3, 4, 8));
}

/* Scores of 12 rows and 7 keys: 16 multiply-adds and 6 operations each; 7 of 10 places are read. */
static void test_cost_rules__attention_reads_the_cache_up_to_its_position(void **state)
{
    (void)state;
    struct made m;
    attend(&m, "custom_sdpa", F);
    m.call.has_position = true;
    m.call.position = 4;
    check(&m, (struct expected){12 * 7 * 16, 12 * 7 * 6, 12 * 7, 384 + 2 * 7 * 64, 0, 384});
    struct ets_cost cost = ets_cost_of_call(&m.call);
    assert_false(cost.at_most);
    assert_int_equal(cost.state_bytes, 2 * 7 * 64);
    m.call.position = 8; /* more than the cache holds: no run was so */
    assert_true(ets_cost_of_call(&m.call).at_most);
    m.call.has_position = false;
    check(&m, (struct expected){12 * 10 * 16, 12 * 10 * 6, 12 * 10, 384 + 2 * 10 * 64, 0, 384});
    assert_true(ets_cost_of_call(&m.call).at_most);
    take(&m, F, SIZES(3, 10)); /* a mask: the whole cache is read at any position */
    check(&m, (struct expected){12 * 10 * 16, 12 * 10 * 7, 120, 384 + 1280 + 120, 0, 384});
    assert_false(ets_cost_of_call(&m.call).at_most);
}

static void test_cost_rules__quantized_attention_reads_scales_of_its_keys(void **state)
{
    (void)state;
    struct made m;
    attend(&m, "custom_quantized_sdpa", B);
    none(&m);
    real(&m, 0);
    numbers(&m, SIZES(1));
    none(&m);
    take(&m, B, SIZES(1, 3, 4, 1)); /* zero points and scales of the query, */
    take(&m, F, SIZES(1, 3, 4, 1));
    take(&m, B, SIZES(1, 10, 2, 1)); /* and of the keys */
    take(&m, F, SIZES(1, 10, 2, 1));
    m.call.has_position = true;
    m.call.position = 4;
    const uint64_t read = 384 + 2 * 7 * 16 + 12 + 48 + 7 * 2 + 7 * 8;
    check(&m, (struct expected){12 * 7 * 16, 12 * 7 * 6, 12 * 7, read, 0, 384});
}

static void test_cost_rules__caches_are_written_where_tokens_are(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "update_cache");
    take(&m, F, SIZES(1, 3, 2, 8));
    take(&m, F, SIZES(1, 10, 2, 8));
    numbers(&m, SIZES(4));
    give(&m, F, SIZES(1, 10, 2, 8));
    check(&m, (struct expected){0, 0, 0, 192, 0, 192});
    begin(&m, "sdpa_with_kv_cache"); /* which updates both caches, then attends */
    take(&m, F, SIZES(1, 3, 4, 8));
    take(&m, F, SIZES(1, 3, 2, 8));
    take(&m, F, SIZES(1, 3, 2, 8));
    take(&m, F, SIZES(1, 10, 2, 8))->is_state = true;
    take(&m, F, SIZES(1, 10, 2, 8))->is_state = true;
    give(&m, F, SIZES(1, 3, 4, 8));
    m.call.has_position = true;
    m.call.position = 4;
    check(&m, (struct expected){12 * 7 * 16, 12 * 7 * 6, 12 * 7, 384 + 2 * 192 + 2 * 7 * 64, 0,
                                384 + 2 * 192});
    begin(&m, "fast_hadamard_transform"); /* 3 rounds of 8, and a scale */
    take(&m, F, SIZES(2, 8));
    give(&m, F, SIZES(2, 8));
    check(&m, (struct expected){0, 16 * 4, 0, 64, 0, 64});
}

/* 3 rows of 16 in 4 bits, in 2 groups with a scale and a zero point each. */
static void test_cost_rules__quantized_tables_are_read_by_rows(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "embedding_4bit");
    weight(&m, ETS_SCALAR_BYTE, SIZES(1000, 8));
    weight(&m, F, SIZES(1000, 2));
    weight(&m, F, SIZES(1000, 2));
    numbers(&m, SIZES(-8));
    numbers(&m, SIZES(7));
    take(&m, I, SIZES(1, 3));
    give(&m, F, SIZES(1, 3, 16));
    check(&m, (struct expected){0, 96, 0, 24, 3 * 8 + 3 * 2 * 8, 192});
}

static void test_cost_rules__copies_move_and_views_do_not(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "slice_copy");
    take(&m, F, SIZES(100, 4));
    give(&m, F, SIZES(5, 4));
    check(&m, (struct expected){0, 0, 0, 80, 0, 80});
    begin(&m, "constant_pad_nd");
    take(&m, F, SIZES(4));
    give(&m, F, SIZES(6));
    check(&m, (struct expected){0, 0, 0, 16, 0, 24});
    begin(&m, "view_copy"); /* a kernel copies; in a graph it is a view */
    take(&m, F, SIZES(4));
    give(&m, F, SIZES(2, 2));
    check(&m, (struct expected){0, 0, 0, 16, 0, 16});
    m.call.is_kernel = false;
    check(&m, (struct expected){0, 0, 0, 0, 0, 0});
    begin(&m, "permute");
    take(&m, F, SIZES(4));
    give(&m, F, SIZES(4));
    m.call.is_kernel = false;
    check(&m, (struct expected){0, 0, 0, 0, 0, 0});
    begin(&m, "full");
    give(&m, F, SIZES(4));
    check(&m, (struct expected){0, 4, 0, 0, 0, 16});
}

static void test_cost_rules__functional_updates_copy_the_whole(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "index_put");
    take(&m, F, SIZES(100));
    take(&m, I, SIZES(2));
    take(&m, F, SIZES(2));
    give(&m, F, SIZES(100));
    check(&m, (struct expected){0, 0, 0, 400 + 16 + 8, 0, 400});
    begin(&m, "index_put_"); /* in place, only the updates */
    take(&m, F, SIZES(100));
    take(&m, I, SIZES(2));
    take(&m, F, SIZES(2));
    m.outputs[m.call.output_count++] = m.tensors[0];
    check(&m, (struct expected){0, 0, 0, 16 + 8, 0, 8});
    begin(&m, "copy_");
    take(&m, F, SIZES(10));
    take(&m, F, SIZES(10));
    m.outputs[m.call.output_count++] = m.tensors[0];
    check(&m, (struct expected){0, 0, 0, 40, 0, 40});
}

static void test_cost_rules__resampling(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "upsample_nearest2d");
    take(&m, F, SIZES(1, 1, 2, 2));
    give(&m, F, SIZES(1, 1, 4, 4));
    check(&m, (struct expected){0, 0, 0, 16, 0, 64});
    begin(&m, "upsample_bilinear2d");
    take(&m, F, SIZES(1, 1, 2, 2));
    give(&m, F, SIZES(1, 1, 4, 4));
    check(&m, (struct expected){0, 128, 0, 16, 0, 64});
    begin(&m, "grid_sampler_2d");
    take(&m, F, SIZES(1, 1, 2, 2));
    take(&m, F, SIZES(1, 4, 4, 2));
    give(&m, F, SIZES(1, 1, 4, 4));
    check(&m, (struct expected){0, 192, 0, 16 + 128, 0, 64});
}

/* 3 steps of 2 sequences, 4 inputs, 8 units. */
static void recur(struct made *m, const char *name, int64_t gates)
{
    begin(m, name);
    take(m, F, SIZES(3, 2, 4));
    none(m);
    const uint32_t first = m->tensor_count;
    new_tensor(m, F, SIZES(gates * 8, 4))->is_constant = true;
    new_tensor(m, F, SIZES(gates * 8, 8))->is_constant = true;
    new_tensor(m, F, SIZES(gates * 8))->is_constant = true;
    new_tensor(m, F, SIZES(gates * 8))->is_constant = true;
    m->arguments[m->call.argument_count++] = (struct ets_cost_argument){
        .kind = ETS_COST_TENSORS, .count = 4, .tensors = &m->tensors[first]};
    give(m, F, SIZES(3, 2, 8));
}

static void test_cost_rules__recurrent_layers_read_weights_each_step(void **state)
{
    (void)state;
    struct made m;
    recur(&m, "lstm", 4);
    /* 4*8*(4+8) for each of 6; 11*8*6; weights 128+256+32+32 floats, 256 twice more */
    check(&m, (struct expected){2304, 528, 240, 96, 448 * 4 + 2 * 1024, 192});
    recur(&m, "gru", 3);
    check(&m, (struct expected){1728, 480, 144, 96, 336 * 4 + 2 * 768, 192});
}

static void test_cost_rules__unknown_is_never_0(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "fancy_new_operator");
    take(&m, F, SIZES(4));
    give(&m, F, SIZES(4));
    struct ets_cost cost = ets_cost_of_call(&m.call);
    assert_int_equal(ets_cost_state(&cost), ETS_COST_UNKNOWN);
    assert_int_equal(cost.reason, ETS_COST_NO_RULE);
    begin(&m, "relu");
    take(&m, F, SIZES(-1));
    give(&m, F, SIZES(-1));
    cost = ets_cost_of_call(&m.call);
    assert_int_equal(cost.reason, ETS_COST_NO_SHAPE);
    begin(&m, "max_pool2d"); /* without its kernel_size */
    take(&m, F, SIZES(1, 1, 4, 4));
    give(&m, F, SIZES(1, 1, 2, 2));
    cost = ets_cost_of_call(&m.call);
    assert_int_equal(cost.reason, ETS_COST_NO_SHAPE);
}

static void test_cost_rules__overflow_is_unknown(void **state)
{
    (void)state;
    struct made m;
    begin(&m, "mm");
    take(&m, F, SIZES(INT64_C(1) << 30, INT64_C(1) << 30));
    take(&m, F, SIZES(INT64_C(1) << 30, INT64_C(1) << 30));
    give(&m, F, SIZES(INT64_C(1) << 30, INT64_C(1) << 30));
    const struct ets_cost cost = ets_cost_of_call(&m.call);
    assert_int_equal(ets_cost_state(&cost), ETS_COST_UNKNOWN);
    assert_int_equal(cost.reason, ETS_COST_TOO_LARGE);
    assert_int_equal(cost.macs, 0);
}

static void test_cost_rules__every_name_is_found(void **state)
{
    static const char *const names[] = {"__and",      "_adaptive_avg_pool2d",
                                        "abs",        "conv_transpose2d",
                                        "index_copy", "max",
                                        "maximum",    "zeros_like"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ets_cost_rule *rule = ets_cost_rule_find(text(names[i]));
        assert_non_null(rule);
        assert_string_equal(rule->name, names[i]);
    }
    assert_null(ets_cost_rule_find(text("")));
    assert_null(ets_cost_rule_find(text("ab")));
}

static void test_cost_rules__sums_keep_what_they_do_not_know(void **state)
{
    (void)state;
    struct ets_cost sum = {.operators = 0};
    const struct ets_cost conv = {.macs = 10,
                                  .operators = 1,
                                  .arithmetic = ETS_ARITHMETIC_FLOAT32,
                                  .family = ETS_FAMILY_CONVOLUTION};
    const struct ets_cost relu = {.ops = 5,
                                  .operators = 1,
                                  .arithmetic = ETS_ARITHMETIC_FLOAT32,
                                  .family = ETS_FAMILY_ELEMENTS};
    const struct ets_cost unknown = ets_cost_unknown(ETS_COST_NO_RULE);
    assert_int_equal(ets_cost_state(&sum), ETS_COST_NONE);
    ets_cost_add(&sum, &conv);
    ets_cost_add(&sum, &relu);
    assert_int_equal(ets_cost_flops(&sum), 25);
    assert_int_equal(sum.family, ETS_FAMILY_CONVOLUTION);
    ets_cost_add(&sum, &unknown);
    assert_int_equal(ets_cost_state(&sum), ETS_COST_PARTIAL);
    assert_int_equal(ets_cost_flops(&sum), 25);
    ets_cost_multiply(&sum, 3);
    assert_int_equal(ets_cost_flops(&sum), 75);
    ets_cost_multiply(&sum, UINT64_MAX);
    assert_int_equal(ets_cost_state(&sum), ETS_COST_UNKNOWN);
    assert_int_equal(sum.unknown, 3);
}

static void test_cost_rules__sum_beyond_63_bits_is_unknown(void **state)
{
    (void)state;
    const struct ets_cost large = {.ops = INT64_MAX - 1, .operators = 1};
    struct ets_cost sum = large;
    ets_cost_add(&sum, &large);
    assert_int_equal(sum.ops, INT64_MAX - 1);
    assert_int_equal(sum.unknown, 1);
    assert_int_equal(sum.reason, ETS_COST_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_rules__convolution_counts_every_tap),
        cmocka_unit_test(test_cost_rules__groups_divide_the_depth),
        cmocka_unit_test(test_cost_rules__convolution_of_1_and_3_dimensions),
        cmocka_unit_test(test_cost_rules__transposed_convolution_counts_inputs),
        cmocka_unit_test(test_cost_rules__linear_layers_count_their_weights),
        cmocka_unit_test(test_cost_rules__addmm_counts_beta_and_alpha_unless_1),
        cmocka_unit_test(test_cost_rules__batched_products),
        cmocka_unit_test(test_cost_rules__attention_counts_heads_of_queries),
        cmocka_unit_test(test_cost_rules__elements_count_as_the_table_says),
        cmocka_unit_test(test_cost_rules__tanh_form_of_gelu_costs_more),
        cmocka_unit_test(test_cost_rules__broadcast_operand_is_read_once),
        cmocka_unit_test(test_cost_rules__operand_used_twice_is_read_once),
        cmocka_unit_test(test_cost_rules__square_is_a_product),
        cmocka_unit_test(test_cost_rules__norms),
        cmocka_unit_test(test_cost_rules__log_softmax_has_a_log_for_each_row),
        cmocka_unit_test(test_cost_rules__pools_count_their_window),
        cmocka_unit_test(test_cost_rules__reductions_count_their_input),
        cmocka_unit_test(test_cost_rules__sorts),
        cmocka_unit_test(test_cost_rules__conversions),
        cmocka_unit_test(test_cost_rules__lookups_read_what_they_give),
        cmocka_unit_test(test_cost_rules__attention_reads_the_cache_up_to_its_position),
        cmocka_unit_test(test_cost_rules__quantized_attention_reads_scales_of_its_keys),
        cmocka_unit_test(test_cost_rules__caches_are_written_where_tokens_are),
        cmocka_unit_test(test_cost_rules__quantized_tables_are_read_by_rows),
        cmocka_unit_test(test_cost_rules__copies_move_and_views_do_not),
        cmocka_unit_test(test_cost_rules__functional_updates_copy_the_whole),
        cmocka_unit_test(test_cost_rules__resampling),
        cmocka_unit_test(test_cost_rules__recurrent_layers_read_weights_each_step),
        cmocka_unit_test(test_cost_rules__unknown_is_never_0),
        cmocka_unit_test(test_cost_rules__overflow_is_unknown),
        cmocka_unit_test(test_cost_rules__every_name_is_found),
        cmocka_unit_test(test_cost_rules__sums_keep_what_they_do_not_know),
        cmocka_unit_test(test_cost_rules__sum_beyond_63_bits_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
