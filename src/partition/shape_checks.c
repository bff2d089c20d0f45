/* Operators that move elements. */
#include "base/text.h"
#include "partition/rule_checks.h"

void ets_check_cat(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *tensors = ets_node_argument(judgement->node, "tensors");
    if (tensors == NULL || tensors->kind != ETS_ARGUMENT_LIST) return;
    for (uint32_t i = 1; i < tensors->item_count; i++) {
        if (!ets_text_equal(tensors->items[i].name, tensors->items[0].name)) return;
    }
    ets_refuse(judgement, "distinct_inputs", NULL,
               "all its inputs are one tensor; at least two are needed");
}

void ets_check_pad(struct ets_judgement *judgement)
{
    const struct ets_graph_argument *pad = ets_node_argument(judgement->node, "pad");
    for (uint32_t i = 0; pad != NULL && i < pad->item_count; i++) {
        if (pad->items[i].kind == ETS_ARGUMENT_INT && pad->items[i].int_value < 0) {
            ets_refuse(judgement, "negative_padding", "slice instead",
                       "it pads by %lld; negative padding is not taken",
                       (long long)pad->items[i].int_value);
            return;
        }
    }
}

static void check_slice_sizes(struct ets_judgement *judgement, const struct ets_graph_value *value)
{
    for (uint32_t i = 0; value != NULL && i < value->rank; i++) {
        if (judgement->rule == NULL && ets_is_dynamic(value, i)) {
            ets_refuse(judgement, "dynamic_size", "fixed sizes",
                       "dimension %u has the dynamic size %.*s; only fixed sizes are taken", i,
                       ETS_TEXT(value->size_texts[i]));
        }
    }
}

void ets_check_slice(struct ets_judgement *judgement)
{
    const int64_t step = ets_node_integer(judgement->node, "step", 1);
    if (step != 1) {
        ets_refuse(judgement, "step", NULL, "step=%lld; only step=1 is taken", (long long)step);
    }
    check_slice_sizes(judgement, ets_node_tensor(judgement, "self"));
    check_slice_sizes(judgement, ets_node_output(judgement, 0));
}

void ets_check_unsqueeze(struct ets_judgement *judgement)
{
    const struct ets_graph_value *input = ets_node_tensor(judgement, "self");
    const int64_t dim = ets_node_integer(judgement->node, "dim", -1);
    if (input == NULL || dim == -1 || dim == (int64_t)input->rank) return;
    ets_refuse(judgement, "dimension", "view with fixed sizes",
               "dim=%lld; only a new last dimension is taken", (long long)dim);
}

void ets_check_view(struct ets_judgement *judgement)
{
    const struct ets_graph_value *output = ets_node_output(judgement, 0);
    uint32_t dynamic = 0;
    for (uint32_t i = 0; output != NULL && i < output->rank; i++) {
        dynamic += ets_is_dynamic(output, i);
    }
    if (judgement->rule == NULL && dynamic > 1) {
        ets_refuse(judgement, "dynamic_size", "fixed sizes, or one -1",
                   "%u sizes are dynamic; one is taken", dynamic);
    }
}
