/* Indexes the nodes of a graph by debug handle, and limits the cost of lists of them. */
#include <string.h>

#include "inspect/inspection.h"
#include "operators/operator_traits.h"

/* Limits lists: in a small record many rows and many nodes can share a handle, which multiplies. */
enum { LISTED_FLOOR = 1 << 22, LISTED_TIMES = 64 };

static uint32_t collect(const struct ets_graph *graph, struct ets_row_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        if (node->debug_handle < 0) continue;
        if (nodes != NULL) nodes[count] = (struct ets_row_node){node, node->debug_handle};
        count++;
    }
    return count;
}

static uint32_t collect_all(const struct ets_graph *graph, int with_subgraphs,
                            struct ets_row_node *nodes)
{
    uint32_t count = collect(graph, nodes, 0);
    for (uint32_t i = 0; with_subgraphs && i < graph->subgraph_count; i++) {
        count = collect(graph->subgraphs[i], nodes, count);
    }
    return count;
}

enum ets_status ets_handle_index_build(struct ets_arena *arena, const struct ets_graph *graph,
                                       int with_subgraphs, struct ets_handle_index *index_out,
                                       struct ets_error *error)
{
    const uint32_t count = collect_all(graph, with_subgraphs, NULL);
    struct ets_row_node *nodes = ets_arena_alloc_array(arena, count, sizeof *nodes);
    struct ets_row_node *spare = ets_arena_alloc_array(arena, count, sizeof *spare);
    uint32_t *list = ets_arena_alloc_array(arena, count, sizeof *list);
    uint32_t *uses = ets_arena_alloc_array(arena, count, sizeof *uses);
    if (nodes == NULL || spare == NULL || list == NULL || uses == NULL)
        return ets_fail_memory(error, "the record's debug handles");
    collect_all(graph, with_subgraphs, nodes);
    /* Merge sort, bottom-up. Stable, which keeps graph order within a handle. */
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            const uint32_t middle = start + width < count ? start + width : count;
            const uint32_t end = middle + width < count ? middle + width : count;
            uint32_t left = start, right = middle;
            for (uint32_t k = start; k < end; k++) {
                const int take_left =
                    left < middle && (right == end || nodes[left].handle <= nodes[right].handle);
                spare[k] = nodes[take_left ? left++ : right++];
            }
        }
        struct ets_row_node *swap = nodes;
        nodes = spare;
        spare = swap;
    }
    *index_out = (struct ets_handle_index){.graph = graph,
                                           .nodes = nodes,
                                           .list = list,
                                           .uses = uses,
                                           .count = count,
                                           .budget = LISTED_FLOOR + LISTED_TIMES * (uint64_t)count};
    ets_key_table_init(&index_out->known, arena, 2);
    return ETS_OK;
}

/* The first node whose handle is `handle` or more; `above`: more. */
static uint32_t find_bound(const struct ets_handle_index *index, int64_t handle, int above)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int64_t other = index->nodes[middle].handle;
        if (other < handle || (above && other == handle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

const struct ets_row_node *ets_handle_index_find(const struct ets_handle_index *index,
                                                 int64_t handle, uint32_t *count_out)
{
    *count_out = 0;
    if (index->count == 0) return NULL;
    const uint32_t first = find_bound(index, handle, 0);
    *count_out = find_bound(index, handle, 1) - first;
    return index->nodes + first;
}

enum ets_status ets_handle_index_spend(struct ets_handle_index *index, uint64_t cost,
                                       struct ets_error *error)
{
    if (cost > index->budget) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the record maps its nodes to too many events: their debug handles name "
                        "each node more than %d times on average",
                        LISTED_TIMES);
    }
    index->budget -= cost;
    return ETS_OK;
}

static uint64_t cost_of(const struct ets_row_node *nodes, size_t count)
{
    enum { PLACE_BYTES = 64 };
    uint64_t cost = count;
    for (size_t i = 0; i < count; i++) {
        const struct ets_graph_node *node = nodes[i].node;
        for (uint32_t k = 0; k < node->frame_count; k++) {
            cost += node->frames[k].place.size / PLACE_BYTES;
        }
    }
    return cost;
}

static enum ets_status make_list(struct ets_arena *arena, struct ets_handle_index *index,
                                 const int64_t *handles, size_t count,
                                 struct ets_node_list *list_out, struct ets_error *error)
{
    struct ets_row_node *found = NULL;
    for (int filling = 0; filling < 2; filling++) {
        size_t used = 0;
        ets_handle_index_start(index);
        for (size_t i = 0; i < count; i++) {
            uint32_t node_count;
            const struct ets_row_node *nodes =
                ets_handle_index_find(index, handles[i], &node_count);
            if (!ets_handle_index_add(index, nodes, node_count)) continue;
            if (filling) memcpy(found + used, nodes, node_count * sizeof *found);
            used += node_count;
        }
        *list_out = (struct ets_node_list){.nodes = found, .count = used};
        if (used == 0) return ETS_OK;
        if (!filling) ETS_TRY(ets_handle_index_spend(index, used, error));
        if (!filling) found = ets_arena_alloc_array(arena, used, sizeof *found);
        if (found == NULL) return ets_fail_memory(error, "the record's debug handles");
    }
    return ETS_OK;
}

enum ets_status ets_handle_index_list(struct ets_arena *arena, struct ets_handle_index *index,
                                      const int64_t *handles, size_t count,
                                      struct ets_node_list *list_out, struct ets_error *error)
{
    *list_out = (struct ets_node_list){.nodes = NULL};
    if (count == 0 || index->count == 0) return ETS_OK;
    const uint64_t key[] = {(uint64_t)(uintptr_t)handles, count};
    const uint32_t known = index->known.count;
    const uint32_t at = ets_key_table_add(&index->known, key);
    if (at == ETS_KEY_NONE) return ets_fail_memory(error, "the record's debug handles");
    if (at < known) {
        *list_out = index->known_lists[at];
        return ets_handle_index_spend(index, list_out->cost, error);
    }
    if (at == index->known_capacity) {
        const uint32_t capacity = at == 0 ? 16 : 2 * at;
        struct ets_node_list *lists = ets_arena_alloc_array(arena, capacity, sizeof *lists);
        if (lists == NULL) return ets_fail_memory(error, "the record's debug handles");
        if (at > 0) memcpy(lists, index->known_lists, at * sizeof *lists);
        index->known_lists = lists;
        index->known_capacity = capacity;
    }
    ETS_TRY(make_list(arena, index, handles, count, list_out, error));
    list_out->cost = cost_of(list_out->nodes, list_out->count);
    index->known_lists[at] = *list_out;
    return ets_handle_index_spend(index, list_out->cost - list_out->count, error);
}

int ets_graph_is_emitted(const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (ets_text_is(graph->nodes[i].op, "alloc") ||
            ets_text_is(graph->nodes[i].target, "memory.alloc")) {
            return 1;
        }
    }
    return 0;
}

int ets_handle_index_has_op(struct ets_handle_index *index, const int64_t *handles, size_t count,
                            const char *const *ops)
{
    ets_handle_index_start(index);
    for (size_t i = 0; i < count; i++) {
        uint32_t node_count;
        const struct ets_row_node *nodes = ets_handle_index_find(index, handles[i], &node_count);
        if (!ets_handle_index_add(index, nodes, node_count)) continue;
        for (uint32_t k = 0; k < node_count; k++) {
            const struct ets_text name = ets_operator_base_name(nodes[k].node->op);
            for (const char *const *op = ops; *op != NULL; op++) {
                if (ets_text_is(name, *op)) return 1;
            }
        }
    }
    return 0;
}
