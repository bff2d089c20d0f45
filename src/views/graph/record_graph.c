/* The graphs of a record: the edge programs of its methods, and their branches. */
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record_maps.h"
#include "views/graph/argument_text.h"
#include "views/graph/model_builder.h"

/* Lists in lists: no honest graph is deeper. A text of arguments ends after so many bytes. */
enum { DEEPEST_LIST = 16, MOST_ARGUMENT_TEXT = 200 };

struct record_graph {
    struct ets_model *model;
    struct ets_model_graph *graph;
    const struct ets_graph *source;
    uint32_t *makers;  /* [value_count] node + 1; 0: no node or input makes it */
    uint32_t *outputs; /* [value_count] which output of it */
    uint32_t *weights; /* [value_count] the graph's input that is a weight + 1; 0: none */
    uint32_t branches; /* the model's graph of the first branch */
    uint32_t branch_count;
};

static struct ets_text shape_of(struct record_graph *r, const struct ets_graph_value *value)
{
    if (value == NULL || value->scalar_type < 0) return (struct ets_text){NULL, 0};
    return ets_model_shape(r->model, ets_scalar_type_name(value->scalar_type), value->rank,
                           value->sizes, value->size_texts);
}

static bool make(struct record_graph *r, uint32_t node, const struct ets_graph_argument *argument,
                 int depth)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count && depth < DEEPEST_LIST; i++) {
            if (!make(r, node, &argument->items[i], depth + 1)) return false;
        }
        return true;
    }
    const struct ets_graph_value *value = ets_graph_find_value(r->source, argument->name);
    struct ets_model_node *out = &r->graph->nodes[node];
    if (value != NULL) {
        r->makers[value - r->source->values] = node + 1;
        r->outputs[value - r->source->values] = out->output_count;
    }
    return ets_model_add_output(r->model, out, shape_of(r, value));
}

static bool add_input(struct record_graph *r, uint32_t index)
{
    const struct ets_graph_input *input = &r->source->inputs[index];
    const bool is_weight = input->role == ETS_INPUT_PARAMETER || input->role == ETS_INPUT_CONSTANT;
    if (is_weight) { /* a note of the nodes that take it */
        const struct ets_graph_value *value = ets_graph_find_value(r->source, input->argument.name);
        if (value != NULL) r->weights[value - r->source->values] = index + 1;
        return true;
    }
    const struct ets_text id = ets_model_print(r->model, "input_%u", index);
    const struct ets_text name = input->source.size > 0 ? input->source : input->argument.name;
    const uint32_t node = ets_model_add_node(
        r->model, r->graph, input->role == ETS_INPUT_BUFFER ? ETS_MODEL_BUFFER : ETS_MODEL_INPUT,
        id, name.size > 0 ? name : id);
    return node != ETS_MODEL_NONE && make(r, node, &input->argument, 0);
}

static bool is_tensor(const struct ets_graph_argument *argument)
{
    return argument->kind == ETS_ARGUMENT_TENSOR || argument->kind == ETS_ARGUMENT_SYMBOL;
}

static bool note_weight(struct record_graph *r, struct ets_model_node *node,
                        const struct ets_graph_value *value)
{
    const uint32_t weight = r->weights[value - r->source->values];
    if (weight == 0) return true;
    const struct ets_text shape = shape_of(r, value);
    const struct ets_text name = r->source->inputs[weight - 1].source;
    if (shape.data == NULL) return ets_model_note(r->model, node, "constant", name);
    return ets_model_print_note(r->model, node, "constant", "%.*s %.*s", ETS_TEXT(name),
                                ETS_TEXT(shape));
}

static bool take(struct record_graph *r, uint32_t node, const struct ets_graph_argument *argument,
                 int depth)
{
    struct ets_model_node *out = &r->graph->nodes[node];
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count && depth < DEEPEST_LIST; i++) {
            if (!take(r, node, &argument->items[i], depth + 1)) return false;
        }
        return true;
    }
    if (argument->kind == ETS_ARGUMENT_GRAPH) {
        return argument->graph >= r->branch_count ||
               ets_model_add_inner(r->model, out, r->branches + argument->graph);
    }
    if (!is_tensor(argument)) return true;
    const struct ets_graph_value *value = ets_graph_find_value(r->source, argument->name);
    if (value == NULL) return true;
    const size_t number = (size_t)(value - r->source->values);
    const struct ets_model_edge edge = {
        .from = r->makers[number] - 1, .output = r->outputs[number], .input = out->input_count++};
    if (r->makers[number] == 0) return note_weight(r, out, value);
    return ets_model_add_edge(r->model, r->graph, node, edge);
}

static bool note_argument(struct record_graph *r, struct ets_model_node *node,
                          const struct ets_graph_argument *argument)
{
    char text[MOST_ARGUMENT_TEXT];
    const size_t used = ets_argument_text(argument, text, sizeof text);
    if (used == 0 || argument->label.size == 0) return true;
    if (argument->kind == ETS_ARGUMENT_LIST && (argument->item_count == 0 || used <= 2))
        return true;
    return ets_model_print_note(r->model, node, "argument", "%.*s = %.*s",
                                ETS_TEXT(argument->label), (int)used, text);
}

static bool add_node(struct record_graph *r, uint32_t index)
{
    const struct ets_graph_node *source = &r->source->nodes[index];
    const struct ets_row_node place = {.node = source, .handle = source->debug_handle};
    const bool is_call = ets_text_is(source->op, "executorch_call_delegate");
    const struct ets_text id =
        source->name.size > 0 ? source->name : ets_model_print(r->model, "node_%u", index);
    const uint32_t node = ets_model_add_node(
        r->model, r->graph, is_call ? ETS_MODEL_DELEGATE : ETS_MODEL_OPERATOR, id, source->op);
    if (node == ETS_MODEL_NONE) return false;
    struct ets_model_node *out = &r->graph->nodes[node];
    if (source->debug_handle > 0 && !ets_model_print_note(r->model, out, "debug handle", "%lld",
                                                          (long long)source->debug_handle)) {
        return false;
    }
    if (!ets_model_place(r->model, out, &place, 1)) return false;
    for (uint32_t i = 0; i < source->input_count; i++) {
        if (!note_argument(r, out, &source->inputs[i])) return false;
    }
    for (uint32_t i = 0; i < source->output_count; i++) {
        if (!make(r, node, &source->outputs[i], 0)) return false;
    }
    return true;
}

static bool add_outputs(struct record_graph *r)
{
    for (uint32_t i = 0; i < r->source->output_count; i++) {
        const struct ets_graph_output *output = &r->source->outputs[i];
        const struct ets_text id = ets_model_print(r->model, "output_%u", i);
        const uint32_t node = ets_model_add_node(r->model, r->graph, ETS_MODEL_OUTPUT, id,
                                                 output->target.size > 0 ? output->target : id);
        if (node == ETS_MODEL_NONE || !take(r, node, &output->argument, 0)) return false;
    }
    return true;
}

static bool fill(struct record_graph *r)
{
    const size_t values = r->source->value_count;
    r->makers = ets_arena_alloc_array(r->model->arena, values, sizeof *r->makers);
    r->outputs = ets_arena_alloc_array(r->model->arena, values, sizeof *r->outputs);
    r->weights = ets_arena_alloc_array(r->model->arena, values, sizeof *r->weights);
    if (r->makers == NULL || r->outputs == NULL || r->weights == NULL) return false;
    for (uint32_t i = 0; i < r->source->input_count; i++) {
        if (!add_input(r, i)) return false;
    }
    r->graph->first_step = r->graph->node_count;
    r->graph->step_count = r->source->node_count;
    for (uint32_t i = 0; i < r->source->node_count; i++) {
        if (!add_node(r, i)) return false;
    }
    for (uint32_t i = 0; i < r->source->node_count; i++) {
        const struct ets_graph_node *node = &r->source->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (!take(r, r->graph->first_step + i, &node->inputs[k], 0)) return false;
        }
    }
    return add_outputs(r);
}

/* The graph of a method, then its branches of all depths, so that nodes can point to them. */
static bool add_method(struct ets_model *model, const char *method, const struct ets_graph *top)
{
    struct record_graph r = {.model = model, .branch_count = top->subgraph_count};
    const uint32_t first = ets_model_add_graph(model, ets_model_print(model, "%s", method));
    if (first == ETS_MODEL_NONE) return false;
    r.branches = first + 1;
    for (uint32_t i = 0; i < top->subgraph_count; i++) {
        const struct ets_text id =
            ets_model_print(model, "%s/%.*s", method, ETS_TEXT(top->subgraphs[i]->name));
        if (ets_model_add_graph(model, id) == ETS_MODEL_NONE) return false;
    }
    for (uint32_t i = 0; i <= top->subgraph_count; i++) {
        r.graph = &model->graphs[first + i];
        r.source = i == 0 ? top : top->subgraphs[i - 1];
        if (!fill(&r)) return false;
    }
    return true;
}

enum ets_status ets_model_add_record(struct ets_model *model, struct ets_etrecord *record,
                                     struct ets_error *error)
{
    const uint32_t before = model->graph_count;
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        const struct ets_graph *graph;
        const char *method = ets_etrecord_method_name(record, i);
        const enum ets_status status = ets_etrecord_edge_graph(record, method, &graph, error);
        if (status == ETS_NOT_FOUND) continue;
        if (status != ETS_OK) return status;
        if (!add_method(model, method, graph)) {
            return ets_fail_memory(error, "the graph of a record");
        }
    }
    if (model->graph_count > before) return ETS_OK;
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                    "the ETRecord has no edge program: there is no graph to show");
}

enum ets_status ets_model_add_exported(struct ets_model *model, struct ets_etrecord *record,
                                       struct ets_error *error)
{
    const struct ets_graph *graph;
    ETS_TRY(ets_etrecord_aten_graph(record, &graph, error));
    if (!add_method(model, "exported program", graph)) {
        return ets_fail_memory(error, "the graph of a record");
    }
    return ETS_OK;
}
