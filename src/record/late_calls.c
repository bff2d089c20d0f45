/*
 * Passes that run after a record was made turn nodes into other operators, mm into linear. Their
 * instructions have no debug handle. Export emits instructions in the order of the graph, so the
 * k-th such call of a kind is the k-th node of that kind that no instruction has; where the numbers
 * differ, the calls and nodes between two mapped neighbours are compared. Anything else stays
 * unknown.
 */
#include <stdbool.h>

#include "base/error.h"
#include "host/key_table.h"
#include "operators/operator_traits.h"
#include "record/etrecord_internal.h"
#include "record/operator_names.h"
#include "record/record_maps.h"

/* Kinds times nodes; models have few kinds. */
enum { MAX_KINDS = 64 };

struct late {
    struct ets_arena *arena;
    const struct ets_method_maps *maps;
    const struct ets_graph *graph;
    struct ets_key_table handles; /* of the map's operator calls */
    uint32_t *last_node;          /* [handles.count] index in the graph + 1; 0: none */
    const struct ets_operator_call *calls;
    uint32_t *low, *high;  /* [call] nodes of the mapped neighbours, + 1 */
    uint32_t *found;       /* [call] node + 1 */
    uint32_t *list, *ends; /* candidates of a kind, calls of a kind */
    uint32_t count;
};

static const struct ets_handle_entry *entry_of(const struct late *l, int64_t instruction)
{
    return ets_method_maps_find(l->maps->handles, l->maps->handle_count, instruction);
}

/* The handles of all instructions, and the last node of each. */
static bool index_handles(struct late *l)
{
    uint64_t count = 0;
    ets_key_table_init(&l->handles, l->arena, 1);
    for (uint32_t i = 0; i < l->maps->handle_count; i++) count += l->maps->handles[i].count;
    l->last_node = ets_arena_alloc_array(l->arena, count, sizeof *l->last_node);
    if (l->last_node == NULL) return false;
    for (uint32_t i = 0; i < l->maps->handle_count; i++) {
        for (uint32_t k = 0; k < l->maps->handles[i].count; k++) {
            const uint64_t key = (uint64_t)l->maps->handles[i].handles[k];
            if (ets_key_table_add(&l->handles, &key) == ETS_KEY_NONE) return false;
        }
    }
    for (uint32_t n = 0; n < l->graph->node_count; n++) {
        const uint64_t key = (uint64_t)l->graph->nodes[n].debug_handle;
        const uint32_t number = ets_key_table_find(&l->handles, &key);
        if (number != ETS_KEY_NONE) l->last_node[number] = n + 1;
    }
    return true;
}

static bool is_mapped(const struct late *l, const struct ets_graph_node *node)
{
    const uint64_t key = (uint64_t)node->debug_handle;
    return ets_key_table_find(&l->handles, &key) != ETS_KEY_NONE;
}

/* Where the graph is at each call: nodes of a delegate may lie far apart and say nothing. */
static void find_neighbours(struct late *l)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct ets_handle_entry *entry = entry_of(l, l->calls[i].instruction);
        l->low[i] = at;
        l->high[i] = 0;
        if (entry == NULL || entry->is_list || entry->count != 1) continue;
        const uint64_t key = (uint64_t)entry->handles[0];
        const uint32_t node = l->last_node[ets_key_table_find(&l->handles, &key)];
        if (node > at) at = node;
        l->high[i] = at;
    }
    uint32_t next = l->graph->node_count + 1;
    for (uint32_t i = l->count; i-- > 0;) {
        if (l->high[i] != 0) next = l->high[i];
        l->high[i] = next;
    }
}

static struct ets_text name_of(const struct late *l, uint32_t call)
{
    return ets_operator_base_name(l->calls[call].name);
}

static bool is_late(const struct late *l, uint32_t call)
{
    return entry_of(l, l->calls[call].instruction) == NULL && l->found[call] == 0;
}

static void pair(struct late *l, const uint32_t *calls, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] + 1 > l->low[calls[i]] && nodes[i] + 1 < l->high[calls[i]]) {
            l->found[calls[i]] = nodes[i] + 1;
        }
    }
}

/* Between the same two neighbours there are as many calls as nodes. */
static void pair_between(struct late *l, const uint32_t *calls, uint32_t call_count,
                         const uint32_t *nodes, uint32_t node_count)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < call_count;) {
        uint32_t end = i + 1;
        while (end < call_count && l->low[calls[end]] == l->low[calls[i]] &&
               l->high[calls[end]] == l->high[calls[i]]) {
            end++;
        }
        while (node < node_count && nodes[node] + 1 <= l->low[calls[i]]) node++;
        uint32_t past = node;
        while (past < node_count && nodes[past] + 1 < l->high[calls[i]]) past++;
        if (past - node == end - i) pair(l, calls + i, nodes + node, end - i);
        node = past;
        i = end;
    }
}

static void find_kind(struct late *l, struct ets_text kernel, uint32_t first)
{
    uint32_t calls = 0, nodes = 0;
    for (uint32_t i = first; i < l->count; i++) {
        if (is_late(l, i) && ets_text_equal(name_of(l, i), kernel)) l->ends[calls++] = i;
    }
    for (uint32_t n = 0; n < l->graph->node_count; n++) {
        const struct ets_graph_node *node = &l->graph->nodes[n];
        if (!is_mapped(l, node) && ets_node_is_fused_into(ets_node_operator(node), kernel)) {
            l->list[nodes++] = n;
        }
    }
    if (calls == nodes) pair(l, l->ends, l->list, calls);
    else pair_between(l, l->ends, calls, l->list, nodes);
}

static void find_all(struct late *l)
{
    struct ets_text kinds[MAX_KINDS];
    uint32_t kind_count = 0;
    for (uint32_t i = 0; i < l->count && kind_count < MAX_KINDS; i++) {
        bool is_known = !is_late(l, i);
        const struct ets_text name = name_of(l, i);
        for (uint32_t k = 0; k < kind_count && !is_known; k++) {
            is_known = ets_text_equal(kinds[k], name);
        }
        if (is_known) continue;
        kinds[kind_count++] = name;
        find_kind(l, name, i);
    }
}

/* Views, write-backs and the like that were never nodes of their own keep no entry. */
static enum ets_status keep(struct late *l, struct ets_method_maps *maps, struct ets_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) count += l->found[i] != 0;
    struct ets_handle_entry *entries = ets_arena_alloc_array(l->arena, count, sizeof *entries);
    int64_t *handles = ets_arena_alloc_array(l->arena, count, sizeof *handles);
    if (entries == NULL || handles == NULL) return ets_fail_memory(error, "the record's maps");
    count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->found[i] == 0) continue;
        handles[count] = l->graph->nodes[l->found[i] - 1].debug_handle;
        if (handles[count] <= 0) continue;
        entries[count] = (struct ets_handle_entry){l->calls[i].instruction, &handles[count], 1, 0};
        count++;
    }
    maps->inferred = entries;
    maps->inferred_count = count;
    return ETS_OK;
}

enum ets_status ets_etrecord_infer_calls(struct ets_etrecord *record, const char *method,
                                         const struct ets_operator_call *calls, size_t count,
                                         struct ets_error *error)
{
    struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    const struct ets_graph *graph = NULL;
    if (maps == NULL || maps->has_inferred || count == 0 || count > UINT32_MAX) return ETS_OK;
    const enum ets_status status = ets_etrecord_edge_graph(record, method, &graph, error);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    ETS_TRY(status);
    maps->has_inferred = 1;
    struct ets_arena *arena = &record->arena;
    struct late l = {.arena = arena, .maps = maps, .graph = graph, .calls = calls};
    l.count = (uint32_t)count;
    l.low = ets_arena_alloc_array(arena, count, sizeof *l.low);
    l.high = ets_arena_alloc_array(arena, count, sizeof *l.high);
    l.found = ets_arena_alloc_array(arena, count, sizeof *l.found);
    l.ends = ets_arena_alloc_array(arena, count, sizeof *l.ends);
    l.list = ets_arena_alloc_array(arena, graph->node_count, sizeof *l.list);
    if (l.low == NULL || l.high == NULL || l.found == NULL || l.ends == NULL || l.list == NULL ||
        !index_handles(&l)) {
        return ets_fail_memory(error, "the record's maps");
    }
    find_neighbours(&l);
    find_all(&l);
    return keep(&l, maps, error);
}

enum ets_status ets_etrecord_infer_chain(struct ets_etrecord *record, const char *method,
                                         const struct ets_chain *chain, struct ets_error *error)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    if (maps == NULL || maps->has_inferred) return ETS_OK;
    struct ets_operator_call *calls =
        ets_arena_alloc_array(&record->arena, chain->instruction_count, sizeof *calls);
    if (calls == NULL) return ets_fail_memory(error, "the record's maps");
    size_t count = 0;
    for (uint32_t i = 0; i < chain->instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(chain, i, &instruction);
        if (instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
        calls[count++] = (struct ets_operator_call){(int64_t)i, instruction.name};
    }
    return ets_etrecord_infer_calls(record, method, calls, count, error);
}
