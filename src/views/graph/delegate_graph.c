/* The nodes of an XNNPACK payload, with what they take from each other and from the call. */
#include "views/graph/delegate_graph.h"

#include <math.h>

#include "views/graph/model_builder.h"

struct payload {
    struct ets_model *model;
    struct ets_model_graph *graph;
    struct ets_payload_graph content;
    uint32_t *input_nodes; /* [external_count] node + 1; 0: none */
};

static struct ets_text shape_of(struct payload *p, const struct ets_xnnpack_value *value)
{
    int64_t sizes[16];
    const uint32_t rank = value->rank < 16 ? value->rank : 16;
    const char *type = ets_xnnpack_type_name(value->type);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = ets_xnnpack_dim(&p->content.xnnpack, value, i);
    }
    return ets_model_shape(p->model, type == NULL ? "?" : type, rank, sizes, NULL);
}

/* The call's own values: ends of the graph. */
static bool is_external(const struct payload *p, const struct ets_xnnpack_value *value)
{
    return value->external_id < p->content.xnnpack.external_count;
}

static bool add_inputs(struct payload *p)
{
    const struct ets_xnnpack *xnnpack = &p->content.xnnpack;
    p->input_nodes =
        ets_arena_alloc_array(p->model->arena, xnnpack->external_count, sizeof *p->input_nodes);
    if (p->input_nodes == NULL) return false;
    for (uint32_t i = 0; i < xnnpack->value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(xnnpack, i, &value);
        if (!value.is_input || !is_external(p, &value)) continue;
        if (p->input_nodes[value.external_id] > 0) continue;
        const struct ets_text id = ets_model_print(p->model, "input_%u", value.external_id);
        const uint32_t node = ets_model_add_node(p->model, p->graph, ETS_MODEL_INPUT, id, id);
        if (node == ETS_MODEL_NONE) return false;
        p->input_nodes[value.external_id] = node + 1;
        if (!ets_model_add_output(p->model, &p->graph->nodes[node], shape_of(p, &value))) {
            return false;
        }
    }
    return true;
}

/* "qcint8[16,8], 128 bytes" */
static bool note_constant(struct payload *p, struct ets_model_node *node,
                          const struct ets_xnnpack_value *value)
{
    const struct ets_text shape = shape_of(p, value);
    const struct ets_bytes bytes = ets_payload_constant(&p->content, value->constant_index, NULL);
    if (shape.data == NULL) return false;
    if (bytes.size == 0) return ets_model_note(p->model, node, "constant", shape);
    return ets_model_print_note(p->model, node, "constant", "%.*s, %zu bytes", ETS_TEXT(shape),
                                bytes.size);
}

static bool note_facts(struct payload *p, struct ets_model_node *out, uint32_t index,
                       const struct ets_xnnpack_node *node)
{
    bool ok = ets_model_print_note(p->model, out, "payload node", "%u", index);
    if (ok && node->debug_handle >= 0) {
        ok = ets_model_print_note(p->model, out, "debug handle", "%lld",
                                  (long long)node->debug_handle);
    }
    if (ok && node->has_min_max && (isfinite(node->output_min) || isfinite(node->output_max))) {
        ok = ets_model_print_note(p->model, out, "clamp", "%g to %g", (double)node->output_min,
                                  (double)node->output_max);
    }
    return ok;
}

static uint32_t output_number(const struct payload *p, uint32_t producer, uint32_t id)
{
    struct ets_xnnpack_node node;
    ets_xnnpack_node(&p->content.xnnpack, producer, &node);
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == id) return i;
    }
    return 0;
}

/* What makes the value `id`, for input `input` of node `to`. */
static bool connect(struct payload *p, uint32_t to, uint32_t input, uint32_t id)
{
    struct ets_xnnpack_value value;
    struct ets_model_edge edge = {.from = ETS_MODEL_NONE, .input = input};
    const uint32_t producer = ets_payload_producer(&p->content, id);
    if (producer != UINT32_MAX) {
        edge.from = p->graph->first_step + producer;
        edge.output = output_number(p, producer, id);
    } else if (ets_payload_value(&p->content, id, &value) && is_external(p, &value) &&
               p->input_nodes[value.external_id] > 0) {
        edge.from = p->input_nodes[value.external_id] - 1;
    }
    return edge.from == ETS_MODEL_NONE || ets_model_add_edge(p->model, p->graph, to, edge);
}

static bool add_node(struct payload *p, uint32_t index)
{
    struct ets_xnnpack_node node;
    struct ets_xnnpack_value value;
    ets_xnnpack_node(&p->content.xnnpack, index, &node);
    const char *type = ets_xnnpack_node_name(node.type);
    const struct ets_text id = ets_model_print(p->model, "n%u", index);
    const struct ets_text label = ets_model_print(p->model, "%s", type == NULL ? "?" : type);
    const uint32_t number = ets_model_add_node(p->model, p->graph, ETS_MODEL_OPERATOR, id, label);
    if (number == ETS_MODEL_NONE || label.data == NULL) return false;
    struct ets_model_node *out = &p->graph->nodes[number];
    if (!note_facts(p, out, index, &node)) return false;
    for (uint32_t i = 0; i < node.output_count; i++) {
        const bool is_known = ets_payload_value(&p->content, node.outputs[i], &value);
        const struct ets_text shape = is_known ? shape_of(p, &value) : (struct ets_text){"?", 1};
        if (!ets_model_add_output(p->model, out, shape)) return false;
    }
    for (uint32_t i = 0; i < node.input_count; i++) {
        const bool is_known = ets_payload_value(&p->content, node.inputs[i], &value);
        if (is_known && value.constant_index > 0 && !note_constant(p, out, &value)) return false;
    }
    out->input_count = node.input_count;
    return true;
}

static bool add_nodes(struct payload *p)
{
    struct ets_xnnpack_node node;
    p->graph->first_step = p->graph->node_count;
    p->graph->step_count = p->content.xnnpack.node_count;
    for (uint32_t i = 0; i < p->graph->step_count; i++) {
        if (!add_node(p, i)) return false;
    }
    for (uint32_t i = 0; i < p->graph->step_count; i++) {
        ets_xnnpack_node(&p->content.xnnpack, i, &node);
        for (uint32_t k = 0; k < node.input_count; k++) {
            if (!connect(p, p->graph->first_step + i, k, node.inputs[k])) return false;
        }
    }
    return true;
}

static bool add_outputs(struct payload *p)
{
    for (uint32_t i = 0; i < p->content.xnnpack.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&p->content.xnnpack, i, &value);
        if (!value.is_output || !is_external(p, &value)) continue;
        const struct ets_text id = ets_model_print(p->model, "output_%u_%u", value.external_id, i);
        const struct ets_text label = ets_model_print(p->model, "output_%u", value.external_id);
        const uint32_t node = ets_model_add_node(p->model, p->graph, ETS_MODEL_OUTPUT, id, label);
        if (node == ETS_MODEL_NONE || !connect(p, node, 0, value.id)) return false;
        p->graph->nodes[node].input_count = 1;
    }
    return true;
}

/* The nodes of the record that have a payload node's handle, or all of its unit. */
static bool place_node(struct payload *p, const struct ets_delegate_unit *unit,
                       const struct ets_payload_node *payload_node)
{
    if (payload_node->index >= p->graph->step_count) return true;
    struct ets_model_node *node = &p->graph->nodes[p->graph->first_step + payload_node->index];
    size_t first = 0, count = 0;
    while (first < unit->node_count && unit->nodes[first].handle != payload_node->handle) first++;
    while (first + count < unit->node_count &&
           unit->nodes[first + count].handle == payload_node->handle) {
        count++;
    }
    if (count == 0) return ets_model_place(p->model, node, unit->nodes, unit->node_count);
    return ets_model_place(p->model, node, unit->nodes + first, count);
}

static bool place_nodes(struct payload *p, const struct ets_delegation_step *step)
{
    for (uint32_t u = 0; step != NULL && u < step->unit_count; u++) {
        const struct ets_delegate_unit *unit = &step->units[u];
        for (size_t i = 0; i < unit->payload_node_count; i++) {
            if (!place_node(p, unit, &unit->payload_nodes[i])) return false;
        }
    }
    return true;
}

static bool note_unread(struct ets_model *model, struct ets_model_node *node,
                        const struct ets_delegation_step *step)
{
    if (step == NULL) return true;
    const char *reason = step->reason;
    if (reason != NULL && !ets_model_print_note(model, node, "payload", "%s", reason)) return false;
    for (size_t i = 0; i < step->node_count; i++) {
        const struct ets_graph_node *inside = step->nodes[i].node;
        if (!ets_model_note(model, node, "operator inside", inside->op)) return false;
    }
    return true;
}

static bool fill(struct payload *p, const struct ets_delegation_step *step)
{
    return add_inputs(p) && add_nodes(p) && add_outputs(p) && place_nodes(p, step);
}

enum ets_status ets_model_add_payload(struct ets_model *model, uint32_t outer, uint32_t node,
                                      const struct ets_delegate_graph_source *source,
                                      struct ets_error *error)
{
    struct ets_delegate delegate;
    struct payload p = {.model = model};
    struct ets_model_node *call = &model->graphs[outer].nodes[node];
    ets_method_delegate(source->method, (uint32_t)source->instruction->delegate_index, &delegate);
    const enum ets_status status =
        ets_payload_graph_read(model->arena, source->named, delegate.blob, &p.content, NULL);
    if (status == ETS_NO_MEMORY) return ets_fail_memory(error, "the graph of a delegate");
    if (status != ETS_OK) {
        if (note_unread(model, call, source->step)) return ETS_OK;
        return ets_fail_memory(error, "the graph of a delegate");
    }
    const struct ets_text id =
        ets_model_print(model, "%.*s/%.*s", ETS_TEXT(model->graphs[outer].id), ETS_TEXT(call->id));
    const uint32_t number = ets_model_add_graph(model, id);
    if (number == ETS_MODEL_NONE) return ets_fail_memory(error, "the graph of a delegate");
    p.graph = &model->graphs[number];
    p.graph->method = source->method->index;
    p.graph->call = source->instruction->instruction_id;
    if (!fill(&p, source->step) || !ets_model_add_inner(model, call, number)) {
        return ets_fail_memory(error, "the graph of a delegate");
    }
    return ETS_OK;
}
