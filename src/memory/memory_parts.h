/* The stages of reading a plan, in the order in which memory_plan.c takes them. */
#ifndef ETSCOPE_MEMORY_MEMORY_PARTS_H
#define ETSCOPE_MEMORY_MEMORY_PARTS_H

#include "base/error.h"
#include "memory/memory_places.h"
#include "memory/memory_plan.h"

/* memory_touches.c: what each instruction reads and writes, and which tensors are views.
 * Statuses: LIMIT, NO_MEMORY. */
enum ets_status ets_plan_find_touches(struct ets_memory_plan *plan,
                                      const struct ets_plan_places *places, struct ets_arena *arena,
                                      struct ets_error *error);

/* memory_loops.c: jumps back, as loops that lie apart or in each other. Statuses: as above. */
enum ets_status ets_plan_find_loops(struct ets_memory_plan *plan, struct ets_arena *arena,
                                    struct ets_error *error);
/*
 * Adds to a lifetime the loops that it begins or ends in, but not those that it lies in whole: what
 * is written and read in one turn of a loop is not needed by the next.
 */
void ets_plan_extend_over_loops(const struct ets_memory_plan *plan, uint32_t *first,
                                uint32_t *last);

/* memory_levels.c: live bytes at each step, and their peaks. Statuses: as above. */
enum ets_status ets_plan_measure(struct ets_memory_plan *plan, const struct ets_plan_places *places,
                                 struct ets_arena *arena, struct ets_error *error);

/* memory_overlaps.c: tensors in the bytes of others that are live. Statuses: NO_MEMORY. */
enum ets_status ets_plan_find_overlaps(struct ets_memory_plan *plan,
                                       const struct ets_plan_places *places,
                                       struct ets_arena *arena, struct ets_error *error);

#endif
