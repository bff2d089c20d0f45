/* Sorts the nodes of a graph by debug handle. */
#include "contents/handle_nodes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record_maps.h"

const char *ets_record_method(const struct ets_etrecord *record, struct ets_text name)
{
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        const char *method = ets_etrecord_method_name(record, i);
        if (ets_text_is(name, method)) return method;
    }
    return NULL;
}

static uint32_t add_nodes(const struct ets_graph *graph, struct ets_handle_node *items,
                          uint32_t count)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        if (node->debug_handle <= 0) continue;
        if (items != NULL) items[count] = (struct ets_handle_node){node->debug_handle, node, graph};
        count++;
    }
    return count;
}

static uint32_t add_all(const struct ets_graph *graph, struct ets_handle_node *items)
{
    uint32_t count = add_nodes(graph, items, 0);
    for (uint32_t i = 0; i < graph->subgraph_count; i++) {
        count = add_nodes(graph->subgraphs[i], items, count);
    }
    return count;
}

/* By handle; a list of nodes lies in the order of the graph. */
static int compare_nodes(const void *left, const void *right)
{
    const struct ets_handle_node *a = left, *b = right;
    if (a->handle != b->handle) return a->handle < b->handle ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

enum ets_status ets_handle_nodes_read(struct ets_arena *arena, struct ets_etrecord *record,
                                      const char *method, struct ets_handle_nodes *nodes_out,
                                      struct ets_error *error)
{
    const struct ets_graph *graph;
    *nodes_out = (struct ets_handle_nodes){.items = NULL};
    const enum ets_status status = ets_etrecord_edge_graph(record, method, &graph, error);
    if (status == ETS_NOT_FOUND || status == ETS_UNAVAILABLE) return ETS_OK;
    ETS_TRY(status);
    const uint32_t count = add_all(graph, NULL);
    nodes_out->items = ets_arena_alloc_array(arena, count, sizeof *nodes_out->items);
    if (nodes_out->items == NULL) return ets_fail_memory(error, "the record's debug handles");
    nodes_out->count = add_all(graph, nodes_out->items);
    nodes_out->graph = graph;
    if (!ets_parameter_readers_build(&nodes_out->readers, arena, graph)) {
        return ets_fail_memory(error, "the record's parameters");
    }
    qsort(nodes_out->items, count, sizeof *nodes_out->items, compare_nodes);
    return ETS_OK;
}

/* The first node of `handle` or of a higher one. */
static uint32_t find_first(const struct ets_handle_nodes *nodes, int64_t handle)
{
    uint32_t low = 0, high = nodes->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (nodes->items[middle].handle < handle) low = middle + 1;
        else high = middle;
    }
    return low;
}

const struct ets_handle_node *ets_handle_nodes_of(const struct ets_handle_nodes *nodes,
                                                  int64_t handle, uint32_t *count_out)
{
    const uint32_t first = find_first(nodes, handle);
    uint32_t end = first;
    while (end < nodes->count && nodes->items[end].handle == handle) end++;
    *count_out = end - first;
    return nodes->items + first;
}

const struct ets_graph_node *ets_handle_nodes_find(const struct ets_handle_nodes *nodes,
                                                   int64_t handle)
{
    const uint32_t at = find_first(nodes, handle);
    return at < nodes->count && nodes->items[at].handle == handle ? nodes->items[at].node : NULL;
}

int64_t ets_handle_of_payload_node(const struct ets_handle_nodes *nodes,
                                   const struct ets_payload_node *node)
{
    int64_t handle = node->debug_handle;
    if (handle > 0 || nodes->graph == NULL) return handle;
    if (node->edge_name.size > 0) handle = ets_graph_handle_of(nodes->graph, node->edge_name);
    if (handle > 0) return handle;
    return ets_parameter_readers_find(&nodes->readers, node->edge_parameter);
}
