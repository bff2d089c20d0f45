/* Gives each delegate call the copies of dequantize nodes that it uses. */
#include "gap/copies.h"

#include "inspect/names.h"
#include "operators/operator_traits.h"

/* More calls than one, or a node outside of calls. */
#define ELSEWHERE (GAP_NONE - 1)

struct copies {
    struct gap_instructions *s;
    const struct gap_graph *edge;
    uint32_t *user;  /* [edge value] the call that has all its users; ELSEWHERE; GAP_NONE: unused */
    uint32_t *next;  /* [edge node] the next copy */
    uint32_t *first; /* [edge value] its first copy */
    uint32_t call;   /* of the node whose inputs are seen */
};

static void see_use(void *context, uint32_t value)
{
    struct copies *copies = context;
    uint32_t *user = &copies->user[value];
    if (*user == GAP_NONE) *user = copies->call;
    else if (*user != copies->call) *user = ELSEWHERE;
}

static void see_first(void *context, uint32_t value)
{
    uint32_t *first = context;
    if (*first == GAP_NONE) *first = value;
}

bool ets_gap_is_copy(const struct gap_graph *graph, uint32_t node, uint32_t *from_out)
{
    *from_out = GAP_NONE;
    const struct ets_text name = ets_operator_base_name(graph->nodes[node]->op);
    if (!ets_text_starts_with(name, "dequantize_per_")) return false;
    ets_gap_graph_inputs(graph, node, see_first, from_out);
    return *from_out != GAP_NONE;
}

/* The call that has all users of a copy. */
static uint32_t user_of(const struct copies *copies, uint32_t node)
{
    const struct ets_graph_argument *output = ets_gap_output(copies->edge->nodes[node], 0);
    const uint32_t value =
        output == NULL ? GAP_NONE
                       : ets_gap_graph_value(copies->edge, copies->edge->level[node], output->name);
    return value == GAP_NONE ? GAP_NONE : copies->user[value];
}

/* Gives a copy to the call that uses it, in exchange for one that this call does not use. */
static void settle(struct copies *copies, uint32_t node, uint32_t from)
{
    struct gap_instructions *s = copies->s;
    const uint32_t user = user_of(copies, node), has = s->part[node];
    if (user == GAP_NONE || user == ELSEWHERE || user == has) return;
    for (uint32_t i = copies->first[from]; i != GAP_NONE && s->budget > 0; i = copies->next[i]) {
        s->budget--;
        if (s->part[i] != user || user_of(copies, i) == user) continue;
        const struct ets_graph_node *one = copies->edge->nodes[i], *two = copies->edge->nodes[node];
        if (one->debug_handle != two->debug_handle || !ets_text_equal(one->op, two->op)) continue;
        s->part[node] = s->done_by[node] = user;
        s->part[i] = s->done_by[i] = has;
        return;
    }
}

enum ets_status ets_gap_copies_settle(struct gap_instructions *s, struct ets_gap_report *report,
                                      struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const struct gap_graph *edge = &report->edge;
    struct copies copies = {.s = s, .edge = edge};
    uint32_t from;
    copies.user = ets_arena_alloc_array(arena, edge->values.count, sizeof(uint32_t));
    copies.first = ets_arena_alloc_array(arena, edge->values.count, sizeof(uint32_t));
    copies.next = ets_arena_alloc_array(arena, edge->node_count, sizeof(uint32_t));
    if (copies.user == NULL || copies.first == NULL || copies.next == NULL) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < edge->values.count; i++) copies.user[i] = copies.first[i] = GAP_NONE;
    for (uint32_t i = edge->node_count; i-- > 0;) {
        copies.call = s->part[i] == GAP_NONE ? ELSEWHERE : s->part[i];
        ets_gap_graph_inputs(edge, i, see_use, &copies);
        const bool is_in_kernel = s->part[i] != s->done_by[i];
        if (is_in_kernel || !ets_gap_is_copy(edge, i, &from)) continue;
        copies.next[i] = copies.first[from];
        copies.first[from] = i;
    }
    for (uint32_t i = 0; i < edge->node_count; i++) {
        if (s->part[i] == s->done_by[i] && ets_gap_is_copy(edge, i, &from)) {
            settle(&copies, i, from);
        }
    }
    return ETS_OK;
}
