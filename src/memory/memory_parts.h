/* The stages of reading a plan, in the order in which memory_plan.c takes them. */
#ifndef ETSCOPE_MEMORY_MEMORY_PARTS_H
#define ETSCOPE_MEMORY_MEMORY_PARTS_H

#include "base/error.h"
#include "memory/memory_flow.h"
#include "memory/memory_places.h"
#include "memory/memory_plan.h"
#include "payload/payload_store.h"

/* memory_delegates.c: which arguments a delegate's calls give. */
struct ets_plan_results {
    const uint8_t *is_result; /* [count] NULL: its payload does not tell */
    uint32_t count;
    bool is_read;
};
struct ets_plan_delegates {
    struct ets_arena *arena;
    const struct ets_method *method;
    struct ets_plan_results *results; /* [delegate_count] read when first asked for */
    struct ets_payload_store payloads;
};
/* Statuses: NO_MEMORY, of both. */
enum ets_status ets_plan_delegates_init(struct ets_plan_delegates *delegates,
                                        const struct ets_memory_plan *plan, struct ets_arena *arena,
                                        struct ets_error *error);
enum ets_status ets_plan_delegates_results(struct ets_plan_delegates *delegates, uint32_t index,
                                           const struct ets_plan_results **results_out,
                                           struct ets_error *error);

/* memory_delegates.c: what payloads state of memory beside the plan, and the peak with it. */
enum ets_status ets_plan_add_scratch(struct ets_memory_plan *plan, struct ets_arena *arena,
                                     struct ets_error *error);

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

/* memory_branches.c: lifetimes in pieces where a jump leaves steps out, and what moves keep alive.
 * Statuses: NO_MEMORY. */
enum ets_status ets_plan_split_lifetimes(struct ets_memory_plan *plan,
                                         const struct ets_plan_flow *flow, struct ets_arena *arena,
                                         struct ets_error *error);

/* memory_levels.c: live bytes at each step, and their peaks. Statuses: as above. */
enum ets_status ets_plan_measure(struct ets_memory_plan *plan, const struct ets_plan_places *places,
                                 struct ets_arena *arena, struct ets_error *error);

/* memory_overlaps.c: tensors in the bytes of others that are live. Statuses: NO_MEMORY. */
enum ets_status ets_plan_find_overlaps(struct ets_memory_plan *plan,
                                       const struct ets_plan_places *places,
                                       const struct ets_plan_flow *flow, struct ets_arena *arena,
                                       struct ets_error *error);

#endif
