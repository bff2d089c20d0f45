/* Finds which instructions take the outputs of a delegate call. */
#include "gap/consumers.h"

#include <string.h>

#include "format/program_lists.h"
#include "inspect/inspection.h"

struct walk {
    struct gap_consumers *consumers;
    uint32_t user; /* instruction; GAP_NONE: none */
    uint32_t part; /* delegate call of the node, whose own values are inner ones */
    bool is_filling;
};

static void see_use(void *context, uint32_t value)
{
    const struct walk *walk = context;
    struct gap_consumers *c = walk->consumers;
    const uint32_t maker = c->report->edge.places[value].node;
    if (maker == GAP_NONE) return;
    const uint32_t part = c->instructions->part[maker];
    if (part != GAP_NONE && part == walk->part) return;
    if (walk->user == GAP_NONE) c->is_open[value] = true;
    else if (walk->is_filling) c->users[c->first[value + 1]++] = walk->user;
    else c->first[value + 2]++;
}

static void walk_uses(struct gap_consumers *c, bool is_filling)
{
    const struct gap_graph *edge = &c->report->edge;
    struct walk walk = {c, GAP_NONE, GAP_NONE, is_filling};
    for (uint32_t i = 0; i < edge->node_count; i++) {
        walk.user = c->instructions->done_by[i];
        walk.part = c->instructions->part[i];
        ets_gap_graph_inputs(edge, i, see_use, &walk);
    }
    walk.part = GAP_NONE;
    for (uint32_t i = 0; i < edge->graph->output_count; i++) {
        const struct ets_graph_output *output = &edge->graph->outputs[i];
        const uint32_t value = ets_gap_graph_value(edge, 0, output->argument.name);
        walk.user = output->role == ETS_OUTPUT_USER ? c->instructions->count : GAP_NONE;
        if (value != GAP_NONE) see_use(&walk, value); /* a changed buffer is no output */
    }
}

enum ets_status ets_gap_consumers_find(struct gap_consumers *c,
                                       const struct gap_instructions *instructions,
                                       struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const uint32_t values = report->edge.values.count;
    *c = (struct gap_consumers){report, instructions, .budget = 100 * 1000 * 1000};
    c->first = ets_arena_alloc_array(arena, (size_t)values + 2, sizeof(uint32_t));
    c->is_open = ets_arena_alloc_array(arena, values, sizeof(bool));
    c->input_count = ets_arena_alloc_array(arena, instructions->count, sizeof(uint32_t));
    if (c->first == NULL || c->is_open == NULL || c->input_count == NULL) {
        return gap_fail_memory(error);
    }
    walk_uses(c, false);
    for (uint32_t i = 2; i < values + 2; i++) c->first[i] += c->first[i - 1];
    c->users = ets_arena_alloc_array(arena, c->first[values + 1], sizeof(uint32_t));
    if (c->users == NULL) return gap_fail_memory(error);
    walk_uses(c, true);
    return ETS_OK;
}

enum taking { TAKES_NOT, TAKES, UNKNOWN };

/* Whether an instruction of the chain has the value among its arguments. */
static bool has_argument(struct gap_consumers *c, const struct ets_chain *chain, uint32_t number,
                         uint32_t value)
{
    struct ets_instruction instruction;
    ets_chain_instruction(chain, number, &instruction);
    for (uint32_t i = 0; i < instruction.argument_count && c->budget > 0; i++, c->budget--) {
        struct ets_evalue argument;
        const uint32_t at = ets_instruction_argument(&instruction, i);
        if (at == value) return true;
        ets_method_value(&chain->method, at, &argument);
        if (!ets_evalue_is_tensor_list(&argument)) continue;
        for (uint32_t k = 0; k < argument.item_count && c->budget > 0; k++, c->budget--) {
            if (ets_evalue_item(&argument, k) == (int32_t)value) return true;
        }
    }
    return false;
}

static bool is_of_chain(const struct ets_row *row, const struct ets_chain *chain)
{
    return row->chain == 0 && row->instruction >= 0 &&
           (uint32_t)row->instruction < chain->instruction_count;
}

/* By the arguments of the program. */
static enum taking takes_by_program(struct gap_consumers *c, uint32_t taker, uint32_t index)
{
    const struct gap_instructions *s = c->instructions;
    const struct ets_known_method *method =
        c->report->options.inspection->block_method[c->report->block];
    const struct ets_row *maker = s->items[s->of_value[index]].row;
    struct ets_instruction call;
    if (method == NULL || !method->in_program || !is_of_chain(maker, &method->chain)) {
        return UNKNOWN;
    }
    ets_chain_instruction(&method->chain, (uint32_t)maker->instruction, &call);
    const uint32_t at = c->report->values[index].captured.index;
    if (call.kind != ETS_INSTRUCTION_DELEGATE_CALL || at >= call.argument_count) return UNKNOWN;
    const uint32_t value = ets_instruction_argument(&call, at);
    if (taker < s->count) {
        if (!is_of_chain(s->items[taker].row, &method->chain)) return UNKNOWN;
        const uint32_t number = (uint32_t)s->items[taker].row->instruction;
        if (has_argument(c, &method->chain, number, value)) return TAKES;
        return c->budget > 0 ? TAKES_NOT : UNKNOWN;
    }
    for (uint32_t i = 0; i < method->chain.method.output_count && c->budget > 0; i++, c->budget--) {
        struct ets_evalue output;
        ets_method_output(&method->chain.method, i, &output);
        if (output.index == value) return TAKES;
    }
    return c->budget > 0 ? TAKES_NOT : UNKNOWN;
}

static bool has_same_bytes(struct gap_consumers *c, const struct ets_tensor *one,
                           const struct ets_tensor *two)
{
    if (one->scalar_type != two->scalar_type || one->data_bytes != two->data_bytes) return false;
    const uint64_t cost = 1 + one->data_bytes / 16;
    if (c->budget < cost) return false;
    c->budget -= cost;
    return one->data_bytes > 0 && memcmp(one->data, two->data, one->data_bytes) == 0;
}

/* By the bytes of what a delegate call, or the method's outputs, had. */
static enum taking takes_by_bytes(struct gap_consumers *c, uint32_t taker, uint32_t index)
{
    const struct gap_instructions *s = c->instructions;
    const struct ets_captured_value *output = &c->report->values[index].captured;
    const bool is_output = taker == s->count;
    uint32_t seen = 0;
    if (output->status != ETS_OK || output->tensor.data == NULL) return UNKNOWN;
    if (!is_output && (!s->items[taker].is_call || s->items[taker].first_value == GAP_NONE ||
                       s->items[taker].row->chain != output->chain)) {
        return UNKNOWN;
    }
    for (uint32_t i = is_output ? 0 : s->items[taker].first_value; i < c->report->value_count;
         i++) {
        const struct ets_gap_value *value = &c->report->values[i];
        const struct ets_captured_value *taken = &value->captured;
        if (c->budget == 0) return UNKNOWN;
        c->budget--;
        if (is_output ? !taken->is_output : s->of_value[i] != taker) {
            if (is_output) continue;
            break;
        }
        if (!is_output && (value->occurrence > 0 || taken->index >= c->input_count[taker])) break;
        if (taken->status != ETS_OK || taken->tensor.data == NULL) return UNKNOWN;
        if (has_same_bytes(c, &output->tensor, &taken->tensor)) return TAKES;
        seen++;
    }
    if (is_output) return seen > 0 ? TAKES_NOT : UNKNOWN;
    return seen == c->input_count[taker] ? TAKES_NOT : UNKNOWN;
}

static enum taking takes(struct gap_consumers *c, uint32_t taker, uint32_t index)
{
    const enum taking known = takes_by_program(c, taker, index);
    return known != UNKNOWN ? known : takes_by_bytes(c, taker, index);
}

static bool is_user(const struct gap_consumers *c, uint32_t value, uint32_t taker)
{
    for (uint32_t i = c->first[value]; i < c->first[value + 1]; i++) {
        if (c->users[i] == taker) return true;
    }
    return false;
}

bool ets_gap_may_be(struct gap_consumers *c, uint32_t index, uint32_t value, const uint32_t *others,
                    uint32_t other_count)
{
    for (uint32_t i = c->first[value]; i < c->first[value + 1]; i++) {
        if (takes(c, c->users[i], index) == TAKES_NOT) return false;
    }
    if (c->is_open[value]) return true;
    for (uint32_t k = 0; k < other_count; k++) {
        if (others[k] == value) continue;
        for (uint32_t i = c->first[others[k]]; i < c->first[others[k] + 1]; i++) {
            if (c->budget == 0) return true;
            c->budget--;
            if (is_user(c, value, c->users[i])) continue;
            if (takes(c, c->users[i], index) == TAKES) return false;
        }
    }
    return true;
}
