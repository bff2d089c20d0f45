/*
 * Ties events to nodes by what their identifiers say: the number of a node of the payload, or the
 * name of one of the record's graph.
 */
#include "host/strings.h"
#include "inspect/delegates/delegate_units.h"
#include "inspect/inspection.h"
#include "record/record_maps.h"

struct namer {
    struct ets_inspection *inspection;
    struct ets_known_method *method;
    const struct ets_delegate_units *units;
    const struct ets_payload_graph *graph; /* NULL: none */
    const int64_t *handles;                /* of the call */
    size_t handle_count;
};

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

/* What the node is of the record's graph, its unit tells; if it does not, the call is all that is
 * known. */
static bool tie_to_node(const struct namer *n, uint32_t node, struct ets_row *row)
{
    const uint32_t at = find_unit(n, node, -1);
    struct ets_unit_node *one = ets_arena_alloc(&n->inspection->arena, sizeof *one);
    if (one == NULL) return false;
    *one = (struct ets_unit_node){node, n->graph->nodes[node].name.data, -1};
    row->payload_nodes = one;
    row->payload_node_count = 1;
    row->unit = at;
    if (at == ETS_NO_INDEX) return true;
    const struct ets_delegate_unit *unit = &n->units->items[at];
    if (unit->handle_count == 0 && n->handle_count > 0) return true;
    row->tie = unit->tie;
    row->tie_reason = NULL;
    row->handles = unit->handles;
    row->handle_count = unit->handle_count;
    if (unit->handle_count == 1) one->handle = unit->handles[0];
    return true;
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
    if (said->number >= 0) work += n->graph->node_count;
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
