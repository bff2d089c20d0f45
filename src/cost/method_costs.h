/*
 * The work of a program's instructions, from the shapes of their values.
 *
 *     struct ets_method_costs costs;
 *     if (!ets_method_costs_open(&arena, &method, &costs)) return no_memory;
 *     if (!ets_method_costs_instruction(&costs, &instruction, &cost)) return no_memory;
 *     ets_method_costs_close(&costs);
 *
 * Shapes that are bounds make the cost "at most", unless the sizes of a run are given. Lists are
 * read up to 16 times the program's size, as hostile files name one list many times; further calls
 * are unknown.
 */
#ifndef ETSCOPE_COST_METHOD_COSTS_H
#define ETSCOPE_COST_METHOD_COSTS_H

#include "cost/cost_call.h"
#include "cost/token_sizes.h"
#include "etscope/program.h"
#include "host/arena.h"

struct ets_method_costs {
    struct ets_method method;
    const struct ets_token_sizes *sizes; /* of the run at hand; NULL: upper bounds */
    bool *is_state; /* [value_count] left by the run before; NULL: not looked for */
    struct ets_arena *arena;
    struct ets_arena scratch; /* of one call */
    struct ets_cost_marks marks;
    uint64_t budget;
};

/* `arena` holds what is kept, and its allocator what is needed for a call. false: no memory. */
bool ets_method_costs_open(struct ets_arena *arena, const struct ets_method *method,
                           struct ets_method_costs *costs_out);
void ets_method_costs_close(struct ets_method_costs *costs);

/* From now on costs are of a run of these sizes, which must stay; NULL: of upper bounds. false: no
 * memory. */
bool ets_method_costs_use(struct ets_method_costs *costs, const struct ets_token_sizes *sizes);

/*
 * Of a kernel call; of other instructions nothing (ETS_COST_NONE), delegate calls included. false:
 * no memory.
 */
bool ets_method_costs_instruction(struct ets_method_costs *costs,
                                  const struct ets_instruction *instruction,
                                  struct ets_cost *cost_out);

/* Fills [argument_count] with which arguments are constants of the program. */
void ets_method_costs_constants(struct ets_method_costs *costs,
                                const struct ets_instruction *instruction, bool *is_constant_out);

/* Whether an instruction has a tensor whose sizes are dynamic, and whether they are bounds also for
 * the sizes at hand. */
struct ets_call_shapes {
    bool is_dynamic, is_bounded;
    uint64_t state_bytes; /* of its arguments */
};
struct ets_call_shapes ets_method_costs_shapes(struct ets_method_costs *costs,
                                               const struct ets_instruction *instruction);

#endif
