/* Finds modules and parameters behind debug handles, in the edge graphs of a record. */
#include "contents/layer_names.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record_maps.h"

/* A parameter may go through some nodes that only turn or convert it. */
enum { MOST_STEPS = 8 };
/* Looks at nodes and arguments: what real models take is below the number of their nodes. */
enum { LOOKS_FLOOR = 1 << 20, LOOKS_TIMES = 64 };

static void collect(const struct ets_graph *graph, uint32_t number, struct ets_layer_method *method,
                    bool is_filling)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        if (node->debug_handle <= 0) continue; /* 0: never set */
        if (is_filling) {
            method->nodes[method->node_count] =
                (struct ets_layer_node){node->debug_handle, number, node};
        }
        method->node_count++;
    }
}

static const struct ets_graph *graph_at(const struct ets_graph *top, uint32_t number)
{
    return number == 0 ? top : top->subgraphs[number - 1];
}

/* Of nodes with one handle, those of a graph lie in its order; `nodes` is one array for each. */
static int compare_nodes(const void *left, const void *right)
{
    const struct ets_layer_node *a = left, *b = right;
    if (a->handle != b->handle) return a->handle < b->handle ? -1 : 1;
    if (a->graph != b->graph) return a->graph < b->graph ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool add_inputs(struct ets_layer_graph *each, struct ets_arena *arena,
                       const struct ets_graph *graph)
{
    each->graph = graph;
    if (ets_strings_init(&each->inputs, arena) != 0) return false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        /* A name that was there before would move the numbers behind it: nothing is known then. */
        const uint32_t number = ets_strings_add(&each->inputs, graph->inputs[i].argument.name);
        if (number == UINT32_MAX) return false;
        if (number != i + 1) return ets_strings_init(&each->inputs, arena) == 0;
    }
    return true;
}

static bool add_method(struct ets_layer_method *method, struct ets_arena *arena, const char *name,
                       const struct ets_graph *top)
{
    method->name = name;
    method->graph_count = 1 + top->subgraph_count;
    method->graphs = ets_arena_alloc_array(arena, method->graph_count, sizeof *method->graphs);
    if (method->graphs == NULL) return false;
    for (uint32_t g = 0; g < method->graph_count; g++) {
        collect(graph_at(top, g), g, method, false);
        if (!add_inputs(&method->graphs[g], arena, graph_at(top, g))) return false;
    }
    method->nodes = ets_arena_alloc_array(arena, method->node_count, sizeof *method->nodes);
    if (method->nodes == NULL) return false;
    method->node_count = 0;
    for (uint32_t g = 0; g < method->graph_count; g++) collect(graph_at(top, g), g, method, true);
    qsort(method->nodes, method->node_count, sizeof *method->nodes, compare_nodes);
    method->looks_left = LOOKS_FLOOR + LOOKS_TIMES * (uint64_t)method->node_count;
    return true;
}

enum ets_status ets_layer_names_init(struct ets_layer_names *names, struct ets_arena *arena,
                                     struct ets_etrecord *record, struct ets_error *error)
{
    *names = (struct ets_layer_names){.record = record};
    if (record == NULL) return ETS_OK;
    const size_t count = ets_etrecord_method_count(record);
    names->methods = ets_arena_alloc_array(arena, count, sizeof *names->methods);
    bool ok = names->methods != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = ets_etrecord_method_name(record, i);
        const struct ets_graph *graph;
        const enum ets_status status = ets_etrecord_edge_graph(record, name, &graph, error);
        if (status == ETS_NOT_FOUND) continue; /* in the maps alone */
        if (status != ETS_OK) return status;
        ok = add_method(&names->methods[names->method_count++], arena, name, graph);
    }
    return ok ? ETS_OK : ets_fail_memory(error, "the record's layers");
}

struct ets_layer_method *ets_layer_method(const struct ets_layer_names *names, struct ets_text name)
{
    for (uint32_t i = 0; i < names->method_count; i++) {
        if (ets_text_is(name, names->methods[i].name)) return &names->methods[i];
    }
    return NULL;
}

/* The nodes with a handle, in the graphs' order. */
static const struct ets_layer_node *find_nodes(struct ets_layer_method *method, int64_t handle,
                                               uint32_t *count_out)
{
    uint32_t low = 0, high = method->node_count, count = 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (method->nodes[middle].handle < handle) low = middle + 1;
        else high = middle;
    }
    while (low + count < method->node_count && method->nodes[low + count].handle == handle &&
           method->looks_left > 0) {
        method->looks_left--;
        count++;
    }
    *count_out = count;
    return method->nodes + low;
}

struct ets_text ets_layer_module(struct ets_layer_method *method, int64_t handle)
{
    uint32_t count;
    const struct ets_layer_node *nodes = find_nodes(method, handle, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_text module = ets_graph_module_path(nodes[i].node);
        if (module.data != NULL) return module;
    }
    return (struct ets_text){NULL, 0};
}

/* Whether a node gives what it takes in another shape, order or type, and nothing else. */
static bool only_turns(const struct ets_graph_node *node)
{
    static const char *const parts[] = {
        "permute", "transpose", ".t.",       "view",  "reshape",    "dequantize",
        "to_copy", "dim_order", "unsqueeze", "clone", "contiguous", "squeeze",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (ets_text_contains(node->op, parts[i])) return true;
    }
    return false;
}

/* The graph's input that a value is made of; NULL: it is computed, or the user's. */
static const struct ets_graph_input *weight_behind(const struct ets_layer_graph *graph,
                                                   struct ets_text name)
{
    for (int step = 0; step < MOST_STEPS; step++) {
        const uint32_t number = ets_strings_find(&graph->inputs, name);
        if (number != UINT32_MAX && number > 0) {
            const struct ets_graph_input *input = &graph->graph->inputs[number - 1];
            return input->source.data != NULL ? input : NULL;
        }
        const struct ets_graph_node *node = ets_graph_find_node(graph->graph, name);
        if (node == NULL || node->input_count == 0 || !only_turns(node)) return NULL;
        if (node->inputs[0].kind != ETS_ARGUMENT_TENSOR) return NULL;
        name = node->inputs[0].name;
    }
    return NULL;
}

static bool is_wished(const struct ets_layer_graph *graph, const struct ets_graph_input *input,
                      const struct ets_layer_wish *wish)
{
    const struct ets_graph_value *value = ets_graph_find_value(graph->graph, input->argument.name);
    uint64_t count = 1;
    if (value == NULL || value->scalar_type < 0) return false;
    if (value->rank < wish->least_rank || value->rank > wish->most_rank) return false;
    if (wish->scalar_type >= 0 && value->scalar_type != wish->scalar_type) return false;
    for (uint32_t i = 0; i < value->rank; i++) count *= (uint64_t)value->sizes[i];
    return wish->element_count == 0 || count == wish->element_count;
}

/* What was found among the arguments of some nodes. */
struct finding {
    struct ets_text last, wanted; /* of those found, each once */
    uint32_t count;
};

static void look_at(const struct ets_layer_graph *graph, const struct ets_graph_argument *argument,
                    const struct ets_layer_wish *wish, struct finding *found)
{
    if (argument->kind != ETS_ARGUMENT_TENSOR) return;
    const struct ets_graph_input *input = weight_behind(graph, argument->name);
    if (input == NULL || !is_wished(graph, input, wish)) return;
    if (ets_text_equal(found->last, input->source)) return;
    found->last = input->source;
    if (found->count++ == wish->position) found->wanted = input->source;
}

struct ets_text ets_layer_parameter(struct ets_layer_method *method, int64_t handle,
                                    const struct ets_layer_wish *wish)
{
    struct finding found = {.count = 0};
    uint32_t count;
    const struct ets_layer_node *nodes = find_nodes(method, handle, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_layer_graph *graph = &method->graphs[nodes[i].graph];
        const struct ets_graph_node *node = nodes[i].node;
        for (uint32_t k = 0; k < node->input_count; k++) {
            const struct ets_graph_argument *argument = &node->inputs[k];
            const uint32_t items = argument->kind == ETS_ARGUMENT_LIST ? argument->item_count : 0;
            look_at(graph, argument, wish, &found);
            for (uint32_t j = 0; j < items && method->looks_left > 0; j++, method->looks_left--) {
                look_at(graph, &argument->items[j], wish, &found);
            }
        }
    }
    return found.count == wish->count ? found.wanted : (struct ets_text){NULL, 0};
}
