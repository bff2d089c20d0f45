/* Which nodes draw random numbers. */
#include "record/random_operators.h"

#include "operators/operator_traits.h"

/* dropout(input, p, train); native_dropout draws without `train`. */
static bool draws_dropout(const struct ets_graph_node *node)
{
    if (node->input_count < 2) return false;
    const struct ets_graph_argument *p = &node->inputs[1];
    if (p->kind == ETS_ARGUMENT_FLOAT && p->float_value == 0) return false;
    if (node->input_count < 3 || node->inputs[2].kind == ETS_ARGUMENT_NONE) return true;
    return node->inputs[2].kind == ETS_ARGUMENT_BOOL && node->inputs[2].int_value != 0;
}

bool ets_node_is_random(const struct ets_graph_node *node)
{
    const uint32_t traits = ets_operator_traits(node->op);
    return (traits & ETS_OPERATOR_RANDOM) != 0 ||
           ((traits & ETS_OPERATOR_DROPOUT) != 0 && draws_dropout(node));
}
