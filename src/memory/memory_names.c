/* What steps and kinds of tensors are. */
#include "memory/memory_plan.h"

void ets_plan_instruction(const struct ets_memory_plan *plan, uint32_t step,
                          struct ets_instruction *instruction_out)
{
    struct ets_chain chain;
    uint32_t low = 0, high = plan->method.chain_count;
    *instruction_out = (struct ets_instruction){.kind = ETS_INSTRUCTION_UNKNOWN};
    if (high == 0 || step >= plan->chain_step[high]) return;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (plan->chain_step[middle] <= step) low = middle;
        else high = middle;
    }
    ets_method_chain(&plan->method, low, &chain);
    ets_chain_instruction(&chain, step - plan->chain_step[low], instruction_out);
}

const char *ets_plan_kind_name(enum ets_plan_kind kind)
{
    switch (kind) {
    case ETS_PLAN_CONSTANT: return "constant";
    case ETS_PLAN_INPUT: return "input";
    case ETS_PLAN_BUFFER: return "mutable buffer";
    case ETS_PLAN_OUTPUT: return "output";
    case ETS_PLAN_INTERMEDIATE: return "intermediate";
    case ETS_PLAN_SCRATCH: return "scratch";
    case ETS_PLAN_UNUSED: break;
    }
    return "unused";
}
