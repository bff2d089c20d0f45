/*
 * Allocation events of a trace: each with what its allocator has given by then, and added up by
 * allocator. An ETDump says what was taken of an allocator, never what was given back.
 *
 *     struct ets_allocation_events view;
 *     if (!ets_allocation_events_collect(&arena, inspection, &view)) return no_memory();
 *     for (uint32_t i = 0; i < view.allocator_count; i++) show(&view.allocators[i]);
 */
#ifndef ETSCOPE_VIEWS_ALLOCATION_EVENTS_H
#define ETSCOPE_VIEWS_ALLOCATION_EVENTS_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"

struct ets_allocation_event {
    uint32_t event, run; /* of the inspection */
    uint32_t allocator;  /* in `allocators` */
    uint64_t bytes;      /* that were asked for */
    uint64_t current;    /* bytes of the run so far, this one included: nothing is given back */
    int64_t chain;       /* of the instruction that ended next in the run; -1: none did */
    int32_t instruction; /* in its chain; -1 as above */
    uint32_t row;        /* of the event that tells it, or ETS_NO_INDEX */
};

/* An allocator in a block, over all runs. Sums stay at 2^63 - 1 where they would go beyond. */
struct ets_allocator_use {
    uint32_t block;
    int64_t number;       /* of the allocator in its run, from 1 */
    struct ets_text name; /* data NULL: the trace does not tell it */
    uint32_t runs;        /* that took of it */
    uint64_t count;       /* allocations, over all runs */
    uint64_t total;       /* bytes, over all runs */
    uint64_t current;     /* bytes at the end of the last run */
    uint64_t peak;        /* the most bytes of one run: what it takes if nothing is given back */
    uint64_t step_peak;   /* the most of one instruction: if it is reset after each */
    uint64_t largest;     /* one allocation */
};

struct ets_allocation_events {
    struct ets_allocation_event *items;   /* in the order of the trace */
    struct ets_allocator_use *allocators; /* by block, in order of first use */
    uint32_t count, allocator_count;
};

/* Returns false where memory ran out. */
ETS_API bool ets_allocation_events_collect(struct ets_arena *arena,
                                           const struct ets_inspection *inspection,
                                           struct ets_allocation_events *events_out);

/* "3 allocations of 2 allocators; arena takes most: 1.5 KiB in a run". Returns the length; cut to
 * `room`. */
ETS_API size_t ets_allocation_events_headline(const struct ets_allocation_events *events,
                                              char *text, size_t room);

/* The allocation of that event, or NULL. */
const struct ets_allocation_event *ets_allocation_event_find(
    const struct ets_allocation_events *events, uint32_t event);

#endif
