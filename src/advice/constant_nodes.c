/* Which nodes of a graph compute the same in every run. */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"
#include "record/random_operators.h"

/* Random, or whatever lies in new memory. */
bool ets_is_random(const struct ets_graph_node *node)
{
    const struct ets_text base = ets_operator_base_name(node->op);
    return ets_node_is_random(node) || ets_text_starts_with(base, "empty") ||
           ets_text_is(base, "new_empty") || ets_text_starts_with(base, "_empty");
}

/* Whether the method changes a buffer; of very many it is taken as changed. */
static bool is_written(const struct ets_partition *partition, const struct ets_graph_input *input)
{
    enum { MOST = 1000 };
    const struct ets_graph *graph = partition->graph;
    if (graph->output_count > MOST) return true;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role == ETS_OUTPUT_BUFFER_MUTATION &&
            ets_text_equal(graph->outputs[i].target, input->source)) {
            return true;
        }
    }
    return false;
}

static bool is_argument_constant(const struct ets_partition *partition, const uint8_t *is_constant,
                                 const struct ets_graph_argument *argument)
{
    if (argument->kind == ETS_ARGUMENT_SYMBOL || argument->kind == ETS_ARGUMENT_GRAPH) return false;
    for (uint32_t i = 0; argument->kind == ETS_ARGUMENT_LIST && i < argument->item_count; i++) {
        if (!is_argument_constant(partition, is_constant, &argument->items[i])) return false;
    }
    if (argument->kind != ETS_ARGUMENT_TENSOR) return true;
    const uint32_t value = ets_partition_value(partition, argument->name);
    if (value == ETS_GRAPH_NONE) return false;
    const struct ets_graph_input *input = partition->inputs[value];
    if (input != NULL) {
        return input->role != ETS_INPUT_USER && input->role != ETS_INPUT_OTHER &&
               !(input->role == ETS_INPUT_BUFFER && is_written(partition, input));
    }
    const struct ets_graph_node *maker = partition->makers[value];
    return maker != NULL && is_constant[maker - partition->graph->nodes];
}

/* Nodes come in the order of execution. */
bool ets_mark_constant_nodes(struct ets_finder *finder)
{
    const struct ets_partition *partition = finder->method.partition;
    const struct ets_graph *graph = partition->graph;
    uint8_t *is_constant = ets_arena_alloc_array(finder->arena, graph->node_count, 1);
    if (is_constant == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        is_constant[i] = !ets_is_random(node);
        for (uint32_t k = 0; is_constant[i] && k < node->input_count; k++) {
            is_constant[i] = is_argument_constant(partition, is_constant, &node->inputs[k]);
        }
    }
    finder->method.is_constant = is_constant;
    return true;
}

bool ets_is_constant_work(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const uint32_t index = ets_method_node(finder, node);
    return index != ETS_NO_INDEX && finder->method.is_constant[index];
}
