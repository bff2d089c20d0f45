/*
 * The graphs of a program: its methods by their instructions, with what each takes from others, and
 * inside of a delegate's call the nodes of its payload.
 *
 * What an instruction reads was written by the last one before it that writes the same tensor. With
 * branches there can be several: all writers from which some way leads there without another.
 */
#include <string.h>

#include "format/program_lists.h"
#include "memory/memory_flow.h"
#include "views/graph/delegate_graph.h"
#include "views/graph/model_builder.h"
#include "views/memory_makers.h"

/* Steps that searches for writers may visit in one method. */
enum { MOST_VISITS = 1 << 26 };

struct method_graph {
    struct ets_model *model;
    struct ets_model_graph *graph; /* moves when graphs are added */
    struct ets_memory_plan plan;
    struct ets_plan_flow flow;
    struct ets_memory_makers makers;
    struct ets_arena scratch;
    uint32_t **output_of; /* [tensor][touch] which output of the node that writes it */
    uint32_t *input_of;   /* [tensor] its node among the inputs + 1; 0: none */
    uint32_t *buffer_of;  /* [tensor] its node among the buffers + 1; 0: none yet */
    uint32_t *seen;       /* [step] the last search that came there */
    uint32_t *stack;      /* [step] */
    uint32_t search;      /* searches so far */
    uint64_t visits;
    bool has_jumps;
};

/* "float32[1,16]"; of a shape that changes at run time its upper bounds. */
static struct ets_text shape_of(struct method_graph *m, uint32_t value_index)
{
    struct ets_evalue value;
    ets_method_value(&m->plan.method, value_index, &value);
    const struct ets_tensor *tensor = &value.tensor.tensor;
    const char *type = ets_scalar_type_name(tensor->scalar_type);
    return ets_model_shape(m->model, type, tensor->rank, tensor->sizes, NULL);
}

static struct ets_model_node *node_at(struct method_graph *m, uint32_t node)
{
    return &m->graph->nodes[node];
}

static bool note_tensor(struct method_graph *m, struct ets_model_node *node,
                        const struct ets_plan_tensor *tensor)
{
    struct ets_evalue value;
    ets_method_value(&m->plan.method, tensor->value, &value);
    return ets_model_print_note(m->model, node, "value", "%u", tensor->value) &&
           ets_model_note(m->model, node, "name", value.tensor.qualified_name) &&
           ets_model_print_note(m->model, node, "bytes", "%s%llu",
                                tensor->is_upper_bound ? "at most " : "",
                                (unsigned long long)tensor->bytes);
}

static bool add_inputs(struct method_graph *m)
{
    const struct ets_method *method = &m->plan.method;
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        const struct ets_text id = ets_model_print(m->model, "input_%u", i);
        const uint32_t node = ets_model_add_node(m->model, m->graph, ETS_MODEL_INPUT, id, id);
        if (node == ETS_MODEL_NONE) return false;
        ets_method_input(method, i, &value);
        const uint32_t tensor = m->plan.tensor_of[value.index];
        if (tensor == ETS_PLAN_NONE) continue;
        m->input_of[tensor] = node + 1;
        if (!ets_model_add_output(m->model, node_at(m, node), shape_of(m, value.index)) ||
            !note_tensor(m, node_at(m, node), &m->plan.tensors[tensor])) {
            return false;
        }
    }
    return true;
}

static bool note_step(struct method_graph *m, struct ets_model_node *node,
                      const struct ets_instruction *instruction)
{
    if (!ets_model_print_note(m->model, node, "instruction", "%u", instruction->instruction_id)) {
        return false;
    }
    if (instruction->chain_index > 0 &&
        !ets_model_print_note(m->model, node, "chain", "%u", instruction->chain_index)) {
        return false;
    }
    return instruction->kind != ETS_INSTRUCTION_JUMP_FALSE_CALL ||
           ets_model_print_note(m->model, node, "if false", "go on at instruction %d",
                                instruction->destination);
}

static bool add_step(struct method_graph *m, uint32_t step)
{
    struct ets_instruction instruction;
    struct ets_memory_maker maker;
    ets_plan_instruction(&m->plan, step, &instruction);
    if (!ets_memory_maker(&m->makers, step, &maker)) return false;
    const bool is_call = instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL;
    const struct ets_text id = instruction.chain_index == 0
                                   ? ets_model_print(m->model, "i%u", instruction.instruction_id)
                                   : ets_model_print(m->model, "c%u_i%u", instruction.chain_index,
                                                     instruction.instruction_id);
    const uint32_t node = ets_model_add_node(
        m->model, m->graph, is_call ? ETS_MODEL_DELEGATE : ETS_MODEL_OPERATOR, id, maker.name);
    if (node == ETS_MODEL_NONE || !note_step(m, node_at(m, node), &instruction)) return false;
    if (step >= m->makers.end_step - m->makers.first_step) return true;
    const struct ets_delegation_step *from =
        ets_delegation_step_at(m->makers.delegation, m->makers.first_step + step);
    return ets_model_place(m->model, node_at(m, node), from->nodes, from->node_count);
}

static bool add_steps(struct method_graph *m)
{
    m->graph->first_step = m->graph->node_count;
    m->graph->step_count = m->plan.chain_step[m->plan.method.chain_count];
    for (uint32_t s = 0; s < m->graph->step_count; s++) {
        if (!add_step(m, s)) return false;
    }
    return true;
}

/* Numbers what each step writes. */
static bool add_step_outputs(struct method_graph *m)
{
    for (uint32_t t = 0; t < m->plan.tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &m->plan.tensors[t];
        m->output_of[t] =
            ets_arena_alloc_array(&m->scratch, tensor->touch_count, sizeof **m->output_of);
        if (m->output_of[t] == NULL) return false;
        for (uint32_t k = 0; k < tensor->touch_count; k++) {
            if (!tensor->touches[k].writes) continue;
            struct ets_model_node *node =
                node_at(m, m->graph->first_step + tensor->touches[k].step);
            m->output_of[t][k] = node->output_count;
            if (!ets_model_add_output(m->model, node, shape_of(m, tensor->value))) return false;
        }
    }
    return true;
}

/* The node of what a tensor holds before the first instruction. False: no memory. */
static bool add_start(struct method_graph *m, uint32_t tensor, uint32_t *node_out)
{
    const struct ets_plan_tensor *t = &m->plan.tensors[tensor];
    *node_out = ETS_MODEL_NONE;
    if (m->input_of[tensor] > 0) {
        *node_out = m->input_of[tensor] - 1;
        return true;
    }
    if (t->kind != ETS_PLAN_BUFFER) return true;
    if (m->buffer_of[tensor] == 0) {
        const struct ets_text id = ets_model_print(m->model, "buffer_%u", t->value);
        struct ets_evalue value;
        ets_method_value(&m->plan.method, t->value, &value);
        const struct ets_text name = value.tensor.qualified_name;
        const uint32_t node =
            ets_model_add_node(m->model, m->graph, ETS_MODEL_BUFFER, id, name.size > 0 ? name : id);
        if (node == ETS_MODEL_NONE ||
            !ets_model_add_output(m->model, node_at(m, node), shape_of(m, t->value)) ||
            !note_tensor(m, node_at(m, node), t)) {
            return false;
        }
        m->buffer_of[tensor] = node + 1;
    }
    *node_out = m->buffer_of[tensor] - 1;
    return true;
}

static bool connect_start(struct method_graph *m, uint32_t tensor, uint32_t to, uint32_t input)
{
    uint32_t node;
    if (!add_start(m, tensor, &node)) return false;
    return node == ETS_MODEL_NONE ||
           ets_model_add_edge(m->model, m->graph, to,
                              (struct ets_model_edge){.from = node, .output = 0, .input = input});
}

static bool connect_touch(struct method_graph *m, uint32_t tensor, uint32_t touch, uint32_t to,
                          uint32_t input)
{
    const struct ets_model_edge edge = {
        .from = m->graph->first_step + m->plan.tensors[tensor].touches[touch].step,
        .output = m->output_of[tensor][touch],
        .input = input};
    return ets_model_add_edge(m->model, m->graph, to, edge);
}

/* The touch of a tensor at a step; UINT32_MAX: none. Touches are in the order of steps. */
static uint32_t touch_at(const struct ets_plan_tensor *tensor, uint32_t step)
{
    uint32_t low = 0, high = tensor->touch_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (tensor->touches[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low < tensor->touch_count && tensor->touches[low].step == step ? low : UINT32_MAX;
}

static void push(struct method_graph *m, uint32_t step, uint32_t *depth)
{
    if (!m->flow.is_reached[step] || m->seen[step] == m->search) return;
    m->seen[step] = m->search;
    m->stack[(*depth)++] = step;
}

static void push_before(struct method_graph *m, uint32_t step, uint32_t *depth)
{
    if (step > 0 && m->flow.goes_on[step - 1]) push(m, step - 1, depth);
    for (uint32_t i = m->flow.source_begin[step]; i < m->flow.source_begin[step + 1]; i++) {
        push(m, m->flow.sources[i], depth);
    }
}

/* Connects to the writers that come before `step`, over jumps. */
static enum ets_status search_writers(struct method_graph *m, uint32_t tensor, uint32_t step,
                                      uint32_t to, uint32_t input, struct ets_error *error)
{
    const struct ets_plan_tensor *t = &m->plan.tensors[tensor];
    uint32_t depth = 0;
    bool starts = step == 0;
    m->search++;
    push_before(m, step, &depth);
    while (depth > 0) {
        const uint32_t at = m->stack[--depth];
        if (++m->visits > MOST_VISITS) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "method %.*s has too many branches to tell what its instructions take "
                            "from each other",
                            ETS_TEXT(m->plan.method.name));
        }
        const uint32_t touch = touch_at(t, at);
        const bool writes = touch != UINT32_MAX && t->touches[touch].writes;
        if (writes && !connect_touch(m, tensor, touch, to, input)) {
            return ets_fail_memory(error, "the graph of a method");
        }
        if (writes && !t->touches[touch].is_partial) continue;
        if (at == 0) starts = true;
        push_before(m, at, &depth);
    }
    if (starts && !connect_start(m, tensor, to, input)) {
        return ets_fail_memory(error, "the graph of a method");
    }
    return ETS_OK;
}

/* The same without jumps: the writer is the last before `touch_end`. */
static bool connect_last(struct method_graph *m, uint32_t tensor, uint32_t touch_end, uint32_t to,
                         uint32_t input)
{
    const struct ets_plan_tensor *t = &m->plan.tensors[tensor];
    while (touch_end > 0) {
        const struct ets_plan_touch *touch = &t->touches[--touch_end];
        if (!touch->writes) continue;
        if (!connect_touch(m, tensor, touch_end, to, input)) return false;
        if (!touch->is_partial) return true;
    }
    return connect_start(m, tensor, to, input);
}

static enum ets_status connect(struct method_graph *m, uint32_t tensor, uint32_t step,
                               uint32_t touch_end, uint32_t to, struct ets_error *error)
{
    const uint32_t input = node_at(m, to)->input_count++;
    if (m->has_jumps) return search_writers(m, tensor, step, to, input, error);
    if (connect_last(m, tensor, touch_end, to, input)) return ETS_OK;
    return ets_fail_memory(error, "the graph of a method");
}

static enum ets_status connect_steps(struct method_graph *m, struct ets_error *error)
{
    for (uint32_t t = 0; t < m->plan.tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &m->plan.tensors[t];
        for (uint32_t k = 0; k < tensor->touch_count; k++) {
            const uint32_t step = tensor->touches[k].step;
            if (!tensor->touches[k].reads || tensor->kind == ETS_PLAN_CONSTANT) continue;
            ETS_TRY(connect(m, t, step, k, m->graph->first_step + step, error));
        }
    }
    return ETS_OK;
}

/* What an instruction reads of the file: "3 tensors, 1024 B". */
static bool note_constants(struct method_graph *m)
{
    const size_t steps = m->plan.step_count;
    uint32_t *counts = ets_arena_alloc_array(&m->scratch, steps, sizeof *counts);
    uint64_t *bytes = ets_arena_alloc_array(&m->scratch, steps, sizeof *bytes);
    if (counts == NULL || bytes == NULL) return false;
    for (uint32_t t = 0; t < m->plan.tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &m->plan.tensors[t];
        if (tensor->kind != ETS_PLAN_CONSTANT) continue;
        for (uint32_t k = 0; k < tensor->touch_count; k++) {
            counts[tensor->touches[k].step]++;
            bytes[tensor->touches[k].step] += tensor->bytes;
        }
    }
    for (uint32_t s = 0; s < m->graph->step_count; s++) {
        if (counts[s] > 0 &&
            !ets_model_print_note(m->model, node_at(m, m->graph->first_step + s), "constants",
                                  "%u tensor%s, %llu bytes", counts[s], counts[s] == 1 ? "" : "s",
                                  (unsigned long long)bytes[s])) {
            return false;
        }
    }
    return true;
}

static enum ets_status add_outputs(struct method_graph *m, struct ets_error *error)
{
    const struct ets_method *method = &m->plan.method;
    for (uint32_t i = 0; i < method->output_count; i++) {
        struct ets_evalue value;
        const struct ets_text id = ets_model_print(m->model, "output_%u", i);
        const uint32_t node = ets_model_add_node(m->model, m->graph, ETS_MODEL_OUTPUT, id, id);
        if (node == ETS_MODEL_NONE) return ets_fail_memory(error, "the graph of a method");
        ets_method_output(method, i, &value);
        const uint32_t tensor = m->plan.tensor_of[value.index];
        if (tensor == ETS_PLAN_NONE) continue;
        if (!note_tensor(m, node_at(m, node), &m->plan.tensors[tensor])) {
            return ets_fail_memory(error, "the graph of a method");
        }
        ETS_TRY(connect(m, tensor, m->graph->step_count, m->plan.tensors[tensor].touch_count, node,
                        error));
    }
    return ETS_OK;
}

static bool prepare(struct method_graph *m, const struct ets_delegation *delegations)
{
    const size_t tensors = m->plan.tensor_count, steps = m->plan.step_count;
    m->output_of = ets_arena_alloc_array(&m->scratch, tensors, sizeof *m->output_of);
    m->input_of = ets_arena_alloc_array(&m->scratch, tensors, sizeof *m->input_of);
    m->buffer_of = ets_arena_alloc_array(&m->scratch, tensors, sizeof *m->buffer_of);
    m->seen = ets_arena_alloc_array(&m->scratch, steps + 1, sizeof *m->seen);
    m->stack = ets_arena_alloc_array(&m->scratch, steps + 1, sizeof *m->stack);
    if (m->output_of == NULL || m->input_of == NULL || m->buffer_of == NULL || m->seen == NULL ||
        m->stack == NULL || !ets_plan_flow_init(&m->flow, &m->plan, &m->scratch) ||
        !ets_memory_makers_init(&m->makers, m->model->arena, &m->plan, delegations)) {
        return false;
    }
    for (uint32_t s = 0; s < m->plan.step_count; s++) {
        if (m->flow.jump[s] != ETS_PLAN_NONE || !m->flow.goes_on[s]) m->has_jumps = true;
    }
    return true;
}

static enum ets_status build(struct method_graph *m, const struct ets_delegation *delegations,
                             struct ets_error *error)
{
    if (!prepare(m, delegations) || !add_inputs(m) || !add_steps(m) || !add_step_outputs(m) ||
        !note_constants(m)) {
        return ets_fail_memory(error, "the graph of a method");
    }
    ETS_TRY(connect_steps(m, error));
    return add_outputs(m, error);
}

/* The payloads of a method's delegate calls, as graphs of their own. */
static enum ets_status add_payloads(struct ets_model *model, uint32_t number,
                                    const struct method_graph *m,
                                    struct ets_delegate_graphs *delegates, struct ets_error *error)
{
    for (uint32_t s = 0; s < model->graphs[number].step_count; s++) {
        struct ets_instruction instruction;
        const struct ets_delegation_step *step = NULL;
        ets_plan_instruction(&m->plan, s, &instruction);
        if (instruction.kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        if (s < m->makers.end_step - m->makers.first_step) {
            step = ets_delegation_step_at(m->makers.delegation, m->makers.first_step + s);
        }
        const struct ets_delegate_graph_source source = {
            .method = &m->plan.method, .instruction = &instruction, .step = step};
        ETS_TRY(ets_model_add_payload(model, number, model->graphs[number].first_step + s, &source,
                                      delegates, error));
    }
    return ETS_OK;
}

static enum ets_status add_method(struct ets_model *model, const struct ets_program *program,
                                  uint32_t index, const struct ets_delegation *delegations,
                                  struct ets_delegate_graphs *delegates, struct ets_error *error)
{
    struct ets_method method;
    struct method_graph m = {.model = model};
    ets_program_method(program, index, &method);
    const char *id = ets_arena_copy_text(model->arena, method.name.data, method.name.size);
    const uint32_t number = ets_model_add_graph(model, (struct ets_text){id, method.name.size});
    if (number == ETS_MODEL_NONE) return ets_fail_memory(error, "the graph of a method");
    m.graph = &model->graphs[number];
    m.graph->method = index;
    ets_arena_init(&m.scratch, model->arena->allocator, 0);
    enum ets_status status = ets_memory_plan_init(&m.plan, &method, &m.scratch, error);
    if (status == ETS_OK) status = build(&m, delegations, error);
    if (status == ETS_OK) status = add_payloads(model, number, &m, delegates, error);
    ets_arena_reset(&m.scratch);
    return status;
}

enum ets_status ets_model_add_program(struct ets_model *model, const struct ets_program *program,
                                      const struct ets_delegation *delegations,
                                      struct ets_error *error)
{
    struct ets_delegate_graphs delegates;
    ets_delegate_graphs_init(&delegates, model->arena, program);
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        ETS_TRY(add_method(model, program, i, delegations, &delegates, error));
    }
    return ETS_OK;
}
