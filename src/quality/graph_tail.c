/* Finds where a graph takes its last token, from the logits backwards. */
#include "quality/graph_tail.h"

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "operators/operator_traits.h"
#include "quality/graph_weights.h"

struct search {
    const struct ets_graph *graph;
    struct ets_graph_weights values;
    bool *is_changed; /* [input_count] a buffer that the graph writes */
    bool *is_behind;  /* [node_count] between the last token and the logits */
    uint32_t *waiting, waiting_count;
    struct ets_graph_tail *tail;
    bool is_spoiled; /* the logits depend on something else, too */
};

/* Marks inputs that are targets of outputs. */
static enum ets_status find_changed(struct search *search, struct ets_arena *arena,
                                    struct ets_error *error)
{
    const struct ets_graph *graph = search->graph;
    struct ets_strings targets;
    if (ets_strings_init(&targets, arena) != 0) return ets_fail_memory(error, "the graph");
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        if (ets_strings_add(&targets, output->target) == UINT32_MAX) {
            return ets_fail_memory(error, "the graph");
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_text source = graph->inputs[i].source;
        search->is_changed[i] =
            source.data != NULL && ets_strings_find(&targets, source) != UINT32_MAX;
    }
    return ETS_OK;
}

static enum ets_status begin(struct search *search, struct ets_arena *arena,
                             struct ets_error *error)
{
    const struct ets_graph *graph = search->graph;
    search->is_changed = ets_arena_alloc_array(arena, graph->input_count, sizeof(bool));
    search->is_behind = ets_arena_alloc_array(arena, graph->node_count, sizeof(bool));
    search->waiting = ets_arena_alloc_array(arena, graph->node_count, sizeof(uint32_t));
    if (search->is_changed == NULL || search->is_behind == NULL || search->waiting == NULL) {
        return ets_fail_memory(error, "the graph");
    }
    ETS_TRY(find_changed(search, arena, error));
    return ets_graph_weights_index(graph, arena, &search->values, error);
}

static bool is_weight(const struct search *search, uint32_t input)
{
    if (input == ETS_GRAPH_NONE || search->is_changed[input]) return false;
    const enum ets_graph_input_role role = search->graph->inputs[input].role;
    return role == ETS_INPUT_PARAMETER || role == ETS_INPUT_BUFFER || role == ETS_INPUT_CONSTANT;
}

static bool is_number(const struct ets_graph_argument *argument, int64_t value)
{
    return argument->kind == ETS_ARGUMENT_INT && argument->int_value == value;
}

/* Whether a node takes the last item of the second dimension. */
static bool takes_last(const struct ets_graph_node *node, bool *keeps_out)
{
    const struct ets_text base = ets_operator_base_name(node->op);
    *keeps_out = ets_text_is(base, "slice");
    if (!*keeps_out && !ets_text_is(base, "select")) return false;
    if (node->input_count < 3 || node->inputs[0].kind != ETS_ARGUMENT_TENSOR) return false;
    return is_number(&node->inputs[1], 1) && is_number(&node->inputs[2], -1) &&
           node->output_count == 1 && node->outputs[0].kind == ETS_ARGUMENT_TENSOR;
}

static void visit(struct search *search, uint32_t number)
{
    const struct ets_graph_node *node = &search->graph->nodes[number];
    bool keeps;
    if (takes_last(node, &keeps)) {
        search->is_spoiled |= search->tail->taken != NULL && search->tail->taken != node;
        search->tail->taken = node;
        search->tail->tokens = node->inputs[0].name;
        search->tail->keeps_dimension = keeps;
    } else if (!search->is_behind[number]) {
        search->is_behind[number] = true;
        search->waiting[search->waiting_count++] = number;
        search->is_spoiled |= ets_operator_is_mutating(node->op);
    }
}

static void visit_argument(struct search *search, const struct ets_graph_argument *argument)
{
    switch (argument->kind) {
    case ETS_ARGUMENT_TENSOR: {
        const struct ets_graph_place place =
            ets_graph_weights_place(&search->values, argument->name);
        if (place.node != ETS_GRAPH_NONE) visit(search, place.node);
        else search->is_spoiled |= !is_weight(search, place.input);
        break;
    }
    case ETS_ARGUMENT_LIST:
        for (uint32_t i = 0; i < argument->item_count; i++) {
            const enum ets_argument_kind kind = argument->items[i].kind;
            search->is_spoiled |= kind == ETS_ARGUMENT_TENSOR || kind == ETS_ARGUMENT_SYMBOL;
        }
        break;
    case ETS_ARGUMENT_SYMBOL:
    case ETS_ARGUMENT_GRAPH: search->is_spoiled = true; break;
    default: break;
    }
}

/* The graph of the nodes behind the last token, with that as its input. */
static enum ets_status build(struct search *search, const struct ets_graph_output *logits,
                             struct ets_arena *arena, struct ets_error *error)
{
    const struct ets_graph *graph = search->graph;
    struct ets_graph_tail *tail = search->tail;
    struct ets_graph_node *nodes = ets_arena_alloc_array(arena, graph->node_count, sizeof *nodes);
    struct ets_graph_input *inputs =
        ets_arena_alloc_array(arena, (size_t)graph->input_count + 1, sizeof *inputs);
    struct ets_graph_value *values =
        ets_arena_alloc_array(arena, graph->value_count, sizeof *values);
    tail->originals = ets_arena_alloc_array(arena, graph->node_count, sizeof *tail->originals);
    if (nodes == NULL || inputs == NULL || values == NULL || tail->originals == NULL) {
        return ets_fail_memory(error, "the graph");
    }
    tail->graph = (struct ets_graph){.name = graph->name,
                                     .dialect = graph->dialect,
                                     .nodes = nodes,
                                     .inputs = inputs,
                                     .outputs = logits,
                                     .output_count = 1,
                                     .values = values};
    for (uint32_t i = 0; i < graph->value_count; i++) {
        /* without that of the token, whose type may be another than the graph's */
        if (ets_text_equal(graph->values[i].name, tail->taken->outputs[0].name)) continue;
        values[tail->graph.value_count++] = graph->values[i];
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!search->is_behind[i]) continue;
        tail->originals[tail->graph.node_count] = &graph->nodes[i];
        nodes[tail->graph.node_count++] = graph->nodes[i];
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const enum ets_graph_input_role role = graph->inputs[i].role;
        const bool is_kept =
            role == ETS_INPUT_PARAMETER || role == ETS_INPUT_BUFFER ||
            (role == ETS_INPUT_CONSTANT && graph->inputs[i].argument.kind == ETS_ARGUMENT_TENSOR);
        if (is_kept) inputs[tail->graph.input_count++] = graph->inputs[i];
    }
    inputs[tail->graph.input_count++] =
        (struct ets_graph_input){.argument = tail->taken->outputs[0], .role = ETS_INPUT_USER};
    return ETS_OK;
}

enum ets_status ets_graph_tail_find(const struct ets_graph *graph, uint32_t output,
                                    struct ets_arena *arena, struct ets_graph_tail *tail_out,
                                    struct ets_error *error)
{
    struct search search = {.graph = graph, .tail = tail_out};
    const struct ets_graph_output *logits = NULL;
    *tail_out = (struct ets_graph_tail){.taken = NULL};
    for (uint32_t i = 0, next = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role == ETS_OUTPUT_USER && next++ == output) {
            logits = &graph->outputs[i];
        }
    }
    if (logits == NULL || logits->argument.kind != ETS_ARGUMENT_TENSOR) return ETS_OK;
    ETS_TRY(begin(&search, arena, error));
    visit_argument(&search, &logits->argument);
    for (uint32_t at = 0; at < search.waiting_count && !search.is_spoiled; at++) {
        const struct ets_graph_node *node = &graph->nodes[search.waiting[at]];
        for (uint32_t i = 0; i < node->input_count; i++) visit_argument(&search, &node->inputs[i]);
    }
    if (search.is_spoiled) tail_out->taken = NULL;
    return tail_out->taken != NULL ? build(&search, logits, arena, error) : ETS_OK;
}
