/*
 * The table of operators: what each counts for an element, and what it moves. What needs more than
 * a number for each element is a function of product_rules.c or element_rules.c.
 */
#include "cost/cost_rules.h"

#include <string.h>

#include "base/text.h"

#define ALL ETS_TRAFFIC_ALL
#define PICK ETS_TRAFFIC_PICK
#define VIEW ETS_TRAFFIC_VIEW
#define SLICE ETS_TRAFFIC_SLICE
#define WRITE ETS_TRAFFIC_WRITE
#define NOTHING ETS_TRAFFIC_NOTHING

/* X(name, ops and special for each element of the output) */
#define ELEMENTS(name, ops, special) \
    {name, ETS_FAMILY_ELEMENTS, ALL, ops, special, 0, NULL}
/* For each element of the input. */
#define REDUCTION(name, input_ops, count) \
    {name, ETS_FAMILY_REDUCTION, ALL, 0, 0, input_ops, count}
#define MOVE(name, traffic) {name, ETS_FAMILY_MOVE, traffic, 0, 0, 0, NULL}
#define RULE(family, name, count) {name, ETS_FAMILY_##family, ALL, 0, 0, 0, count}

/* Sorted by name, for bsearch. */
/* clang-format off */
static const struct ets_cost_rule rules[] = {
    ELEMENTS("__and__", 1, 0),
    ELEMENTS("__or__", 1, 0),
    ELEMENTS("__xor__", 1, 0),
    {"_adaptive_avg_pool2d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    {"_adaptive_avg_pool3d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    MOVE("_assert_async", NOTHING),
    MOVE("_assert_scalar", NOTHING),
    MOVE("_assert_tensor_metadata", NOTHING),
    RULE(PRODUCT, "_cdist_forward", ets_count_distances),
    MOVE("_clone_dim_order", ALL),
    MOVE("_empty_dim_order", NOTHING),
    RULE(PRODUCT, "_int_mm", ets_count_product),
    MOVE("_local_scalar_dense", ALL),
    RULE(REDUCTION, "_log_softmax", ets_count_log_softmax),
    {"_native_batch_norm_legit", ETS_FAMILY_NORM, ALL, 0, 0, 8, ets_count_channel_norm},
    {"_native_batch_norm_legit_no_training", ETS_FAMILY_NORM, ALL, 2, 0, 0, NULL},
    ELEMENTS("_prelu_kernel", 2, 0),
    MOVE("_reshape_alias", VIEW),
    RULE(ATTENTION, "_scaled_dot_product_flash_attention_for_cpu", ets_count_attention),
    {"_softmax", ETS_FAMILY_REDUCTION, ALL, 5, 1, 0, NULL},
    RULE(CONVERSION, "_to", ets_count_cast),
    RULE(CONVERSION, "_to_dim_order", ets_count_cast),
    MOVE("_unsafe_view", VIEW),
    RULE(PRODUCT, "_weight_int8pack_mm", ets_count_linear),
    ELEMENTS("abs", 1, 0),
    ELEMENTS("acos", 1, 1),
    ELEMENTS("acosh", 1, 1),
    {"adaptive_avg_pool1d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    {"adaptive_avg_pool2d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    {"adaptive_avg_pool3d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    {"adaptive_max_pool2d", ETS_FAMILY_POOL, ALL, 0, 0, 1, NULL},
    {"add", ETS_FAMILY_ELEMENTS, ALL, 1, 0, 0, ets_count_scaled_add},
    ELEMENTS("addcdiv", 3, 0),
    ELEMENTS("addcmul", 3, 0),
    RULE(PRODUCT, "addmm", ets_count_addmm),
    RULE(PRODUCT, "addmv", ets_count_addmm),
    MOVE("alias", VIEW),
    REDUCTION("all", 1, NULL),
    REDUCTION("amax", 1, NULL),
    REDUCTION("amin", 1, NULL),
    REDUCTION("any", 1, NULL),
    {"arange", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    REDUCTION("argmax", 1, NULL),
    REDUCTION("argmin", 1, NULL),
    MOVE("as_strided", SLICE),
    ELEMENTS("asin", 1, 1),
    ELEMENTS("asinh", 1, 1),
    ELEMENTS("atan", 1, 1),
    ELEMENTS("atan2", 1, 1),
    ELEMENTS("atanh", 1, 1),
    RULE(POOL, "avg_pool1d", ets_count_avg_pool),
    RULE(POOL, "avg_pool2d", ets_count_avg_pool),
    RULE(POOL, "avg_pool3d", ets_count_avg_pool),
    RULE(PRODUCT, "baddbmm", ets_count_addmm),
    {"batch_norm", ETS_FAMILY_NORM, ALL, 2, 0, 0, NULL},
    ELEMENTS("bitwise_and", 1, 0),
    ELEMENTS("bitwise_left_shift", 1, 0),
    ELEMENTS("bitwise_not", 1, 0),
    ELEMENTS("bitwise_or", 1, 0),
    ELEMENTS("bitwise_right_shift", 1, 0),
    ELEMENTS("bitwise_xor", 1, 0),
    RULE(PRODUCT, "bmm", ets_count_product),
    MOVE("cat", ALL),
    ELEMENTS("ceil", 1, 0),
    ELEMENTS("celu", 5, 1),
    MOVE("channel_shuffle", ALL),
    {"choose_qparams", ETS_FAMILY_CONVERSION, ALL, 0, 0, 2, NULL},
    {"choose_qparams_affine", ETS_FAMILY_CONVERSION, ALL, 0, 0, 2, NULL},
    {"choose_qparams_per_token_asymmetric", ETS_FAMILY_CONVERSION, ALL, 0, 0, 2, NULL},
    ELEMENTS("clamp", 1, 0),
    ELEMENTS("clamp_max", 1, 0),
    ELEMENTS("clamp_min", 1, 0),
    MOVE("clone", ALL),
    MOVE("constant_pad_nd", ALL),
    MOVE("contiguous", ALL),
    RULE(CONVOLUTION, "conv1d", ets_count_conv),
    RULE(CONVOLUTION, "conv2d", ets_count_conv),
    RULE(CONVOLUTION, "conv3d", ets_count_conv),
    RULE(CONVOLUTION, "conv_transpose1d", ets_count_conv_transpose),
    RULE(CONVOLUTION, "conv_transpose2d", ets_count_conv_transpose),
    RULE(CONVOLUTION, "conv_transpose3d", ets_count_conv_transpose),
    RULE(CONVOLUTION, "convolution", ets_count_convolution),
    {"copy", ETS_FAMILY_MOVE, NOTHING, 0, 0, 0, ets_count_in_place},
    ELEMENTS("copysign", 1, 0),
    ELEMENTS("cos", 1, 1),
    ELEMENTS("cosh", 1, 1),
    REDUCTION("cumsum", 1, NULL),
    RULE(ATTENTION, "custom_sdpa", ets_count_cache_attention),
    {"dequantize_affine", ETS_FAMILY_CONVERSION, ALL, 2, 0, 0, NULL},
    {"dequantize_per_channel", ETS_FAMILY_CONVERSION, ALL, 2, 0, 0, NULL},
    {"dequantize_per_channel_group", ETS_FAMILY_CONVERSION, ALL, 2, 0, 0, NULL},
    {"dequantize_per_tensor", ETS_FAMILY_CONVERSION, ALL, 2, 0, 0, NULL},
    {"dequantize_per_token", ETS_FAMILY_CONVERSION, ALL, 2, 0, 0, NULL},
    MOVE("detach", VIEW),
    MOVE("diagonal", SLICE),
    ELEMENTS("div", 1, 0),
    RULE(PRODUCT, "dot", ets_count_product),
    MOVE("dropout", VIEW), /* outside of training */
    ELEMENTS("elu", 4, 1),
    MOVE("embedding", PICK),
    {"embedding_4bit", ETS_FAMILY_MOVE, NOTHING, 2, 0, 0, ets_count_byte_embedding},
    {"embedding_byte", ETS_FAMILY_MOVE, NOTHING, 2, 0, 0, ets_count_byte_embedding},
    MOVE("empty", NOTHING),
    ELEMENTS("eq", 1, 0),
    ELEMENTS("erf", 1, 1),
    MOVE("et_view", NOTHING),
    ELEMENTS("exp", 1, 1),
    ELEMENTS("exp2", 1, 1),
    MOVE("expand", SLICE),
    ELEMENTS("expm1", 1, 1),
    {"fill", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    MOVE("flatten", VIEW),
    MOVE("flip", ALL),
    ELEMENTS("floor", 1, 0),
    ELEMENTS("floor_divide", 1, 0),
    ELEMENTS("fmod", 1, 0),
    {"full", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    {"full_like", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    MOVE("gather", PICK),
    ELEMENTS("ge", 1, 0),
    {"gelu", ETS_FAMILY_ELEMENTS, ALL, 0, 0, 0, ets_count_gelu},
    MOVE("getitem", NOTHING),
    ELEMENTS("glu", 5, 1),
    ELEMENTS("grid_sampler_2d", 12, 0),
    ELEMENTS("grid_sampler_3d", 12, 0),
    {"group_norm", ETS_FAMILY_NORM, ALL, 8, 0, 0, ets_count_group_norm},
    RULE(RECURRENT, "gru", ets_count_gru),
    ELEMENTS("gt", 1, 0),
    ELEMENTS("hardsigmoid", 3, 0),
    ELEMENTS("hardswish", 3, 0),
    ELEMENTS("hardtanh", 1, 0),
    MOVE("index", PICK),
    RULE(ELEMENTS, "index_add", ets_count_added),
    MOVE("index_copy", ALL),
    {"index_put", ETS_FAMILY_MOVE, NOTHING, 0, 0, 0, ets_count_in_place},
    MOVE("index_select", PICK),
    {"instance_norm", ETS_FAMILY_NORM, ALL, 0, 0, 8, ets_count_channel_norm},
    ELEMENTS("isinf", 1, 0),
    ELEMENTS("isnan", 1, 0),
    {"layer_norm", ETS_FAMILY_NORM, ALL, 8, 0, 0, ets_count_row_norm},
    ELEMENTS("le", 1, 0),
    ELEMENTS("leaky_relu", 2, 0),
    MOVE("lift_fresh", VIEW),
    RULE(PRODUCT, "linear", ets_count_linear),
    ELEMENTS("log", 1, 1),
    ELEMENTS("log10", 1, 1),
    ELEMENTS("log1p", 1, 1),
    ELEMENTS("log2", 1, 1),
    RULE(REDUCTION, "log_softmax", ets_count_log_softmax),
    ELEMENTS("logical_and", 1, 0),
    ELEMENTS("logical_not", 1, 0),
    ELEMENTS("logical_or", 1, 0),
    ELEMENTS("logical_xor", 1, 0),
    ELEMENTS("logit", 3, 1),
    RULE(RECURRENT, "lstm", ets_count_lstm),
    ELEMENTS("lt", 1, 0),
    ELEMENTS("masked_fill", 1, 0),
    ELEMENTS("masked_scatter", 1, 0),
    ELEMENTS("masked_select", 1, 0),
    RULE(PRODUCT, "matmul", ets_count_product),
    REDUCTION("max", 1, NULL),
    RULE(POOL, "max_pool1d", ets_count_max_pool),
    RULE(POOL, "max_pool2d", ets_count_max_pool),
    RULE(POOL, "max_pool2d_with_indices", ets_count_max_pool),
    RULE(POOL, "max_pool3d_with_indices", ets_count_max_pool),
    ELEMENTS("maximum", 1, 0),
    REDUCTION("mean", 1, NULL),
    REDUCTION("min", 1, NULL),
    ELEMENTS("minimum", 1, 0),
    RULE(PRODUCT, "mm", ets_count_product),
    ELEMENTS("mul", 1, 0),
    RULE(PRODUCT, "mv", ets_count_product),
    MOVE("narrow", SLICE),
    {"native_batch_norm", ETS_FAMILY_NORM, ALL, 2, 0, 0, NULL},
    MOVE("native_dropout", ALL),
    {"native_group_norm", ETS_FAMILY_NORM, ALL, 8, 0, 0, ets_count_group_norm},
    {"native_layer_norm", ETS_FAMILY_NORM, ALL, 8, 0, 0, ets_count_row_norm},
    ELEMENTS("ne", 1, 0),
    ELEMENTS("neg", 1, 0),
    REDUCTION("nonzero", 1, NULL),
    {"ones", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    MOVE("pad", ALL),
    MOVE("permute", SLICE),
    MOVE("pixel_shuffle", ALL),
    MOVE("pixel_unshuffle", ALL),
    {"pow", ETS_FAMILY_ELEMENTS, ALL, 1, 0, 0, ets_count_power},
    ELEMENTS("prelu", 2, 0),
    REDUCTION("prod", 1, NULL),
    {"quantize_affine", ETS_FAMILY_CONVERSION, ALL, 4, 0, 0, NULL},
    {"quantize_per_channel", ETS_FAMILY_CONVERSION, ALL, 4, 0, 0, NULL},
    {"quantize_per_tensor", ETS_FAMILY_CONVERSION, ALL, 4, 0, 0, NULL},
    {"quantize_per_token", ETS_FAMILY_CONVERSION, ALL, 4, 0, 0, NULL},
    ELEMENTS("reciprocal", 1, 0),
    MOVE("reflection_pad1d", ALL),
    MOVE("reflection_pad2d", ALL),
    MOVE("reflection_pad3d", ALL),
    ELEMENTS("relu", 1, 0),
    ELEMENTS("relu6", 1, 0),
    ELEMENTS("remainder", 1, 0),
    MOVE("repeat", ALL),
    MOVE("repeat_interleave", ALL),
    MOVE("replication_pad1d", ALL),
    MOVE("replication_pad2d", ALL),
    MOVE("replication_pad3d", ALL),
    MOVE("reshape", VIEW),
    {"rms_norm", ETS_FAMILY_NORM, ALL, 4, 0, 0, ets_count_row_norm},
    MOVE("roll", ALL),
    ELEMENTS("round", 1, 0),
    ELEMENTS("rsqrt", 1, 1),
    {"rsub", ETS_FAMILY_ELEMENTS, ALL, 1, 0, 0, ets_count_scaled_add},
    {"scalar_tensor", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
    RULE(ATTENTION, "scaled_dot_product_attention", ets_count_attention),
    MOVE("scatter", ALL),
    RULE(ELEMENTS, "scatter_add", ets_count_added),
    RULE(ATTENTION, "sdpa", ets_count_attention),
    MOVE("select", SLICE),
    MOVE("select_scatter", ALL),
    ELEMENTS("selu", 5, 1),
    ELEMENTS("sigmoid", 4, 1),
    ELEMENTS("sign", 1, 0),
    ELEMENTS("silu", 5, 1),
    ELEMENTS("sin", 1, 1),
    ELEMENTS("sinh", 1, 1),
    MOVE("slice", SLICE),
    MOVE("slice_scatter", ALL),
    {"softmax", ETS_FAMILY_REDUCTION, ALL, 5, 1, 0, NULL},
    ELEMENTS("softplus", 4, 2),
    RULE(REDUCTION, "sort", ets_count_sort),
    MOVE("split", SLICE),
    MOVE("split_with_sizes", SLICE),
    ELEMENTS("sqrt", 1, 1),
    ELEMENTS("square", 1, 0),
    MOVE("squeeze", VIEW),
    MOVE("stack", ALL),
    REDUCTION("std", 4, ets_count_root),
    {"sub", ETS_FAMILY_ELEMENTS, ALL, 1, 0, 0, ets_count_scaled_add},
    REDUCTION("sum", 1, NULL),
    MOVE("sym_constrain_range_for_size", NOTHING),
    MOVE("sym_size", NOTHING),
    MOVE("t", SLICE),
    ELEMENTS("tan", 1, 1),
    ELEMENTS("tanh", 6, 1),
    RULE(REDUCTION, "topk", ets_count_topk),
    MOVE("transpose", SLICE),
    MOVE("tril", ALL),
    MOVE("triu", ALL),
    ELEMENTS("trunc", 1, 0),
    MOVE("unbind", SLICE),
    MOVE("unfold", SLICE),
    MOVE("unsqueeze", VIEW),
    ELEMENTS("upsample_bilinear2d", 8, 0),
    MOVE("upsample_nearest2d", ALL),
    REDUCTION("var", 4, NULL),
    REDUCTION("var_mean", 4, NULL),
    MOVE("view", VIEW),
    ELEMENTS("where", 1, 0),
    {"zeros", ETS_FAMILY_ELEMENTS, WRITE, 1, 0, 0, NULL},
};
/* clang-format on */

enum { RULE_COUNT = sizeof rules / sizeof *rules };

const struct ets_cost_rule *ets_cost_rule_find(struct ets_text base)
{
    size_t low = 0, high = RULE_COUNT;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *name = rules[middle].name;
        const int order = ets_text_compare(base, (struct ets_text){name, strlen(name)});
        if (order == 0) return &rules[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

const struct ets_cost_argument *ets_cost_argument(const struct ets_cost_call *call,
                                                  uint32_t position, const char *label)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        if (argument->label.size > 0 ? ets_text_is(argument->label, label) : i == position) {
            return argument;
        }
    }
    return NULL;
}

const struct ets_cost_tensor *ets_cost_tensor_at(const struct ets_cost_call *call,
                                                 uint32_t position, const char *label)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    const bool is_there =
        argument != NULL && argument->kind == ETS_COST_TENSORS && argument->count > 0;
    return is_there ? &argument->tensors[0] : NULL;
}

int64_t ets_cost_integer_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                            int64_t otherwise)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    const bool is_there =
        argument != NULL && argument->kind == ETS_COST_INTEGERS && argument->count > 0;
    return is_there ? argument->integers[0] : otherwise;
}

double ets_cost_real_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                        double otherwise)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    if (argument == NULL || argument->kind == ETS_COST_NOTHING) return otherwise;
    if (argument->kind == ETS_COST_REAL) return argument->real;
    const bool is_integer = argument->kind == ETS_COST_INTEGERS && argument->count > 0;
    return is_integer ? (double)argument->integers[0] : otherwise;
}

uint64_t ets_cost_size(const struct ets_cost_tensor *tensor, int64_t dimension)
{
    const int64_t at = dimension < 0 ? dimension + (int64_t)tensor->rank : dimension;
    const bool is_there = at >= 0 && at < (int64_t)tensor->rank && tensor->sizes[at] > 0;
    return is_there ? (uint64_t)tensor->sizes[at] : 0;
}
