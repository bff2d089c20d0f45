/*
 * What is wrong with a plan, or cannot be decided by it: each with a tensor, an instruction or
 * both.
 *
 *     struct ets_memory_findings findings;
 *     if (!ets_memory_findings_collect(&arena, &plan, &findings)) return false;
 *     for (uint32_t i = 0; i < findings.count; i++) {
 *         char text[256];
 *         ets_memory_finding_print(&plan, &findings.items[i], text, sizeof text);
 *     }
 */
#ifndef ETSCOPE_VIEWS_MEMORY_FINDINGS_H
#define ETSCOPE_VIEWS_MEMORY_FINDINGS_H

#include <stdbool.h>

#include "host/arena.h"
#include "memory/memory_plan.h"

enum ets_memory_finding_kind {
    ETS_MEMORY_OVERWRITTEN = 0,  /* `tensor` is written into bytes of `other`, which is needed */
    ETS_MEMORY_UNWRITTEN = 1,    /* `tensor` is read but no instruction writes it */
    ETS_MEMORY_WRONG_DEVICE = 2, /* `tensor` is of another device than its arena */
    ETS_MEMORY_UNDECIDED =
        3,                /* a delegate is given exactly the bytes of `other`: a view, or as 0 */
    ETS_MEMORY_NO_END = 4 /* no way leads to the end of the method */
};

struct ets_memory_finding {
    enum ets_memory_finding_kind kind;
    uint32_t tensor, other; /* in the plan's tensors; ETS_PLAN_NONE where there is none */
    uint32_t step;          /* ETS_PLAN_NONE: none */
};

struct ets_memory_findings {
    struct ets_memory_finding *items; /* overlaps by steps, then by values, then the method's */
    uint32_t count;
    uint32_t mistakes; /* all but the undecided ones: the program cannot compute what it should */
};

/* Returns false where memory ran out. */
bool ets_memory_findings_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                                 struct ets_memory_findings *findings_out);

/* A sentence; returns its length, cut to `room`. */
size_t ets_memory_finding_print(const struct ets_memory_plan *plan,
                                const struct ets_memory_finding *finding, char *text, size_t room);

#endif
