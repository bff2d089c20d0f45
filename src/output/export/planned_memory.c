/* Reads the memory plans of a program. */
#include "output/export/planned_memory.h"

#include "base/text.h"

bool ets_planned_memory_read(struct ets_arena *arena, const struct ets_program *program,
                             struct ets_planned_memory *planned_out)
{
    struct ets_error error;
    struct ets_method method;
    *planned_out = (struct ets_planned_memory){.count = 0};
    if (program == NULL) return true;
    const uint32_t count = program->method_count;
    planned_out->plans = ets_arena_alloc_array(arena, count, sizeof *planned_out->plans);
    if (planned_out->plans == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_memory_plan *plan = &planned_out->plans[i];
        ets_program_method(program, i, &method);
        const enum ets_status status = ets_memory_plan_init(plan, &method, arena, &error);
        if (status == ETS_NO_MEMORY) return false;
        if (status != ETS_OK) *plan = (struct ets_memory_plan){.method = method};
    }
    planned_out->count = count;
    return true;
}

const struct ets_memory_plan *ets_planned_memory_find(const struct ets_planned_memory *planned,
                                                      struct ets_text method)
{
    for (uint32_t i = 0; i < planned->count; i++) {
        if (ets_text_same(planned->plans[i].method.name, method)) return &planned->plans[i];
    }
    return NULL;
}

bool ets_planned_memory_live(const struct ets_memory_plan *plan, int64_t chain, int64_t instruction,
                             uint64_t *bytes_out)
{
    if (plan->step_count == 0 || chain < 0 || instruction < 0) return false;
    if (chain >= (int64_t)plan->method.chain_count) return false;
    const uint32_t first = plan->chain_step[chain], end = plan->chain_step[chain + 1];
    if (instruction >= (int64_t)(end - first)) return false;
    *bytes_out = plan->live[first + (uint32_t)instruction];
    return true;
}
