/* Arguments, tensors and weights of a node under judgement. */
#include "partition/partition_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"

void ets_refuse(struct ets_judgement *judgement, const char *rule, const char *remedy,
                const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ets_add_plain_text(&judgement->reason, "%s%s", judgement->rule == NULL ? "" : "; ", text);
    if (judgement->rule != NULL) return;
    judgement->rule = rule;
    judgement->remedy = remedy;
}

const struct ets_graph_argument *ets_node_argument(const struct ets_graph_node *node,
                                                   const char *label)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_argument *argument = &node->inputs[i];
        if (ets_text_is(argument->label, label)) {
            return argument->kind == ETS_ARGUMENT_NONE ? NULL : argument;
        }
    }
    return NULL;
}

int64_t ets_node_integer(const struct ets_graph_node *node, const char *label, int64_t otherwise)
{
    const struct ets_graph_argument *argument = ets_node_argument(node, label);
    const bool is_there = argument != NULL && (argument->kind == ETS_ARGUMENT_INT ||
                                               argument->kind == ETS_ARGUMENT_BOOL);
    return is_there ? argument->int_value : otherwise;
}

uint32_t ets_partition_value(const struct ets_partition *partition, struct ets_text name)
{
    const struct ets_graph_value *value = ets_graph_find_value(partition->graph, name);
    return value == NULL ? ETS_GRAPH_NONE : (uint32_t)(value - partition->graph->values);
}

static uint32_t value_at(const struct ets_judgement *judgement,
                         const struct ets_graph_argument *argument)
{
    if (argument == NULL || argument->kind != ETS_ARGUMENT_TENSOR) return ETS_GRAPH_NONE;
    return ets_partition_value(judgement->partition, argument->name);
}

const struct ets_graph_value *ets_argument_tensor(const struct ets_judgement *judgement,
                                                  const struct ets_graph_argument *argument)
{
    const uint32_t value = value_at(judgement, argument);
    return value == ETS_GRAPH_NONE ? NULL : &judgement->partition->graph->values[value];
}

const struct ets_graph_value *ets_node_tensor(const struct ets_judgement *judgement,
                                              const char *label)
{
    return ets_argument_tensor(judgement, ets_node_argument(judgement->node, label));
}

const struct ets_graph_value *ets_node_output(const struct ets_judgement *judgement, uint32_t index)
{
    if (index >= judgement->node->output_count) return NULL;
    return ets_argument_tensor(judgement, &judgement->node->outputs[index]);
}

const struct ets_graph_node *ets_argument_maker(const struct ets_judgement *judgement,
                                                const struct ets_graph_argument *argument)
{
    const uint32_t value = value_at(judgement, argument);
    return value == ETS_GRAPH_NONE ? NULL : judgement->partition->makers[value];
}

uint32_t ets_node_output_uses(const struct ets_judgement *judgement, uint32_t index)
{
    if (index >= judgement->node->output_count) return 0;
    const uint32_t value = value_at(judgement, &judgement->node->outputs[index]);
    return value == ETS_GRAPH_NONE ? 0 : judgement->partition->use_counts[value];
}

bool ets_is_dynamic(const struct ets_graph_value *value, uint32_t dimension)
{
    return value->size_texts != NULL && value->size_texts[dimension].data != NULL;
}

/* What keeps a weight a weight. */
static bool keeps_static(struct ets_text op)
{
    static const char *const bases[] = {"permute",
                                        "t",
                                        "view",
                                        "transpose",
                                        "dequantize_per_channel",
                                        "dequantize_per_tensor",
                                        "dequantize_per_channel_group",
                                        "dequantize_affine"};
    const struct ets_text base = ets_operator_base_name(op);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (ets_text_is(base, bases[i])) return true;
    }
    return false;
}

bool ets_is_static(const struct ets_judgement *judgement, const struct ets_graph_argument *argument)
{
    enum { MOST_STEPS = 8 }; /* more than any export puts between a weight and its use */
    for (int step = 0; step < MOST_STEPS; step++) {
        const uint32_t value = value_at(judgement, argument);
        if (value == ETS_GRAPH_NONE) return false;
        const struct ets_graph_input *input = judgement->partition->inputs[value];
        if (input != NULL) return input->role != ETS_INPUT_USER && input->role != ETS_INPUT_OTHER;
        const struct ets_graph_node *maker = judgement->partition->makers[value];
        if (maker == NULL || maker->input_count == 0 || !keeps_static(maker->op)) return false;
        argument = &maker->inputs[0];
    }
    return false;
}
