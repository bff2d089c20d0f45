/* twins.h - matches a plan with its twin: which steps descend from which, which values are equal.
 */
#ifndef ETSCOPE_REFERENCE_TWINS_H
#define ETSCOPE_REFERENCE_TWINS_H

#include "reference/fallback.h"

/* The lists of one table: those of `i` are items[first[i]] to items[first[i + 1] - 1]. */
struct reference_lists {
    uint32_t *first; /* [count + 1] */
    uint32_t *items;
};

struct reference_twins {
    const struct reference_plan *plan, *twin;
    const struct reference_program *twin_program;
    struct ets_arena *arena;
    uint32_t *group;                                   /* [twin steps] the plan's step, or none */
    struct reference_lists descendants;                /* of a step of the plan */
    struct reference_lists plan_readers, twin_readers; /* of a slot: steps, then outputs */
    uint32_t **exits;       /* [plan steps] when known: the twin's slot of each output, or none */
    uint32_t *exit_of;      /* [twin slots] the plan's slot, for groups with known exits */
    uint32_t *seen, *stack; /* [plan steps + outputs] */
    uint32_t *needed;       /* [twin steps], followed by [twin slots] */
    uint32_t stamp, turn;   /* of `seen`, of `needed` */
    const struct reference_leaf *inputs; /* [twin slots] of the twin's inputs */
    uint64_t work;                       /* remaining work, which limits hostile graphs */
};

/*
 * For each output of the plan's step the equal slot of the twin, or none. NULL: no memory, or the
 * work limit was reached.
 */
const uint32_t *ets_reference_twin_exits(struct reference_twins *twins, uint32_t number);

#endif
