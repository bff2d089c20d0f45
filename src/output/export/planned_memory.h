/* The memory plans of a program's methods, for counters beside what a trace logged. */
#ifndef ETSCOPE_OUTPUT_EXPORT_PLANNED_MEMORY_H
#define ETSCOPE_OUTPUT_EXPORT_PLANNED_MEMORY_H

#include "memory/memory_plan.h"

struct ets_planned_memory {
    struct ets_memory_plan *plans; /* step_count 0: the method is too large to analyse */
    uint32_t count;
};

/* `program` NULL: no plans. All lies in the arena; returns false where memory ran out. */
bool ets_planned_memory_read(struct ets_arena *arena, const struct ets_program *program,
                             struct ets_planned_memory *planned_out);
/* The plan of a method, or NULL. */
const struct ets_memory_plan *ets_planned_memory_find(const struct ets_planned_memory *planned,
                                                      struct ets_text method);
/* The bytes that are in use at an instruction; false: the method has no such instruction. */
bool ets_planned_memory_live(const struct ets_memory_plan *plan, int64_t chain, int64_t instruction,
                             uint64_t *bytes_out);

#endif
