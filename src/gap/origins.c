/* Follows nodes of the edge program back to those of the exported program. */
#include "gap/origins.h"

/* Names in the graphs of the export's history, and the node of each. */
struct idents {
    struct ets_arena *arena;
    struct ets_strings names;
    struct ets_key_table known; /* number of the name, graph id */
    int64_t *meaning;           /* [known.count] */
    uint32_t capacity;
};

static bool idents_init(struct idents *idents, struct ets_arena *arena)
{
    *idents = (struct idents){.arena = arena};
    ets_key_table_init(&idents->known, arena, 2);
    return ets_strings_init(&idents->names, arena) == 0;
}

/* Sets the meaning of a name once. `clash_out`: it already had another meaning. False: no memory.
 */
static bool idents_add(struct idents *idents, struct ets_text name, uint64_t graph_id,
                       int64_t meaning, bool *clash_out)
{
    const uint32_t text = ets_strings_add(&idents->names, name);
    if (text == UINT32_MAX) return false;
    const uint64_t key[] = {text, graph_id};
    const uint32_t known = idents->known.count;
    const uint32_t at = ets_key_table_add(&idents->known, key);
    if (at == ETS_KEY_NONE) return false;
    if (at < known) {
        *clash_out = *clash_out || idents->meaning[at] != meaning;
        return true;
    }
    if (at == idents->capacity) {
        const uint32_t capacity = at == 0 ? 64 : 2 * at;
        int64_t *larger = ets_arena_alloc_array(idents->arena, capacity, sizeof *larger);
        if (larger == NULL) return false;
        if (at > 0) memcpy(larger, idents->meaning, at * sizeof *larger);
        idents->meaning = larger;
        idents->capacity = capacity;
    }
    idents->meaning[at] = meaning;
    return true;
}

static const int64_t *idents_find(const struct idents *idents, struct ets_text name,
                                  uint64_t graph_id)
{
    const uint32_t text = ets_strings_find(&idents->names, name);
    if (text == UINT32_MAX || text == ETS_STRING_NONE) return NULL;
    const uint64_t key[] = {text, graph_id};
    const uint32_t at = ets_key_table_find(&idents->known, key);
    return at == ETS_KEY_NONE ? NULL : &idents->meaning[at];
}

static const int64_t *find_ancestor(const struct idents *idents, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < node->origin_count; i++) {
        const struct ets_graph_origin *origin = &node->origins[i];
        const int64_t *found = idents_find(idents, origin->name, origin->graph_id);
        if (found != NULL) return found;
    }
    return NULL;
}

static bool add_ancestors(struct idents *idents, const struct ets_graph_node *node, int64_t meaning,
                          bool *clash_out)
{
    for (uint32_t i = 0; i < node->origin_count; i++) {
        const struct ets_graph_origin *origin = &node->origins[i];
        if (!idents_add(idents, origin->name, origin->graph_id, meaning, clash_out)) return false;
    }
    return true;
}

/* Handles of the edge program to the reference. */
static enum ets_status return_handles(struct gap_origins *origins, struct ets_arena *arena,
                                      const struct gap_graph *reference,
                                      const struct gap_graph *edge, uint64_t export_graph_id,
                                      struct ets_error *error)
{
    struct idents ancestors;
    struct ets_key_table returned;
    bool clash = false;
    if (!idents_init(&ancestors, arena)) return gap_fail_memory(error);
    for (uint32_t i = 0; i < edge->node_count; i++) {
        const struct ets_graph_node *node = edge->nodes[i];
        if (node->debug_handle < 0) continue;
        if (!add_ancestors(&ancestors, node, node->debug_handle, &clash)) {
            return gap_fail_memory(error);
        }
    }
    ets_key_table_init(&returned, arena, 1);
    for (uint32_t i = 0; i < reference->node_count; i++) {
        const struct ets_graph_node *node = reference->nodes[i];
        const int64_t *found = idents_find(&ancestors, node->name, export_graph_id);
        if (found == NULL) found = find_ancestor(&ancestors, node);
        if (found == NULL) continue;
        origins->handle[i] = *found;
        const uint64_t key = (uint64_t)*found;
        if (ets_key_table_add(&returned, &key) == ETS_KEY_NONE) return gap_fail_memory(error);
    }
    origins->is_complete = !clash;
    for (uint32_t i = 0; i < edge->node_count; i++) {
        const uint64_t key = (uint64_t)edge->nodes[i]->debug_handle;
        if (edge->nodes[i]->debug_handle >= 0 &&
            ets_key_table_find(&returned, &key) == ETS_KEY_NONE) {
            origins->is_complete = false;
        }
    }
    return ETS_OK;
}

/*
 * Finds nodes of the reference by name. Nodes of its subgraphs, whose graph number is unknown, are
 * found by common ancestors.
 */
static enum ets_status follow_nodes(struct gap_origins *origins, struct ets_arena *arena,
                                    const struct gap_graph *reference, const struct gap_graph *edge,
                                    uint64_t export_graph_id, struct ets_error *error)
{
    struct idents idents;
    bool clash = false;
    if (!idents_init(&idents, arena)) return gap_fail_memory(error);
    for (uint32_t i = 0; i < reference->node_count && reference->level[i] == 0; i++) {
        if (!idents_add(&idents, reference->nodes[i]->name, export_graph_id, i, &clash)) {
            return gap_fail_memory(error);
        }
    }
    for (uint32_t i = 0; i < reference->node_count; i++) {
        if (!add_ancestors(&idents, reference->nodes[i], i, &clash)) return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < edge->node_count; i++) {
        const int64_t *found = find_ancestor(&idents, edge->nodes[i]);
        origins->made_from[i] = found == NULL ? GAP_NONE : (uint32_t)*found;
        origins->lost += found == NULL;
    }
    return ETS_OK;
}

enum ets_status ets_gap_origins_find(struct gap_origins *origins, struct ets_arena *arena,
                                     const struct gap_graph *reference,
                                     const struct gap_graph *edge, uint64_t export_graph_id,
                                     struct ets_error *error)
{
    *origins = (struct gap_origins){.is_complete = true};
    origins->handle = ets_arena_alloc_array(arena, reference->node_count, sizeof(int64_t));
    origins->made_from = ets_arena_alloc_array(arena, edge->node_count, sizeof(uint32_t));
    if (origins->handle == NULL || origins->made_from == NULL) return gap_fail_memory(error);
    if (reference->graph != edge->graph) {
        ETS_TRY(return_handles(origins, arena, reference, edge, export_graph_id, error));
        return follow_nodes(origins, arena, reference, edge, export_graph_id, error);
    }
    for (uint32_t i = 0; i < edge->node_count; i++) {
        origins->handle[i] = edge->nodes[i]->debug_handle;
        origins->made_from[i] = i;
    }
    return ETS_OK;
}
