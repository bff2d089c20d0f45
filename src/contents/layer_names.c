/* Finds modules and parameters behind debug handles, in the edge graphs of a record. */
#include "contents/layer_names.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"

/* A parameter may go through some nodes that only turn or convert it. */
enum { MOST_STEPS = 8 };
/* Looks at nodes and arguments: what real models take is below the number of their nodes. */
enum { LOOKS_FLOOR = 1 << 20, LOOKS_TIMES = 64 };

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

static bool add_graphs(struct ets_layer_method *method, struct ets_arena *arena,
                       const struct ets_graph *top)
{
    method->graph_count = 1 + top->subgraph_count;
    method->graphs = ets_arena_alloc_array(arena, method->graph_count, sizeof *method->graphs);
    for (uint32_t g = 0; method->graphs != NULL && g < method->graph_count; g++) {
        const struct ets_graph *graph = g == 0 ? top : top->subgraphs[g - 1];
        if (!add_inputs(&method->graphs[g], arena, graph)) return false;
    }
    return method->graphs != NULL;
}

enum ets_status ets_layer_names_init(struct ets_layer_names *names, struct ets_arena *arena,
                                     struct ets_etrecord *record, struct ets_error *error)
{
    *names = (struct ets_layer_names){.record = record};
    if (record == NULL) return ETS_OK;
    const size_t count = ets_etrecord_method_count(record);
    names->methods = ets_arena_alloc_array(arena, count, sizeof *names->methods);
    if (names->methods == NULL) return ets_fail_memory(error, "the record's layers");
    for (size_t i = 0; i < count; i++) {
        struct ets_layer_method *method = &names->methods[names->method_count];
        const struct ets_graph *graph;
        method->name = ets_etrecord_method_name(record, i);
        const enum ets_status status = ets_etrecord_edge_graph(record, method->name, &graph, error);
        if (status == ETS_NOT_FOUND) continue; /* in the maps alone */
        ETS_TRY(status);
        ETS_TRY(ets_handle_nodes_read(arena, record, method->name, &method->nodes, error));
        if (!add_graphs(method, arena, graph)) return ets_fail_memory(error, "the record's layers");
        method->looks_left = LOOKS_FLOOR + LOOKS_TIMES * (uint64_t)method->nodes.count;
        names->method_count++;
    }
    return ETS_OK;
}

struct ets_layer_method *ets_layer_method(const struct ets_layer_names *names,
                                          const struct ets_method *method)
{
    struct ets_chain chain;
    for (uint32_t i = 0; i < names->method_count; i++) {
        if (!ets_text_is(method->name, names->methods[i].name)) continue;
        if (method->chain_count == 0) return NULL;
        ets_method_chain(method, 0, &chain);
        const char *name = names->methods[i].name;
        if (ets_etrecord_check_chain(names->record, name, &chain, NULL) != ETS_OK) return NULL;
        if (ets_etrecord_infer_chain(names->record, name, &chain, NULL) != ETS_OK) return NULL;
        return &names->methods[i];
    }
    return NULL;
}

/* The nodes with a handle, as far as they may still be looked at. */
static const struct ets_handle_node *find_nodes(struct ets_layer_method *method, int64_t handle,
                                                uint32_t *count_out)
{
    const struct ets_handle_node *nodes = ets_handle_nodes_of(&method->nodes, handle, count_out);
    if (*count_out > method->looks_left) *count_out = (uint32_t)method->looks_left;
    method->looks_left -= *count_out;
    return nodes;
}

static const struct ets_layer_graph *graph_of(struct ets_layer_method *method,
                                              const struct ets_graph *graph)
{
    uint32_t number = 0;
    while (method->graphs[number].graph != graph) number++;
    method->looks_left -= number < method->looks_left ? number : method->looks_left;
    return &method->graphs[number];
}

struct ets_text ets_layer_module(struct ets_layer_method *method, int64_t handle)
{
    uint32_t count;
    const struct ets_handle_node *nodes = find_nodes(method, handle, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_text module = ets_graph_module_path(nodes[i].node);
        if (module.data != NULL) return module;
    }
    return (struct ets_text){NULL, 0};
}

/* Whether a node gives what it takes in another shape, order or type, and nothing else. */
static bool only_turns(const struct ets_graph_node *node)
{
    return ets_operator_is(node->op, ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE | ETS_OPERATOR_CAST |
                                         ETS_OPERATOR_DEQUANTIZE);
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

static bool fits_query(const struct ets_layer_graph *graph, const struct ets_graph_input *input,
                       const struct ets_parameter_query *query)
{
    const struct ets_graph_value *value = ets_graph_find_value(graph->graph, input->argument.name);
    uint64_t count = 1;
    if (value == NULL || value->scalar_type < 0) return false;
    if (value->rank < query->least_rank || value->rank > query->most_rank) return false;
    if (query->scalar_type >= 0 && value->scalar_type != query->scalar_type) return false;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->sizes[i] < 0 || !ets_mul_u64(count, (uint64_t)value->sizes[i], &count)) {
            return false;
        }
    }
    return query->element_count == 0 || count == query->element_count;
}

/* What was found among the arguments of some nodes. */
struct finding {
    struct ets_text last, wanted; /* of those found, each once */
    uint32_t count;
};

static void look_at(const struct ets_layer_graph *graph, const struct ets_graph_argument *argument,
                    const struct ets_parameter_query *query, struct finding *found)
{
    if (argument->kind != ETS_ARGUMENT_TENSOR) return;
    const struct ets_graph_input *input = weight_behind(graph, argument->name);
    if (input == NULL || !fits_query(graph, input, query)) return;
    if (ets_text_equal(found->last, input->source)) return;
    found->last = input->source;
    if (found->count++ == query->position) found->wanted = input->source;
}

struct ets_text ets_layer_parameter(struct ets_layer_method *method, int64_t handle,
                                    const struct ets_parameter_query *query)
{
    struct finding found = {.count = 0};
    uint32_t count;
    const struct ets_handle_node *nodes = find_nodes(method, handle, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_layer_graph *graph = graph_of(method, nodes[i].graph);
        const struct ets_graph_node *node = nodes[i].node;
        for (uint32_t k = 0; k < node->input_count && method->looks_left > 0; k++) {
            const struct ets_graph_argument *argument = &node->inputs[k];
            const uint32_t items = argument->kind == ETS_ARGUMENT_LIST ? argument->item_count : 0;
            look_at(graph, argument, query, &found);
            method->looks_left--;
            for (uint32_t j = 0; j < items && method->looks_left > 0; j++, method->looks_left--) {
                look_at(graph, &argument->items[j], query, &found);
            }
        }
    }
    if (method->looks_left == 0) return (struct ets_text){NULL, 0}; /* maybe not all were seen */
    return found.count == query->count ? found.wanted : (struct ets_text){NULL, 0};
}
