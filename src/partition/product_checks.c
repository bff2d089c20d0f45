/* Matrix products and convolutions, and the quantization around them. */
#include "base/text.h"
#include "operators/operator_traits.h"
#include "partition/rule_checks.h"

/* The rule of a weight that is constant, but not as it is stored. */
static const char weight_moved[] = "weight_moved";

/* Of products inside of an nn.Linear, and only of these, the partitioner also takes what is between
 * them and their weight. */
static bool is_in_linear(const struct ets_graph_node *node)
{
    return node->module_count > 0 && ets_text_is(node->modules[node->module_count - 1].type,
                                                 "torch.nn.modules.linear.Linear");
}

/* What permutes or views a weight before it is used; NULL: nothing. */
static const struct ets_graph_node *mover_of(const struct ets_judgement *judgement,
                                             const struct ets_graph_argument *argument)
{
    const struct ets_graph_node *maker = ets_argument_maker(judgement, argument);
    return maker == NULL || ets_text_starts_with(ets_operator_base_name(maker->op), "dequantize")
               ? NULL
               : maker;
}

/* Whether the product was made of a linear layer or recurrent cell, of which only to_edge keeps the
 * transpose of the weight apart. */
static bool is_of_layer(const struct ets_graph_node *node)
{
    static const char *const layers[] = {"aten.linear.", "aten.lstm", "aten.gru", "aten.rnn_"};
    for (uint32_t i = 0; i < node->origin_count; i++) {
        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
            if (ets_text_starts_with(node->origins[i].target, layers[k])) return true;
        }
    }
    return false;
}

static void check_static(struct ets_judgement *judgement, const char *label, const char *remedy)
{
    const struct ets_graph_argument *argument = ets_node_argument(judgement->node, label);
    if (argument == NULL) return;
    if (!ets_is_static(judgement, argument)) {
        const struct ets_graph_node *maker = ets_argument_maker(judgement, argument);
        ets_refuse(judgement, "weight_input", remedy, "%s %s%.*s; only a stored constant is taken",
                   label, maker == NULL ? "is an input of the model" : "is computed, by ",
                   ETS_TEXT(maker == NULL ? ets_text_of("") : maker->op));
        return;
    }
    const struct ets_graph_node *mover = mover_of(judgement, argument);
    if (mover == NULL || is_in_linear(judgement->node)) return;
    ets_refuse(judgement, weight_moved,
               is_of_layer(judgement->node)
                   ? "to_edge_transform_and_lower instead of to_edge"
                   : "a Parameter in the shape and order that the operator takes",
               "%s is a constant that %.*s changes first; one is taken as it is stored, or the "
               "weight of an nn.Linear",
               label, ETS_TEXT(mover->op));
}

static bool is_made_by(const struct ets_graph_node *maker, const char *op)
{
    return maker != NULL && ets_text_is(maker->op, op);
}

/* Activations that are quantized as they come need weights with a scale for each channel. */
static void check_dynamic(struct ets_judgement *judgement, const char *input_label,
                          const char *weight_label)
{
    const struct ets_graph_node *input =
        ets_argument_maker(judgement, ets_node_argument(judgement->node, input_label));
    const struct ets_graph_argument *weight = ets_node_argument(judgement->node, weight_label);
    const struct ets_graph_node *maker = ets_argument_maker(judgement, weight);
    if (!is_made_by(input, "quantized_decomposed.dequantize_per_tensor.tensor")) return;
    if (is_made_by(maker, "aten.permute_copy.default")) {
        maker = ets_argument_maker(judgement, ets_node_argument(maker, "self"));
    }
    if (is_made_by(maker, "quantized_decomposed.dequantize_per_tensor.default")) {
        ets_refuse(judgement, "per_tensor_weight", "is_per_channel=True in the quantizer",
                   "activations are quantized dynamically and the weight has one scale; a scale "
                   "for each channel is needed");
    }
}

void ets_check_linear(struct ets_judgement *judgement)
{
    check_static(judgement, "weight", "a product of two activations: torch.bmm");
    check_static(judgement, "bias", "add it apart");
    check_dynamic(judgement, "input", "weight");
}

void ets_check_addmm(struct ets_judgement *judgement)
{
    check_static(judgement, "mat2", "a product of two activations: torch.bmm");
    check_static(judgement, "self", "add it apart");
    check_dynamic(judgement, "mat1", "mat2");
}

void ets_check_mm(struct ets_judgement *judgement)
{
    check_static(judgement, "mat2", "a product of two activations: torch.bmm");
    check_dynamic(judgement, "self", "mat2");
}

void ets_check_convolution(struct ets_judgement *judgement)
{
    const struct ets_graph_value *weight = ets_node_tensor(judgement, "weight");
    if (weight != NULL && weight->rank > 4) {
        ets_refuse(judgement, "rank", NULL, "it has %u dimensions; 1 and 2 are taken",
                   weight->rank - 2);
    }
    check_static(judgement, "weight", NULL);
    check_static(judgement, "bias", "add it apart");
}

/* The one node that uses output 0, or NULL. */
static const struct ets_graph_node *only_user(const struct ets_judgement *judgement,
                                              const struct ets_graph_node *node)
{
    if (node->output_count == 0) return NULL;
    const uint32_t value = ets_partition_value(judgement->partition, node->outputs[0].name);
    return value == ETS_GRAPH_NONE ? NULL : judgement->partition->users[value];
}

static const struct product {
    const char *op;
    void (*check)(struct ets_judgement *judgement);
} products[] = {
    {"aten.linear.default", ets_check_linear},
    {"aten.addmm.default", ets_check_addmm},
    {"aten.mm.default", ets_check_mm},
    {"aten.convolution.default", ets_check_convolution},
};

/* NULL: the node is none. */
static const struct product *product_of(const struct ets_graph_node *node)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (ets_text_is(node->op, products[i].op)) return &products[i];
    }
    return NULL;
}

/* The product that a node leads to through quantization and views, or NULL. */
static const struct ets_graph_node *find_product(const struct ets_judgement *judgement)
{
    enum { MOST_STEPS = 6 }; /* choose_qparams, quantize, dequantize, view, permute, product */
    const struct ets_graph_node *node = judgement->node;
    for (int step = 0; step < MOST_STEPS && node != NULL; step++) {
        node = only_user(judgement, node);
        if (node != NULL && product_of(node) != NULL) return node;
    }
    return NULL;
}

/* The verdict on the product that the judged node belongs to. What moves a weight is taken without
 * the product, too. */
static void judge_product(struct ets_judgement *judgement, const struct ets_graph_node *product,
                          bool is_mover)
{
    char text[512];
    struct ets_judgement inner = {
        .partition = judgement->partition, .node = product, .reason = {text, sizeof text, 0}};
    product_of(product)->check(&inner);
    if (inner.rule == NULL || (is_mover && inner.rule == weight_moved)) return;
    ets_refuse(judgement, inner.rule, inner.remedy, "it goes with %.*s, which is refused: %.*s",
               ETS_TEXT(product->op), ETS_TEXT(ets_built_text(&inner.reason)));
}

void ets_check_permute(struct ets_judgement *judgement)
{
    const struct ets_graph_node *user = only_user(judgement, judgement->node);
    const struct ets_graph_argument *self = ets_node_argument(judgement->node, "self");
    const bool is_weight = self != NULL && ets_is_static(judgement, self);
    if (judgement->rule == NULL && is_weight && user != NULL && product_of(user) != NULL) {
        judge_product(judgement, user, true);
    }
}

void ets_check_restricted(struct ets_judgement *judgement)
{
    const struct ets_graph_node *product = find_product(judgement);
    if (product != NULL) judge_product(judgement, product, false);
}

void ets_check_with_product(struct ets_judgement *judgement)
{
    const struct ets_graph_node *product = find_product(judgement);
    if (product != NULL) {
        judge_product(judgement, product, false);
        return;
    }
    ets_refuse(judgement, "no_product", NULL,
               "it is taken only with a linear or convolution that uses it, and none does");
}
