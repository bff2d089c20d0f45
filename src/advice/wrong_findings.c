/*
 * Findings about what XNNPACK of ExecuTorch 1.5.1 computes wrongly or refuses at run time, seen in
 * the program before anybody runs it. docs/advice.md tells how each was measured.
 */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"

static bool is_one_of(const struct ets_graph_node *node, const char *const *names, size_t count)
{
    const struct ets_text base = ets_operator_base_name(node->op);
    for (size_t i = 0; i < count; i++) {
        if (ets_text_is(base, names[i])) return true;
    }
    return false;
}

#define IS_ONE_OF(node, names) is_one_of(node, names, sizeof(names) / sizeof *(names))

static struct ets_judgement about(const struct ets_finder *finder,
                                  const struct ets_graph_node *node)
{
    return (struct ets_judgement){.partition = finder->method.partition, .node = node};
}

/* Whether a call of XNNPACK computes the node. */
static bool is_delegated(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const uint32_t instruction = ets_node_runner(finder, node);
    if (instruction == ETS_NO_INDEX) return false;
    const struct ets_delegation_step *step = ets_method_line(finder, instruction)->step;
    return step->kind == ETS_INSTRUCTION_DELEGATE_CALL && ets_text_is(step->name, "XnnpackBackend");
}

typedef bool node_test(const struct ets_finder *finder, const struct ets_graph_node *node);

/* Collects the nodes of the method that a test holds for. */
static bool collect(struct ets_finder *finder, node_test *test)
{
    ets_parts_begin(finder);
    if (finder->method.partition == NULL) return true;
    const struct ets_graph *graph = finder->method.partition->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        const uint32_t instruction = ets_node_runner(finder, node);
        if (instruction == ETS_NO_INDEX || !test(finder, node)) continue;
        if (!ets_parts_add_call(finder, instruction) || !ets_parts_add_node(finder, node)) {
            return false;
        }
    }
    return true;
}

/* Adds the finding with what was said; wrong values have no time. */
static bool add_wrong(struct ets_finder *finder, const char *kind, enum ets_check check,
                      enum ets_confidence confidence)
{
    ets_parts_prove(finder);
    struct ets_finding finding = ets_finding_of_parts(finder, kind, ETS_SAVING_NONE, check);
    finding.severity = ETS_SEVERITY_BAD;
    finding.view = "graph";
    finding.confidence = confidence;
    finding.doubt = "another ExecuTorch than 1.5.1, with which it was seen, does it right";
    return ets_finding_add(finder, finding);
}

/* What XNNPACK computes with channels last, and what passes the layout on: a permutation, too, as
 * was seen (tests/data/advice). What concatenates or reshapes does not. */
static const char *const channels_last[] = {
    "convolution", "max_pool2d", "avg_pool2d",         "max_pool2d_with_indices",
    "mean",        "prelu",      "upsample_bilinear2d"};
static const char *const layout_kept[] = {"permute",
                                          "slice",
                                          "constant_pad_nd",
                                          "_softmax",
                                          "_clone_dim_order",
                                          "relu",
                                          "hardtanh",
                                          "clamp",
                                          "sigmoid",
                                          "tanh",
                                          "add",
                                          "sub",
                                          "mul",
                                          "div",
                                          "neg",
                                          "abs",
                                          "exp",
                                          "log",
                                          "sqrt",
                                          "rsqrt",
                                          "hardswish",
                                          "gelu",
                                          "leaky_relu",
                                          "ceil",
                                          "floor",
                                          "minimum",
                                          "maximum",
                                          "pow",
                                          "clone",
                                          "dequantize_per_tensor",
                                          "quantize_per_tensor"};

/* Whether the value of a node has channels last inside of its call. */
static bool has_channels_last(const struct ets_finder *finder, const struct ets_graph_node *node,
                              uint32_t instruction)
{
    enum { FARTHEST = 1000 };
    for (int i = 0; i < FARTHEST && node != NULL; i++) {
        if (ets_node_runner(finder, node) != instruction) return false;
        if (IS_ONE_OF(node, channels_last)) return true;
        if (!IS_ONE_OF(node, layout_kept) || node->input_count == 0) return false;
        const struct ets_judgement judgement = about(finder, node);
        node = ets_argument_maker(&judgement, &node->inputs[0]);
    }
    return false;
}

static bool is_wrong_softmax(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    static const char *const softmax[] = {"_softmax"};
    const struct ets_judgement judgement = about(finder, node);
    const struct ets_graph_value *value = ets_node_output(&judgement, 0);
    if (!IS_ONE_OF(node, softmax) || !is_delegated(finder, node) || value == NULL ||
        value->rank != 4) {
        return false;
    }
    const int64_t dimension = ets_node_integer(node, "dim", 0);
    if (dimension != 3 && dimension != -1) return false;
    return has_channels_last(finder, ets_argument_maker(&judgement, &node->inputs[0]),
                             ets_node_runner(finder, node));
}

bool ets_find_wrong_softmax(struct ets_finder *finder)
{
    if (!collect(finder, is_wrong_softmax)) return false;
    if (finder->parts.calls == 0) return true;
    ets_find_say(finder,
                 "XNNPACK computes a softmax over channels instead of the last dimension, "
                 "because a convolution or pool before it has channels last");
    ets_find_propose(finder,
                     "take it over dimension 1, which stays outside of XNNPACK: "
                     "x.permute(0, 3, 1, 2).softmax(1).permute(0, 2, 3, 1)");
    return add_wrong(finder, "wrong_softmax", ETS_CHECK_NUMBERS, ETS_CONFIDENCE_HIGH);
}

static bool is_tanh_gelu(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    static const char *const gelu[] = {"gelu"};
    if (!IS_ONE_OF(node, gelu) || !is_delegated(finder, node)) return false;
    const struct ets_graph_argument *kind = ets_node_argument(node, "approximate");
    return kind != NULL && kind->kind == ETS_ARGUMENT_STRING && ets_text_is(kind->name, "tanh");
}

bool ets_find_wrong_gelu(struct ets_finder *finder)
{
    if (!collect(finder, is_tanh_gelu)) return false;
    if (finder->parts.calls == 0) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder,
                 "XNNPACK computes %u gelu%s with approximate=\"tanh\" without the "
                 "approximation: results differ by up to 5e-4",
                 calls, calls == 1 ? "" : "s");
    ets_find_propose(finder,
                     "train and export with gelu(approximate=\"none\"), or accept the "
                     "difference");
    return add_wrong(finder, "wrong_gelu", ETS_CHECK_NUMBERS, ETS_CONFIDENCE_HIGH);
}

/* A product with an int8 weight that is cast as it is, and scaled behind the product. */
static bool loses_scale(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    static const char *const products[] = {"mm", "addmm", "linear"};
    static const uint32_t moves = ETS_OPERATOR_PERMUTE | ETS_OPERATOR_VIEW | ETS_OPERATOR_CAST;
    const struct ets_judgement judgement = about(finder, node);
    if (!IS_ONE_OF(node, products)) return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_node *at = ets_argument_maker(&judgement, &node->inputs[i]);
        for (int k = 0; k < 4 && at != NULL && at->input_count > 0; k++) {
            const struct ets_judgement of = about(finder, at);
            const struct ets_graph_value *from = ets_argument_tensor(&of, &at->inputs[0]);
            if (ets_operator_is(at->op, ETS_OPERATOR_CAST) && from != NULL &&
                from->scalar_type == ETS_SCALAR_CHAR && ets_is_static(&of, &at->inputs[0])) {
                return true;
            }
            if (!ets_operator_is(at->op, moves)) break;
            at = ets_argument_maker(&of, &at->inputs[0]);
        }
    }
    return false;
}

bool ets_loses_scales(const struct ets_finder *finder)
{
    const struct ets_partition *partition = finder->method.partition;
    for (uint32_t i = 0; partition != NULL && i < partition->graph->node_count; i++) {
        if (loses_scale(finder, &partition->graph->nodes[i])) return true;
    }
    return false;
}

static bool has_lost_scale(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    return is_delegated(finder, node) && loses_scale(finder, node);
}

bool ets_find_lost_scales(struct ets_finder *finder)
{
    if (!collect(finder, has_lost_scale)) return false;
    if (finder->parts.calls == 0) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder,
                 "XNNPACK uses the int8 weights of %u layer%s without their scales: results "
                 "are wrong by orders of magnitude",
                 calls, calls == 1 ? "" : "s");
    ets_find_propose(finder,
                     "quantize activations dynamically as well "
                     "(Int8DynamicActivationIntxWeightConfig), which XNNPACK takes");
    return add_wrong(finder, "lost_weight_scales", ETS_CHECK_NUMBERS, ETS_CONFIDENCE_HIGH);
}

static bool has_too_many_dimensions(const struct ets_finder *finder,
                                    const struct ets_graph_node *node)
{
    enum { MOST = 6 }; /* XNN_MAX_TENSOR_DIMS */
    const struct ets_judgement judgement = about(finder, node);
    if (!is_delegated(finder, node)) return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_value *value = ets_argument_tensor(&judgement, &node->inputs[i]);
        if (value != NULL && value->rank > MOST) return true;
    }
    const struct ets_graph_value *value = ets_node_output(&judgement, 0);
    return value != NULL && value->rank > MOST;
}

bool ets_find_too_many_dimensions(struct ets_finder *finder)
{
    if (!collect(finder, has_too_many_dimensions)) return false;
    if (finder->parts.calls == 0) return true;
    ets_find_say(finder, "the method will not load: XNNPACK takes tensors of at most 6 dimensions");
    ets_find_propose(finder, "join dimensions with view before the operator");
    return add_wrong(finder, "too_many_dimensions", ETS_CHECK_EXECUTION, ETS_CONFIDENCE_HIGH);
}

static bool is_refused_convolution(const struct ets_finder *finder,
                                   const struct ets_graph_node *node)
{
    static const char *const convolution[] = {"convolution"};
    const struct ets_judgement judgement = about(finder, node);
    if (!IS_ONE_OF(node, convolution) || is_delegated(finder, node)) return false;
    const struct ets_graph_value *input = ets_node_tensor(&judgement, "input");
    return input != NULL && input->rank > 4;
}

static bool is_refused_padding(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    static const char *const pad[] = {"constant_pad_nd"};
    if (!IS_ONE_OF(node, pad) || is_delegated(finder, node)) return false;
    const struct ets_graph_argument *amounts = ets_node_argument(node, "pad");
    for (uint32_t i = 0; amounts != NULL && i < amounts->item_count; i++) {
        if (amounts->items[i].kind == ETS_ARGUMENT_INT && amounts->items[i].int_value < 0) {
            return true;
        }
    }
    return false;
}

static bool find_refusing(struct ets_finder *finder, node_test *test, const char *what,
                          const char *action)
{
    if (!collect(finder, test)) return false;
    if (finder->parts.calls == 0) return true;
    ets_find_say(finder,
                 "the method loads, but its execution fails: the portable kernel refuses %s", what);
    ets_find_propose(finder, "%s", action);
    return add_wrong(finder, "refusing_kernel", ETS_CHECK_EXECUTION, ETS_CONFIDENCE_HIGH);
}

bool ets_find_refusing_kernels(struct ets_finder *finder)
{
    return find_refusing(finder, is_refused_convolution, "a convolution in three dimensions",
                         "write it as a sum of two-dimensional convolutions") &&
           find_refusing(finder, is_refused_padding, "padding by a negative amount",
                         "slice instead");
}
