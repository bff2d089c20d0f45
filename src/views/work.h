/*
 * Divides the time of a block's runs into pieces that count once each. With the time between them,
 * they add up to the whole run in ticks, for each run. All views that add up (groups, the tree of
 * modules, source lines) use these pieces.
 *
 *     struct ets_work work;
 *     if (!ets_work_collect(&arena, inspection, block, ETS_WORK_KNOWN, NULL, &work)) {
 *         return no_memory;
 *     }
 *     for (uint32_t i = 0; i < work.count; i++) ets_work_add(&work, &work.pieces[i], per_run);
 *
 * `per_run` has room for the block's runs and starts with zeros. All memory comes from the arena.
 */
#ifndef ETSCOPE_VIEWS_WORK_H
#define ETSCOPE_VIEWS_WORK_H

#include <stdbool.h>

#include "cost/row_costs.h"
#include "etscope/experimental/row_filter.h"
#include "host/arena.h"
#include "inspect/time_details.h"

struct ets_headroom; /* views/headroom.h */

/* Delegate calls that are replaced by their own events. */
enum ets_work_detail {
    ETS_WORK_CALLS = 0, /* none */
    ETS_WORK_KNOWN = 1, /* those whose events are all identified */
    ETS_WORK_ALL = 2    /* all with events */
};

struct ets_work_piece {
    uint32_t row;
    bool is_rest;   /* the rest of a delegate call beyond its events */
    bool has_parts; /* only what its parts leave over counts: a rest, or a node around others */
    struct ets_clock_error error; /* of its time in a run */
    double resolution;            /* step of the clock that makes it; 0: exact */
};

struct ets_span {
    double lower, upper;
};

/*
 * Bounds of the true time of `runs` runs whose clocks reported `ticks`. What is left of a total is
 * no negative time, whatever the parts were reported to take.
 */
static inline struct ets_span ets_span_of(double ticks, struct ets_clock_error error, double runs)
{
    struct ets_span span = {ticks - error.below * runs, ticks + error.above * runs};
    if (error.below > 0 && span.lower < 0) span.lower = 0;
    if (error.below > 0 && span.upper < 0) span.upper = 0;
    return span;
}

/*
 * A span as a part of `whole`. Steps of clocks, added up over many operators, can reach beyond it,
 * what is measured cannot.
 */
static inline struct ets_span ets_span_part(struct ets_span span, double whole)
{
    const double most = span.lower > whole ? span.lower : whole;
    const double upper = span.upper > most ? most : span.upper;
    return (struct ets_span){span.lower / whole, upper / whole};
}

struct ets_work {
    const struct ets_inspection *inspection;
    const struct ets_block *block;
    uint32_t total_row; /* of the whole run, or ETS_NO_INDEX */
    struct ets_work_piece *pieces;
    uint32_t count;
    uint32_t *first_part, *next_part; /* [row of the block] the parts of it */
    bool is_filtered;                 /* pieces were left out */
    const struct ets_costs *costs; /* of the inspection, put here by who wants them; NULL: none */
    const struct ets_headroom *headroom; /* of the block, likewise */
};

/*
 * Collects pieces in order of completion, without rows that `filter` (NULL: none) does not match.
 * Returns false if memory runs out.
 */
bool ets_work_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                      uint32_t block, enum ets_work_detail detail,
                      const struct ets_row_filter *filter, struct ets_work *work_out);

/* Whether an operator of the block's runs was recorded: a tracer may record them in some runs only.
 */
bool ets_work_has_operators(const struct ets_inspection *inspection, uint32_t block);

/* Adds the ticks of a piece to per_run[number of the run within its block]. */
void ets_work_add(const struct ets_work *work, const struct ets_work_piece *piece, double *per_run);
/* Adds what a piece did in one run; of what is left of a call, nothing. `costs` NULL: none. */
void ets_work_add_cost(const struct ets_costs *costs, const struct ets_work_piece *piece,
                       struct ets_cost *sum);
/* What the rest of a run is called: the time between operators, or a run of which none is recorded.
 */
struct ets_text ets_work_rest_name(const struct ets_work *work);
/* Adds the ticks of the whole run; false if the block has no row for it. */
bool ets_work_add_total(const struct ets_work *work, double *per_run);

#endif
