/*
 * What each row of an inspection did in one run: the cost beside its times.
 *
 *     struct ets_costs costs;
 *     if (ets_row_costs_find(&arena, inspection, &costs, &error) != ETS_OK) return error.status;
 *     for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
 *         show(&costs.rows[row]);
 *     }
 *     show(&costs.blocks[block].cost);
 *
 * A row's cost is all that was done within its time, in one run: an operator in a loop counts as
 * often as it ran. A row that encloses others includes theirs, as its time does: a delegate's call
 * what its events have, Method::execute everything. So costs add up over the same rows as times do
 * (views/work.h), and what the events of a call leave over of its time is no work. One exception:
 * between two events of a call a tensor is written by one and read by the other; within the call it
 * is nobody's input or output. So the bytes of a call, and of what encloses it, are those that
 * cross its border, less than the sum over its events; macs, ops and special are the same either
 * way.
 *
 * Where the trace tells the tokens and positions of a block's runs, the work is that of these
 * tokens at the mean position, and of runs with different numbers of tokens the mean; elsewhere
 * that of the upper bounds.
 *
 * Where the costs come from: of a kernel, the values of the program's instruction, or else the
 * ETRecord's node. Of what a delegate ran, the nodes of its payload, or else the nodes that the
 * ETRecord has behind it. Without program and ETRecord all rows are UNKNOWN. A row that is tied to
 * its call alone (ETS_TIE_CALL) is UNKNOWN; the call is not.
 */
#ifndef ETSCOPE_COST_ROW_COSTS_H
#define ETSCOPE_COST_ROW_COSTS_H

#include "cost/block_tokens.h"
#include "cost/instruction_costs.h"
#include "etscope/inspect.h"
#include "host/arena.h"

struct ets_costs {
    const struct ets_cost *rows;           /* [row] in one run of its block */
    const struct ets_total_cost *blocks;   /* [block] one run */
    const struct ets_block_tokens *tokens; /* [block] that the costs are for */
};

/* Of one run, unless ETS_NO_INDEX: its block's costs are at that run's tokens and position. All
 * memory is the arena's. Statuses: NO_MEMORY, those of the record's readers. */
enum ets_status ets_run_costs_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                                   uint32_t run, struct ets_costs *costs_out,
                                   struct ets_error *error);

static inline enum ets_status ets_row_costs_find(struct ets_arena *arena,
                                                 const struct ets_inspection *inspection,
                                                 struct ets_costs *costs_out,
                                                 struct ets_error *error)
{
    return ets_run_costs_find(arena, inspection, ETS_NO_INDEX, costs_out, error);
}

#endif
