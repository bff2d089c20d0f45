/*
 * Which step may follow which.
 *
 *     struct ets_plan_flow flow;
 *     if (!ets_plan_flow_init(&flow, plan, arena)) return no_memory;
 *     if (flow.goes_on[s]) visit(s + 1);
 *     if (flow.jump[s] != ETS_PLAN_NONE) visit(flow.jump[s]);
 *
 * The step behind the last is the end of the method. A jump whose condition is a constant of the
 * program is taken always, or never: exporters write such jumps behind the first of two branches.
 */
#ifndef ETSCOPE_MEMORY_MEMORY_FLOW_H
#define ETSCOPE_MEMORY_MEMORY_FLOW_H

#include "memory/memory_plan.h"

struct ets_plan_flow {
    uint32_t step_count;
    uint32_t *jump;         /* [step] where it may jump to; NONE: nowhere */
    bool *goes_on;          /* [step] the next step may follow */
    uint32_t *sources;      /* steps that jump, by where they jump to */
    uint32_t *source_begin; /* [step_count + 2] the first of each step, and of the end */
    bool *is_reached;       /* [step_count + 1] some way leads to it from the first step */
};

/* Whether another step than the one before it may come before a step. */
static inline bool ets_plan_flow_joins(const struct ets_plan_flow *flow, uint32_t step)
{
    return flow->source_begin[step] < flow->source_begin[step + 1] ||
           (step > 0 && !flow->goes_on[step - 1]);
}

/* Returns false if memory runs out. */
bool ets_plan_flow_init(struct ets_plan_flow *flow, const struct ets_memory_plan *plan,
                        struct ets_arena *arena);

#endif
