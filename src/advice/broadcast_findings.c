/* Finds small tensors whose broadcast makes most of a method's memory peak. */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "operators/operator_traits.h"

/* An output as much larger than each input is told, from so many bytes on. */
enum { TIMES_LARGER = 8, LEAST_BYTES = 256 << 10 };

static double count_elements(const struct ets_graph_value *value)
{
    double count = 1;
    for (uint32_t i = 0; i < value->rank; i++) count *= (double)value->sizes[i];
    return count;
}

/* The two inputs of a broadcast, and what it makes. */
struct broadcast {
    const struct ets_graph_node *node;
    double inputs[2], output; /* elements */
    double bytes;             /* of the output */
};

static bool read_broadcast(const struct ets_judgement *judgement, struct broadcast *out)
{
    const struct ets_graph_value *output = ets_node_output(judgement, 0);
    uint32_t tensors = 0;
    *out = (struct broadcast){.node = judgement->node};
    if (!ets_operator_is(judgement->node->op, ETS_OPERATOR_PAIRWISE) || output == NULL)
        return false;
    out->output = count_elements(output);
    out->bytes = out->output * (double)ets_scalar_type_bytes(output->scalar_type);
    for (uint32_t i = 0; i < judgement->node->input_count; i++) {
        const struct ets_graph_value *input =
            ets_argument_tensor(judgement, &judgement->node->inputs[i]);
        if (input == NULL) continue;
        if (tensors == 2) return false;
        out->inputs[tensors] = count_elements(input);
        if (TIMES_LARGER * out->inputs[tensors++] > out->output) return false;
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

/* The sum of the squares of a difference. */
static bool is_distance(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    if (!ets_text_is(ets_operator_base(node->op), "sub")) return false;
    const struct ets_graph_node *square = user_of(finder, node), *sum = user_of(finder, square);
    if (square == NULL || sum == NULL || !ets_text_is(ets_operator_base(sum->op), "sum")) {
        return false;
    }
    const struct ets_text base = ets_operator_base(square->op);
    return ets_text_is(base, "pow") || ets_text_is(base, "square") ||
           (ets_text_is(base, "mul") && square->input_count >= 2 &&
            ets_text_equal(square->inputs[0].name, square->inputs[1].name));
}

static bool add_broadcast(struct ets_finder *finder, const struct broadcast *broadcast,
                          const struct ets_memory_plan *plan)
{
    const bool is_distances = is_distance(finder, broadcast->node);
    const struct ets_text name = ets_operator_base(broadcast->node->op);
    ets_parts_begin(finder);
    if (!ets_parts_add_node(finder, broadcast->node)) return false;
    ets_find_say(finder, "%.*s makes %.0f numbers (", ETS_TEXT(name), broadcast->output);
    ets_add_bytes(&finder->line, (uint64_t)broadcast->bytes);
    ets_find_say(finder, ") of %.0f and %.0f by broadcasting; the memory peak is ",
                 broadcast->inputs[0], broadcast->inputs[1]);
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
        if (read_broadcast(&judgement, &each) && each.bytes > largest.bytes) largest = each;
    }
    if (largest.bytes < LEAST_BYTES || 2 * largest.bytes < (double)memory->plan->peak_bytes) {
        return true;
    }
    return add_broadcast(finder, &largest, memory->plan);
}
