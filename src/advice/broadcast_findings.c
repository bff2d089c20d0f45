/* Finds small tensors whose broadcast makes most of a method's memory peak. */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "operators/operator_traits.h"

/* An output as much larger than each input is told, from so many bytes on. */
enum { TIMES_LARGER = 8, LEAST_BYTES = 256 << 10 };

/* More elements are no tensor of a program that anybody runs. */
static const double MOST_ELEMENTS = 1e12;

/* 0: not known, or none. */
static double count_elements(const struct ets_graph_value *value)
{
    double count = 1;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->sizes == NULL || value->sizes[i] < 1 || ets_is_dynamic(value, i)) return 0;
        count *= (double)value->sizes[i];
        if (count > MOST_ELEMENTS) return 0;
    }
    return count;
}

/* The two inputs of a broadcast, and what it makes. */
struct broadcast {
    const struct ets_graph_node *node;
    const struct ets_graph_value *inputs[2];
    double elements[2], output; /* of the inputs, of the output */
    double bytes;               /* of the output */
};

static bool read_broadcast(const struct ets_judgement *judgement, struct broadcast *out)
{
    const struct ets_graph_value *output = ets_node_output(judgement, 0);
    uint32_t tensors = 0;
    *out = (struct broadcast){.node = judgement->node};
    if (!ets_operator_is(judgement->node->op, ETS_OPERATOR_PAIRWISE) || output == NULL) {
        return false;
    }
    out->output = count_elements(output);
    out->bytes = out->output * (double)ets_scalar_type_bytes(output->scalar_type);
    for (uint32_t i = 0; i < judgement->node->input_count; i++) {
        const struct ets_graph_value *input =
            ets_argument_tensor(judgement, &judgement->node->inputs[i]);
        if (input == NULL) continue;
        if (tensors == 2) return false;
        const double elements = count_elements(input);
        if (elements == 0 || TIMES_LARGER * elements > out->output) return false;
        out->inputs[tensors] = input;
        out->elements[tensors++] = elements;
    }
    return tensors == 2 && out->bytes >= LEAST_BYTES;
}

/* The first node that takes the output, or NULL. */
static const struct ets_graph_node *user_of(const struct ets_finder *finder,
                                            const struct ets_graph_node *node)
{
    const struct ets_partition *partition = finder->method.partition;
    if (node == NULL || node->output_count == 0) return NULL;
    const uint32_t value = ets_partition_value(partition, node->outputs[0].name);
    return value == ETS_GRAPH_NONE ? NULL : partition->users[value];
}

static bool is_named(const struct ets_graph_node *node, const char *name)
{
    return ets_text_is(ets_operator_base_name(node->op), name);
}

static bool is_two(const struct ets_graph_argument *exponent)
{
    return exponent != NULL &&
           ((exponent->kind == ETS_ARGUMENT_INT && exponent->int_value == 2) ||
            (exponent->kind == ETS_ARGUMENT_FLOAT && exponent->float_value == 2));
}

/* Whether a node squares the output of another, and nothing else takes that. */
static bool is_square(const struct ets_finder *finder, const struct ets_graph_node *node,
                      const struct ets_graph_node *of)
{
    const struct ets_judgement judgement = {.partition = finder->method.partition, .node = of};
    const uint32_t uses = ets_node_output_uses(&judgement, 0);
    if (is_named(node, "mul")) {
        return uses <= 2 && node->input_count >= 2 &&
               ets_text_equal(node->inputs[0].name, of->outputs[0].name) &&
               ets_text_equal(node->inputs[1].name, of->outputs[0].name);
    }
    return uses == 1 && is_named(node, "pow") && is_two(ets_node_argument(node, "exponent"));
}

/* Whether a node sums over the last dimension of its input alone, and drops it. */
static bool sums_last(const struct ets_graph_node *node, uint32_t rank)
{
    const struct ets_graph_argument *dims = ets_node_argument(node, "dim");
    if (!is_named(node, "sum") || dims == NULL || dims->kind != ETS_ARGUMENT_LIST ||
        dims->item_count != 1 || dims->items[0].kind != ETS_ARGUMENT_INT) {
        return false;
    }
    const int64_t dim = dims->items[0].int_value;
    return (dim == -1 || dim == (int64_t)rank - 1) && ets_node_integer(node, "keepdim", 0) == 0;
}

/* The size of a dimension from the last one on; what is not there is broadcast, as 1 is. */
static int64_t size_from_end(const struct ets_graph_value *value, uint32_t place)
{
    return place < value->rank ? value->sizes[value->rank - 1 - place] : 1;
}

/* Whether sums of squared differences of all rows of one tensor and all of another are computed. */
static bool is_distance(const struct ets_finder *finder, const struct broadcast *broadcast)
{
    const struct ets_graph_node *node = broadcast->node;
    const struct ets_graph_value *a = broadcast->inputs[0], *b = broadcast->inputs[1];
    if (!is_named(node, "sub") || ets_node_argument(node, "alpha") != NULL) return false;
    const struct ets_graph_node *square = user_of(finder, node), *sum = user_of(finder, square);
    const uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    const int64_t rows[] = {size_from_end(a, 1), size_from_end(b, 1)};
    return square != NULL && sum != NULL && is_square(finder, square, node) &&
           sums_last(sum, rank) && size_from_end(a, 0) > 1 &&
           size_from_end(a, 0) == size_from_end(b, 0) && (rows[0] == 1) != (rows[1] == 1);
}

/* Whether the plan has a tensor of so many bytes at its peak: of the broadcast itself, or of what
 * is computed of it inside of a delegate. */
static bool is_in_peak(const struct ets_memory_plan *plan, double bytes)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[i];
        if (tensor->arena != ETS_PLAN_NONE && tensor->base == ETS_PLAN_NONE &&
            (double)tensor->bytes == bytes && ets_plan_is_live(tensor, plan->peak_step)) {
            return true;
        }
    }
    return false;
}

static bool add_broadcast(struct ets_finder *finder, const struct broadcast *broadcast,
                          const struct ets_memory_plan *plan)
{
    const bool is_distances = is_distance(finder, broadcast);
    const struct ets_text name = ets_operator_base_name(broadcast->node->op);
    ets_parts_begin(finder);
    if (!ets_parts_add_node(finder, broadcast->node)) return false;
    ets_find_say(finder, "%.*s makes %.0f numbers (", ETS_TEXT(name), broadcast->output);
    ets_add_bytes(&finder->line, (uint64_t)broadcast->bytes);
    ets_find_say(finder, ") of %.0f and %.0f by broadcasting; the memory peak is ",
                 broadcast->elements[0], broadcast->elements[1]);
    ets_add_bytes(&finder->line, plan->peak_bytes);
    ets_find_propose(
        finder, "%s",
        is_distances ? "distances without it: a.square().sum(-1, keepdim=True) - 2 * a @ b.mT + "
                       "b.square().sum(-1)"
                     : "compute the result without the broadcast, or in parts");
    struct ets_finding finding = ets_finding_of("broadcast", ETS_SEVERITY_NOTE, "memory");
    ets_finding_place_parts(finder, &finding);
    finding.method = plan->method.name;
    finding.confidence = is_distances ? ETS_CONFIDENCE_MEDIUM : ETS_CONFIDENCE_LOW;
    finding.check = ETS_CHECK_EXECUTION;
    if (is_distances) finding.doubt = "rounding differs where the distances are small";
    return ets_finding_add(finder, finding);
}

/* The largest one, if it is half of the peak of the plan that is told. */
bool ets_find_broadcast(struct ets_finder *finder)
{
    const struct ets_memory_lines *memory = finder->subject->memory;
    const struct ets_finding_method *method = &finder->method;
    struct broadcast largest = {.bytes = 0}, each;
    if (memory == NULL || method->partition == NULL) return true;
    const char *name =
        ets_delegation_step_at(finder->delegation, method->section->first_step)->method_name;
    if (!ets_text_is(memory->plan->method.name, name)) return true;
    const struct ets_graph *graph = method->partition->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_judgement judgement = {.partition = method->partition,
                                                .node = &graph->nodes[i]};
        if (!read_broadcast(&judgement, &each) || each.bytes <= largest.bytes) continue;
        if (is_in_peak(memory->plan, each.bytes)) largest = each;
    }
    if (largest.node == NULL || 2 * largest.bytes < (double)memory->plan->peak_bytes) return true;
    return add_broadcast(finder, &largest, memory->plan);
}
