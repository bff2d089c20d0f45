/*
 * The profile events of a run as a tree in order of time, on one time line for the whole trace.
 *
 * A counter of 32 bits that began again goes on. A clock that restarted, so that a run begins
 * before an earlier one of the same thread, goes on at the end of all runs before. Profiles of
 * other runtimes have one clock, and runs in any order: their times stay as they are.
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_RUN_TREE_H
#define ETSCOPE_OUTPUT_EXPORT_RUN_TREE_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"

/* Numbers of events are those of the inspection, minus `first`. ETS_NO_INDEX: none. */
struct ets_run_tree {
    const struct ets_inspection *inspection;
    const struct ets_event_table *events;
    uint32_t first, count; /* of the run */
    uint32_t root;         /* the first event that is inside of none */
    uint32_t *inside;      /* [count] the first event inside; */
    uint32_t *next;        /* [count] the next one inside of the same event */
    int64_t *start, *end;  /* [count] ticks; of a delegate's own clock where it has one */
    int64_t epoch;         /* ticks between the clock and the time line, */
    int64_t last_end;      /* the end of all runs so far, */
    uint64_t last_start;   /* and where the last one began by the clock */
    uint32_t last_thread;
    bool has_begun;     /* there was a run */
    bool has_one_clock; /* it neither restarts nor wraps */
};

/* Room for the longest run; false: no memory. */
bool ets_run_tree_init(struct ets_run_tree *tree, struct ets_arena *arena,
                       const struct ets_inspection *inspection);
/* Begins again at the first run. */
void ets_run_tree_rewind(struct ets_run_tree *tree);
/* Builds the tree of a run; runs come in their order. */
void ets_run_tree_build(struct ets_run_tree *tree, uint32_t run);

/* The event that encloses `event`, or ETS_NO_INDEX. */
uint32_t ets_run_tree_parent(const struct ets_run_tree *tree, uint32_t event);
/* Whether the event is in the tree: not a captured value or an allocation. */
bool ets_run_tree_has(const struct ets_run_tree *tree, uint32_t event);
const struct ets_row *ets_run_tree_row(const struct ets_run_tree *tree, uint32_t event);

/* The sum of two times or distances, kept within what sums of two do not leave. */
int64_t ets_limited_sum(int64_t left, int64_t right);

#endif
