/* Values of a graph by who makes and uses them; the node of a kernel call, and its verdict. */
#include "partition/outside.h"

#include "base/text.h"
#include "operators/operator_traits.h"
#include "partition/partition_node.h"

static void add_use(struct ets_partition *partition, const struct ets_graph_argument *argument,
                    const struct ets_graph_node *node)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            if (argument->items[i].kind == ETS_ARGUMENT_TENSOR) {
                add_use(partition, &argument->items[i], node);
            }
        }
        return;
    }
    if (argument->kind != ETS_ARGUMENT_TENSOR) return;
    const uint32_t value = ets_partition_value(partition, argument->name);
    if (value == ETS_GRAPH_NONE) return;
    partition->use_counts[value]++;
    if (partition->users[value] == NULL) partition->users[value] = node;
}

static void add_maker(struct ets_partition *partition, const struct ets_graph_argument *argument,
                      const struct ets_graph_node *node)
{
    for (uint32_t i = 0; argument->kind == ETS_ARGUMENT_LIST && i < argument->item_count; i++) {
        if (argument->items[i].kind == ETS_ARGUMENT_TENSOR) {
            add_maker(partition, &argument->items[i], node);
        }
    }
    if (argument->kind != ETS_ARGUMENT_TENSOR) return;
    const uint32_t value = ets_partition_value(partition, argument->name);
    if (value != ETS_GRAPH_NONE) partition->makers[value] = node;
}

bool ets_partition_open(struct ets_arena *arena, const struct ets_graph *graph,
                        const struct ets_asked *asked, struct ets_partition **partition_out)
{
    const size_t count = graph->value_count;
    struct ets_partition *partition = ets_arena_alloc(arena, sizeof *partition);
    if (partition == NULL) return false;
    partition->graph = graph;
    partition->asked = asked;
    partition->makers = ets_arena_alloc_array(arena, count, sizeof *partition->makers);
    partition->inputs = ets_arena_alloc_array(arena, count, sizeof *partition->inputs);
    partition->users = ets_arena_alloc_array(arena, count, sizeof *partition->users);
    partition->use_counts = ets_arena_alloc_array(arena, count, sizeof *partition->use_counts);
    if (partition->makers == NULL || partition->inputs == NULL || partition->users == NULL ||
        partition->use_counts == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i].argument.kind != ETS_ARGUMENT_TENSOR) continue;
        const uint32_t value = ets_partition_value(partition, graph->inputs[i].argument.name);
        if (value != ETS_GRAPH_NONE) partition->inputs[value] = &graph->inputs[i];
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) add_use(partition, &node->inputs[k], node);
        for (uint32_t k = 0; k < node->output_count; k++) {
            add_maker(partition, &node->outputs[k], node);
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        add_use(partition, &graph->outputs[i].argument, NULL);
    }
    *partition_out = partition;
    return true;
}

/* "cortex_m::": kernels that passes chose for what another partitioner or none was asked for. */
static bool is_of_other_library(struct ets_text kernel)
{
    return ets_text_starts_with(kernel, "cortex_m::") || ets_text_starts_with(kernel, "cadence::");
}

/* Whether a node is the one that a kernel computes. */
static bool is_of_kernel(const struct ets_graph_node *node, struct ets_text kernel)
{
    const struct ets_text base = ets_operator_base_name(kernel);
    if (is_of_other_library(kernel)) return false;
    if (ets_text_equal(ets_operator_base_name(node->op), base)) return true;
    /* memory planning turns views of no copy into this */
    return ets_text_is(base, "et_view") && ets_text_is(ets_operator_base_name(node->op), "view");
}

/* What one partitioner of several says, behind its name. */
static enum ets_outside_kind judge_by(struct ets_judgement *judgement,
                                      const struct ets_partitioner *partitioner)
{
    char text[512];
    struct ets_judgement its = *judgement;
    its.rule = its.remedy = NULL;
    its.reason = (struct ets_text_builder){text, sizeof text, 0};
    const enum ets_outside_kind kind = partitioner->judge(&its);
    const struct ets_text reason = ets_built_text(&its.reason);
    if (reason.size > 0) {
        ets_add_text(&judgement->reason, "%s%s: %.*s", judgement->reason.used > 0 ? "; " : "",
                     partitioner->name, ETS_TEXT(reason));
    }
    if (partitioner != judgement->partition->asked->items[0]) return kind;
    judgement->rule = its.rule;
    judgement->remedy = its.remedy;
    return kind;
}

/* The first partitioner decides; of several, the others are told as well. */
static enum ets_outside_kind judge(struct ets_judgement *judgement)
{
    const struct ets_asked *asked = judgement->partition->asked;
    if (asked->count == 1) return asked->items[0]->judge(judgement);
    const enum ets_outside_kind kind = judge_by(judgement, asked->items[0]);
    for (uint32_t i = 1; i < asked->count; i++) (void)judge_by(judgement, asked->items[i]);
    return kind;
}

bool ets_outside_find(struct ets_arena *arena, const struct ets_partition *partition,
                      const struct ets_row_node *nodes, size_t count, struct ets_text kernel,
                      struct ets_outside *outside_out)
{
    char text[1024];
    *outside_out = (struct ets_outside){.kind = ETS_OUTSIDE_UNKNOWN};
    for (size_t i = 0; i < count; i++) {
        struct ets_judgement judgement = {
            .partition = partition, .node = nodes[i].node, .reason = {text, sizeof text, 0}};
        if (!is_of_kernel(nodes[i].node, kernel)) continue;
        const enum ets_outside_kind kind = judge(&judgement);
        const bool is_better =
            outside_out->node == NULL ||
            (outside_out->kind == ETS_OUTSIDE_TAKEN && kind != outside_out->kind);
        if (!is_better) continue;
        const struct ets_text reason = ets_built_text(&judgement.reason);
        *outside_out = (struct ets_outside){.kind = kind,
                                            .rule = judgement.rule,
                                            .remedy = judgement.remedy,
                                            .node = nodes[i].node,
                                            .asked = partition->asked};
        if (reason.size == 0) continue;
        outside_out->reason.data = ets_arena_copy_text(arena, reason.data, reason.size);
        if (outside_out->reason.data == NULL) return false;
        outside_out->reason.size = reason.size;
    }
    return true;
}

const char *ets_outside_kind_name(enum ets_outside_kind kind)
{
    static const char *const names[] = {NULL, "no_rule", "refused", "taken"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
