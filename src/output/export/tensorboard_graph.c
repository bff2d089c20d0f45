/*
 * Graphs for TensorBoard. Names of nodes are paths, which make its boxes: trace, method, modules,
 * operator and instruction. They have the letters that TensorFlow allows, so that nothing in them
 * is read as the number of an output or as a control input.
 */
#include "output/export/tensorboard_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "output/graph/graph_source.h"

/* Fields, by message. */
enum { GRAPH_NODE = 1 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, VALUE_LIST = 1, VALUE_TEXT = 2, LIST_SHAPE = 7 };
enum { SHAPE_DIMENSION = 2, SHAPE_UNKNOWN = 3, DIMENSION_SIZE = 1 };
enum { METADATA_STATS = 1, STATS_DEVICE = 1, DEVICE_NAME = 1, DEVICE_NODE = 2 };
enum {
    TIMES_NAME = 1,
    TIMES_START = 2,
    TIMES_OP_START = 3,
    TIMES_OP_END = 4,
    TIMES_END = 5,
    TIMES_START_NS = 13,
    TIMES_OP_END_NS = 15,
    TIMES_END_NS = 16
};

/* The most bytes of a part of a name and of an attribute; the most attributes of a node. */
enum { PART_ROOM = 200, MOST_ATTRIBUTE = 1000, MOST_ATTRIBUTES = 100, MOST_RANK = 64 };
enum { NAME_ROOM = 4 * PART_ROOM + 64 };
static const char device[] = "/device:median of the runs";

bool ets_tensorboard_graph_init(struct ets_tensorboard_graph *graph, struct ets_arena *arena)
{
    *graph = (struct ets_tensorboard_graph){.arena = arena};
    struct ets_message *const messages[] = {&graph->nodes,     &graph->times, &graph->node,
                                            &graph->attribute, &graph->value, &graph->list};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) messages[i]->arena = arena;
    return ets_strings_init(&graph->names, arena) == 0;
}

/* ---- names ---- */

static bool is_allowed(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

/* Appends a text as parts of a path; without empty ones. `-` is only used by unique_name. */
static size_t add_part(char *name, size_t used, struct ets_text text)
{
    const size_t first = used;
    for (size_t i = 0; i < text.size && used - first < PART_ROOM; i++) {
        const char letter = text.data[i];
        if (letter != '/') name[used++] = is_allowed(letter) ? letter : '_';
        else if (used > 0 && name[used - 1] != '/') name[used++] = '/';
    }
    if (used > 0 && name[used - 1] != '/') name[used++] = '/';
    return used;
}

/* "forward/layers/0/addmm.out.i3", which no node has yet; absent: no memory. */
static struct ets_text unique_name(struct ets_tensorboard_graph *graph, const char *prefix,
                                   const struct ets_model_graph *of,
                                   const struct ets_model_node *node)
{
    char name[NAME_ROOM];
    const struct ets_text none = {NULL, 0};
    size_t used = add_part(name, 0, (struct ets_text){prefix, strlen(prefix)});
    used = add_part(name, used, of->id);
    used = add_part(name, used, node->layer);
    char leaf[PART_ROOM];
    struct ets_text label = node->label;
    if (ets_text_starts_with(label, "aten::")) {
        label = (struct ets_text){label.data + 6, label.size - 6};
    }
    const bool is_numbered =
        of->method != ETS_MODEL_NONE && label.size > 0 && !ets_text_same(label, node->id);
    const size_t size = is_numbered ? ets_print_text(leaf, sizeof leaf, "%.*s.%.*s",
                                                     (int)(label.size < 100 ? label.size : 100),
                                                     label.data, ETS_TEXT(node->id))
                                    : ets_print_text(leaf, sizeof leaf, "%.*s", ETS_TEXT(node->id));
    for (size_t i = 0; i < size; i++) name[used++] = is_allowed(leaf[i]) ? leaf[i] : '_';
    if (ets_strings_find(&graph->names, (struct ets_text){name, used}) != UINT32_MAX) {
        used += ets_print_text(name + used, sizeof name - used, "-%u", graph->node_count);
    }
    const char *copy = ets_arena_copy_text(graph->arena, name, used);
    const struct ets_text text = {copy, used};
    return copy == NULL || ets_strings_add(&graph->names, text) == UINT32_MAX ? none : text;
}

/* ---- nodes ---- */

/* "float32[1,16]" as a TensorShapeProto; of a shape that is not known, of unknown rank. */
static bool add_shape(struct ets_tensorboard_graph *graph, struct ets_text shape)
{
    struct ets_message *value = &graph->value;
    size_t at = 0, rank = 0;
    while (at < shape.size && shape.data[at] != '[') at++;
    const bool is_known = at < shape.size;
    if (!is_known && !ets_message_number(value, SHAPE_UNKNOWN, 1)) return false;
    for (at++; at < shape.size && shape.data[at] != ']' && rank < MOST_RANK; rank++) {
        uint64_t size = 0;
        bool is_number = true;
        uint8_t dimension[ETS_PROTO_NUMBER_ROOM];
        for (; at < shape.size && shape.data[at] != ',' && shape.data[at] != ']'; at++) {
            const unsigned digit = (unsigned char)shape.data[at] - (unsigned)'0';
            is_number = is_number && digit < 10 && size < UINT64_C(1) << 58;
            size = is_number ? size * 10 + digit : 0;
        }
        if (at < shape.size && shape.data[at] == ',') at++;
        if (!is_number) size = UINT64_MAX; /* -1: unknown */
        const uint8_t *end = ets_proto_number(dimension, DIMENSION_SIZE, size);
        if (!ets_message_bytes(value, SHAPE_DIMENSION, dimension, (size_t)(end - dimension))) {
            return false;
        }
    }
    return ets_message_take(&graph->list, LIST_SHAPE, value);
}

/* Ends the attribute whose value was gathered. */
static bool put_attribute(struct ets_tensorboard_graph *graph, const char *key)
{
    return ets_message_bytes(&graph->attribute, ATTRIBUTE_KEY, key, strlen(key)) &&
           ets_message_take(&graph->attribute, ATTRIBUTE_VALUE, &graph->value) &&
           ets_message_take(&graph->node, NODE_ATTRIBUTE, &graph->attribute);
}

/* Attributes are a map, so each needs a key of its own. */
static bool add_notes(struct ets_tensorboard_graph *graph, const struct ets_model_node *node)
{
    for (uint32_t i = 0; i < node->note_count && i < MOST_ATTRIBUTES; i++) {
        const struct ets_model_note *note = &node->notes[i];
        const size_t size = note->text.size < MOST_ATTRIBUTE ? note->text.size : MOST_ATTRIBUTE;
        char key[64];
        ets_model_note_key(note, key, sizeof key);
        if (!ets_message_bytes(&graph->value, VALUE_TEXT, note->text.data, size) ||
            !put_attribute(graph, key)) {
            return false;
        }
    }
    if (node->output_count == 0) return true;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!add_shape(graph, node->outputs[i])) return false;
    }
    return ets_message_take(&graph->value, VALUE_LIST, &graph->list) &&
           put_attribute(graph, "_output_shapes");
}

static bool add_input(struct ets_tensorboard_graph *graph, struct ets_text from, uint32_t output)
{
    char text[NAME_ROOM + 16];
    const size_t used = output == 0
                            ? ets_print_text(text, sizeof text, "%.*s", ETS_TEXT(from))
                            : ets_print_text(text, sizeof text, "%.*s:%u", ETS_TEXT(from), output);
    return ets_message_bytes(&graph->node, NODE_INPUT, text, used);
}

static bool add_node(struct ets_tensorboard_graph *graph, const struct ets_text *names,
                     const struct ets_model_graph *of, uint32_t index)
{
    const struct ets_model_node *node = &of->nodes[index];
    char op[PART_ROOM];
    const size_t op_size = ets_print_text(op, sizeof op, "%.*s", ETS_TEXT(node->label));
    for (size_t i = 0; i < op_size; i++) op[i] = op[i] >= ' ' && op[i] < 0x7f ? op[i] : '_';
    if (!ets_message_bytes(&graph->node, NODE_NAME, names[index].data, names[index].size) ||
        !ets_message_bytes(&graph->node, NODE_OP, op, op_size)) {
        return false;
    }
    for (uint32_t i = 0; i < node->edge_count; i++) {
        const struct ets_model_edge *edge = &node->edges[i];
        if (!add_input(graph, names[edge->from], edge->output)) return false;
    }
    return add_notes(graph, node) && ets_message_take(&graph->nodes, GRAPH_NODE, &graph->node);
}

/* ---- times ---- */

/* Of a call what the nodes inside leave over, so that those of a box add up. NAN: not known. */
static double own_ticks(const struct ets_model *model, const struct ets_model_node *node)
{
    double ticks = node->ticks;
    for (uint32_t i = 0; i < node->inner_count; i++) {
        const struct ets_model_graph *inner = &model->graphs[node->inner[i]];
        for (uint32_t k = 0; k < inner->node_count; k++) {
            if (inner->nodes[k].ticks >= 0) ticks -= inner->nodes[k].ticks;
        }
    }
    return ticks < 0 ? 0 : ticks;
}

/* The page reads whole microseconds from 1 on; readers of the file find nanoseconds. */
static bool add_times(struct ets_tensorboard_graph *graph, struct ets_text name, double us)
{
    struct ets_message *node = &graph->node;
    if (!(us < 1e15)) us = 1e15;
    const uint64_t rounded = us < 1 ? 1 : (uint64_t)(us + 0.5), ns = (uint64_t)(us * 1e3 + 0.5);
    graph->time_count++;
    return ets_message_bytes(node, TIMES_NAME, name.data, name.size) &&
           ets_message_number(node, TIMES_START, 1) &&
           ets_message_number(node, TIMES_OP_START, 0) &&
           ets_message_number(node, TIMES_OP_END, rounded) &&
           ets_message_number(node, TIMES_END, rounded) &&
           ets_message_number(node, TIMES_START_NS, 1000) &&
           ets_message_number(node, TIMES_OP_END_NS, ns) &&
           ets_message_number(node, TIMES_END_NS, ns) &&
           ets_message_take(&graph->times, DEVICE_NODE, node);
}

/* ---- graphs ---- */

static bool add_graph(struct ets_tensorboard_graph *graph, const struct ets_model *model,
                      const struct ets_model_graph *of, const char *prefix, double us_per_tick)
{
    struct ets_text *names = ets_arena_alloc_array(graph->arena, of->node_count, sizeof *names);
    if (names == NULL) return false;
    for (uint32_t i = 0; i < of->node_count; i++) {
        names[i] = unique_name(graph, prefix, of, &of->nodes[i]);
        if (names[i].data == NULL) return false;
        graph->node_count++;
    }
    for (uint32_t i = 0; i < of->node_count; i++) {
        const double ticks = own_ticks(model, &of->nodes[i]);
        if (graph->nodes.used > ETS_TENSORBOARD_MOST_BYTES) return true;
        if (!add_node(graph, names, of, i)) return false;
        if (ticks >= 0 && !add_times(graph, names[i], ticks * us_per_tick)) return false;
    }
    return true;
}

static enum ets_status collect(struct ets_model *model, const struct ets_export_trace *trace,
                               struct ets_error *error)
{
    if (trace->program == NULL) return ets_model_add_record(model, trace->record, error);
    return ets_graph_add_program(model, trace->program, trace->record, error);
}

static enum ets_status leave_out(struct ets_export_missing *missing,
                                 const struct ets_export_trace *trace,
                                 const struct ets_error *reason)
{
    if (missing->graph_count++ > 0) return ETS_OK;
    missing->trace = trace->name;
    missing->reason = *reason;
    return ETS_OK;
}

enum ets_status ets_tensorboard_graph_add(struct ets_tensorboard_graph *graph,
                                          const struct ets_export_trace *trace, const char *prefix,
                                          double us_per_tick, struct ets_export_missing *missing,
                                          struct ets_error *error)
{
    struct ets_error reason = {.message = ""};
    struct ets_model model;
    bool has_times;
    uint64_t count = graph->node_count;
    if (trace->program == NULL && trace->record == NULL) return ETS_OK;
    ets_model_init(&model, graph->arena);
    enum ets_status status = collect(&model, trace, &reason);
    if (status == ETS_NO_MEMORY && error != NULL) *error = reason;
    if (status == ETS_NO_MEMORY) return status;
    if (status != ETS_OK) return leave_out(missing, trace, &reason);
    for (uint32_t i = 0; i < model.graph_count; i++) count += model.graphs[i].node_count;
    if (count > ETS_TENSORBOARD_MOST_NODES) {
        (void)ets_fail(&reason, ETS_LIMIT, ETS_NO_OFFSET,
                       "the file would have more than %d nodes, too many for TensorBoard",
                       ETS_TENSORBOARD_MOST_NODES);
        return leave_out(missing, trace, &reason);
    }
    status = ets_graph_add_times(&model, trace->inspection, &has_times, error);
    if (status == ETS_NO_MEMORY) return status;
    const struct ets_message nodes = graph->nodes, times = graph->times;
    const uint32_t node_count = graph->node_count, time_count = graph->time_count;
    for (uint32_t i = 0; i < model.graph_count; i++) {
        if (!add_graph(graph, &model, &model.graphs[i], prefix, us_per_tick)) {
            return ets_fail_memory(error, "the graph");
        }
    }
    if (graph->nodes.used <= ETS_TENSORBOARD_MOST_BYTES) return ETS_OK;
    graph->nodes.used = nodes.used;
    graph->times.used = times.used;
    graph->node_count = node_count;
    graph->time_count = time_count;
    (void)ets_fail(&reason, ETS_LIMIT, ETS_NO_OFFSET,
                   "the file would have more than %d MiB of graphs, too many for TensorBoard",
                   ETS_TENSORBOARD_MOST_BYTES >> 20);
    return leave_out(missing, trace, &reason);
}

bool ets_tensorboard_graph_metadata(struct ets_tensorboard_graph *graph,
                                    struct ets_message *metadata)
{
    struct ets_message *of_device = &graph->attribute, *stats = &graph->value;
    uint8_t *at;
    if (!ets_message_bytes(of_device, DEVICE_NAME, device, sizeof device - 1)) return false;
    at = ets_message_reserve(of_device, graph->times.used);
    if (at == NULL) return false;
    if (graph->times.used > 0) memcpy(at, graph->times.bytes, graph->times.used);
    ets_message_extend(of_device, at + graph->times.used);
    return ets_message_take(stats, STATS_DEVICE, of_device) &&
           ets_message_take(metadata, METADATA_STATS, stats);
}
