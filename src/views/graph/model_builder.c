/* The growing arrays of a model, and its texts. */
#include "views/graph/model_builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "views/places.h"

void ets_model_init(struct ets_model *model, struct ets_arena *arena)
{
    *model = (struct ets_model){.arena = arena};
}

uint32_t ets_model_add_graph(struct ets_model *model, struct ets_text id)
{
    struct ets_model_graph *graphs = ets_arena_grow(model->arena, model->graphs, model->graph_count,
                                                    &model->graph_room, sizeof *graphs);
    if (graphs == NULL || id.data == NULL) return ETS_MODEL_NONE;
    model->graphs = graphs;
    graphs[model->graph_count] =
        (struct ets_model_graph){.id = id, .method = ETS_MODEL_NONE, .call = ETS_MODEL_NONE};
    return model->graph_count++;
}

uint32_t ets_model_add_node(struct ets_model *model, struct ets_model_graph *graph,
                            enum ets_model_node_kind kind, struct ets_text id,
                            struct ets_text label)
{
    struct ets_model_node *nodes = ets_arena_grow(model->arena, graph->nodes, graph->node_count,
                                                  &graph->node_room, sizeof *nodes);
    if (nodes == NULL || id.data == NULL) return ETS_MODEL_NONE;
    graph->nodes = nodes;
    nodes[graph->node_count] = (struct ets_model_node){
        .kind = kind, .id = id, .label = label, .layer = {"", 0}, .ticks = (double)NAN};
    return graph->node_count++;
}

bool ets_model_note(struct ets_model *model, struct ets_model_node *node, const char *key,
                    struct ets_text text)
{
    if (text.size == 0 || text.data == NULL) return true;
    struct ets_model_note *notes = ets_arena_grow(model->arena, node->notes, node->note_count,
                                                  &node->note_room, sizeof *notes);
    if (notes == NULL) return false;
    node->notes = notes;
    uint32_t number = 0;
    for (uint32_t i = node->note_count; number == 0 && i-- > 0;) {
        if (strcmp(notes[i].key, key) == 0) number = notes[i].number + 1;
    }
    notes[node->note_count++] = (struct ets_model_note){key, text, number};
    return true;
}

void ets_model_note_key(const struct ets_model_note *note, char *key, size_t size)
{
    if (note->number == 0) snprintf(key, size, "%.40s", note->key);
    else snprintf(key, size, "%.40s %u", note->key, note->number + 1);
}

static struct ets_text print(struct ets_model *model, const char *format, va_list arguments)
    ETS_PRINTF(2, 0);

static struct ets_text print(struct ets_model *model, const char *format, va_list arguments)
{
    char text[512];
    const int length = vsnprintf(text, sizeof text, format, arguments);
    const size_t size = length < 0                     ? 0
                        : (size_t)length < sizeof text ? (size_t)length
                                                       : sizeof text - 1;
    const char *copy = ets_arena_copy_text(model->arena, text, size);
    return (struct ets_text){copy, copy == NULL ? 0 : size};
}

struct ets_text ets_model_print(struct ets_model *model, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct ets_text text = print(model, format, arguments);
    va_end(arguments);
    return text;
}

bool ets_model_print_note(struct ets_model *model, struct ets_model_node *node, const char *key,
                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct ets_text text = print(model, format, arguments);
    va_end(arguments);
    return text.data != NULL && ets_model_note(model, node, key, text);
}

bool ets_model_add_output(struct ets_model *model, struct ets_model_node *node,
                          struct ets_text type)
{
    struct ets_text *outputs = ets_arena_grow(model->arena, node->outputs, node->output_count,
                                              &node->output_room, sizeof *outputs);
    if (outputs == NULL) return false;
    node->outputs = outputs;
    outputs[node->output_count++] = type;
    return true;
}

bool ets_model_add_edge(struct ets_model *model, struct ets_model_graph *graph, uint32_t to,
                        struct ets_model_edge edge)
{
    struct ets_model_node *node = &graph->nodes[to];
    for (uint32_t i = node->edge_count; i > 0; i--) { /* edges of one input follow each other */
        const struct ets_model_edge *other = &node->edges[i - 1];
        if (other->input != edge.input) break;
        if (other->from == edge.from && other->output == edge.output) return true;
    }
    struct ets_model_edge *edges = ets_arena_grow(model->arena, node->edges, node->edge_count,
                                                  &node->edge_room, sizeof *edges);
    if (edges == NULL) return false;
    node->edges = edges;
    edges[node->edge_count++] = edge;
    return true;
}

bool ets_model_add_inner(struct ets_model *model, struct ets_model_node *node, uint32_t graph)
{
    uint32_t *inner = ets_arena_grow(model->arena, node->inner, node->inner_count,
                                     &node->inner_room, sizeof *inner);
    if (inner == NULL) return false;
    node->inner = inner;
    inner[node->inner_count++] = graph;
    return true;
}

struct ets_text ets_model_shape(struct ets_model *model, const char *type, uint32_t rank,
                                const int64_t *sizes, const struct ets_text *names)
{
    char text[512];
    size_t used = ets_print_text(text, sizeof text, "%s[", type);
    for (uint32_t i = 0; i < rank; i++) {
        const char *comma = i > 0 ? "," : "";
        char *end = text + used;
        const size_t room = sizeof text - used;
        if (names != NULL && names[i].data != NULL) {
            used += ets_print_text(end, room, "%s%.*s", comma, ETS_TEXT(names[i]));
        } else if (sizes[i] < 0) {
            used += ets_print_text(end, room, "%s?", comma);
        } else {
            used += ets_print_text(end, room, "%s%lld", comma, (long long)sizes[i]);
        }
    }
    used += ets_print_text(text + used, sizeof text - used, "]");
    const char *copy = ets_arena_copy_text(model->arena, text, used);
    return (struct ets_text){copy, copy == NULL ? 0 : used};
}

/* Bytes of a path that another path shares, whole parts only. */
static size_t common_part(struct ets_text path, size_t size, struct ets_text other)
{
    size_t at = 0, whole = 0;
    while (at < size && at < other.size && path.data[at] == other.data[at]) {
        if (path.data[at] == '.') whole = at;
        at++;
    }
    const bool ends_path = at == size && (at == other.size || other.data[at] == '.');
    const bool ends_other = at == other.size && (at == size || path.data[at] == '.');
    return ends_path || ends_other ? at : whole;
}

/* The path of the innermost module of a node; absent: none. */
static struct ets_text path_of(const struct ets_graph_node *node)
{
    if (node->module_count == 0) return (struct ets_text){NULL, 0};
    return node->modules[node->module_count - 1].path;
}

static bool set_layer(struct ets_model *model, struct ets_model_node *node,
                      const struct ets_row_node *nodes, size_t node_count)
{
    struct ets_text path = {NULL, 0};
    for (size_t i = 0; i < node_count; i++) {
        const struct ets_text other = path_of(nodes[i].node);
        if (other.data == NULL) continue;
        if (path.data == NULL) path = other;
        else path.size = common_part(path, path.size, other);
    }
    char *layer = ets_arena_copy_text(model->arena, path.data == NULL ? "" : path.data, path.size);
    if (layer == NULL) return false;
    for (size_t i = 0; i < path.size; i++) {
        if (layer[i] == '.') layer[i] = '/';
    }
    node->layer = (struct ets_text){layer, path.size};
    return true;
}

/* "a.py:3, b.py:5", without those for which there is no room. */
static bool note_list(struct ets_model *model, struct ets_model_node *node, const char *key,
                      const struct ets_text_list *list)
{
    char text[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < list->count; i++) {
        const size_t needed = list->items[i].size + (i > 0 ? 2 : 0);
        if (used + needed + 16 > sizeof text) {
            used += ets_print_text(text + used, sizeof text - used, "%s%zu more", i > 0 ? ", " : "",
                                   list->count - i);
            break;
        }
        used += ets_print_text(text + used, sizeof text - used, "%s%.*s", i > 0 ? ", " : "",
                               ETS_TEXT(list->items[i]));
    }
    const char *copy = ets_arena_copy_text(model->arena, text, used);
    return copy != NULL && ets_model_note(model, node, key, (struct ets_text){copy, used});
}

bool ets_model_place(struct ets_model *model, struct ets_model_node *node,
                     const struct ets_row_node *nodes, size_t node_count)
{
    struct ets_text_list sources, modules;
    return set_layer(model, node, nodes, node_count) &&
           ets_operator_node_places(model->arena, nodes, node_count, &sources, &modules) &&
           note_list(model, node, "source", &sources) && note_list(model, node, "module", &modules);
}
