/* Which step may follow which: instructions in order, and jumps. */
#include "memory/memory_flow.h"

#include "format/program_lists.h"

/* A condition that no instruction changes: a jump on it is taken always or never. */
enum condition { UNKNOWN, ALWAYS_TRUE, ALWAYS_FALSE };

/* Marks the values that something other than a jump names, or that the caller sets. */
static void mark_named(const struct ets_memory_plan *plan, bool *is_named)
{
    const struct ets_method *method = &plan->method;
    struct ets_evalue value;
    for (uint32_t i = 0; i < method->input_count; i++) {
        ets_method_input(method, i, &value);
        is_named[value.index] = true;
    }
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct ets_instruction instruction;
        ets_plan_instruction(plan, s, &instruction);
        if (instruction.kind == ETS_INSTRUCTION_JUMP_FALSE_CALL) continue;
        for (uint32_t i = 0; i < instruction.argument_count; i++) {
            is_named[ets_instruction_argument(&instruction, i)] = true;
        }
    }
}

static enum condition condition_of(const struct ets_memory_plan *plan, const bool *is_named,
                                   const struct ets_instruction *jump)
{
    struct ets_evalue value;
    const uint32_t index = ets_instruction_argument(jump, 0);
    ets_method_value(&plan->method, index, &value);
    if (is_named[index] || value.kind != ETS_EVALUE_BOOL) return UNKNOWN;
    return value.int_value != 0 ? ALWAYS_TRUE : ALWAYS_FALSE;
}

/* The step that a jump leads to; the step count: the end of the method. */
static uint32_t target_of(const struct ets_memory_plan *plan, const struct ets_instruction *jump)
{
    const uint32_t begin = plan->chain_step[jump->chain_index];
    const uint32_t count = plan->chain_step[jump->chain_index + 1] - begin;
    const bool is_inside = jump->destination >= 0 && (uint32_t)jump->destination < count;
    return begin + (is_inside ? (uint32_t)jump->destination : count);
}

static void find_jumps(const struct ets_memory_plan *plan, const bool *is_named,
                       struct ets_plan_flow *flow)
{
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct ets_instruction instruction;
        ets_plan_instruction(plan, s, &instruction);
        flow->jump[s] = ETS_PLAN_NONE;
        flow->goes_on[s] = true;
        if (instruction.kind != ETS_INSTRUCTION_JUMP_FALSE_CALL) continue;
        const enum condition condition = condition_of(plan, is_named, &instruction);
        if (condition == ALWAYS_TRUE) continue;
        flow->jump[s] = target_of(plan, &instruction);
        flow->goes_on[s] = condition != ALWAYS_FALSE;
    }
}

/* The jumps to each step, by counting. */
static void find_sources(uint32_t step_count, struct ets_plan_flow *flow)
{
    for (uint32_t s = 0; s < step_count; s++) {
        if (flow->jump[s] != ETS_PLAN_NONE) flow->source_begin[flow->jump[s] + 2]++;
    }
    for (uint32_t s = 0; s <= step_count; s++) {
        flow->source_begin[s + 2] += flow->source_begin[s + 1];
    }
    for (uint32_t s = 0; s < step_count; s++) {
        if (flow->jump[s] == ETS_PLAN_NONE) continue;
        flow->sources[flow->source_begin[flow->jump[s] + 1]++] = s;
    }
}

/* `stack` has room for each step once, and the end. */
static void find_reached(struct ets_plan_flow *flow, uint32_t *stack)
{
    uint32_t depth = 0;
    flow->is_reached[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t step = stack[--depth];
        if (step == flow->step_count) continue;
        const uint32_t next[] = {flow->goes_on[step] ? step + 1 : ETS_PLAN_NONE, flow->jump[step]};
        for (int i = 0; i < 2; i++) {
            if (next[i] == ETS_PLAN_NONE || flow->is_reached[next[i]]) continue;
            flow->is_reached[next[i]] = true;
            stack[depth++] = next[i];
        }
    }
}

bool ets_plan_flow_init(struct ets_plan_flow *flow, const struct ets_memory_plan *plan,
                        struct ets_arena *arena)
{
    const size_t steps = plan->step_count;
    bool *is_named = ets_arena_alloc_array(arena, plan->method.value_count, sizeof *is_named);
    flow->step_count = plan->step_count;
    flow->jump = ets_arena_alloc_array(arena, steps, sizeof *flow->jump);
    flow->goes_on = ets_arena_alloc_array(arena, steps, sizeof *flow->goes_on);
    flow->sources = ets_arena_alloc_array(arena, steps, sizeof *flow->sources);
    flow->source_begin = ets_arena_alloc_array(arena, steps + 3, sizeof *flow->source_begin);
    flow->is_reached = ets_arena_alloc_array(arena, steps + 1, sizeof *flow->is_reached);
    uint32_t *stack = ets_arena_alloc_array(arena, steps + 1, sizeof *stack);
    if (is_named == NULL || flow->jump == NULL || flow->goes_on == NULL || flow->sources == NULL ||
        flow->source_begin == NULL || flow->is_reached == NULL || stack == NULL) {
        return false;
    }
    mark_named(plan, is_named);
    find_jumps(plan, is_named, flow);
    find_sources(plan->step_count, flow);
    find_reached(flow, stack);
    return true;
}
