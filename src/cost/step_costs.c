/* Costs of a program's instructions, and what one execution of each method comes to. */
#include "cost/step_costs.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cost/chain_path.h"
#include "format/model_numbers.h"
#include "inspect/inspection.h"

struct finder {
    struct ets_arena *arena;
    const struct ets_program *program;
    struct ets_etrecord *record;
    const struct ets_delegation *delegation;
    struct ets_total_cost *steps;
    const struct ets_cost **units;
    bool *is_taken;
    struct ets_method_cost *methods;
    struct ets_instruction_costs costs; /* of the method at hand */
};

/* "add.out" of "aten::add.out". */
static struct ets_text kernel_of(struct ets_text name)
{
    const char *colon = name.data != NULL ? memchr(name.data, ':', name.size) : NULL;
    if (colon == NULL || colon + 2 > name.data + name.size) return name;
    const size_t skip = (size_t)(colon + 2 - name.data);
    return (struct ets_text){name.data + skip, name.size - skip};
}

static bool cost_units(struct finder *f, uint32_t index, const struct ets_instruction *instruction,
                       bool folds)
{
    const struct ets_delegation_step *step = ets_delegation_step_at(f->delegation, index);
    struct ets_cost *units = ets_arena_alloc_array(f->arena, step->unit_count, sizeof *units);
    if (units == NULL) return false;
    f->units[index] = units;
    ets_instruction_costs_start(&f->costs, instruction);
    for (uint32_t i = 0; i < step->unit_count; i++) {
        const struct ets_delegate_unit *unit = &step->units[i];
        const struct ets_cost_query query = {.instruction = instruction,
                                             .folds = folds,
                                             .is_counted_elsewhere = unit->is_counted_elsewhere,
                                             .nodes = unit->nodes,
                                             .node_count = unit->node_count};
        if (!ets_instruction_part_cost(&f->costs, &query, unit->payload_nodes,
                                       unit->payload_node_count, &units[i])) {
            return false;
        }
    }
    return true;
}

/* false: it does not compute. */
static bool describe(const struct finder *f, const struct ets_chain *chain, uint32_t index,
                     struct ets_instruction *instruction, struct ets_cost_query *query)
{
    const struct ets_delegation_step *step = ets_delegation_step_at(f->delegation, index);
    const bool is_call = step->kind == ETS_INSTRUCTION_DELEGATE_CALL;
    if (!is_call && step->kind != ETS_INSTRUCTION_KERNEL_CALL) return false;
    ets_chain_instruction(chain, step->instruction, instruction);
    *query = (struct ets_cost_query){
        .instruction = instruction,
        .kernel = is_call ? (struct ets_text){NULL, 0} : kernel_of(step->name),
        .folds = is_call && ets_payload_folds(step->name),
        .nodes = step->nodes,
        .node_count = step->node_count,
        .handles = step->handles,
        .handle_count = step->handle_count};
    return true;
}

static bool cost_step(struct finder *f, const struct ets_chain *chain, uint32_t index)
{
    struct ets_instruction instruction;
    struct ets_cost_query query;
    if (!describe(f, chain, index, &instruction, &query)) return true;
    return ets_instruction_cost(&f->costs, &query, &f->steps[index]) &&
           (query.kernel.data != NULL || cost_units(f, index, &instruction, query.folds));
}

/* One call with one token at a position. */
static bool cost_token(struct finder *f, const struct ets_chain *chain, uint32_t first,
                       uint64_t position, struct ets_cost *cost_out)
{
    const struct ets_token_sizes sizes = {.tokens = 1, .has_position = true, .position = position};
    struct ets_total_cost total = {.cost = {.operators = 0}}, step;
    if (!ets_instruction_costs_use(&f->costs, &sizes)) return false;
    for (uint32_t i = 0; i < chain->instruction_count; i++) {
        struct ets_instruction instruction;
        struct ets_cost_query query;
        if (!f->is_taken[first + i] || !describe(f, chain, first + i, &instruction, &query)) {
            continue;
        }
        if (!ets_instruction_cost(&f->costs, &query, &step)) return false;
        ets_total_cost_add(&total, &step, 1);
    }
    *cost_out = total.cost;
    return true;
}

/* Of a program that states a context, or takes dynamic rows of tokens. */
static bool cost_tokens(struct finder *f, const struct ets_method *method,
                        const struct ets_chain *chain, uint32_t first, struct ets_token_cost *token)
{
    int64_t context = 0;
    struct ets_token_sizes sizes = {.tokens = 1};
    token->has_last = ets_model_context(f->program, &context) != NULL && context > 0;
    token->last_position = token->has_last ? (uint64_t)context - 1 : 1;
    if (!ets_token_sizes_take_one(method)) return true;
    ets_token_sizes_find(method, &sizes);
    if (!token->has_last && sizes.bound == 0) return true;
    const bool ok = cost_token(f, chain, first, 0, &token->first) &&
                    cost_token(f, chain, first, token->last_position, &token->last);
    token->is_known = token->last.state_bytes > 0; /* else it computes all tokens anew each time */
    return ok;
}

/* What one execution runs, added up. `first`: the method's first step, of instruction 0. */
static bool add_up(struct finder *f, const struct ets_chain *chain, uint32_t first,
                   struct ets_method_cost *method)
{
    struct ets_chain_path path;
    const uint32_t count = chain->instruction_count;
    uint64_t *flops = ets_arena_alloc_array(f->arena, count, sizeof *flops);
    if (flops == NULL) return false;
    for (uint32_t i = 0; i < count; i++) flops[i] = ets_cost_flops(&f->steps[first + i].cost);
    if (!ets_chain_path_find(f->arena, chain, flops, &path)) return false;
    for (uint32_t i = 0; i < count; i++) {
        f->is_taken[first + i] = path.is_taken[i];
        if (path.is_taken[i]) ets_total_cost_add(&method->total, &f->steps[first + i], 1);
    }
    method->choices = path.choices;
    method->loops = path.loops;
    return true;
}

static enum ets_status cost_method(struct finder *f, uint32_t first, struct ets_error *error)
{
    struct ets_method method;
    struct ets_chain chain;
    const struct ets_graph *graph = NULL;
    const struct ets_delegation_step *step = ets_delegation_step_at(f->delegation, first);
    ets_program_method(f->program, step->method, &method);
    ets_method_chain(&method, 0, &chain);
    if (f->record != NULL) {
        struct ets_error reason;
        const enum ets_status status =
            ets_etrecord_edge_graph(f->record, step->method_name, &graph, &reason);
        if (status != ETS_OK && status != ETS_NOT_FOUND) {
            if (error != NULL) *error = reason;
            return status;
        }
        if (status != ETS_OK || ets_graph_is_emitted(graph)) graph = NULL;
    }
    bool ok = ets_instruction_costs_open(f->arena, &method, graph, &f->costs);
    for (uint32_t i = 0; ok && i < chain.instruction_count; i++) {
        ok = cost_step(f, &chain, first + i);
    }
    ok = ok && add_up(f, &chain, first, &f->methods[step->method]) &&
         cost_tokens(f, &method, &chain, first, &f->methods[step->method].token);
    ets_instruction_costs_close(&f->costs);
    return ok ? ETS_OK : ets_fail_memory(error, "the costs of instructions");
}

enum ets_status ets_step_costs_find(struct ets_arena *arena, const struct ets_program *program,
                                    struct ets_etrecord *record,
                                    const struct ets_delegation *delegation,
                                    struct ets_step_costs *costs_out, struct ets_error *error)
{
    const uint32_t count = ets_delegation_count(delegation);
    struct finder f = {
        .arena = arena,
        .program = program,
        .record = record,
        .delegation = delegation,
        .steps = ets_arena_alloc_array(arena, count, sizeof *f.steps),
        .units = ets_arena_alloc_array(arena, count, sizeof *f.units),
        .is_taken = ets_arena_alloc_array(arena, count, sizeof *f.is_taken),
        .methods = ets_arena_alloc_array(arena, program->method_count, sizeof *f.methods),
    };
    if (f.steps == NULL || f.units == NULL || f.is_taken == NULL || f.methods == NULL) {
        return ets_fail_memory(error, "the costs of instructions");
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(delegation, i);
        if (step->instruction == 0) ETS_TRY(cost_method(&f, i, error));
    }
    *costs_out = (struct ets_step_costs){f.steps, f.units, f.is_taken, f.methods};
    return ETS_OK;
}

/* Of each instruction into `totals`. */
static bool cost_chain(struct ets_instruction_costs *costs, const struct ets_chain *chain,
                       struct ets_total_cost *totals, uint64_t *flops)
{
    for (uint32_t i = 0; i < chain->instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(chain, i, &instruction);
        const bool is_call = instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL;
        if (!is_call && instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
        const struct ets_cost_query query = {
            .instruction = &instruction,
            .kernel = is_call ? (struct ets_text){NULL, 0} : kernel_of(instruction.name)};
        if (!ets_instruction_cost(costs, &query, &totals[i])) return false;
        flops[i] = ets_cost_flops(&totals[i].cost);
    }
    return true;
}

static bool cost_call(struct ets_arena *arena, const struct ets_method *method,
                      const struct ets_token_sizes *sizes, struct ets_cost *cost_out)
{
    struct ets_chain chain;
    struct ets_chain_path path;
    struct ets_instruction_costs costs;
    ets_method_chain(method, 0, &chain);
    const uint32_t count = chain.instruction_count;
    struct ets_total_cost *totals = ets_arena_alloc_array(arena, count, sizeof *totals);
    uint64_t *flops = ets_arena_alloc_array(arena, count, sizeof *flops);
    bool ok = ets_instruction_costs_open(arena, method, NULL, &costs);
    ok = ok && totals != NULL && flops != NULL && ets_instruction_costs_use(&costs, sizes) &&
         cost_chain(&costs, &chain, totals, flops) &&
         ets_chain_path_find(arena, &chain, flops, &path);
    for (uint32_t i = 0; ok && i < count; i++) {
        if (path.is_taken[i]) ets_cost_add(cost_out, &totals[i].cost);
    }
    ets_instruction_costs_close(&costs);
    return ok;
}

enum ets_status ets_call_cost_find(struct ets_arena *arena, const struct ets_program *program,
                                   const char *method, const struct ets_token_sizes *sizes,
                                   struct ets_cost *cost_out, struct ets_error *error)
{
    struct ets_method of;
    *cost_out = (struct ets_cost){.operators = 0};
    if (ets_program_find_method(program, method, &of, NULL) != ETS_OK) return ETS_OK;
    return cost_call(arena, &of, sizes, cost_out)
               ? ETS_OK
               : ets_fail_memory(error, "the costs of instructions");
}
