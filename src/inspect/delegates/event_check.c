/*
 * Finds contradictions between the events of a delegate call and the nodes that the record has of
 * it. Only events whose names say what they compute count, as XNNPACK's do. Nodes that XNNPACK
 * takes apart, fuses or drops do not: multiplications it neither adds nor drops, except that it
 * makes a convolution of a batch norm, and quantization it does not invent.
 *
 * The map of a call has each handle as often as nodes with it were given to the delegate. If the
 * record's graph has another number, the nodes are not all of this call, or passes changed them
 * after the graph was recorded: nothing contradicts then.
 */
#include "inspect/delegates/event_check.h"

#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "payload/payload_names.h"

struct call_events {
    bool tell_origins;        /* a name of them tells where the event can come from */
    bool is_attention;        /* one event instead of two multiplications */
    bool repeat;              /* several events fall together in a row, or the call is in a loop */
    bool convert;             /* between floats and integers */
    uint32_t multiplications; /* convolutions, products of matrices */
    struct ets_text int8;     /* an event that computes with integers; absent: none */
    enum ets_payload_arithmetic arithmetic; /* the strongest of all events */
};

struct call_nodes {
    bool are_others; /* than what the delegate was given */
    bool is_attention;
    bool quantize; /* a tensor that is computed or given */
    uint32_t multiplications, norms;
};

/* Lists of what events can come from that are remembered: backends have a few. */
enum { ORIGIN_LISTS = 4 };

struct check {
    struct ets_inspection *inspection;
    const struct ets_recorded_call *call;
    uint32_t call_row;
    struct call_nodes nodes;
    struct {
        const char *const *list;
        bool is_there; /* a node of the call is in the list */
    } origins[ORIGIN_LISTS];
};

/* False if hostile files have asked for more than checks may look at: nothing contradicts then. */
static bool spend(const struct check *c, uint64_t work)
{
    uint64_t *budget = &c->inspection->check_budget;
    if (work > *budget) *budget = 0;
    else *budget -= work;
    return *budget > 0;
}

static void see_event(struct call_events *events, struct ets_text name)
{
    const char *operation = ets_payload_event_operation(name);
    const enum ets_payload_arithmetic arithmetic = ets_payload_event_arithmetic(name);
    if (arithmetic >= ETS_PAYLOAD_ARITHMETIC_INT8 && events->int8.data == NULL) events->int8 = name;
    if (arithmetic > events->arithmetic) events->arithmetic = arithmetic;
    if (operation == NULL) return;
    const struct ets_text base = ets_text_of(operation);
    events->is_attention |= ets_text_contains(base, "attention");
    events->convert |= ets_operator_is(base, ETS_OPERATOR_QUANTIZATION);
    events->multiplications += ets_operator_is(base, ETS_OPERATOR_MULTIPLICATION);
}

/* Weights are quantized once, before the model runs. */
static bool takes_activation(const struct check *c, const struct ets_graph_node *node)
{
    const struct ets_graph *graph = c->call->method->graph;
    if (node->input_count == 0 || !spend(c, graph->input_count)) return false;
    for (size_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (!ets_text_equal(input->argument.name, node->inputs[0].name)) continue;
        return input->role == ETS_INPUT_USER;
    }
    return true;
}

static void see_node(struct check *c, const struct ets_graph_node *node)
{
    const uint32_t traits = ets_operator_traits(node->op);
    c->nodes.multiplications += (traits & ETS_OPERATOR_MULTIPLICATION) != 0;
    c->nodes.norms += ets_text_contains(node->op, "batch_norm");
    c->nodes.is_attention |= ets_text_contains(node->op, "attention");
    if (traits & (ETS_OPERATOR_QUANTIZE | ETS_OPERATOR_CHOOSE_SCALE)) {
        c->nodes.quantize = c->nodes.quantize || takes_activation(c, node);
    }
}

/* Nodes with several outputs stand for their getitem nodes, too, which the map has. */
static bool has_one_output(const struct ets_row_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i].node->output_count > 1) return false;
    }
    return true;
}

/* The nodes of the call; false: nothing can be said. */
static bool see_nodes(struct check *c)
{
    const struct ets_recorded_call *call = c->call;
    struct ets_handle_index *index = &call->method->nodes;
    if (!spend(c, 2 * (uint64_t)call->handle_count)) return false;
    ets_handle_index_start(index);
    for (size_t i = 0; i < call->handle_count; i++) {
        uint32_t count;
        const struct ets_row_node *nodes = ets_handle_index_find(index, call->handles[i], &count);
        const bool is_new = ets_handle_index_add(index, nodes, count);
        c->nodes.are_others |= count == 0;
        if (count > 0) ets_handle_index_use(index, nodes, is_new);
    }
    ets_handle_index_start(index);
    for (size_t i = 0; i < call->handle_count && !c->nodes.are_others; i++) {
        uint32_t count;
        const struct ets_row_node *nodes = ets_handle_index_find(index, call->handles[i], &count);
        if (!ets_handle_index_add(index, nodes, count)) continue;
        if (!spend(c, count)) return false;
        c->nodes.are_others |=
            index->uses[nodes - index->nodes] != count && has_one_output(nodes, count);
        for (uint32_t k = 0; k < count; k++) see_node(c, nodes[k].node);
    }
    return !c->nodes.are_others;
}

/* Whether a node of the call is in a list of what an event can come from. */
static bool has_origin(struct check *c, const char *const *list)
{
    const struct ets_recorded_call *call = c->call;
    uint32_t i = 0;
    while (i < ORIGIN_LISTS && c->origins[i].list != NULL && c->origins[i].list != list) i++;
    if (i == ORIGIN_LISTS) return true;
    if (c->origins[i].list == NULL) {
        if (!spend(c, call->handle_count)) return true;
        c->origins[i].list = list;
        c->origins[i].is_there = ets_handle_index_has_op(&call->method->nodes, call->handles,
                                                         call->handle_count, list) != 0;
    }
    return c->origins[i].is_there;
}

static enum ets_status compare(const struct check *c, const struct call_events *events,
                               struct ets_error *error)
{
    const long long instruction = c->inspection->rows[c->call_row].instruction;
    const char *method = c->call->method->name;
    const bool counts = !events->is_attention && !c->nodes.is_attention && !events->repeat;
    if (events->int8.data != NULL && !c->call->method->quantizes) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld ran %.*s, but the record's %s does not "
                        "quantize",
                        instruction, ETS_TEXT(events->int8), method);
    }
    if (!events->tell_origins || !c->call->is_complete) return ETS_OK;
    if (counts && (events->multiplications < c->nodes.multiplications ||
                   events->multiplications > c->nodes.multiplications + c->nodes.norms)) {
        return ets_fail(
            error, ETS_MISMATCH, ETS_NO_OFFSET,
            "the delegate of instruction %lld multiplied %u times (convolutions, matrix "
            "products), but the record's %s has %u such nodes there",
            instruction, (unsigned)events->multiplications, method,
            (unsigned)c->nodes.multiplications);
    }
    if (c->nodes.quantize && !events->convert &&
        events->arithmetic == ETS_PAYLOAD_ARITHMETIC_FLOAT) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld computed in floats, but the record's %s "
                        "quantizes there",
                        instruction, method);
    }
    return ETS_OK;
}

enum ets_status ets_delegate_events_check(struct ets_inspection *inspection, uint32_t call_row,
                                          const struct ets_recorded_call *call,
                                          struct ets_error *error)
{
    struct check c = {.inspection = inspection, .call = call, .call_row = call_row};
    struct call_events events = {.repeat = false};
    if (call->method->graph == NULL) return ETS_OK;
    for (uint32_t i = call_row; i-- > 0 && inspection->rows[i].parent == call_row;) {
        const struct ets_row *row = &inspection->rows[i];
        if (!row->is_delegated) continue;
        const char *const *origins = ets_payload_event_origins(row->name);
        see_event(&events, row->name);
        events.tell_origins |= origins != NULL;
        events.repeat |= row->calls_per_run != 1;
        if (origins == NULL || has_origin(&c, origins)) continue;
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld ran %.*s, which does not match the nodes "
                        "there in the record's %s",
                        (long long)row->instruction, ETS_TEXT(row->name), call->method->name);
    }
    /* Most calls report no events: their nodes need not be looked at. */
    if (!events.tell_origins && events.int8.data == NULL) return ETS_OK;
    return see_nodes(&c) ? compare(&c, &events, error) : ETS_OK;
}
