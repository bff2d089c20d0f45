/* Categories, parts and layers by names, as models of many libraries have them. */
#include "test_inspect_support.h"

#include "base/text.h"
#include "views/layer_times.h"
#include "views/part_times.h"
#include "views/work_kinds.h"

static void assert_part(const char *path, const char *operation, const char *part)
{
    const char *found = ets_module_part(ets_text_of(path), ets_text_of(operation));
    if (part == NULL) assert_null(found);
    else if (found == NULL) fail_msg("%s: nothing, not %s", path, part);
    else assert_string_equal(found, part);
}

static void work_kinds__parts_of_libraries_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *path, *operation, *part;
    } rows[] = {
        /* ExecuTorch's Llama, torchtune */
        {"tok_embeddings", "embedding_4bit.dtype_out", "embedding"},
        {"layers.0.attention.wq", "linear.out", "attention: projections"},
        {"layers.0.attention.wo", "linear.out", "attention: output"},
        {"layers.0.attention.SDPA", "llama::custom_sdpa.out", "attention: scores"},
        {"layers.0.attention.SDPA", "llama::update_cache.out", "attention: cache"},
        {"layers.0.attention.SDPA.kv_cache", "slice_copy.Tensor_out", "attention: cache"},
        {"layers.0.attention.rope.apply_rotary_emb", "mul.out", "attention: rotary"},
        {"layers.0.attention_norm", "mul.out", "norm"},
        {"layers.0.feed_forward.w1", "linear.out", "MLP"},
        {"layers.0.feed_forward", "mul.out", "MLP"},
        {"norm", "mul.out", "norm"},
        {"output", "linear.out", "head"},
        /* transformers: Qwen, Gemma, GPT-2, BERT, Whisper */
        {"model.model.layers.11.self_attn.q_proj", "linear.out", "attention: projections"},
        {"model.model.layers.11.self_attn.q_norm", "mul.out", "norm"},
        {"model.model.layers.11.self_attn", "index_put.out", "attention: cache"},
        {"model.model.layers.11.self_attn", "bmm.out", "attention: scores"},
        {"model.model.layers.11.mlp.gate_proj", "linear.out", "MLP"},
        {"model.model.layers.11.post_attention_layernorm", "mul.out", "norm"},
        {"model.model.rotary_emb", "cos.out", "attention: rotary"},
        {"model.lm_head", "linear.out", "head"},
        {"transformer.h.0.attn.c_attn", "addmm.out", "attention: projections"},
        {"transformer.h.0.attn.c_proj", "addmm.out", "attention: output"},
        {"transformer.h.0.mlp.c_proj", "addmm.out", "MLP"},
        {"transformer.wte", "embedding.out", "embedding"},
        {"transformer.ln_f", "native_layer_norm.out", "norm"},
        {"bert.encoder.layer.0.attention.self.query", "linear.out", "attention: projections"},
        {"bert.encoder.layer.0.attention.output.dense", "linear.out", "attention: output"},
        {"bert.encoder.layer.0.intermediate.dense", "linear.out", "MLP"},
        {"bert.encoder.layer.0.output.dense", "linear.out", "MLP"},
        {"encoder.layers.0.fc1", "linear.out", "MLP"},
        {"model.layers.0.block_sparse_moe.gate", "linear.out", "MLP"},
        {"proj_out", "linear.out", "head"},
        {"encoder.layers.0.self_attn_layer_norm", "native_layer_norm.out", "norm"},
        {"blocks.0.attn.qkv", "linear.out", "attention: projections"},
        {"blocks.0.qkv", "linear.out", "attention: projections"},
        /* nothing that is a part of a language model */
        {"features.0.0", "convolution.out", NULL},
        {"layer1.0.conv1", "convolution.out", NULL},
        {"encoder.output", "linear.out", NULL},
        {"properties.linear", "linear.out", NULL},
        {"amoeba.linear", "linear.out", NULL},
        {"", "add.out", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_part(rows[i].path, rows[i].operation, rows[i].part);
    }
}

static void assert_layer(const char *path, const char *layer)
{
    const struct ets_text found = ets_module_layer(ets_text_of(path));
    assert_int_equal(found.size, strlen(layer));
    assert_memory_equal(found.data, layer, found.size);
}

static void work_kinds__layers_end_at_the_first_number(void **state)
{
    (void)state;
    assert_layer("model.layers.11.mlp.up_proj", "model.layers.11");
    assert_layer("features.0.0", "features.0");
    assert_layer("layer1.0.conv1", "layer1.0");
    assert_layer("lm_head", "lm_head");
    assert_layer("0", "0");
    assert_layer("a..b", "a..b");
    assert_layer("", "");
}

static void assert_category(const char *operation, const char *category)
{
    const struct ets_row row = {
        .name = ets_text_of(operation), .kernel = ets_text_of(operation), .parent = ETS_NO_INDEX};
    assert_string_equal(ets_work_category(&row), category);
}

static void assert_category_of_event(const char *event, const char *category)
{
    const struct ets_row row = {.name = ets_text_of(event), .is_delegated = 1};
    assert_string_equal(ets_work_category(&row), category);
}

static void work_kinds__categories_are_those_of_operators(void **state)
{
    (void)state;
    assert_category("aten::convolution.out", "convolution");
    assert_category("aten::addmm.out", "matrix product");
    assert_category("llama::custom_sdpa.out", "attention");
    assert_category("llama::update_cache.out", "attention");
    assert_category("aten::native_layer_norm.out", "normalization");
    assert_category("aten::_softmax.out", "normalization");
    assert_category("aten::mean.out", "reduction");
    assert_category("aten::max_pool2d_with_indices.out", "reduction");
    assert_category("aten::mul.out", "elementwise");
    assert_category("aten::permute_copy.out", "data movement");
    assert_category("aten::_to_copy.out", "data movement");
    assert_category("quantized_decomposed::embedding_4bit.dtype_out", "embedding");
    assert_category("quantized_decomposed::quantize_per_tensor.out", "quantization");
    assert_category("executorch_prim::et_view.default", "data movement");
    assert_category("mine::unheard_of.out", "other");
    assert_category_of_event("Fully Connected (NC, QDU8, F32, QB4W) GEMM #1", "matrix product");
    assert_category_of_event("Square Root (NC) #1", "elementwise");
    assert_category_of_event("Square (NC) #1", "elementwise");
    assert_category_of_event("Convert (NC, F32, QD8) #1", "quantization");
    assert_category_of_event("conv2d_dw_k3", "other");
}

/* Lines of `count` layers that take what `ticks` says, uncertain by `above`. */
static struct ets_layer_times find_layers(struct ets_arena *arena, const double *ticks,
                                          uint32_t count, double above)
{
    struct ets_operator_line items[8] = {{.row = 0}};
    static const char *const names[] = {"m.layers.0", "m.layers.1", "m.layers.2", "m.layers.3",
                                        "m.layers.4", "m.layers.5", "m.layers.6", "m.head"};
    struct ets_layer_times found;
    for (uint32_t i = 0; i < count; i++) {
        items[i] =
            (struct ets_operator_line){.name = ets_text_of(names[i]),
                                       .row = ETS_NO_INDEX,
                                       .times = {.statistics.p50 = ticks[i], .middle = ticks[i]},
                                       .error = {.above = above}};
    }
    const struct ets_operator_lines lines = {.items = items, .count = count};
    assert_true(ets_layer_times_find(arena, &lines, &found));
    return found;
}

static void work_kinds__the_layer_that_differs_is_named(void **state)
{
    (void)state;
    struct ets_arena arena;
    char text[256];
    ets_arena_init(&arena, NULL, 0);
    const double alike[] = {100e3, 104e3, 98e3, 101e3, 99e3},
                 odd[] = {100e3, 104e3, 210e3, 101e3, 99e3};
    const double noisy[] = {60e3, 100e3, 140e3, 80e3, 180e3};
    struct ets_layer_times found = find_layers(&arena, alike, 5, 0);
    assert_int_equal(found.odd_count, 0);
    size_t size = ets_layer_times_print(&found, 2, 1, text, sizeof text);
    assert_text((struct ets_text){text, size},
                "the 5 layers of m.layers take 98..104 us each; none stands out");
    found = find_layers(&arena, odd, 5, 0);
    assert_int_equal(found.odd_count, 1);
    size = ets_layer_times_print(&found, 2, 1, text, sizeof text);
    assert_text((struct ets_text){text, size},
                "m.layers.2 takes 210 us, unlike the other 4 layers of m.layers, "
                "which take 99..104 us");
    size = ets_layer_times_print(&found, 1, 1, text, sizeof text);
    assert_text((struct ets_text){text, size},
                "m.layers.2 takes 210 us, unlike the other 4 layers of m.layers, "
                "which take 99..104 us, in this one run");
    /* What a coarse clock leaves open, and what differs all over, is no difference. */
    assert_int_equal(find_layers(&arena, odd, 5, 100e3).odd_count, 0);
    assert_int_equal(find_layers(&arena, noisy, 5, 0).odd_count, 0);
    /* Too few to say what is usual. */
    found = find_layers(&arena, odd, 3, 0);
    assert_int_equal(ets_layer_times_print(&found, 2, 1, text, sizeof text), 0);
    ets_arena_reset(&arena);
}

/* A pause of the machine in few of the runs moves the mean of a layer, not its median. */
static void work_kinds__no_layer_differs_by_pauses_of_the_machine(void **state)
{
    (void)state;
    static const double p50[] = {323, 335, 304, 288, 323}, middle[] = {1381, 734, 340, 319, 332};
    struct ets_operator_line items[5];
    struct ets_arena arena;
    struct ets_layer_times found;
    char names[5][16];
    ets_arena_init(&arena, NULL, 0);
    for (uint32_t i = 0; i < 5; i++) {
        (void)snprintf(names[i], sizeof names[i], "layers.%u", i);
        items[i] =
            (struct ets_operator_line){.name = ets_text_of(names[i]),
                                       .row = ETS_NO_INDEX,
                                       .times = {.statistics.p50 = p50[i], .middle = middle[i]}};
    }
    const struct ets_operator_lines lines = {.items = items, .count = 5};
    assert_true(ets_layer_times_find(&arena, &lines, &found));
    assert_int_equal(found.odd_count, 0);
    assert_true(found.range.lower == 288 && found.range.upper == 335);
    ets_arena_reset(&arena);
}

/* Lines of groups by part. */
static void assert_part_sums(struct ets_operator_line *items, uint32_t count, const char *expected)
{
    char room[256];
    struct ets_text_builder text = {room, sizeof room, 0};
    for (uint32_t i = 0; i < count; i++) items[i].row = ETS_NO_INDEX;
    const struct ets_operator_lines lines = {.items = items, .count = count};
    ets_add_part_sums(&lines, 1000e3, 1, &text);
    assert_text(ets_built_text(&text), expected);
}

#define PART(part, ticks, ...)                                                   \
    {                                                                            \
        .name = {part, sizeof part - 1}, .times = {.middle = ticks}, __VA_ARGS__ \
    }

static void work_kinds__parts_of_one_whole_are_added_up(void **state)
{
    (void)state;
    struct ets_operator_line known[] = {PART("attention: scores", 200e3), PART("MLP", 300e3),
                                        PART("attention: cache", 100e3),
                                        PART("(between operators)", 400e3)};
    struct ets_operator_line unknown[] = {
        PART("attention: scores", 200e3), PART("attention: cache", 100e3, .error = {0, 50e3}),
        PART("(not in the record)", 450e3), PART("(several parts)", 200e3)};
    /* Upper ends of all parts are 1.3 times the run. */
    struct ets_operator_line coarse[] = {PART("attention: scores", 300e3, .error = {0, 400e3}),
                                         PART("attention: cache", 100e3, .error = {0, 100e3}),
                                         PART("MLP", 200e3, .error = {0, 100e3}),
                                         PART("(no ETRecord)", 100e3)};
    struct ets_operator_line alone[] = {PART("attention: scores", 200e3), PART("MLP", 300e3)};
    assert_part_sums(known, 4, "attention takes 300 us in all, 30.0 %");
    assert_part_sums(unknown, 4,
                     "attention takes 300..350 us in all, 30.0..35.0 %; of 65.0 % of "
                     "the run the part is not known");
    assert_part_sums(coarse, 4,
                     "attention takes 400..700 us in all, 40.0..70.0 %; of 10.0 % of the run "
                     "the part is not known");
    assert_part_sums(alone, 2, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_kinds__parts_of_libraries_are_known),
        cmocka_unit_test(work_kinds__parts_of_one_whole_are_added_up),
        cmocka_unit_test(work_kinds__layers_end_at_the_first_number),
        cmocka_unit_test(work_kinds__categories_are_those_of_operators),
        cmocka_unit_test(work_kinds__the_layer_that_differs_is_named),
        cmocka_unit_test(work_kinds__no_layer_differs_by_pauses_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
