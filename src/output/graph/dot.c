/*
 * DOT files. Nodes and clusters are quoted; in quotes only `"` and `\` have a meaning. Opening a
 * cluster of the same name again adds to it, so that nodes can be written in order.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "output/graph/graph_writers.h"

/* A part of a quoted text. What is not safe to print becomes spaces, invalid UTF-8 U+FFFD. */
static void put_part(struct ets_output *output, struct ets_text text)
{
    size_t start = 0, length;
    for (size_t i = 0; i < text.size; i += length) {
        const char c = text.data[i];
        const size_t valid = ets_utf8_length(text.data + i, text.size - i);
        length = valid > 0 ? valid : 1;
        const bool is_plain = ets_plain_length(text.data + i, text.size - i) > 0;
        if (is_plain && c != '"' && c != '\\') continue;
        ets_output_write(output, text.data + start, i - start);
        if (valid == 0) ets_output_write(output, "\xef\xbf\xbd", 3);
        else if (c == '"') ets_output_write(output, "\\\"", 2);
        else if (c == '\\') ets_output_write(output, "\\\\", 2);
        else ets_output_write(output, " ", 1);
        start = i + length;
    }
    ets_output_write(output, text.data + start, text.size - start);
}

static void put_quoted(struct ets_output *output, struct ets_text text)
{
    ets_output_write(output, "\"", 1);
    put_part(output, text);
    ets_output_write(output, "\"", 1);
}

static void put_node_id(struct ets_output *output, uint32_t graph, uint32_t node)
{
    ets_output_print(output, "g%u_n%u", graph, node);
}

/* Opens the clusters of a layer, outermost first; returns how many. Each repeats the path so far.
 */
static uint32_t open_layers(struct ets_output *output, uint32_t graph, struct ets_text layer)
{
    uint32_t depth = 0;
    size_t start = 0;
    while (start < layer.size) {
        const char *slash = depth + 1 == ETS_GRAPH_MOST_MODULES
                                ? NULL
                                : memchr(layer.data + start, '/', layer.size - start);
        const size_t end = slash == NULL ? layer.size : (size_t)(slash - layer.data);
        ets_output_print(output, "subgraph \"cluster_g%u/", graph);
        put_part(output, (struct ets_text){layer.data, end});
        ets_output_print(output, "\" { label=");
        put_quoted(output, (struct ets_text){layer.data + start, end - start});
        ets_output_print(output, "; ");
        start = end + 1;
        depth++;
    }
    return depth;
}

static const char *shape_of(const struct ets_model_node *node)
{
    switch (node->kind) {
    case ETS_MODEL_INPUT:
    case ETS_MODEL_OUTPUT: return "ellipse";
    case ETS_MODEL_BUFFER: return "cylinder";
    case ETS_MODEL_DELEGATE: return "box3d";
    case ETS_MODEL_OPERATOR: break;
    }
    return "box";
}

/* White for nothing, orange for the graph's longest. */
static void put_colour(struct ets_output *output, double share)
{
    ets_output_print(output, ", style=filled, fillcolor=\"#%02x%02x%02x\"",
                     (unsigned)(255 - share * (255 - 244)), (unsigned)(255 - share * (255 - 165)),
                     (unsigned)(255 - share * (255 - 130)));
}

static void put_time(struct ets_output *output, const struct ets_model_node *node, double longest,
                     double ticks_per_us)
{
    if (!(node->ticks >= 0)) return;
    if (ticks_per_us > 0) ets_output_print(output, "\\n%.4g us", node->ticks / ticks_per_us);
    else ets_output_print(output, "\\n%.4g cycles", node->ticks);
    ets_output_write(output, "\"", 1);
    if (longest > 0) put_colour(output, node->ticks / longest);
}

static void put_notes(struct ets_output *output, const struct ets_model_node *node)
{
    ets_output_print(output, ", tooltip=\"");
    put_part(output, node->id);
    for (uint32_t i = 0; i < node->note_count; i++) {
        ets_output_print(output, "\\n%s: ", node->notes[i].key);
        put_part(output, node->notes[i].text);
    }
    ets_output_print(output, "\"");
}

static void put_node(struct ets_output *output, const struct ets_model_graph *graph,
                     uint32_t number, uint32_t index, double longest, double ticks_per_us)
{
    const struct ets_model_node *node = &graph->nodes[index];
    const uint32_t depth = open_layers(output, number, node->layer);
    put_node_id(output, number, index);
    ets_output_print(output, " [shape=%s, label=\"", shape_of(node));
    put_part(output, node->label);
    if (node->ticks >= 0) put_time(output, node, longest, ticks_per_us);
    else ets_output_write(output, "\"", 1);
    put_notes(output, node);
    ets_output_print(output, "];");
    for (uint32_t i = 0; i < depth; i++) ets_output_print(output, " }");
    ets_output_print(output, "\n");
}

static void put_edges(struct ets_output *output, const struct ets_model_graph *graph,
                      uint32_t number, uint32_t index)
{
    const struct ets_model_node *node = &graph->nodes[index];
    for (uint32_t i = 0; i < node->edge_count; i++) {
        const struct ets_model_edge *edge = &node->edges[i];
        const struct ets_model_node *from = &graph->nodes[edge->from];
        put_node_id(output, number, edge->from);
        ets_output_print(output, " -> ");
        put_node_id(output, number, index);
        if (edge->output < from->output_count && from->outputs[edge->output].data != NULL) {
            ets_output_print(output, " [label=");
            put_quoted(output, from->outputs[edge->output]);
            ets_output_print(output, "]");
        }
        ets_output_print(output, ";\n");
    }
}

/* From a call to what is inside of it. */
static void put_inner(struct ets_output *output, const struct ets_model *model, uint32_t number,
                      uint32_t index)
{
    const struct ets_model_node *node = &model->graphs[number].nodes[index];
    for (uint32_t i = 0; i < node->inner_count; i++) {
        if (model->graphs[node->inner[i]].node_count == 0) continue;
        put_node_id(output, number, index);
        ets_output_print(output, " -> ");
        put_node_id(output, node->inner[i], 0);
        ets_output_print(output, " [style=dashed, lhead=cluster_g%u];\n", node->inner[i]);
    }
}

static void put_graph(struct ets_output *output, const struct ets_model *model, uint32_t number,
                      double ticks_per_us)
{
    const struct ets_model_graph *graph = &model->graphs[number];
    double longest = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].ticks > longest) longest = graph->nodes[i].ticks;
    }
    ets_output_print(output, "subgraph cluster_g%u { label=", number);
    put_quoted(output, graph->id);
    ets_output_print(output, ";\n");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        put_node(output, graph, number, i, longest, ticks_per_us);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) put_edges(output, graph, number, i);
    ets_output_print(output, "}\n");
}

void ets_write_dot(struct ets_output *output, const char *title, const struct ets_model *model,
                   double ticks_per_us)
{
    ets_output_print(output, "digraph ");
    put_quoted(output, (struct ets_text){title, strlen(title)});
    ets_output_print(output,
                     " {\ncompound=true;\nnode [fontname=\"Helvetica\", fontsize=11];\n"
                     "edge [fontname=\"Helvetica\", fontsize=9];\n");
    for (uint32_t g = 0; g < model->graph_count; g++) put_graph(output, model, g, ticks_per_us);
    for (uint32_t g = 0; g < model->graph_count; g++) {
        for (uint32_t i = 0; i < model->graphs[g].node_count; i++) put_inner(output, model, g, i);
    }
    ets_output_print(output, "}\n");
}
