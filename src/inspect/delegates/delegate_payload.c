/* Reads units from a payload, where the backend writes no map into the ETRecord. */
#include <string.h>

#include "host/strings.h"
#include "inspect/delegates/aligned_nodes.h"
#include "inspect/delegates/fused_handles.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "payload/payload_events.h"
#include "payload/payload_store.h"
#include "record/record_maps.h"

/*
 * Handles of a unit: those of its nodes, each once; only its own handle if the call's list lacks it
 * or there is no record. `out` NULL: counts.
 */
static size_t list_handles(const struct ets_fused_handles *fused,
                           const struct ets_delegate_unit *unit, int64_t *out)
{
    size_t used = 0;
    int64_t last = -1;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        const int64_t handle = unit->payload_nodes[i].handle;
        size_t count;
        const int64_t *handles = ets_fused_handles_of(fused, handle, &count);
        if (handle < 0 || handle == last) continue;
        last = handle;
        if (handles == NULL) {
            handles = &unit->payload_nodes[i].handle;
            count = 1;
        }
        if (out != NULL) memcpy(out + used, handles, count * sizeof *out);
        used += count;
    }
    return used;
}

static bool find_handles(struct ets_arena *arena, const struct ets_delegate_call *call,
                         const struct ets_fused_handles *fused, struct ets_delegate_unit *unit)
{
    if (unit->payload_node_count == 1) { /* the usual case needs no copy */
        unit->handles =
            ets_fused_handles_of(fused, unit->payload_nodes[0].handle, &unit->handle_count);
        if (unit->handles != NULL) return true;
    }
    const size_t count = list_handles(fused, unit, NULL);
    if (count * sizeof(int64_t) > *call->budget)
        return true; /* ordinary files do not repeat so many */
    *call->budget -= count * sizeof(int64_t);
    int64_t *handles = ets_arena_alloc_array(arena, count, sizeof *handles);
    if (handles == NULL) return false;
    unit->handle_count = list_handles(fused, unit, handles);
    unit->handles = handles;
    return true;
}

/* Nodes inserted by the exporter: they change layout, shape or type of operators' inputs. */
static bool is_conversion(const struct ets_payload_graph *graph,
                          const struct ets_delegate_unit *unit)
{
    enum { MOVES = ETS_OPERATOR_CAST | ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE };
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        const struct ets_text operation = graph->nodes[unit->payload_nodes[i].index].operation;
        if (!ets_operator_is(operation, MOVES) && !ets_text_is(operation, "clone")) return false;
    }
    return true;
}

/*
 * Operators that the exporter substitutes, such as a convolution for a batch norm, have no handle.
 * In a call of one operator all handles are its own. Otherwise, if exactly one node has no handle,
 * the unused handles belong to it.
 */
static void adopt_handles(const struct ets_payload_graph *graph,
                          const struct ets_fused_handles *fused, struct ets_delegate_unit *units,
                          uint32_t count)
{
    struct ets_delegate_unit *orphan = NULL;
    uint32_t orphans = 0;
    size_t handle_count;
    const int64_t *handles = ets_fused_handles_rest(fused, &handle_count);
    const bool is_single = fused->known.count == 1;
    for (uint32_t i = 0; i < count; i++) {
        if (units[i].handle_count > 0) {
            if (is_single) handles = units[i].handles, handle_count = units[i].handle_count;
            continue;
        }
        if (is_conversion(graph, &units[i])) continue;
        orphan = &units[i];
        orphans++;
    }
    if (handle_count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        const bool adopts = is_single || (orphans == 1 && &units[i] == orphan);
        if (!adopts || units[i].handle_count > 0) continue;
        units[i].handles = handles;
        units[i].handle_count = handle_count;
        if (!is_single) units[i].tie = ETS_TIE_NEAR;
    }
}

static bool is_batch_norm(const struct ets_delegate_call *call, int64_t handle)
{
    static const char *const ops[] = {"_native_batch_norm_legit_no_training", "batch_norm", NULL};
    return ets_handle_index_has_op(call->nodes, &handle, 1, ops) != 0;
}

/* The batch norms of the call that no node has the handle of, in order; counts where `out` is NULL.
 */
static uint32_t list_batch_norms(const struct ets_delegate_call *call, const int64_t *owned,
                                 uint32_t count, int64_t *out)
{
    uint32_t used = 0;
    int64_t last = -1;
    for (size_t i = 0; call->nodes != NULL && i < call->handle_count; i++) {
        const int64_t handle = call->handles[i];
        bool is_owned = handle == last;
        if (is_owned || !is_batch_norm(call, handle)) continue;
        for (uint32_t k = 0; k < count; k++) is_owned = is_owned || owned[k] == handle;
        if (is_owned) continue;
        if (out != NULL) out[used] = handle;
        used++;
        last = handle;
    }
    return used;
}

/*
 * A batch norm that is not folded becomes a depthwise convolution without a handle. If there are
 * equally many of both, they are matched in order.
 */
static enum ets_status own_batch_norms(struct ets_arena *arena,
                                       const struct ets_delegate_call *call,
                                       const struct ets_payload_graph *graph, int64_t *owned,
                                       struct ets_error *error)
{
    uint32_t orphans = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        orphans += graph->nodes[i].is_depthwise && owned[i] < 0;
    }
    /* handles times nodes: limited like all reading of payloads */
    const uint64_t work = (uint64_t)call->handle_count * graph->node_count;
    if (orphans == 0 || work > *call->budget) return ETS_OK;
    *call->budget -= work;
    if (list_batch_norms(call, owned, graph->node_count, NULL) != orphans) return ETS_OK;
    int64_t *norms = ets_arena_alloc_array(arena, orphans, sizeof *norms);
    if (norms == NULL) return ets_fail_unit_memory(error);
    list_batch_norms(call, owned, graph->node_count, norms);
    for (uint32_t i = 0, next = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].is_depthwise && owned[i] < 0) owned[i] = norms[next++];
    }
    return ETS_OK;
}

static bool know_readers(struct ets_arena *arena, struct ets_handle_index *index)
{
    if (index->readers != NULL) return true;
    index->readers = ets_arena_alloc(arena, sizeof *index->readers);
    if (index->readers == NULL) return false;
    return ets_parameter_readers_build(index->readers, arena, index->graph);
}

/* The handle that the payload states, or that of the record's node that it names or of the one that
 * takes its parameter; -1: none. false: no memory. */
static bool find_handle(struct ets_arena *arena, const struct ets_delegate_call *call,
                        const struct ets_payload_node *node, int64_t *handle_out)
{
    *handle_out = node->debug_handle;
    if (node->debug_handle > 0 || call->nodes == NULL || call->nodes->graph == NULL) return true;
    if (node->edge_name.size > 0) {
        *handle_out = ets_graph_handle_of(call->nodes->graph, node->edge_name);
    }
    if (*handle_out > 0 || node->edge_parameter.size == 0) return true;
    if (!know_readers(arena, call->nodes)) return false;
    *handle_out = ets_parameter_readers_find(call->nodes->readers, node->edge_parameter);
    return true;
}

/*
 * Whether nodes tell what they compute of the edge program, so that a handle without a node was
 * fused into one that has some. Nodes that are known only by their parameters do not: others beside
 * them may compute it.
 */
static bool tells_origins(const struct ets_payload_graph *graph)
{
    if (ets_payload_has_events(graph)) return true;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        if (node->debug_handle > 0 || node->edge_name.size > 0) return true;
    }
    return false;
}

/* `*owned_out`: the handle of each node, from the payload or inferred. */
static enum ets_status fuse(struct ets_arena *arena, const struct ets_delegate_call *call,
                            const struct ets_payload_graph *graph, const int64_t **owned_out,
                            struct ets_fused_handles *fused_out, struct ets_error *error)
{
    int64_t *owned = ets_arena_alloc_array(arena, graph->node_count, sizeof *owned);
    if (owned == NULL) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!find_handle(arena, call, &graph->nodes[i], &owned[i])) {
            return ets_fail_unit_memory(error);
        }
    }
    *owned_out = owned;
    if (!tells_origins(graph)) {
        ETS_TRY(ets_align_nodes(arena, call, graph, owned, error));
        return ets_fused_handles_build(arena, &(struct ets_delegate_call){.handles = NULL}, owned,
                                       graph->node_count, fused_out, error);
    }
    ETS_TRY(own_batch_norms(arena, call, graph, owned, error));
    return ets_fused_handles_build(arena, call, owned, graph->node_count, fused_out, error);
}

/* "Transpose (ND, X32) #2": equal names of one call are counted from 1. */
static bool number_names(struct ets_arena *arena, const struct ets_payload_events *events,
                         struct ets_delegate_unit *units)
{
    struct ets_strings names;
    uint32_t *seen = ets_arena_alloc_array(arena, (size_t)events->count + 1, sizeof *seen);
    if (seen == NULL || ets_strings_init(&names, arena) != 0) return false;
    for (uint32_t i = 0; i < events->count; i++) {
        const struct ets_text name = {events->items[i].name, strlen(events->items[i].name)};
        const uint32_t number = ets_strings_add(&names, name);
        const size_t room = name.size + 16;
        char *text = ets_arena_alloc(arena, room);
        if (number == UINT32_MAX || text == NULL) return false;
        units[i].event = (struct ets_text){
            text, ets_print_text(text, room, "%s #%u", name.data, ++seen[number])};
    }
    return true;
}

static bool list_nodes(struct ets_arena *arena, const struct ets_payload_graph *graph,
                       const int64_t *owned, const struct ets_payload_event *event,
                       struct ets_delegate_unit *unit)
{
    struct ets_unit_node *nodes = ets_arena_alloc_array(arena, event->node_count, sizeof *nodes);
    if (nodes == NULL) return false;
    for (uint32_t i = 0; i < event->node_count; i++) {
        const uint32_t node = event->nodes[i];
        nodes[i] = (struct ets_unit_node){node, graph->nodes[node].name.data, owned[node]};
    }
    unit->payload_nodes = nodes;
    unit->payload_node_count = event->node_count;
    return true;
}

/* What the payload calls its nodes in events; and their handles where the backend's map has them,
 * which may be several for one node. */
static void take_symbols(const struct ets_delegate_call *call,
                         const struct ets_payload_graph *graph, struct ets_delegate_unit *units)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const int64_t *handles;
        size_t count;
        units[i].event = graph->nodes[i].symbol;
        if (call->record == NULL) continue;
        ets_etrecord_delegate_handles(call->record, call->method, call->instruction, units[i].event,
                                      &handles, &count);
        if (count == 0) continue;
        units[i].handles = handles;
        units[i].handle_count = count;
        units[i].tie = ETS_TIE_MAP;
    }
}

/* Nodes without a known rule: one unit each, without event. */
static bool units_of_nodes(struct ets_arena *arena, const struct ets_payload_graph *graph,
                           struct ets_payload_events *events)
{
    uint32_t *indices = ets_arena_alloc_array(arena, graph->node_count, sizeof *indices);
    events->items = ets_arena_alloc_array(arena, graph->node_count, sizeof *events->items);
    if (indices == NULL || events->items == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        indices[i] = i;
        events->items[i] = (struct ets_payload_event){NULL, &indices[i], 1};
    }
    events->count = graph->node_count;
    return true;
}

static enum ets_status explain(struct ets_arena *arena, struct ets_delegate_units *units,
                               struct ets_error *error, const char *what)
{
    units->reason = ets_arena_copy_text(arena, what, strlen(what));
    return units->reason == NULL ? ets_fail_unit_memory(error) : ETS_OK;
}

/* What the payload says of itself tells more than why its events are not known. */
static enum ets_status explain_or_note(struct ets_arena *arena,
                                       const struct ets_payload_graph *graph,
                                       struct ets_delegate_units *units, struct ets_error *error,
                                       const char *what)
{
    units->is_noted = graph->note != NULL;
    return explain(arena, units, error, graph->note != NULL ? graph->note : what);
}

static enum ets_status make_units(struct ets_arena *arena, const struct ets_delegate_call *call,
                                  const struct ets_payload_graph *graph,
                                  struct ets_delegate_units *units_out, struct ets_error *error)
{
    struct ets_payload_events events;
    struct ets_fused_handles fused;
    ETS_TRY(ets_payload_events(arena, graph, &events, error));
    const bool has_rule = events.items != NULL;
    if (!has_rule && !units_of_nodes(arena, graph, &events)) return ets_fail_unit_memory(error);
    struct ets_delegate_unit *units = ets_arena_alloc_array(arena, events.count, sizeof *units);
    if (units == NULL) return ets_fail_unit_memory(error);
    const int64_t *owned;
    ETS_TRY(fuse(arena, call, graph, &owned, &fused, error));
    const bool is_near = call->handles != NULL && (events.is_quantized || !fused.is_exact);
    for (uint32_t i = 0; i < events.count; i++) {
        units[i].tie = is_near ? ETS_TIE_NEAR : ETS_TIE_NODE;
        if (!list_nodes(arena, graph, owned, &events.items[i], &units[i]) ||
            !find_handles(arena, call, &fused, &units[i])) {
            return ets_fail_unit_memory(error);
        }
    }
    if (call->handles != NULL && tells_origins(graph))
        adopt_handles(graph, &fused, units, events.count);
    if (has_rule && !number_names(arena, &events, units)) return ets_fail_unit_memory(error);
    const bool has_symbols = !has_rule && ets_payload_has_symbols(graph);
    if (has_symbols) take_symbols(call, graph, units);
    *units_out = (struct ets_delegate_units){
        .items = units,
        .count = events.count,
        .is_ordered = !has_symbols,
        .may_convert = events.has_half,
        .is_output = graph->is_output,
        .argument_count = graph->argument_count,
    };
    if (has_rule || has_symbols) return ETS_OK;
    if (events.odd_node == ETS_PAYLOAD_NONE) {
        return explain_or_note(arena, graph, units_out, error,
                               "this backend's payload does not tell what its runtime reports");
    }
    char text[128];
    ets_print_text(text, sizeof text, "unknown which operators the runtime makes of node %u, %s",
                   events.odd_node, graph->nodes[events.odd_node].name.data);
    return explain(arena, units_out, error, text);
}

/* Units of a payload that calls its nodes as events do: the map, if there is one, has no more than
 * that, and mixes constants into it. */
static enum ets_status read_symbols(struct ets_arena *arena, const struct ets_delegate_call *call,
                                    struct ets_delegate_units *units_out, struct ets_error *error)
{
    const struct ets_delegate delegate = {.id = call->backend, .blob = call->payload};
    const struct ets_payload_graph *graph;
    if (call->payload.size == 0) return ETS_OK;
    ETS_TRY(ets_payload_store_read(call->payloads, &delegate, &graph, NULL, error));
    if (graph == NULL || !ets_payload_has_symbols(graph) || call->payload.size > *call->budget) {
        return ETS_OK;
    }
    *call->budget -= call->payload.size;
    return make_units(arena, call, graph, units_out, error);
}

const struct ets_delegate_reader ets_delegate_symbol_reader = {read_symbols};

static enum ets_status read_payload(struct ets_arena *arena, const struct ets_delegate_call *call,
                                    struct ets_delegate_units *units_out, struct ets_error *error)
{
    const struct ets_delegate delegate = {.id = call->backend, .blob = call->payload};
    const struct ets_payload_graph *graph;
    const char *reason;
    switch (ets_payload_knowledge(call->backend)) {
    case ETS_PAYLOAD_UNKNOWN: break;
    case ETS_PAYLOAD_READABLE: break;
    case ETS_PAYLOAD_FORETOLD:
        if (call->payload.size > 0) break;
        return explain(arena, units_out, error,
                       "the payload is not available: no program was given");
    }
    if (call->payload.size == 0) return ETS_OK;
    ETS_TRY(ets_payload_store_read(call->payloads, &delegate, &graph, &reason, error));
    if (graph == NULL) {
        units_out->reason = reason;
        return ETS_OK;
    }
    /* Nodes that do not tell what they compute say less than the record's. */
    if (ets_payload_has_events(graph) || ets_payload_tells_operations(graph) ||
        call->handles == NULL) {
        if (call->payload.size > *call->budget) {
            return explain(arena, units_out, error, "the limit for reading payloads was reached");
        }
        *call->budget -= call->payload.size; /* calls that share it have units of their own */
        return make_units(arena, call, graph, units_out, error);
    }
    return explain_or_note(arena, graph, units_out, error,
                           "this backend's payload does not tell what its runtime reports, and "
                           "there is no delegate map");
}

const struct ets_delegate_reader ets_delegate_payload_reader = {read_payload};
