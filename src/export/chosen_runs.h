/*
 * Which runs of a block a table's numbers are over, and which of them shares are of.
 *
 * Shares are of the middle half of the runs, by their whole time: one slow run decides nothing, and
 * the shares of a whole add up, as all are of the same runs.
 */
#ifndef ETSCOPE_EXPORT_CHOSEN_RUNS_H
#define ETSCOPE_EXPORT_CHOSEN_RUNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "etscope/accounting.h"

struct ets_chosen_runs {
    uint32_t first, count; /* neighbours among the runs of the block */
    const bool *is_middle; /* [count] */
    uint32_t middle_count;
    double whole; /* mean ticks of the middle runs; NaN: nothing stands for a whole run */
};

/* Of one array of ticks per run. */
struct ets_chosen_times {
    struct ets_statistics statistics;
    struct ets_spread spread;
    double middle; /* mean of the middle runs */
};

/*
 * Of `block` all runs, those that are steady (`steady`: 1), or `run` of the trace alone (if it is
 * not ETS_NO_INDEX). Returns false where memory ran out.
 */
bool ets_chosen_runs_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                          uint32_t block, uint32_t run, int steady,
                          struct ets_chosen_runs *runs_out);

/* `per_run`: [run_count of the block]; those that are chosen are sorted in place. */
void ets_chosen_runs_summarise(const struct ets_chosen_runs *runs, double *per_run,
                               struct ets_chosen_times *times_out);

/* Of `count` runs the middle half by what each took; NULL: no memory. */
const bool *ets_middle_runs(struct ets_arena *arena, const double *ticks, uint32_t count,
                            uint32_t *middle_count_out);
/* The mean of those; NaN: there are none. */
double ets_middle_mean(const double *ticks, uint32_t count, const bool *is_middle);

/* ", 18 of them steady alone", ", run 3 of the trace alone", or nothing; returns the length. */
size_t ets_chosen_runs_print(const struct ets_chosen_runs *runs, uint32_t run_count, uint32_t run,
                             char *text, size_t room);

#endif
