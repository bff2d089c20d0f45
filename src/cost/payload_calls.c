/* Counts nodes of payloads that list the arguments of their operators' schemas. */
#include "cost/payload_costs.h"

static bool take_tensor(struct ets_payload_costs *c, uint32_t number, struct ets_cost_tensor *out)
{
    const struct ets_payload_value *value = ets_payload_value(c->graph, number);
    if (value == NULL) return false;
    int64_t *sizes = ets_arena_alloc_array(c->arena, ETS_TENSOR_MAX_RANK, sizeof *sizes);
    if (sizes == NULL || !ets_payload_costs_sizes(c, value, sizes)) return false;
    *out = (struct ets_cost_tensor){.scalar_type = value->type->scalar_type,
                                    .rank = value->rank,
                                    .sizes = sizes,
                                    .identity = number,
                                    .is_constant = value->constant != ETS_PAYLOAD_NONE};
    return true;
}

static const struct ets_cost_tensor *take_tensors(struct ets_payload_costs *c,
                                                  const uint32_t *values, uint32_t count)
{
    struct ets_cost_tensor *tensors = ets_arena_alloc_array(c->arena, count, sizeof *tensors);
    for (uint32_t i = 0; tensors != NULL && i < count; i++) {
        if (!take_tensor(c, values[i], &tensors[i])) return NULL;
    }
    return tensors;
}

static bool take_argument(struct ets_payload_costs *c,
                          const struct ets_payload_parameter *parameter,
                          struct ets_cost_argument *out)
{
    *out = (struct ets_cost_argument){.count = parameter->count, .is_list = parameter->is_list};
    switch (parameter->kind) {
    case ETS_PAYLOAD_VALUES:
        out->kind = ETS_COST_TENSORS;
        out->tensors = take_tensors(c, parameter->values, parameter->count);
        return out->tensors != NULL;
    case ETS_PAYLOAD_INTEGERS:
        out->kind = ETS_COST_INTEGERS;
        out->integers = parameter->integers;
        return true;
    case ETS_PAYLOAD_REALS:
        out->kind = parameter->is_list || parameter->count != 1 ? ETS_COST_NOTHING : ETS_COST_REAL;
        out->real = parameter->count > 0 ? parameter->reals[0] : 0;
        return true;
    default: out->kind = ETS_COST_NOTHING; return true;
    }
}

struct ets_cost ets_payload_call_work(struct ets_payload_costs *costs,
                                      const struct ets_payload_node *node)
{
    struct ets_cost_argument *arguments =
        ets_arena_alloc_array(costs->arena, node->parameter_count, sizeof *arguments);
    struct ets_cost_call call = {
        .space = {"aten", 4},
        .base = node->operation,
        .arguments = arguments,
        .argument_count = node->parameter_count,
        .outputs = take_tensors(costs, node->outputs, node->output_count),
        .output_count = node->output_count,
        .marks = &costs->marks,
    };
    if (arguments == NULL || call.outputs == NULL) return ets_cost_unknown(ETS_COST_NO_SHAPE);
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const struct ets_payload_parameter *parameter = &node->parameters[i];
        if (!take_argument(costs, parameter, &arguments[i])) {
            return ets_cost_unknown(ETS_COST_NO_SHAPE);
        }
        if (parameter->kind == ETS_PAYLOAD_TEXT) call.text = parameter->text;
    }
    struct ets_cost cost = ets_cost_of_call(&call);
    cost.bytes_read = cost.bytes_written = cost.weight_bytes = 0; /* those of sets count */
    return cost;
}
