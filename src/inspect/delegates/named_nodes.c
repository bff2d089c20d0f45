/*
 * Ties events to nodes by what their identifiers say: the number of a node of the payload, or the
 * name of one of the record's graph. Where the payload's node does not tell which operator of the
 * record it is, the order does: the third convolution of the payload is the third of the call, if
 * both have equally many.
 */
#include "host/strings.h"
#include "inspect/delegates/delegate_units.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "record/operator_names.h"
#include "record/record_maps.h"

struct namer {
    struct ets_inspection *inspection;
    struct ets_known_method *method;
    const struct ets_delegate_units *units;
    const struct ets_payload_graph *graph; /* NULL: none */
    const int64_t *handles;                /* of the call */
    size_t handle_count;
};

/* An operator, as payloads call it: products with a bias are linear layers. */
static struct ets_text plain_operator(struct ets_text name)
{
    static const char *const products[] = {"addmm", "mm"};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (ets_text_is(name, products[i])) return ets_text_of("linear");
    }
    return name;
}

/* Which of the payload's nodes of its kind it is, and how many there are. */
static uint32_t rank_of(const struct ets_payload_graph *graph, uint32_t node, uint32_t *count_out)
{
    uint32_t rank = 0;
    *count_out = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!ets_text_same(graph->nodes[i].operation, graph->nodes[node].operation)) continue;
        if (i < node) rank++;
        ++*count_out;
    }
    return rank;
}

/* The handle of the record's node that stands where the payload's does; -1: not known. */
static int64_t align(const struct namer *n, uint32_t node)
{
    const struct ets_text operation = n->graph->nodes[node].operation;
    uint32_t expected, seen = 0;
    int64_t found = -1, last = -1;
    if (operation.size == 0 || n->method->graph == NULL) return -1;
    const uint32_t rank = rank_of(n->graph, node, &expected);
    for (size_t i = 0; i < n->handle_count; i++) {
        uint32_t count;
        const struct ets_row_node *nodes =
            ets_handle_index_find(&n->method->nodes, n->handles[i], &count);
        if (n->handles[i] == last || count == 0) continue;
        last = n->handles[i];
        for (uint32_t k = 0; k < count; k++) {
            const struct ets_text name =
                plain_operator(ets_operator_base_name(ets_node_operator(nodes[k].node)));
            if (!ets_text_same(name, operation)) continue;
            if (seen++ == rank) found = last;
        }
    }
    return seen == expected ? found : -1;
}

/* The unit of a payload's node, or of a handle; ETS_NO_INDEX: none. */
static uint32_t find_unit(const struct namer *n, uint32_t node, int64_t handle)
{
    for (uint32_t i = 0; i < n->units->count; i++) {
        const struct ets_delegate_unit *unit = &n->units->items[i];
        const bool is_node = unit->payload_node_count == 1 && unit->payload_nodes[0].index == node;
        const bool has_handle = handle > 0 && unit->payload_node_count == 0 &&
                                unit->handle_count == 1 && unit->handles[0] == handle;
        if ((is_node && node != ETS_PAYLOAD_NONE) || has_handle) return i;
    }
    return ETS_NO_INDEX;
}

static bool own_handle(const struct namer *n, int64_t handle, struct ets_row *row)
{
    int64_t *one = ets_arena_alloc(&n->inspection->arena, sizeof *one);
    if (one == NULL) return false;
    *one = handle;
    row->handles = one;
    row->handle_count = 1;
    row->tie_reason = NULL;
    return true;
}

static bool tie_to_node(const struct namer *n, uint32_t node, struct ets_row *row)
{
    struct ets_unit_node *one = ets_arena_alloc(&n->inspection->arena, sizeof *one);
    if (one == NULL) return false;
    const int64_t handle = align(n, node);
    const uint32_t unit = find_unit(n, node, handle);
    *one = (struct ets_unit_node){node, n->graph->nodes[node].name.data, handle};
    row->payload_nodes = one;
    row->payload_node_count = 1;
    row->unit = unit;
    if (unit == ETS_NO_INDEX && handle <= 0) return true;
    row->tie = handle > 0 ? ETS_TIE_NEAR : ETS_TIE_NODE;
    row->tie_reason = NULL;
    return handle <= 0 || own_handle(n, handle, row);
}

static uint32_t find_number(const struct ets_payload_graph *graph, int64_t number)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].has_number && graph->nodes[i].number == number) return i;
    }
    return ETS_PAYLOAD_NONE;
}

/* Looking through the nodes for each event is limited like all reading of payloads. */
static bool can_look(struct namer *n, const struct ets_payload_identifier *said)
{
    uint64_t work = n->units->count;
    if (said->number >= 0) work += (uint64_t)n->graph->node_count * 3 + n->handle_count;
    if (work > n->inspection->payload_budget) return false;
    n->inspection->payload_budget -= work;
    return true;
}

static bool tie_named(struct namer *n, const struct ets_payload_identifier *said,
                      struct ets_row *row)
{
    if (said->number >= 0 && n->graph != NULL) {
        if (!can_look(n, said)) return true;
        const uint32_t node = find_number(n->graph, said->number);
        return node == ETS_PAYLOAD_NONE || tie_to_node(n, node, row);
    }
    if (said->edge_name.data == NULL || n->method->graph == NULL) return true;
    if (!can_look(n, said)) return true;
    const int64_t handle = ets_graph_handle_of(n->method->graph, said->edge_name);
    if (handle <= 0) return true;
    row->unit = find_unit(n, ETS_PAYLOAD_NONE, handle);
    row->tie = ETS_TIE_MAP;
    return own_handle(n, handle, row);
}

static enum ets_status find_graph(struct namer *n, const struct ets_row *row,
                                  struct ets_error *error)
{
    if (!n->method->in_program) return ETS_OK;
    const struct ets_delegate delegate = {
        .id = ets_text_of(row->backend),
        .blob = ets_payload_of(&n->method->chain, row->instruction),
    };
    if (delegate.blob.size == 0) return ETS_OK;
    return ets_payload_store_read(&n->inspection->payloads, &delegate, &n->graph, NULL, error);
}

enum ets_status ets_rows_tie_named(struct ets_inspection *inspection,
                                   struct ets_known_method *method,
                                   const struct ets_delegate_units *units, struct ets_row *rows,
                                   uint32_t count, struct ets_error *error)
{
    struct namer n = {.inspection = inspection, .method = method, .units = units};
    const struct ets_payload_identifier *said = inspection->said;
    if (said == NULL) return ETS_OK;
    said += rows - inspection->rows;
    for (uint32_t i = 0; i < count; i++) { /* what names no operator lacks none */
        const bool is_named = said[i].number >= 0 || said[i].edge_name.data != NULL;
        const bool is_known = said[i].measure != ETS_PAYLOAD_TIME && !is_named;
        if (is_known && said[i].measure != ETS_PAYLOAD_ESTIMATE) rows[i].tie_reason = NULL;
    }
    uint32_t first = 0;
    while (first < count && said[first].number < 0 && said[first].edge_name.data == NULL) first++;
    if (first == count || rows[first].backend == NULL) return ETS_OK;
    ETS_TRY(find_graph(&n, &rows[first], error));
    if (method->in_record) {
        ets_etrecord_handles(inspection->options.record, method->name, rows[first].instruction,
                             &n.handles, &n.handle_count, NULL);
    }
    for (uint32_t i = first; i < count; i++) {
        const bool is_named = said[i].number >= 0 || said[i].edge_name.data != NULL;
        if (!is_named || rows[i].tie != ETS_TIE_CALL) continue;
        rows[i].tie_reason = "the operator is not one of the record's graph";
        if (!tie_named(&n, &said[i], &rows[i])) return ets_fail_unit_memory(error);
    }
    return ETS_OK;
}
