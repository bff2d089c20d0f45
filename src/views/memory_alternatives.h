/*
 * What other plans would take: placed better, in place, with other alignments, without a tensor.
 *
 *     struct ets_memory_alternatives found;
 *     if (ets_memory_alternatives_collect(&arena, &plan, &found, &error) != ETS_OK) return false;
 *     for (uint32_t i = 0; i < found.count; i++) show(&found.items[i]);
 *
 * Each plan was made and then checked (memory_replan.h); a plan that fails the check is no
 * alternative and is left out. Bytes are those of all arenas of the method. All lies in the arena;
 * the plan is borrowed.
 */
#ifndef ETSCOPE_VIEWS_MEMORY_ALTERNATIVES_H
#define ETSCOPE_VIEWS_MEMORY_ALTERNATIVES_H

#include "host/arena.h"
#include "memory/memory_plan.h"

enum ets_alternative_kind {
    ETS_ALTERNATIVE_EXPORTED = 0,  /* the plan in the file */
    ETS_ALTERNATIVE_REPLANNED = 1, /* the same tensors, placed anew */
    ETS_ALTERNATIVE_IN_PLACE = 2,  /* and element-wise kernels write over an input */
    ETS_ALTERNATIVE_ALIGNED = 3,   /* placed anew with another alignment */
    ETS_ALTERNATIVE_WITHOUT = 4,   /* placed anew without a tensor that is live at the peak */
    ETS_ALTERNATIVE_PAIR = 5,      /* without two, which save more together than the sum of each
                                      alone: they are what two peaks are made of */
    ETS_ALTERNATIVE_BOUND = 6      /* no plan with these lifetimes and the exported alignment
                                      takes less */
};

struct ets_memory_alternative {
    enum ets_alternative_kind kind;
    uint32_t alignment; /* of offsets, in bytes */
    uint32_t tensor;    /* of WITHOUT and PAIR, in the plan's tensors; else ETS_PLAN_NONE */
    uint32_t other;     /* of PAIR, the second one; else ETS_PLAN_NONE */
    uint64_t bytes;
};

struct ets_memory_alternatives {
    const struct ets_memory_plan *plan;
    struct ets_memory_alternative *items; /* in the order of kinds */
    uint32_t count;
    uint32_t in_place_count; /* results that take an input's bytes in the plan IN_PLACE */
    uint32_t invalid_count;  /* plans that failed the check */
};

/* Statuses: LIMIT (more than 5,000 tensors), NO_MEMORY. */
enum ets_status ets_memory_alternatives_collect(struct ets_arena *arena,
                                                const struct ets_memory_plan *plan,
                                                struct ets_memory_alternatives *found_out,
                                                struct ets_error *error);

/*
 * "100.0 KiB planned; placed anew it takes 88.0 KiB (12 % less), with 7 in-place results 72.0 KiB
 * (28 % less)". Returns its length; cut to `room`.
 */
size_t ets_memory_alternatives_headline(const struct ets_memory_alternatives *found, char *text,
                                        size_t room);

#endif
