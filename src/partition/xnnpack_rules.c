/* The table of rules, and what all of them require. */
#include "partition/xnnpack_rules.h"

#include "base/text.h"
#include "partition/rule_checks.h"

/* A rule takes nodes of `op`; what `check` refuses besides what is common to all rules. */
struct rule {
    const char *op;
    void (*check)(struct ets_judgement *judgement);
    bool first_only;    /* of the outputs, only the first is checked */
    bool is_quantizing; /* takes or gives integers */
};

static const struct rule rules[] = {
    {"aten.abs.default", NULL, 0, 0},
    {"aten.add.Tensor", ets_check_alpha, 0, 0},
    {"aten.addmm.default", ets_check_addmm, 0, 0},
    {"aten.avg_pool2d.default", ets_check_avg_pool, 0, 0},
    {"aten.bmm.default", NULL, 0, 0},
    {"aten.cat.default", ets_check_cat, 0, 0},
    {"aten.ceil.default", NULL, 0, 0},
    {"aten.clamp.default", NULL, 0, 0},
    {"aten.clone.default", ets_check_clone, 0, 0},
    {"aten.constant_pad_nd.default", ets_check_pad, 0, 0},
    {"aten.convolution.default", ets_check_convolution, 0, 0},
    {"aten.cos.default", NULL, 0, 0},
    {"aten.div.Tensor", NULL, 0, 0},
    {"aten.exp.default", NULL, 0, 0},
    {"aten.floor.default", NULL, 0, 0},
    {"aten.gelu.default", ets_check_gelu, 0, 0},
    {"aten.hardswish.default", NULL, 0, 0},
    {"aten.hardtanh.default", NULL, 0, 0},
    {"aten.leaky_relu.default", NULL, 0, 0},
    {"aten.linear.default", ets_check_linear, 0, 0},
    {"aten.log.default", NULL, 0, 0},
    {"aten.max.dim", ets_check_max_dim, true, 0},
    {"aten.max_pool2d.default", ets_check_max_pool, 0, 0},
    {"aten.max_pool2d_with_indices.default", ets_check_max_pool_with_indices, true, 0},
    {"aten.maximum.default", NULL, 0, 0},
    {"aten.mean.dim", ets_check_mean, 0, 0},
    {"aten.minimum.default", NULL, 0, 0},
    {"aten.mm.default", ets_check_mm, 0, 0},
    {"aten.mul.Tensor", NULL, 0, 0},
    {"aten._native_batch_norm_legit_no_training.default", ets_check_batch_norm, true, 0},
    {"aten.neg.default", NULL, 0, 0},
    {"aten.permute_copy.default", ets_check_permute, 0, 0},
    {"aten.pow.Tensor_Scalar", ets_check_pow, 0, 0},
    {"aten.prelu.default", ets_check_prelu, 0, 0},
    {"aten.relu.default", NULL, 0, 0},
    {"aten.rsqrt.default", NULL, 0, 0},
    {"aten.sigmoid.default", NULL, 0, 0},
    {"aten.sin.default", NULL, 0, 0},
    {"aten.slice_copy.Tensor", ets_check_slice, 0, 0},
    {"aten._softmax.default", ets_check_softmax, 0, 0},
    {"aten.sqrt.default", NULL, 0, 0},
    {"aten.sub.Tensor", ets_check_alpha, 0, 0},
    {"aten.tanh.default", NULL, 0, 0},
    {"aten.unsqueeze_copy.default", ets_check_unsqueeze, 0, 0},
    {"aten.upsample_bilinear2d.vec", ets_check_upsample, 0, 0},
    {"aten.view_copy.default", ets_check_view, 0, 0},
    {"dim_order_ops._clone_dim_order.default", ets_check_clone, 0, 0},
    {"dim_order_ops._to_dim_order_copy.default", ets_check_conversion, 0, 0},
    {"quantized_decomposed.quantize_per_tensor.default", ets_check_restricted, 0, true},
    {"quantized_decomposed.dequantize_per_tensor.default", ets_check_restricted, 0, true},
    {"quantized_decomposed.choose_qparams.tensor", ets_check_with_product, 0, true},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", ets_check_with_product, 0,
     true},
    {"quantized_decomposed.quantize_per_tensor.tensor", ets_check_with_product, 0, true},
    {"quantized_decomposed.dequantize_per_tensor.tensor", ets_check_with_product, 0, true},
    {"quantized_decomposed.quantize_per_token.default", ets_check_with_product, 0, true},
    {"quantized_decomposed.dequantize_per_token.default", ets_check_with_product, 0, true},
    {"quantized_decomposed.dequantize_per_channel.default", ets_check_with_product, 0, true},
    {"quantized_decomposed.dequantize_per_channel_group.default", ets_check_with_product, 0, true},
    {"torchao.choose_qparams_affine.default", ets_check_with_product, 0, true},
    {"torchao.quantize_affine.default", ets_check_with_product, 0, true},
    {"torchao.dequantize_affine.default", ets_check_with_product, 0, true},
};

static const struct rule *find_rule(struct ets_text op)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (ets_text_is(op, rules[i].op)) return &rules[i];
    }
    return NULL;
}

static bool is_float(int32_t type)
{
    return type == ETS_SCALAR_FLOAT || type == ETS_SCALAR_HALF;
}

static void check_type(struct ets_judgement *judgement, const struct ets_graph_value *value,
                       const char *what)
{
    if (value == NULL || value->scalar_type < 0 || is_float(value->scalar_type)) return;
    const bool is_bf16 = value->scalar_type == ETS_SCALAR_BFLOAT16;
    ets_refuse(judgement, "dtype",
               is_bf16 ? "XnnpackPartitioner(enable_bf16=True), or float32"
                       : "compute in float32 where the numbers allow it",
               "%s is %s; float32 and float16 are taken%s", what,
               ets_scalar_type_name(value->scalar_type),
               is_bf16 ? ", bfloat16 with enable_bf16=True" : "");
}

static void check_sizes(struct ets_judgement *judgement, const struct ets_graph_value *value)
{
    if (value == NULL || value->sizes == NULL) return;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (ets_is_dynamic(value, i)) {
            const struct ets_text text = value->size_texts[i];
            if (text.size > 0 && text.data[0] == 'u') {
                ets_refuse(judgement, "data_dependent", NULL, "a size depends on data (%.*s)",
                           ETS_TEXT(text));
                return;
            }
        } else if (value->sizes[i] == 0) {
            ets_refuse(judgement, "empty", NULL, "a tensor has no elements");
            return;
        }
    }
}

/* One tensor that goes in. */
static void check_input(struct ets_judgement *judgement, const struct ets_graph_argument *argument,
                        int32_t *type)
{
    const struct ets_graph_value *value = ets_argument_tensor(judgement, argument);
    if (value == NULL || judgement->rule != NULL) return;
    check_type(judgement, value, "an input");
    check_sizes(judgement, value);
    if (judgement->rule != NULL || value->scalar_type < 0) return;
    if (*type >= 0 && *type != value->scalar_type) {
        ets_refuse(judgement, "mixed_dtypes", "convert the inputs to one type first",
                   "its inputs are %s and %s; inputs of one type are taken",
                   ets_scalar_type_name(*type), ets_scalar_type_name(value->scalar_type));
    }
    *type = value->scalar_type;
}

/* A size that is computed at run time may not be an argument. */
static bool has_symbol(const struct ets_graph_argument *argument)
{
    if (argument->kind == ETS_ARGUMENT_SYMBOL) return true;
    for (uint32_t i = 0; argument->kind == ETS_ARGUMENT_LIST && i < argument->item_count; i++) {
        if (argument->items[i].kind == ETS_ARGUMENT_SYMBOL) return true;
    }
    return false;
}

/* Constants come first: what is computed with one of a wrong type has that type, too. */
static void check_constants(struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    for (uint32_t i = 0; i < node->input_count && judgement->rule == NULL; i++) {
        const struct ets_graph_value *value = ets_argument_tensor(judgement, &node->inputs[i]);
        if (value == NULL || !ets_is_static(judgement, &node->inputs[i])) continue;
        check_type(judgement, value, "a constant");
    }
}

/* What holds for all rules. */
static void check_common(struct ets_judgement *judgement, const struct rule *rule)
{
    const struct ets_graph_node *node = judgement->node;
    int32_t type = -1;
    check_constants(judgement);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_argument *argument = &node->inputs[i];
        if (has_symbol(argument)) {
            ets_refuse(judgement, "symbolic_argument", "fixed sizes, or one -1",
                       "%.*s is computed at run time; fixed numbers are taken",
                       ETS_TEXT(argument->label));
            return;
        }
        if (argument->kind != ETS_ARGUMENT_LIST) check_input(judgement, argument, &type);
        for (uint32_t k = 0; argument->kind == ETS_ARGUMENT_LIST && k < argument->item_count; k++) {
            check_input(judgement, &argument->items[k], &type);
        }
    }
    for (uint32_t i = 0; i < node->output_count && judgement->rule == NULL; i++) {
        if (i == 0 || !rule->first_only) {
            check_type(judgement, ets_node_output(judgement, i), "the output");
            check_sizes(judgement, ets_node_output(judgement, i));
        }
    }
}

/* Whether the node is left of an operator that was taken apart: "aten.prelu.default". */
static bool is_left_of(const struct ets_graph_node *node, const char *target)
{
    return node->origin_count > 0 && ets_text_is(node->origins[0].target, target);
}

enum ets_outside_kind ets_xnnpack_judge(struct ets_judgement *judgement)
{
    const struct ets_graph_node *node = judgement->node;
    const struct rule *rule = find_rule(node->op);
    if (rule == NULL && is_left_of(node, "aten.prelu.default")) {
        ets_refuse(judgement, "prelu_weight", "make the weight an nn.PReLU's parameter",
                   "it is a part of prelu, of which XNNPACK takes only a parameter as weight");
        return ETS_OUTSIDE_REFUSED;
    }
    if (rule == NULL && !ets_text_starts_with(node->op, "aten.") && node->output_count > 0 &&
        node->outputs[0].kind == ETS_ARGUMENT_SYMBOL) {
        ets_refuse(judgement, "size", "fixed sizes", "computes a size");
        return ETS_OUTSIDE_NO_RULE;
    }
    if (rule == NULL) {
        ets_refuse(judgement, "no_rule", ets_substitute_of(judgement), "no rule");
        return ETS_OUTSIDE_NO_RULE;
    }
    if (!rule->is_quantizing && rule->check != ets_check_conversion) check_common(judgement, rule);
    if (rule->check != NULL) rule->check(judgement);
    if (judgement->rule != NULL) return ETS_OUTSIDE_REFUSED;
    if (rule->check == ets_check_clone) {
        ets_add_text(
            &judgement->reason,
            "taken unless it changes the order of dimensions, which the record does not say");
        return ETS_OUTSIDE_UNKNOWN;
    }
    ets_add_text(
        &judgement->reason,
        "taken by the rules of 1.5.1: the partitioner was restricted, or is of another version");
    judgement->rule = "restricted";
    return ETS_OUTSIDE_TAKEN;
}
