/* The nodes of a delegate's payload, with what they take from each other and from the call. */
#include "views/graph/delegate_graph.h"

#include <math.h>

#include "views/graph/model_builder.h"

/* Of nodes and values together, some 600 bytes each. */
enum { MOST_DRAWN_AGAIN = 1 << 16 };

struct payload {
    struct ets_model *model;
    struct ets_model_graph *graph;
    const struct ets_payload_graph *content;
    uint32_t *input_nodes; /* [argument_count] node + 1; 0: none */
};

void ets_delegate_graphs_init(struct ets_delegate_graphs *graphs, struct ets_arena *arena,
                              const struct ets_program *program)
{
    *graphs = (struct ets_delegate_graphs){.room = MOST_DRAWN_AGAIN};
    ets_payload_store_init(&graphs->payloads, arena, program);
    ets_key_table_init(&graphs->drawn, arena, 1);
}

static struct ets_text shape_of(struct payload *p, const struct ets_payload_value *value)
{
    int64_t sizes[16];
    const uint32_t rank = value->rank < 16 ? value->rank : 16;
    if (value->is_sizeless) return ets_model_print(p->model, "%s", value->type->name);
    for (uint32_t i = 0; i < rank; i++) sizes[i] = value->dims[i];
    return ets_model_shape(p->model, value->type->name, rank, sizes, NULL);
}

/* The call's own values: ends of the graph. */
static bool is_external(const struct payload *p, const struct ets_payload_value *value)
{
    return value->argument < p->content->argument_count;
}

static bool add_inputs(struct payload *p)
{
    const struct ets_payload_graph *content = p->content;
    p->input_nodes =
        ets_arena_alloc_array(p->model->arena, content->argument_count, sizeof *p->input_nodes);
    if (p->input_nodes == NULL) return false;
    for (uint32_t i = 0; i < content->value_count; i++) {
        const struct ets_payload_value *value = &content->values[i];
        if (!value->is_input || !is_external(p, value)) continue;
        if (p->input_nodes[value->argument] > 0) continue;
        const struct ets_text id = ets_model_print(p->model, "input_%u", value->argument);
        const uint32_t node = ets_model_add_node(p->model, p->graph, ETS_MODEL_INPUT, id, id);
        if (node == ETS_MODEL_NONE) return false;
        p->input_nodes[value->argument] = node + 1;
        if (!ets_model_add_output(p->model, &p->graph->nodes[node], shape_of(p, value))) {
            return false;
        }
    }
    return true;
}

/* "qcint8[16,8], 128 bytes" */
static bool note_constant(struct payload *p, struct ets_model_node *node,
                          const struct ets_payload_value *value)
{
    const struct ets_text shape = shape_of(p, value);
    const struct ets_bytes bytes = ets_payload_constant_bytes(p->content, value->constant);
    if (shape.data == NULL) return false;
    if (bytes.size == 0) return ets_model_note(p->model, node, "constant", shape);
    return ets_model_print_note(p->model, node, "constant", "%.*s, %zu bytes", ETS_TEXT(shape),
                                bytes.size);
}

static bool note_facts(struct payload *p, struct ets_model_node *out, uint32_t index,
                       const struct ets_payload_node *node)
{
    bool ok = ets_model_print_note(p->model, out, "payload node", "%u", index);
    if (ok && node->debug_handle >= 0) {
        ok = ets_model_print_note(p->model, out, "debug handle", "%lld",
                                  (long long)node->debug_handle);
    }
    if (ok && node->edge_name.size > 0) {
        ok = ets_model_note(p->model, out, "edge node", node->edge_name);
    }
    if (ok && node->has_clamp && (isfinite(node->clamp_min) || isfinite(node->clamp_max))) {
        ok = ets_model_print_note(p->model, out, "clamp", "%g to %g", (double)node->clamp_min,
                                  (double)node->clamp_max);
    }
    return ok;
}

/* What makes a value, for input `input` of node `to`. */
static bool connect(struct payload *p, uint32_t to, uint32_t input, uint32_t number)
{
    struct ets_model_edge edge = {.from = ETS_MODEL_NONE, .input = input};
    const struct ets_payload_value *value = ets_payload_value(p->content, number);
    const uint32_t producer = ets_payload_producer(p->content, number);
    if (producer != ETS_PAYLOAD_NONE) {
        edge.from = p->graph->first_step + producer;
        edge.output = value->producer_output;
    } else if (value != NULL && is_external(p, value) && p->input_nodes[value->argument] > 0) {
        edge.from = p->input_nodes[value->argument] - 1;
    }
    return edge.from == ETS_MODEL_NONE || ets_model_add_edge(p->model, p->graph, to, edge);
}

static bool add_node(struct payload *p, uint32_t index)
{
    const struct ets_payload_node *node = &p->content->nodes[index];
    const struct ets_text id = ets_model_print(p->model, "n%u", index);
    const struct ets_text label =
        node->name.data == NULL ? ets_model_print(p->model, "?") : node->name;
    const uint32_t number = ets_model_add_node(p->model, p->graph, ETS_MODEL_OPERATOR, id, label);
    if (number == ETS_MODEL_NONE || label.data == NULL) return false;
    struct ets_model_node *out = &p->graph->nodes[number];
    if (!note_facts(p, out, index, node)) return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct ets_payload_value *value = ets_payload_value(p->content, node->outputs[i]);
        const struct ets_text shape =
            value != NULL ? shape_of(p, value) : (struct ets_text){"?", 1};
        if (!ets_model_add_output(p->model, out, shape)) return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_payload_value *value = ets_payload_value(p->content, node->inputs[i]);
        const bool is_constant = value != NULL && value->constant != ETS_PAYLOAD_NONE;
        if (is_constant && !note_constant(p, out, value)) return false;
    }
    out->input_count = node->input_count;
    return true;
}

static bool add_nodes(struct payload *p)
{
    p->graph->first_step = p->graph->node_count;
    p->graph->step_count = p->content->node_count;
    for (uint32_t i = 0; i < p->graph->step_count; i++) {
        if (!add_node(p, i)) return false;
    }
    for (uint32_t i = 0; i < p->graph->step_count; i++) {
        const struct ets_payload_node *node = &p->content->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (!connect(p, p->graph->first_step + i, k, node->inputs[k])) return false;
        }
    }
    return true;
}

static bool add_outputs(struct payload *p)
{
    for (uint32_t i = 0; i < p->content->value_count; i++) {
        const struct ets_payload_value *value = &p->content->values[i];
        if (!value->is_output || !is_external(p, value)) continue;
        const struct ets_text id = ets_model_print(p->model, "output_%u_%u", value->argument, i);
        const struct ets_text label = ets_model_print(p->model, "output_%u", value->argument);
        const uint32_t node = ets_model_add_node(p->model, p->graph, ETS_MODEL_OUTPUT, id, label);
        if (node == ETS_MODEL_NONE || !connect(p, node, 0, i)) return false;
        p->graph->nodes[node].input_count = 1;
    }
    return true;
}

/* The nodes of the record that have a payload node's handle, or all of its unit. */
static bool place_node(struct payload *p, const struct ets_delegate_unit *unit,
                       const struct ets_unit_node *payload_node)
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

/*
 * Whether the payload is drawn for this call. *first_out: the graph of the call that it was first
 * drawn for; data NULL: this is the first. Statuses: NO_MEMORY.
 */
static bool may_draw(struct ets_delegate_graphs *graphs, const struct ets_payload_graph *content,
                     struct ets_text id, struct ets_text *first_out, bool *ok)
{
    const uint64_t key = (uintptr_t)content;
    const uint64_t size = (uint64_t)content->node_count + content->value_count;
    const uint32_t known = graphs->drawn.count;
    const uint32_t number = ets_key_table_add(&graphs->drawn, &key);
    *first_out = (struct ets_text){NULL, 0};
    *ok = number != ETS_KEY_NONE;
    if (!*ok) return false;
    graphs->names = ets_arena_grow(graphs->drawn.arena, graphs->names, number, &graphs->name_room,
                                   sizeof *graphs->names);
    *ok = graphs->names != NULL;
    if (!*ok) return false;
    if (number == known) {
        graphs->names[number] = id;
        return true;
    }
    *first_out = graphs->names[number];
    if (size > graphs->room) return false;
    graphs->room -= size;
    return true;
}

static bool draw(struct ets_model *model, struct ets_model_node *call, struct payload *p,
                 struct ets_text id, const struct ets_delegate_graph_source *source)
{
    const uint32_t number = ets_model_add_graph(model, id);
    if (number == ETS_MODEL_NONE) return false;
    p->graph = &model->graphs[number];
    p->graph->method = source->method->index;
    p->graph->call = source->instruction->instruction_id;
    return fill(p, source->step) && ets_model_add_inner(model, call, number);
}

enum ets_status ets_model_add_payload(struct ets_model *model, uint32_t outer, uint32_t node,
                                      const struct ets_delegate_graph_source *source,
                                      struct ets_delegate_graphs *graphs, struct ets_error *error)
{
    struct ets_delegate delegate;
    struct payload p = {.model = model};
    struct ets_text first;
    struct ets_model_node *call = &model->graphs[outer].nodes[node];
    ets_method_delegate(source->method, (uint32_t)source->instruction->delegate_index, &delegate);
    ETS_TRY(ets_payload_store_read(&graphs->payloads, &delegate, &p.content, NULL, error));
    bool ok;
    if (p.content == NULL) {
        ok = note_unread(model, call, source->step);
    } else {
        const struct ets_text id = ets_model_print(
            model, "%.*s/%.*s", ETS_TEXT(model->graphs[outer].id), ETS_TEXT(call->id));
        const bool is_drawn = may_draw(graphs, p.content, id, &first, &ok);
        if (is_drawn) ok = draw(model, call, &p, id, source);
        else if (ok)
            ok = ets_model_print_note(model, call, "payload", "the same as that of %.*s",
                                      ETS_TEXT(first));
    }
    return ok ? ETS_OK : ets_fail_memory(error, "the graph of a delegate");
}
