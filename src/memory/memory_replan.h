/*
 * Another plan for the tensors of a plan: the same lifetimes, placed anew. It answers what a better
 * planner, another alignment, in-place kernels or a model without some tensor would save.
 *
 *     struct ets_replan replan;
 *     const struct ets_replan_options options = {.in_place = false};
 *     if (ets_memory_replan(&plan, &options, &arena, &replan, &error) == ETS_OK) {
 *         printf("%llu instead of %llu bytes\n", (unsigned long long)replan.planned_bytes,
 *                (unsigned long long)plan.planned_bytes);
 *     }
 *
 * Each arena is planned for itself. Tensors that share bytes while both are live (views, in-place
 * results) keep their distance. The tensors are placed one after the other, each into the smallest
 * gap that is free during its lifetime, in four orders: by size, by size times lifetime, by first
 * step, and by the bytes that are live with it. The best result is improved by placing first what
 * lies at its top, as long as that makes it smaller. This is a heuristic: the smallest plan may be
 * smaller still, but no plan is smaller than `peak_bytes` of the plan.
 *
 * All memory is the arena's. Nothing changes after the call.
 */
#ifndef ETSCOPE_MEMORY_MEMORY_REPLAN_H
#define ETSCOPE_MEMORY_MEMORY_REPLAN_H

#include <stdbool.h>

#include "memory/memory_plan.h"

enum { ETS_REPLAN_ALIGNMENT = 16 }; /* bytes; the exporter's default */

struct ets_replan_options {
    uint32_t alignment; /* of offsets, in bytes; 0: ETS_REPLAN_ALIGNMENT */
    bool in_place;      /* results of element-wise kernels take the bytes of an input whose life
                           ends there, where type and size agree */
    uint32_t without_count;
    uint32_t without[2]; /* tensors to leave out */
};

/* Whether a tensor, or what it is a view of, is left out. */
static inline bool ets_replan_leaves_out(const struct ets_memory_plan *plan,
                                         const struct ets_replan_options *options, uint32_t tensor)
{
    for (uint32_t i = 0; i < options->without_count; i++) {
        const uint32_t without = options->without[i];
        if (tensor == without || plan->tensors[tensor].base == without) return true;
    }
    return false;
}

struct ets_replan {
    const uint64_t *offsets;     /* [tensor_count] of what is planned and used */
    const uint32_t *in_place_of; /* [tensor_count] whose bytes it takes; ETS_PLAN_NONE: nobody's */
    const uint64_t
        *arena_bytes;       /* [arena_count] rounded up to the alignment, and the plan's slack */
    uint64_t planned_bytes; /* of all arenas */
};

/*
 * Statuses: INVALID_ARGUMENT (an alignment that is no power of two), LIMIT (more than 5,000
 * tensors), NO_MEMORY.
 */
enum ets_status ets_memory_replan(const struct ets_memory_plan *plan,
                                  const struct ets_replan_options *options, struct ets_arena *arena,
                                  struct ets_replan *replan_out, struct ets_error *error);

/* What is wrong with a plan: two tensors, or one with itself where it leaves its arena. */
struct ets_replan_fault {
    uint32_t tensor, other;
};

/*
 * Checks a plan without anything of the code that made it: each tensor is aligned and inside of its
 * arena, and two that are live at one step share no byte, except where the given plan has them
 * share the same ones, or one takes the bytes of the other in place at the step where the other
 * ends. Returns whether the plan is valid; else `*fault_out` says why not.
 */
bool ets_memory_replan_check(const struct ets_memory_plan *plan,
                             const struct ets_replan_options *options,
                             const struct ets_replan *replan, struct ets_replan_fault *fault_out);

/*
 * The input that the result `tensor` may replace in place: an intermediate of the same type and
 * size, read for the last time by the element-wise kernel that writes `tensor`, and by nothing else
 * there. ETS_PLAN_NONE: there is none.
 */
uint32_t ets_plan_in_place_of(const struct ets_memory_plan *plan, uint32_t tensor);

#endif
