/* Findings about kernels that a change of the model or of the export makes needless. */
#include <string.h>

#include "advice/finding_rules.h"
#include "base/load.h"
#include "base/text.h"
#include "operators/operator_traits.h"

static bool is_of(const struct ets_graph_node *node, const char *base)
{
    return node != NULL && ets_text_is(ets_operator_base_name(node->op), base);
}

static bool begins_with(const struct ets_graph_node *node, const char *start)
{
    return node != NULL && ets_text_starts_with(ets_operator_base_name(node->op), start);
}

static struct ets_judgement about(const struct ets_finder *finder,
                                  const struct ets_graph_node *node)
{
    return (struct ets_judgement){.partition = finder->method.partition, .node = node};
}

/* The node that makes input `index`, or NULL. */
static const struct ets_graph_node *maker_of(const struct ets_finder *finder,
                                             const struct ets_graph_node *node, uint32_t index)
{
    const struct ets_judgement judgement = about(finder, node);
    if (node == NULL || index >= node->input_count) return NULL;
    return ets_argument_maker(&judgement, &node->inputs[index]);
}

static const struct ets_graph_value *input_of(const struct ets_finder *finder,
                                              const struct ets_graph_node *node, uint32_t index)
{
    const struct ets_judgement judgement = about(finder, node);
    if (index >= node->input_count) return NULL;
    return ets_argument_tensor(&judgement, &node->inputs[index]);
}

/* Whether a kernel call computes the node. */
static bool is_kernel_node(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const uint32_t instruction = ets_node_runner(finder, node);
    return instruction != ETS_NO_INDEX &&
           ets_method_line(finder, instruction)->step->kind == ETS_INSTRUCTION_KERNEL_CALL;
}

static bool add_kernel(struct ets_finder *finder, const struct ets_graph_node *node)
{
    return ets_parts_add(finder, ets_method_line(finder, ets_node_runner(finder, node)));
}

/* Calls `collect` with each node that a kernel computes. */
typedef bool node_collector(struct ets_finder *finder, const struct ets_graph_node *node);

static bool collect_kernels(struct ets_finder *finder, node_collector *collect)
{
    ets_parts_begin(finder);
    if (finder->method.partition == NULL) return true;
    const struct ets_graph *graph = finder->method.partition->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (is_kernel_node(finder, &graph->nodes[i]) && !collect(finder, &graph->nodes[i])) {
            return false;
        }
    }
    return true;
}

/* A quantize of what was dequantized by the same numbers, which others may use as it is. */
static bool collect_requantized(struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_graph_node *before = maker_of(finder, node, 0);
    if (!begins_with(node, "quantize_per") || !begins_with(before, "dequantize_per") ||
        !is_kernel_node(finder, before) || !ets_nodes_have_equal_arguments(node, before, 1)) {
        return true;
    }
    const struct ets_judgement judgement = about(finder, before);
    finder->parts.groups++;
    if (ets_node_output_uses(&judgement, 0) == 1 && !add_kernel(finder, before)) return false;
    return add_kernel(finder, node);
}

bool ets_find_requantized(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_requantized)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t pairs = finder->parts.groups;
    ets_find_say(finder, "%u tensor%s dequantized and quantized again by the same numbers", pairs,
                 pairs == 1 ? " is" : "s are");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "remove the pair, for example by annotating both neighbours for "
                     "quantization");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "requantized", ETS_SAVING_REMOVED, ETS_CHECK_DIFFERENCE);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    return ets_finding_add(finder, finding);
}

/* An operator in float between a dequantize before and a quantize behind it, all kernels. */
static bool collect_island(struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_graph_node *inner = maker_of(finder, node, 0);
    const struct ets_graph_node *before = maker_of(finder, inner, 0);
    if (!begins_with(node, "quantize_per") || inner == NULL || begins_with(inner, "dequantize") ||
        !is_kernel_node(finder, inner) || !begins_with(before, "dequantize_per") ||
        !is_kernel_node(finder, before)) {
        return true;
    }
    finder->parts.groups++;
    return add_kernel(finder, before) && add_kernel(finder, inner) && add_kernel(finder, node);
}

bool ets_find_float_island(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_island)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t islands = finder->parts.groups;
    ets_find_say(finder,
                 "%u float operator%s inside the quantized part, between a dequantize and "
                 "a quantize",
                 islands, islands == 1 ? " is" : "s are");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "annotate the operator for quantization, replace it by one that "
                     "XNNPACK quantizes, or move it to the model's end");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "float_island", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    finding.doubt = "it may be in float for its accuracy";
    return ets_finding_add(finder, finding);
}

bool ets_is_empty_expand(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    if (finder->method.partition == NULL || !is_of(node, "expand")) return false;
    const struct ets_judgement judgement = about(finder, node);
    const struct ets_graph_value *from = input_of(finder, node, 0);
    const struct ets_graph_value *to = ets_node_output(&judgement, 0);
    if (from == NULL || to == NULL || from->rank != to->rank) return false;
    for (uint32_t i = 0; i < from->rank; i++) {
        if (from->sizes[i] != to->sizes[i] || ets_is_dynamic(from, i)) return false;
    }
    return true;
}

static bool collect_expanded(struct ets_finder *finder, const struct ets_graph_node *node)
{
    return !ets_is_empty_expand(finder, node) || add_kernel(finder, node);
}

bool ets_find_expanded(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_expanded)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u kernel%s cop%s a tensor to the shape that it has", calls,
                 calls == 1 ? "" : "s", calls == 1 ? "ies" : "y");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "to_edge_transform_and_lower(program, transform_passes="
                     "get_transform_passes(), ...), which removes them");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "empty_expand", ETS_SAVING_REMOVED, ETS_CHECK_DIFFERENCE);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    return ets_finding_add(finder, finding);
}

/* The guard of attention against rows that are masked as a whole: where(not any(...), 0, softmax).
 */
static bool collect_guard(struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_graph_node *zeros = maker_of(finder, node, 1);
    const struct ets_graph_node *at = maker_of(finder, node, 0);
    if (!is_of(node, "where") || !is_of(maker_of(finder, node, 2), "_softmax") ||
        !begins_with(zeros, "full")) {
        return true;
    }
    if (!add_kernel(finder, node) ||
        (is_kernel_node(finder, zeros) && !add_kernel(finder, zeros))) {
        return false;
    }
    while (is_of(at, "logical_not") || is_of(at, "any") || is_of(at, "eq")) {
        if (is_kernel_node(finder, at) && !add_kernel(finder, at)) return false;
        at = maker_of(finder, at, 0);
    }
    return true;
}

bool ets_find_attention_guard(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_guard)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u kernel%s only guard%s attention against rows whose mask is all -inf",
                 calls, calls == 1 ? "" : "s", calls == 1 ? "s" : "");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "write attention as matmul, softmax and matmul if no row of the mask "
                     "can be -inf as a whole");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "attention_guard", ETS_SAVING_REMOVED, ETS_CHECK_DIFFERENCE);
    finding.doubt = "a mask with such rows needs the guard";
    return ets_finding_add(finder, finding);
}

static uint64_t bytes_of(const struct ets_graph_value *value)
{
    uint64_t bytes = 1;
    if (value == NULL || value->scalar_type < 0) return 0;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->sizes[i] < 0 || !ets_mul_u64(bytes, (uint64_t)value->sizes[i], &bytes)) return 0;
    }
    const size_t each = ets_scalar_type_bytes(value->scalar_type);
    return ets_mul_u64(bytes, each, &bytes) ? bytes : 0;
}

static bool is_written_back(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_graph *graph = finder->method.partition->graph;
    for (uint32_t i = 0; node->output_count > 0 && i < graph->output_count; i++) {
        if (graph->outputs[i].role == ETS_OUTPUT_BUFFER_MUTATION &&
            ets_text_equal(graph->outputs[i].argument.name, node->outputs[0].name)) {
            return true;
        }
    }
    return false;
}

/* An update of a small part of a buffer that copies all of it. */
static bool collect_state(struct ets_finder *finder, const struct ets_graph_node *node)
{
    static const char *const labels[] = {"values", "src", "source"};
    enum { MUCH = 10 };
    const struct ets_judgement judgement = about(finder, node);
    const uint32_t runner = ets_node_runner(finder, node);
    if (ets_operator_is_mutating(ets_method_line(finder, runner)->step->name)) return true;
    if (!is_of(node, "index_put") && !is_of(node, "slice_scatter") && !is_of(node, "index_copy")) {
        return true;
    }
    const uint64_t whole = bytes_of(input_of(finder, node, 0));
    uint64_t part = 0;
    for (size_t i = 0; i < sizeof labels / sizeof *labels && part == 0; i++) {
        part = bytes_of(ets_node_tensor(&judgement, labels[i]));
    }
    if (part == 0 || whole / MUCH < part || !is_written_back(finder, node)) return true;
    return add_kernel(finder, node);
}

/* The buffer's new value is copied back into it, each by one kernel that no node stands for. */
static void add_copies_back(const struct ets_finder *finder, struct ets_finding *finding)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0, left = finder->parts.calls; i < lines->count && left > 0; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (line->unit != ETS_NO_INDEX || !ets_text_is(line->step->name, "aten::copy_")) continue;
        ets_saving_add(finder, finding, line->middle + finder->method.between);
        left--;
    }
}

bool ets_find_state_copied(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_state)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u buffer%s copied as a whole to change a tenth or less of %s", calls,
                 calls == 1 ? " is" : "s are", calls == 1 ? "it" : "each");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "to_executorch(ExecutorchBackendConfig(run_reinplace_pass=True)), which "
                     "lets index_put write into the buffer; or an operator for caches, such as "
                     "torch.ops.llama.update_cache");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "state_copied", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    add_copies_back(finder, &finding);
    finding.doubt =
        "in place, the kernel of ExecuTorch 1.5.1 fails where the new values have fewer "
        "dimensions than the buffer";
    return ets_finding_add(finder, finding);
}

static bool has_type(const struct ets_delegate_unit *unit, const char *type)
{
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        if (ets_text_is(
                (struct ets_text){unit->payload_nodes[i].type, strlen(unit->payload_nodes[i].type)},
                type)) {
            return true;
        }
    }
    return false;
}

static bool is_batch_norm(const struct ets_graph_node *node)
{
    return is_of(node, "_native_batch_norm_legit_no_training") || is_of(node, "batch_norm");
}

static bool is_product(const struct ets_graph_node *node)
{
    return is_of(node, "convolution") || is_of(node, "linear") || is_of(node, "addmm") ||
           is_of(node, "mm");
}

/* A batch norm that became a convolution of its own. */
static bool collect_batch_norms(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_unit *unit = ets_delegate_line_unit(&lines->items[i]);
        bool is_alone = unit != NULL && has_type(unit, "DepthwiseConv2d") && unit->node_count > 0;
        for (size_t k = 0; is_alone && k < unit->node_count; k++) {
            is_alone = is_batch_norm(unit->nodes[k].node);
        }
        if (is_alone && !ets_parts_add(finder, &lines->items[i])) return false;
    }
    return true;
}

/* One behind a layer is folded when it is delegated. */
static bool collect_norm_kernel(struct ets_finder *finder, const struct ets_graph_node *node)
{
    return !is_batch_norm(node) || is_product(maker_of(finder, node, 0)) ||
           add_kernel(finder, node);
}

bool ets_find_batch_norm(struct ets_finder *finder)
{
    if (!collect_kernels(finder, collect_norm_kernel) || !collect_batch_norms(finder)) return false;
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u batch norm%s run%s on %s own instead of inside a convolution", calls,
                 calls == 1 ? "" : "s", calls == 1 ? "s" : "", calls == 1 ? "its" : "their");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "put it directly behind a convolution or linear layer whose result "
                     "nothing else uses; then the export folds it into the weights");
    return ets_finding_add(finder, ets_finding_of_parts(finder, "batch_norm_alone",
                                                        ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE));
}

/* Whether a node is an activation of a product whose result others use, too. */
static bool is_unfused(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    if (!is_of(node, "relu") && !is_of(node, "hardtanh") && !is_of(node, "clamp")) return false;
    const struct ets_graph_node *product = maker_of(finder, node, 0);
    if (!is_product(product)) return false;
    const struct ets_judgement judgement = about(finder, product);
    return ets_node_output_uses(&judgement, 0) > 1;
}

bool ets_find_activation(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    ets_parts_begin(finder);
    if (finder->method.partition == NULL) return true;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_unit *unit = ets_delegate_line_unit(&lines->items[i]);
        if (unit == NULL || unit->node_count != 1 || is_product(unit->nodes[0].node) ||
            !is_unfused(finder, unit->nodes[0].node)) {
            continue;
        }
        if (!ets_parts_add(finder, &lines->items[i])) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder,
                 "%u activation%s not fused into the layer before, whose result is used "
                 "twice",
                 calls, calls == 1 ? " is" : "s are");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "use the result behind the activation in both places, if the model "
                     "allows it");
    struct ets_finding finding = ets_finding_of_parts(finder, "activation_not_fused",
                                                      ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    finding.confidence = ETS_CONFIDENCE_LOW;
    finding.doubt = "it changes what the model computes";
    return ets_finding_add(finder, finding);
}
