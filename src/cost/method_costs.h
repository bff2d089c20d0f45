/*
 * The work of a program's instructions, from the shapes of their values.
 *
 *     struct ets_method_costs costs;
 *     if (!ets_method_costs_open(&arena, &method, &costs)) return no_memory;
 *     if (!ets_method_costs_instruction(&costs, &instruction, &cost)) return no_memory;
 *     ets_method_costs_close(&costs);
 *
 * Shapes that are bounds make the cost "at most". Lists are read up to 16 times the program's size,
 * as hostile files name one list many times; further calls are unknown.
 */
#ifndef ETSCOPE_COST_METHOD_COSTS_H
#define ETSCOPE_COST_METHOD_COSTS_H

#include "cost/cost_call.h"
#include "etscope/program.h"
#include "host/arena.h"

struct ets_method_costs {
    struct ets_method method;
    struct ets_arena scratch; /* of one call */
    struct ets_cost_marks marks;
    uint64_t budget;
};

/* `arena` holds what is kept, and its allocator what is needed for a call. false: no memory. */
bool ets_method_costs_open(struct ets_arena *arena, const struct ets_method *method,
                           struct ets_method_costs *costs_out);
void ets_method_costs_close(struct ets_method_costs *costs);

/*
 * Of a kernel call; of other instructions nothing (ETS_COST_NONE), delegate calls included. false:
 * no memory.
 */
bool ets_method_costs_instruction(struct ets_method_costs *costs,
                                  const struct ets_instruction *instruction,
                                  struct ets_cost *cost_out);

/* Whether an instruction has a tensor whose sizes are bounds. */
bool ets_method_costs_is_bounded(struct ets_method_costs *costs,
                                 const struct ets_instruction *instruction);

#endif
