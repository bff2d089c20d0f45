/*
 * What the methods of a program take together: each has arenas of its own, but for mutable state
 * that they share.
 *
 *     struct ets_memory_methods methods = {.count = 0};
 *     for (each plan) ets_memory_methods_add(&methods, plan);
 *     ets_memory_methods_headline(&methods, text, sizeof text);
 */
#ifndef ETSCOPE_VIEWS_MEMORY_METHODS_H
#define ETSCOPE_VIEWS_MEMORY_METHODS_H

#include "memory/memory_plan.h"

struct ets_memory_methods {
    uint32_t count, planned_count;  /* all, and those with planned memory */
    uint32_t sharing_count;         /* those whose last arena is state of the same size */
    uint64_t state_bytes;           /* of that arena */
    uint64_t sum_bytes, most_bytes; /* planned; the sum is capped */
    struct ets_text most;           /* the method that takes most, of the program */
};

void ets_memory_methods_add(struct ets_memory_methods *methods, const struct ets_memory_plan *plan);
/*
 * Bytes of mutable state that the methods share, which the runtime must give to all of them; 0:
 * none. Files do not state it: every method with planned memory then has a second arena of the same
 * size that holds mutable buffers alone (ExecuTorch 1.5.1: MemoryPlanningPass,
 * share_mutable_buffers).
 */
uint64_t ets_memory_methods_shared_bytes(const struct ets_memory_methods *methods);
/*
 * "3 methods, each with arenas of its own: 960 B if all are loaded together, 352 B (forward) if one
 * is loaded at a time". "": one method, or none. Returns its length; cut to `room`.
 */
size_t ets_memory_methods_headline(const struct ets_memory_methods *methods, char *text,
                                   size_t room);

#endif
