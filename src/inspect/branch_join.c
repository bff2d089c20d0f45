/*
 * Joins rows inside control flow. The record does not map instructions of branch or loop bodies,
 * but its graph has the bodies, and their nodes are emitted in order. If the kernels of consecutive
 * unmapped rows match exactly one body, at exactly one place, that body ran there. Anything less
 * certain is not joined.
 */
#include <stdbool.h>
#include <string.h>

#include "inspect/inspection.h"
#include "operators/operator_traits.h"

/* The unmapped kernel rows of a block, in order of execution. */
struct unmapped {
    uint32_t *rows;
    struct ets_text *names;              /* base names of their kernels */
    const struct ets_graph_node **nodes; /* the node found for each, or NULL */
    bool *is_contested;                  /* two bodies fit: neither is taken */
    uint32_t count;
};

static bool collect(struct ets_inspection *inspection, const struct ets_block *block,
                    struct unmapped *u)
{
    struct ets_arena *arena = &inspection->arena;
    u->rows = ets_arena_alloc_array(arena, block->row_count, sizeof *u->rows);
    u->names = ets_arena_alloc_array(arena, block->row_count, sizeof *u->names);
    u->nodes = ets_arena_alloc_array(arena, block->row_count, sizeof *u->nodes);
    u->is_contested = ets_arena_alloc_array(arena, block->row_count, sizeof *u->is_contested);
    if (u->rows == NULL || u->names == NULL || u->nodes == NULL || u->is_contested == NULL) {
        return false;
    }
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const struct ets_row *row = &inspection->rows[i];
        const struct ets_text kernel = ets_row_kernel(row);
        if (row->chain == -1 || row->handles != NULL || kernel.data == NULL) continue;
        u->rows[u->count] = i;
        u->names[u->count++] = ets_operator_base_name(kernel);
    }
    return true;
}

static bool fits(const struct ets_graph *body, const struct unmapped *u, uint32_t at)
{
    for (uint32_t i = 0; i < body->node_count; i++) {
        const struct ets_text op = ets_operator_base_name(body->nodes[i].op);
        const struct ets_text name = u->names[at + i];
        if (op.size != name.size || memcmp(op.data, name.data, op.size) != 0) return false;
    }
    return true;
}

/* Marks the only place where `body` fits; none if there are several. */
static void place(const struct ets_graph *body, struct unmapped *u)
{
    uint32_t places = 0, found = 0;
    if (body->node_count == 0) return;
    for (uint32_t at = 0; at + body->node_count <= u->count; at++) {
        if (!fits(body, u, at)) continue;
        places++;
        found = at;
    }
    if (places != 1) return;
    for (uint32_t i = 0; i < body->node_count; i++) {
        if (u->nodes[found + i] != NULL) u->is_contested[found + i] = true;
        u->nodes[found + i] = &body->nodes[i];
    }
}

static bool assign(struct ets_inspection *inspection, struct ets_row *row,
                   const struct ets_graph_node *node)
{
    struct ets_row_node *found = ets_arena_alloc(&inspection->arena, sizeof *found);
    int64_t *handle = ets_arena_alloc(&inspection->arena, sizeof *handle);
    if (found == NULL || handle == NULL) return false;
    *found = (struct ets_row_node){node, node->debug_handle};
    *handle = node->debug_handle;
    ets_row_set_nodes(row, found, 1);
    row->is_inferred = 1;
    if (node->debug_handle >= 0) {
        row->handles = handle;
        row->handle_count = 1;
    }
    return true;
}

/* The cost is the length of a body at every place; blocks with control flow are small. */
enum { MAX_COMPARISONS = 10 * 1000 * 1000 };

enum ets_status ets_rows_join_branches(struct ets_inspection *inspection, uint32_t block,
                                       struct ets_error *error)
{
    const struct ets_known_method *method = inspection->block_method[block];
    if (method == NULL || method->graph == NULL || method->graph->subgraph_count == 0) {
        return ETS_OK;
    }
    struct unmapped u = {.count = 0};
    if (!collect(inspection, &inspection->blocks[block], &u))
        return ets_fail_memory(error, "the operators of branches");
    uint64_t comparisons = 0;
    for (uint32_t i = 0; i < method->graph->subgraph_count; i++) {
        const struct ets_graph *body = method->graph->subgraphs[i];
        comparisons += (uint64_t)body->node_count * u.count;
        if (comparisons > MAX_COMPARISONS) return ETS_OK;
        place(body, &u);
    }
    for (uint32_t i = 0; i < u.count; i++) {
        if (u.nodes[i] == NULL || u.is_contested[i]) continue;
        if (!assign(inspection, &inspection->rows[u.rows[i]], u.nodes[i])) {
            return ets_fail_memory(error, "the operators of branches");
        }
    }
    return ETS_OK;
}
