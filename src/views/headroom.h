/*
 * How far the work of a block is from what a machine can do: piece by piece, and what a run would
 * take if each operator reached its roof.
 *
 *     struct ets_headroom headroom;
 *     const struct ets_headroom_options options = {&machine, 1, tick_ns};
 *     if (!ets_headroom_find(&arena, inspection, &costs, &options, &runs, block,
 *                            &headroom)) {
 *         return no_memory;
 *     }
 *     printf("%.0f of %.0f ticks a run\n", headroom.whole - headroom.saved, headroom.whole);
 *
 * Shares are of shortest times, as roofs are. What is saved is of `mid` (chosen_runs.h), as the
 * shares of a table are: it adds up. Operators whose verdict is overhead-bound or unknown, and what
 * lies between operators, save nothing. All memory is the arena's.
 */
#ifndef ETSCOPE_VIEWS_HEADROOM_H
#define ETSCOPE_VIEWS_HEADROOM_H

#include "cost/roof_verdict.h"
#include "cost/row_costs.h"
#include "host/text_builder.h"
#include "views/chosen_runs.h"
#include "views/work.h"

struct ets_headroom_options {
    const struct ets_machine *machine;
    uint32_t threads; /* that ran */
    double tick_ns;   /* 0: the trace's clock has no unit, and all is unknown */
};

struct ets_row_headroom {
    struct ets_roof_answer roof; /* verdict NONE: the row encloses what is judged */
    double saved;                /* ticks of a run; of an enclosing row, all inside of it */
};

struct ets_headroom {
    const struct ets_machine *machine;
    uint32_t threads;
    const struct ets_row_headroom *rows; /* [row - first_row] */
    uint32_t first_row;
    double whole, saved; /* ticks of a run; `whole` NaN: nothing stands for a run */
    struct {
        uint32_t rows;
        double ticks; /* of a run */
    } verdicts[ETS_ROOF_VERDICT_COUNT];
    uint32_t too_fast; /* rows that are unknown as they are faster than their roof */
};

bool ets_headroom_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                       const struct ets_costs *costs, const struct ets_headroom_options *options,
                       const struct ets_chosen_runs *runs, uint32_t block,
                       struct ets_headroom *headroom_out);

/* Of a block that only loads, none. */
bool ets_headroom_has_operators(const struct ets_headroom *headroom);

/* What the machine says of one piece of work; `headroom` NULL: nothing. */
static inline double ets_headroom_of(const struct ets_headroom *headroom,
                                     const struct ets_work_piece *piece)
{
    if (headroom == NULL || piece->is_rest) return 0;
    return headroom->rows[piece->row - headroom->first_row].saved;
}

#endif
