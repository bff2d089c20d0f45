/* Counts live bytes and tensors at each instruction. */
#include "views/memory_steps.h"

#include <stdlib.h>

#include "base/load.h"

static void add(uint64_t *sum, uint64_t bytes)
{
    *sum = ets_add_saturated_u64(*sum, bytes);
}

/* What begins and ends at each step. */
static void count_tensors(const struct ets_memory_plan *plan, struct ets_memory_step *steps)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || tensor->first == ETS_PLAN_NONE) continue;
        if (tensor->base != ETS_PLAN_NONE || tensor->bytes == 0) continue;
        for (uint32_t i = 0; i < tensor->piece_count; i++) {
            const struct ets_plan_piece piece = tensor->pieces[i];
            add(&steps[piece.first].new_bytes, tensor->bytes);
            add(&steps[piece.last].done_bytes, tensor->bytes);
            steps[piece.first].tensor_count++;
            if (piece.last + 1 < plan->step_count) steps[piece.last + 1].tensor_count--;
        }
    }
    for (uint32_t s = 0; s < plan->step_count; s++) {
        count += steps[s].tensor_count; /* a difference until now; it may have gone below 0 */
        steps[s].tensor_count = count;
    }
}

static int by_live_bytes(const void *left, const void *right)
{
    const struct ets_memory_step *a = left, *b = right;
    if (a->live_bytes != b->live_bytes) return a->live_bytes > b->live_bytes ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int by_step(const void *left, const void *right)
{
    const struct ets_memory_step *a = left, *b = right;
    return (a->step > b->step) - (a->step < b->step);
}

/* Keeps those with the most live bytes, in the order of steps. */
static void keep(struct ets_memory_steps *steps, uint32_t top)
{
    if (top == 0 || top >= steps->count) return;
    qsort(steps->items, steps->count, sizeof *steps->items, by_live_bytes);
    steps->count = top;
    qsort(steps->items, steps->count, sizeof *steps->items, by_step);
}

bool ets_memory_steps_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_delegation *delegation, uint32_t top,
                              struct ets_memory_steps *steps_out)
{
    struct ets_memory_makers makers;
    struct ets_memory_steps *steps = steps_out;
    *steps = (struct ets_memory_steps){.plan = plan, .count = plan->step_count};
    steps->items = ets_arena_alloc_array(arena, plan->step_count, sizeof *steps->items);
    if (steps->items == NULL || !ets_memory_makers_init(&makers, arena, plan, delegation)) {
        return false;
    }
    count_tensors(plan, steps->items);
    for (uint32_t s = 0; s < plan->step_count; s++) {
        steps->items[s].step = s;
        steps->items[s].live_bytes = plan->live[s];
    }
    keep(steps, top);
    for (uint32_t i = 0; i < steps->count; i++) {
        struct ets_memory_step *step = &steps->items[i];
        if (!ets_memory_maker(&makers, step->step, &step->maker)) return false;
    }
    return true;
}
