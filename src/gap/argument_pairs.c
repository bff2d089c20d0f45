/* Follows values through the program's instructions. */
#include "gap/argument_pairs.h"

#include "base/text.h"
#include "format/program_lists.h"
#include "inspect/inspection.h"
#include "inspect/names.h"

/* Arguments of one instruction; those of longer lists are not followed. */
enum { MOST_ARGUMENTS = 64 };

struct flow {
    struct gap_instructions *s;
    struct ets_gap_report *report;
    const struct ets_chain *chain;
    uint32_t *root; /* [value of the method] of the edge program, views aside; GAP_NONE: unknown */
    bool *is_written; /* [value of the method] by an instruction, or given from the start */
    uint32_t taken[MOST_ARGUMENTS], taken_count; /* of the instruction: values that it reads, */
    uint32_t made[MOST_ARGUMENTS], made_count;   /* and those that it writes first */
};

static void see_first(void *context, uint32_t value)
{
    uint32_t *first = context;
    if (*first == GAP_NONE) *first = value;
}

/* The value that views and copies of the same numbers lead back to. */
static uint32_t root_of(const struct gap_graph *graph, uint32_t value)
{
    enum { MOST_VIEWS = 64 };
    for (int i = 0; i < MOST_VIEWS && value != GAP_NONE; i++) {
        const uint32_t maker = graph->places[value].node;
        uint32_t first = GAP_NONE;
        if (maker == GAP_NONE || !ets_gap_is_view(graph->nodes[maker])) return value;
        ets_gap_graph_inputs(graph, maker, see_first, &first);
        if (first == GAP_NONE || first >= value) return value; /* values are in order */
        value = first;
    }
    return value;
}

static void add_argument(struct flow *flow, uint32_t value)
{
    struct ets_evalue evalue;
    ets_method_value(&flow->chain->method, value, &evalue);
    if (evalue.kind != ETS_EVALUE_TENSOR) return;
    if (flow->is_written[value]) {
        if (flow->taken_count < MOST_ARGUMENTS) flow->taken[flow->taken_count++] = value;
        return;
    }
    flow->is_written[value] = true;
    if (flow->made_count < MOST_ARGUMENTS) flow->made[flow->made_count++] = value;
}

static void read_arguments(struct flow *flow, const struct ets_instruction *instruction)
{
    flow->taken_count = flow->made_count = 0;
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        struct ets_evalue argument;
        const uint32_t at = ets_instruction_argument(instruction, i);
        ets_method_value(&flow->chain->method, at, &argument);
        if (!ets_evalue_is_tensor_list(&argument)) {
            add_argument(flow, at);
            continue;
        }
        for (uint32_t k = 0; k < argument.item_count && k < MOST_ARGUMENTS; k++) {
            const int32_t item = ets_evalue_item(&argument, k);
            if (item >= 0) add_argument(flow, (uint32_t)item);
        }
    }
}

struct wanted {
    const struct gap_graph *graph;
    uint32_t root;
    bool is_taken;
};

static void see_taken(void *context, uint32_t value)
{
    struct wanted *wanted = context;
    wanted->is_taken |= root_of(wanted->graph, value) == wanted->root;
}

/* Whether a node takes all known values that the instruction takes. */
static bool takes_all(const struct flow *flow, uint32_t node)
{
    for (uint32_t i = 0; i < flow->taken_count; i++) {
        struct wanted wanted = {&flow->report->edge, flow->root[flow->taken[i]], false};
        if (wanted.root == GAP_NONE) continue;
        ets_gap_graph_inputs(wanted.graph, node, see_taken, &wanted);
        if (!wanted.is_taken) return false;
    }
    return true;
}

/* The only node that fits; GAP_NONE: none or several. */
static uint32_t find_node(const struct flow *flow, uint32_t instruction, gap_can_be *can_be)
{
    struct gap_instructions *s = flow->s;
    const struct gap_instruction *item = &s->items[instruction];
    uint32_t found = GAP_NONE;
    for (size_t i = 0; i < item->row->handle_node_count && s->budget > 0; i++, s->budget--) {
        const uint32_t node =
            ets_gap_graph_number(&flow->report->edge, item->row->handle_nodes[i].node);
        if (node == GAP_NONE || node == found || s->done_by[node] != GAP_NONE) continue;
        if (!can_be(s, flow->report, instruction, node) || !takes_all(flow, node)) continue;
        if (found != GAP_NONE) return GAP_NONE;
        found = node;
    }
    return found;
}

/* What the instruction writes are the outputs of the node. */
static void note_outputs(struct flow *flow, uint32_t node)
{
    const struct gap_graph *edge = &flow->report->edge;
    for (uint32_t i = 0; i < flow->made_count; i++) {
        const struct ets_graph_argument *output = ets_gap_output(edge->nodes[node], i);
        if (output == NULL) return;
        const uint32_t value = ets_gap_graph_value(edge, edge->level[node], output->name);
        if (value != GAP_NONE) flow->root[flow->made[i]] = root_of(edge, value);
    }
}

static bool is_alias(const struct ets_instruction *instruction)
{
    return ets_text_is(instruction->name, "executorch_prim::et_view");
}

static void follow(struct flow *flow, uint32_t number, gap_can_be *can_be)
{
    struct gap_instructions *s = flow->s;
    struct ets_instruction instruction;
    const uint64_t key[] = {0, number};
    ets_chain_instruction(flow->chain, number, &instruction);
    read_arguments(flow, &instruction);
    if (is_alias(&instruction) && flow->made_count == 1 && flow->taken_count > 0) {
        flow->root[flow->made[0]] = flow->root[flow->taken[0]];
        return;
    }
    const uint32_t item = ets_key_table_find(&s->known, key);
    if (item == ETS_KEY_NONE || s->items[item].is_call || s->items[item].kernel.data == NULL)
        return;
    const uint32_t node = find_node(flow, item, can_be);
    if (node == GAP_NONE) return;
    s->items[item].node = node;
    s->done_by[node] = item;
    s->is_sure[node] = true;
    note_outputs(flow, node);
}

/* Inputs of the method are those of the graph, in order; constants are there from the start. */
static void start(struct flow *flow)
{
    const struct ets_method *method = &flow->chain->method;
    const struct gap_graph *edge = &flow->report->edge;
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        flow->root[i] = GAP_NONE;
        flow->is_written[i] = value.kind == ETS_EVALUE_TENSOR &&
                              value.tensor.place != ETS_PLACE_PLANNED &&
                              value.tensor.place != ETS_PLACE_RUNTIME;
    }
    for (uint32_t i = 0, at = 0; i < method->input_count; i++, at++) {
        struct ets_evalue input;
        ets_method_input(method, i, &input);
        flow->is_written[input.index] = true;
        while (at < edge->graph->input_count && edge->graph->inputs[at].role != ETS_INPUT_USER)
            at++;
        if (at >= edge->graph->input_count) continue;
        const uint32_t value = ets_gap_graph_value(edge, 0, edge->graph->inputs[at].argument.name);
        if (value != GAP_NONE) flow->root[input.index] = value;
    }
}

enum ets_status ets_gap_arguments_pair(struct gap_instructions *s, struct ets_gap_report *report,
                                       gap_can_be *can_be, struct ets_error *error)
{
    const struct ets_known_method *method = report->options.inspection->block_method[report->block];
    if (method == NULL || !method->in_program) return ETS_OK;
    struct flow flow = {.s = s, .report = report, .chain = &method->chain};
    const uint32_t values = method->chain.method.value_count;
    flow.root = ets_arena_alloc_array(&report->arena, values, sizeof *flow.root);
    flow.is_written = ets_arena_alloc_array(&report->arena, values, sizeof *flow.is_written);
    if (flow.root == NULL || flow.is_written == NULL) return gap_fail_memory(error);
    for (int twice = 0; twice < 2; twice++) { /* what is found later leaves less choice before */
        start(&flow);
        for (uint32_t i = 0; i < method->chain.instruction_count && s->budget > 0; i++) {
            follow(&flow, i, can_be);
        }
    }
    return ETS_OK;
}
