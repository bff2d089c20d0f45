/*
 * Where tensors begin and end in planned memory, as numbers in order; and which tensor a place
 * belongs to, while instructions write.
 *
 *     struct ets_plan_owners owners;
 *     ETS_TRY(ets_plan_owners_init(&owners, places, arena, error));
 *     ets_plan_owners_give(&owners, places->begin[t], places->end[t], t);
 *     uint32_t owner = ets_plan_owners_at(&owners, places->begin[other]);
 */
#ifndef ETSCOPE_MEMORY_MEMORY_PLACES_H
#define ETSCOPE_MEMORY_MEMORY_PLACES_H

#include "base/error.h"
#include "memory/memory_plan.h"

/* Places of one arena are neighbours, so that no range of a tensor holds one of another arena. */
struct ets_plan_places {
    uint64_t *offsets; /* [count] ascending within an arena */
    uint32_t count;
    uint32_t *arena_begin; /* [arena_count + 1] the first place of each arena */
    uint32_t *begin, *end; /* [tensor_count] place where it begins, and behind its end; equal where
                              it takes nothing */
};

/*
 * Sizes are rounded up to `alignment`, a power of 2, but not beyond the end of the arena. Status:
 * NO_MEMORY.
 */
enum ets_status ets_plan_places_init(struct ets_plan_places *places,
                                     const struct ets_memory_plan *plan, uint32_t alignment,
                                     struct ets_arena *arena, struct ets_error *error);

/* Ranges of places with an owner each; giving and asking take constant time on average. */
enum { ETS_OWNER_LEVELS = 6 };
struct ets_plan_owners {
    uint32_t count;
    uint32_t *owner;                    /* [count] at the first place of a range */
    uint64_t *levels[ETS_OWNER_LEVELS]; /* a bit for each place that begins a range; above that one
                                           for each word below that has any */
    uint32_t level_count;
};

/* All places are nobody's at first. Status: NO_MEMORY. */
enum ets_status ets_plan_owners_init(struct ets_plan_owners *owners,
                                     const struct ets_plan_places *places, struct ets_arena *arena,
                                     struct ets_error *error);
void ets_plan_owners_give(struct ets_plan_owners *owners, uint32_t begin, uint32_t end,
                          uint32_t tensor);
/* NONE: nobody's. `place` is below the count. */
uint32_t ets_plan_owners_at(const struct ets_plan_owners *owners, uint32_t place);
/* Where the next range begins behind `place`; the count: there is none. */
uint32_t ets_plan_owners_next(const struct ets_plan_owners *owners, uint32_t place);

#endif
