/* Operators of language models, against numbers of executorch's own kernels. */
#include "test_language_numbers.h"
#include "test_node_support.h"

#include "base/text.h"

/* tests/data/language/make_kernels.py has the same. */
static struct reference_value ramp_of(int type, int64_t seed, double step, double more,
                                      uint32_t rank, const int64_t *sizes)
{
    double numbers[256];
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) count *= sizes[i];
    assert_true(count <= 256);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = ((double)((i * i * 29 + i * 37 + seed * 11) % 64 - 32) + more) * step;
    }
    return tensor_of(type, rank, sizes, numbers);
}

static struct reference_value ramp(int64_t seed, uint32_t rank, const int64_t *sizes)
{
    return ramp_of(ETS_SCALAR_FLOAT, seed, 1.0 / 16, 0, rank, sizes);
}

static struct reference_value whole(int64_t seed, uint32_t rank, const int64_t *sizes)
{
    return ramp_of(ETS_SCALAR_CHAR, seed, 1, 0, rank, sizes);
}

/* Adds the arguments of custom_sdpa. */
static void add_attention(int64_t heads, int64_t groups, int64_t rows, int64_t start,
                          bool is_causal)
{
    add(ramp(1, SIZES(1, rows, heads, 4)));
    add(ramp(2, SIZES(1, 8, groups, 4)));
    add(ramp(3, SIZES(1, 8, groups, 4)));
    add(WHOLE(start));
    add(NOTHING);
    add(NUMBER(0));
    add(TRUTH(is_causal));
}

static const char attention[] = "torch.ops.llama.custom_sdpa.default";

static void cached_attention__has_the_kernels_numbers(void **state)
{
    NEEDS_ENGINE();
    add_attention(4, 2, 3, 0, true);
    check(attention, SIZES(1, 3, 4, 4), prefill_numbers);
    add_attention(4, 2, 1, 5, true);
    check(attention, SIZES(1, 1, 4, 4), decode_numbers);
    add_attention(2, 2, 3, 4, true);
    check(attention, SIZES(1, 3, 2, 4), middle_numbers);
    add_attention(4, 1, 2, 6, true);
    add(NUMBER(0.25));
    check(attention, SIZES(1, 2, 4, 4), one_group_numbers);
    add_attention(2, 1, 2, 3, false);
    check(attention, SIZES(1, 2, 2, 4), not_causal_numbers);
    add(ramp(1, SIZES(1, 2, 2, 4)));
    add(ramp(2, SIZES(1, 6, 1, 4)));
    add(ramp(3, SIZES(1, 6, 1, 4)));
    add(WHOLE(0));
    add(ramp(4, SIZES(2, 6)));
    check(attention, SIZES(1, 2, 2, 4), masked_numbers);
}

static void expect_refusal(const char *target, uint32_t outputs, const char *message)
{
    const struct reference_calls calls = {engine, &memory, true};
    const struct reference_shape shapes[4] = {
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2, 4)),
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 2, 4))};
    assert_int_not_equal(call_with(&calls, target, outputs, shapes), ETS_OK);
    const char *reason = strrchr(failure.message, ':');
    assert_non_null(reason);
    assert_string_equal(reason + 2, message);
    forget(0);
}

static void cached_attention__refuses_what_it_does_not_know(void **state)
{
    NEEDS_ENGINE();
    add_attention(2, 1, 2, 7, true);
    expect_refusal(attention, 1, "position 7 and 2 more do not fit in a cache of 8");
    add_attention(2, 1, 2, -1, true);
    expect_refusal(attention, 1, "position -1 and 2 more do not fit in a cache of 8");
    add_attention(2, 1, 2, 0, true);
    given[5] = NUMBER(0.5);
    expect_refusal(attention, 1, "with dropout");
    add_attention(2, 1, 2, 0, true);
    given[4] = ramp(4, SIZES(2, 8));
    expect_refusal(attention, 1, "causal, and with a mask");
    add_attention(2, 1, 2, 0, false);
    given[4] = ramp(4, SIZES(2, 2));
    expect_refusal(attention, 1, "with a mask that is not a number for each query and key");
    add_attention(3, 2, 2, 0, true);
    expect_refusal(attention, 1, "the query heads are not a multiple of the value heads");
    add_attention(2, 1, 2, 0, true);
    ets_reference_value_drop(&memory, &given[2]);
    given[2] = ramp(3, SIZES(1, 7, 1, 4));
    expect_refusal(attention, 1, "queries, keys and values do not fit together");
}

static void add_with_cache(int64_t rows, int64_t start, int64_t count)
{
    add(ramp(1, SIZES(1, rows, 4, 4)));
    add(ramp(2, SIZES(1, rows, 2, 4)));
    add(ramp(3, SIZES(1, rows, 2, 4)));
    add(ramp(4, SIZES(1, 8, 2, 4)));
    add(ramp(5, SIZES(1, 8, 2, 4)));
    add(WHOLE(start));
    add(WHOLE(count));
    add(NOTHING);
    add(NUMBER(0));
    add(TRUTH(1));
}

/* The given argument, where the operator wrote into it. */
static void expect_written(uint32_t index, uint32_t rank, const int64_t *sizes,
                           const double *numbers)
{
    const struct reference_value kept = made[0];
    made[0] = given[index];
    expect_tensor(0, rank, sizes, numbers);
    made[0] = kept;
}

static void attention_that_fills_its_cache__has_the_kernels_numbers(void **state)
{
    NEEDS_ENGINE();
    const struct reference_shape shape =
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1, 2, 4, 4));
    for (int use_double = 0; use_double < 2; use_double++) {
        const struct reference_calls calls = {engine, &memory, use_double != 0};
        add_with_cache(2, 3, 2);
        assert_int_equal(call_with(&calls, "torch.ops.llama.sdpa_with_kv_cache.default", 1, &shape),
                         ETS_OK);
        expect_tensor(0, SIZES(1, 2, 4, 4), stepped_numbers);
        expect_written(3, SIZES(1, 8, 2, 4), stepped_keys_numbers);
        expect_written(4, SIZES(1, 8, 2, 4), stepped_values_numbers);
        assert_int_equal(is_single, use_double); /* the caches keep their type */
        forget(1);
    }
    add_with_cache(2, 3, 1);
    expect_refusal("torch.ops.llama.sdpa_with_kv_cache.default", 1,
                   "not as many new keys and values as queries");
}

static void add_quantized(int64_t seed, bool is_last, int64_t positions)
{
    int64_t sizes[4] = {1, is_last ? 4 : positions, is_last ? positions : 4, 8};
    struct reference_value *numbers = &given[(seed - 1) / 3];
    struct reference_value *zero = &given[8 + (seed - 1) / 3 * 2];
    *numbers = whole(seed, 4, sizes);
    sizes[3] = 1;
    *zero = whole(seed + 1, 4, sizes);
    zero[1] = ramp_of(ETS_SCALAR_FLOAT, seed + 2, 1.0 / 512, 40, 4, sizes);
}

static void add_int8(bool is_last)
{
    for (uint32_t i = 0; i < 15; i++) add(NOTHING);
    add_quantized(1, is_last, 2);
    add_quantized(4, is_last, 8);
    add_quantized(7, is_last, 8);
    given[3] = WHOLE(3);
    given[5] = NUMBER(0);
    given[6] = TRUTH(1);
    given[14] = TRUTH(is_last);
}

static void quantized_attention__has_the_kernels_numbers(void **state)
{
    NEEDS_ENGINE();
    add_int8(false);
    check("torch.ops.llama.custom_quantized_sdpa.default", SIZES(1, 2, 4, 8), int8_numbers);
    add_int8(true);
    check("torch.ops.llama.custom_quantized_sdpa.default", SIZES(1, 4, 2, 8),
          int8_heads_first_numbers);
    add_int8(false);
    ets_reference_value_drop(&memory, &given[11]);
    given[11] = ramp(1, SIZES(1, 8, 4, 8));
    expect_refusal("torch.ops.llama.custom_quantized_sdpa.default", 1,
                   "not int8 with a scale and zero point for each position and head");
}

static void add_update(int64_t start)
{
    add(ramp(2, SIZES(2, 2, 1, 2)));
    add(ramp(1, SIZES(2, 5, 1, 2)));
    add(WHOLE(start));
}

static void update_cache__writes_as_the_kernel_does(void **state)
{
    NEEDS_ENGINE();
    const struct reference_calls calls = {engine, &memory, false};
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1));
    add_update(3);
    assert_int_equal(call_with(&calls, "torch.ops.llama.update_cache.default", 1, &shape), ETS_OK);
    assert_int_equal(made[0].kind, REFERENCE_UNAVAILABLE);
    assert_string_equal(made[0].as.reason, "its kernel writes only the cache");
    expect_written(1, SIZES(2, 5, 1, 2), updated_numbers);
    forget(1);
    add_update(0);
    add(tensor_of(ETS_SCALAR_LONG, SIZES(2, 2), NUMBERS(4, 0, 2, 2)));
    assert_int_equal(
        call_with(&calls, "torch.ops.llama.update_cache_with_indices.default", 1, &shape), ETS_OK);
    expect_written(1, SIZES(2, 5, 1, 2), updated_by_indices_numbers);
    forget(1);
    add_update(4);
    expect_refusal("torch.ops.llama.update_cache.default", 1,
                   "position 4 and 2 more do not fit in a cache of 5");
    add_update(0);
    add(tensor_of(ETS_SCALAR_LONG, SIZES(2, 2), NUMBERS(4, 0, 5, 2)));
    expect_refusal("torch.ops.llama.update_cache_with_indices.default", 1,
                   "position 5 and 1 more do not fit in a cache of 5");
    add_update(0);
    add(tensor_of(ETS_SCALAR_INT, SIZES(2, 2), NUMBERS(4, 0, 2, 2)));
    expect_refusal("torch.ops.llama.update_cache_with_indices.default", 1,
                   "not one index for each position");
    add_update(0);
    ets_reference_value_drop(&memory, &given[1]);
    given[1] = ramp(1, SIZES(2, 5, 2, 2));
    expect_refusal("torch.ops.llama.update_cache.default", 1, "the values do not fit in the cache");
}

/* Names the arguments that were added, and calls them through a wrapper. */
static void wrap(const char *operator_, const char *const *labels)
{
    static const struct reference_value none = {.kind = REFERENCE_STRING};
    for (uint32_t i = given_count; i > 0; i--) {
        given[i] = given[i - 1];
        inputs[i].label = ets_text_of(labels[i - 1]);
    }
    given[0] = none;
    inputs[0] =
        (struct ets_graph_argument){.kind = ETS_ARGUMENT_TARGET, .name = ets_text_of(operator_)};
    given_count++;
}

static struct reference_value list_of(struct reference_value item)
{
    const struct reference_value list = {.kind = REFERENCE_LIST, .as.list = {&item, 1}};
    struct reference_value copy;
    assert_int_equal(ets_reference_value_share(&memory, &list, &copy, NULL), ETS_OK);
    ets_reference_value_drop(&memory, &item);
    return copy;
}

static void wrapped_operators__return_what_they_would_have_written(void **state)
{
    NEEDS_ENGINE();
    static const char *const names[] = {"value", "_cache_base_index", "start_pos", "_all_bases"};
    static const char *const first[] = {"value", "cache", "start_pos"};
    const struct reference_shape shapes[2] = {
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(1)),
        ets_reference_shape_of(ETS_SCALAR_FLOAT, SIZES(2, 5, 1, 2))};
    for (int use_double = 0; use_double < 2; use_double++) {
        const struct reference_calls calls = {engine, &memory, use_double != 0};
        add_update(3);
        const struct reference_value cache = given[1];
        given[1] = WHOLE(0);
        add(list_of(cache));
        wrap("torch.ops.llama.update_cache.default", names);
        assert_int_equal(
            call_with(&calls, "torch.ops.higher_order.auto_functionalized_v2", 2, shapes), ETS_OK);
        expect_tensor(1, SIZES(2, 5, 1, 2), updated_numbers);
        assert_false(is_single);
        forget(2);
        add_update(3);
        wrap("torch.ops.llama.update_cache.default", first);
        assert_int_equal(call_with(&calls, "torch.ops.higher_order.auto_functionalized", 2, shapes),
                         ETS_OK);
        expect_tensor(1, SIZES(2, 5, 1, 2), updated_numbers);
        forget(2);
    }
}

static void wrapped_operators__are_refused_where_they_write_a_part(void **state)
{
    NEEDS_ENGINE();
    static const char *const names[] = {"value", "_cache_base_index", "start_pos", "_all_bases",
                                        "_cache_slice_dim"};
    static const char target[] = "torch.ops.higher_order.auto_functionalized_v2";
    add_update(3);
    struct reference_value cache = given[1];
    given[1] = WHOLE(0);
    add(list_of(cache));
    add(WHOLE(0));
    wrap("torch.ops.llama.update_cache.default", names);
    expect_refusal(target, 2, "it writes into a part of a tensor, or has unknown arguments");
    add_update(3);
    cache = given[1];
    given[1] = WHOLE(1);
    add(list_of(cache));
    wrap("torch.ops.llama.update_cache.default", names);
    expect_refusal(target, 2, "it has no such base");
    add_update(3);
    wrap("torch.ops.ours.scribble.default", names);
    expect_refusal(target, 2, "unknown operator");
}

static void hadamard_transform__has_the_kernels_numbers(void **state)
{
    NEEDS_ENGINE();
    add(ramp(1, SIZES(2, 8)));
    check("torch.ops.llama.fast_hadamard_transform.default", SIZES(2, 8), hadamard_8_numbers);
    add(ramp(1, SIZES(1, 56)));
    check("torch.ops.llama.fast_hadamard_transform.default", SIZES(1, 56), hadamard_56_numbers);
    add(ramp(1, SIZES(1, 12)));
    expect_refusal("torch.ops.llama.fast_hadamard_transform.default", 1,
                   "not rows of a power of 2, or of 28 times that");
}

/* Rows 5, 0 and 3. */
static void add_lookup(struct reference_value table, int64_t groups, bool has_zeros, int64_t least,
                       int64_t most)
{
    add(table);
    add(ramp(2, SIZES(6, groups)));
    add(has_zeros ? ramp(3, SIZES(6, groups)) : NOTHING);
    add(WHOLE(least));
    add(WHOLE(most));
    add(tensor_of(ETS_SCALAR_LONG, SIZES(1, 3), NUMBERS(5, 0, 3)));
}

static struct reference_value packed(void)
{
    return ramp_of(ETS_SCALAR_BYTE, 1, 5, 32, SIZES(6, 8));
}

static void embeddings_of_integers__have_the_kernels_numbers(void **state)
{
    NEEDS_ENGINE();
    add_lookup(whole(1, SIZES(6, 8)), 1, true, -128, 127);
    check("torch.ops.quantized_decomposed.embedding_byte.default", SIZES(1, 3, 8), bytes_numbers);
    add_lookup(packed(), 2, false, -8, 7);
    check("torch.ops.quantized_decomposed.embedding_4bit.default", SIZES(1, 3, 16), halves_numbers);
    add_lookup(packed(), 2, false, -8, 7);
    add(WHOLE(ETS_SCALAR_FLOAT));
    check("torch.ops.quantized_decomposed.embedding_4bit.dtype", SIZES(1, 3, 16), halves_numbers);
    add_lookup(packed(), 4, true, -2, 1);
    check("torch.ops.quantized_decomposed.embedding_2bit.default", SIZES(1, 3, 32),
          quarters_numbers);
    add_lookup(packed(), 2, false, -7, 7);
    expect_refusal("torch.ops.quantized_decomposed.embedding_4bit.default", 1,
                   "integers from -7 to 7 in 4 bits");
    add_lookup(whole(1, SIZES(6, 8)), 2, false, -8, 7);
    expect_refusal("torch.ops.quantized_decomposed.embedding_4bit.default", 1,
                   "not a table of bytes");
    add_lookup(packed(), 3, false, -8, 7);
    expect_refusal("torch.ops.quantized_decomposed.embedding_4bit.default", 1,
                   "its groups do not divide the rows");
}

static void add_tokens(struct reference_value x)
{
    add(x);
    add(tensor_of(ETS_SCALAR_DOUBLE, SIZES(1, 3, 1), token_scale_numbers));
    add(tensor_of(ETS_SCALAR_LONG, SIZES(1, 3, 1), token_zero_numbers));
    add(WHOLE(-128));
    add(WHOLE(127));
    add(WHOLE(ETS_SCALAR_CHAR));
}

static void quantized_tokens__have_pytorchs_numbers(void **state)
{
    NEEDS_ENGINE();
    const struct reference_shape shapes[2] = {
        ets_reference_shape_of(ETS_SCALAR_DOUBLE, SIZES(1, 3, 1)),
        ets_reference_shape_of(ETS_SCALAR_LONG, SIZES(1, 3, 1))};
    static const char prefix[] = "torch.ops.quantized_decomposed.";
    static const char *const names[] = {"choose_qparams_per_token_asymmetric",
                                        "_choose_qparams_per_token_asymmetric_impl",
                                        "choose_qparams_per_token"};
    for (uint32_t i = 0; i < 6; i++) {
        const struct reference_calls calls = {engine, &memory, i % 2 != 0};
        char target[128];
        snprintf(target, sizeof target, "%s%s.default", prefix, names[i / 2]);
        add(ramp(1, SIZES(1, 3, 8)));
        add(WHOLE(ETS_SCALAR_CHAR));
        assert_int_equal(call_with(&calls, target, 2, shapes), ETS_OK);
        expect_tensor(0, SIZES(1, 3, 1), i < 4 ? token_scale_numbers : token_symmetric_numbers);
        expect_tensor(1, SIZES(1, 3, 1), i < 4 ? token_zero_numbers : NUMBERS(0, 0, 0));
        forget(2);
    }
    add_tokens(ramp(1, SIZES(1, 3, 8)));
    check("torch.ops.quantized_decomposed.quantize_per_token.default", SIZES(1, 3, 8),
          token_integers_numbers);
    add_tokens(tensor_of(ETS_SCALAR_CHAR, SIZES(1, 3, 8), token_integers_numbers));
    add(WHOLE(ETS_SCALAR_FLOAT));
    check("torch.ops.quantized_decomposed.dequantize_per_token.default", SIZES(1, 3, 8),
          token_numbers_numbers);
    add(ramp(1, SIZES(1, 3, 8)));
    add(WHOLE(ETS_SCALAR_BYTE));
    expect_refusal("torch.ops.quantized_decomposed.choose_qparams_per_token.default", 2,
                   "for another type than int8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached_attention__has_the_kernels_numbers),
        cmocka_unit_test(cached_attention__refuses_what_it_does_not_know),
        cmocka_unit_test(attention_that_fills_its_cache__has_the_kernels_numbers),
        cmocka_unit_test(quantized_attention__has_the_kernels_numbers),
        cmocka_unit_test(update_cache__writes_as_the_kernel_does),
        cmocka_unit_test(wrapped_operators__return_what_they_would_have_written),
        cmocka_unit_test(wrapped_operators__are_refused_where_they_write_a_part),
        cmocka_unit_test(hadamard_transform__has_the_kernels_numbers),
        cmocka_unit_test(embeddings_of_integers__have_the_kernels_numbers),
        cmocka_unit_test(quantized_tokens__have_pytorchs_numbers),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
