/*
 * Live bytes by instruction: how planned memory fills and empties.
 *
 *     struct ets_memory_steps steps;
 *     if (!ets_memory_steps_collect(&arena, &plan, delegation, 0, &steps)) return false;
 *     for (uint32_t i = 0; i < steps.count; i++) show(&steps.items[i]);
 *
 * All lies in the arena; plan and delegation are borrowed.
 */
#ifndef ETSCOPE_VIEWS_MEMORY_STEPS_H
#define ETSCOPE_VIEWS_MEMORY_STEPS_H

#include "views/memory_makers.h"

struct ets_memory_step {
    uint32_t step;
    uint64_t live_bytes;            /* of all arenas; what several tensors share counts once */
    uint32_t tensor_count;          /* that hold these bytes; views are not counted */
    uint64_t new_bytes, done_bytes; /* of tensors that it needs first, and last */
    struct ets_memory_maker maker;
};

struct ets_memory_steps {
    const struct ets_memory_plan *plan;
    struct ets_memory_step *items; /* in the order of steps */
    uint32_t count;
};

/*
 * All steps, or with `top` above 0 only as many of them, those with the most live bytes.
 * `delegation` NULL: no source lines. Returns false where memory ran out.
 */
bool ets_memory_steps_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_delegation *delegation, uint32_t top,
                              struct ets_memory_steps *steps_out);

#endif
