/*
 * Graph and node data files of Model Explorer. Identifiers and values of attributes are texts; a
 * node names what it takes, and nothing names what takes it.
 */
#include <stdio.h>
#include <string.h>

#include "output/graph/graph_writers.h"
#include "output/text/json_writer.h"

static void put_attribute(struct ets_json_writer *json, const char *key, struct ets_text value)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "key", key);
    ets_json_put_text(json, "value", value);
    ets_json_end_object(json);
}

static void put_number(struct ets_json_writer *json, const char *key, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    ets_json_put_string(json, key, text);
}

static void put_edges(struct ets_json_writer *json, const struct ets_model_graph *graph,
                      const struct ets_model_node *node)
{
    ets_json_begin_array(json, "incomingEdges");
    for (uint32_t i = 0; i < node->edge_count; i++) {
        const struct ets_model_edge *edge = &node->edges[i];
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "sourceNodeId", graph->nodes[edge->from].id);
        put_number(json, "sourceNodeOutputId", edge->output);
        put_number(json, "targetNodeInputId", edge->input);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_outputs(struct ets_json_writer *json, const struct ets_model_node *node)
{
    ets_json_begin_array(json, "outputsMetadata");
    for (uint32_t i = 0; i < node->output_count; i++) {
        ets_json_begin_object(json, NULL);
        put_number(json, "id", i);
        ets_json_begin_array(json, "attrs");
        if (node->outputs[i].data != NULL) put_attribute(json, "tensor_shape", node->outputs[i]);
        ets_json_end_array(json);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

/* A path with a limited number of parts: the last is the rest, with dots. Absent: no memory. */
static struct ets_text limited(struct ets_arena *arena, struct ets_text layer)
{
    uint32_t depth = 1;
    size_t end = 0;
    for (; end < layer.size && depth < ETS_GRAPH_MOST_MODULES; end++)
        depth += layer.data[end] == '/';
    if (end == layer.size || memchr(layer.data + end, '/', layer.size - end) == NULL) return layer;
    char *copy = ets_arena_copy_text(arena, layer.data, layer.size);
    if (copy == NULL) return (struct ets_text){NULL, 0};
    for (; end < layer.size; end++) copy[end] = copy[end] == '/' ? '.' : copy[end];
    return (struct ets_text){copy, layer.size};
}

/* Inputs and outputs lie in groups of their own, as they belong to no module. */
static struct ets_text layer_of(struct ets_arena *arena, const struct ets_model_node *node)
{
    switch (node->kind) {
    case ETS_MODEL_INPUT: return (struct ets_text){"Inputs", 6};
    case ETS_MODEL_BUFFER: return (struct ets_text){"Buffers", 7};
    case ETS_MODEL_OUTPUT: return (struct ets_text){"Outputs", 7};
    case ETS_MODEL_OPERATOR:
    case ETS_MODEL_DELEGATE: break;
    }
    return limited(arena, node->layer);
}

static bool put_node(struct ets_json_writer *json, const struct ets_model *model,
                     const struct ets_model_graph *graph, const struct ets_model_node *node)
{
    const struct ets_text layer = layer_of(model->arena, node);
    if (layer.data == NULL) return false;
    ets_json_begin_row(json);
    ets_json_put_text(json, "id", node->id);
    ets_json_put_text(json, "label", node->label);
    ets_json_put_text(json, "namespace", layer);
    ets_json_begin_array(json, "attrs");
    for (uint32_t i = 0; i < node->note_count; i++) { /* of equal keys the last would be shown */
        char key[64];
        ets_model_note_key(&node->notes[i], key, sizeof key);
        put_attribute(json, key, node->notes[i].text);
    }
    ets_json_end_array(json);
    put_edges(json, graph, node);
    put_outputs(json, node);
    if (node->inner_count > 0) {
        ets_json_begin_array(json, "subgraphIds");
        for (uint32_t i = 0; i < node->inner_count; i++) {
            ets_json_put_text(json, NULL, model->graphs[node->inner[i]].id);
        }
        ets_json_end_array(json);
    }
    ets_json_end_row(json);
    return true;
}

bool ets_write_model_explorer(struct ets_output *output, const char *title,
                              const struct ets_model *model)
{
    struct ets_json_writer json = {.output = output};
    ets_json_begin_object(&json, NULL);
    ets_json_put_string(&json, "label", title);
    ets_json_begin_array(&json, "graphs");
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const struct ets_model_graph *graph = &model->graphs[g];
        ets_json_begin_object(&json, NULL);
        ets_json_put_text(&json, "id", graph->id);
        ets_json_begin_array(&json, "nodes");
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (!put_node(&json, model, graph, &graph->nodes[i])) return false;
        }
        ets_json_end_array(&json);
        ets_json_end_object(&json);
    }
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    ets_json_end_document(&json);
    return true;
}

static void put_gradient(struct ets_json_writer *json)
{
    static const char *const colours[] = {"#ffffff", "#f4a582"};
    ets_json_begin_array(json, "gradient");
    for (int stop = 0; stop < 2; stop++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_integer(json, "stop", stop);
        ets_json_put_string(json, "bgColor", colours[stop]);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static bool has_times(const struct ets_model_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].ticks >= 0) return true;
    }
    return false;
}

static void put_times(struct ets_json_writer *json, const struct ets_model_graph *graph,
                      double ticks_per_us)
{
    ets_json_begin_object(json, "results");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_model_node *node = &graph->nodes[i];
        if (!(node->ticks >= 0)) continue;
        ets_json_begin_object_of(json, node->id);
        ets_json_put_real(json, "value",
                          ticks_per_us > 0 ? node->ticks / ticks_per_us : node->ticks);
        ets_json_end_object(json);
    }
    ets_json_end_object(json);
}

void ets_write_model_explorer_data(struct ets_output *output, const struct ets_model *model,
                                   double ticks_per_us)
{
    struct ets_json_writer json = {.output = output};
    ets_json_begin_object(&json, NULL);
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const struct ets_model_graph *graph = &model->graphs[g];
        if (!has_times(graph)) continue;
        ets_json_begin_object_of(&json, graph->id);
        ets_json_put_string(&json, "name",
                            ticks_per_us > 0 ? "median time (us)" : "median time (cycles)");
        put_times(&json, graph, ticks_per_us);
        put_gradient(&json);
        ets_json_end_object(&json);
    }
    ets_json_end_object(&json);
    ets_json_end_document(&json);
}
