/*
 * Chooses the runs of a block for a table's numbers, and the middle half of them for shares.
 *
 * `mid` is the mean over the middle half of the runs, ordered by their total time. A share is the
 * mid of an operator divided by the mid of the whole run. So slow runs do not influence shares, and
 * shares add up, because all use the same runs.
 *
 *     struct ets_chosen_runs runs;
 *     struct ets_chosen_times times;
 *     if (!ets_chosen_runs_find(&arena, inspection, block, ETS_NO_INDEX, 0, &runs)) return
 * no_memory; ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, per_run);
 *     ets_chosen_runs_summarise(&runs, per_run, &times);
 *     const double share = times.middle / runs.whole;
 *
 * Times are ticks of the trace. All memory comes from the arena.
 */
#ifndef ETSCOPE_VIEWS_CHOSEN_RUNS_H
#define ETSCOPE_VIEWS_CHOSEN_RUNS_H

#include <stdbool.h>

#include "host/arena.h"
#include "inspect/accounting/accounting.h"

struct ets_chosen_runs {
    uint32_t first, count; /* neighbours among the runs of the block */
    const double *weights; /* [count] 1: in the middle half, 0: not */
    double whole;          /* mean over the middle half; NaN: no row stands for a whole run */
};

/* Of one array of ticks per run. */
struct ets_chosen_times {
    struct ets_statistics statistics;
    struct ets_spread spread;
    double middle; /* mean over the middle half; divided by `whole`, the share */
};

/*
 * Chooses all runs of `block`, only the steady ones (`steady` 1), or only `run` of the trace
 * (unless ETS_NO_INDEX). Returns false if memory runs out.
 */
bool ets_chosen_runs_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                          uint32_t block, uint32_t run, int steady,
                          struct ets_chosen_runs *runs_out);

/* `per_run`: [run_count of the block]; the chosen ones are sorted in place. */
void ets_chosen_runs_summarise(const struct ets_chosen_runs *runs, double *per_run,
                               struct ets_chosen_times *times_out);

/*
 * Chooses the middle half of `count` runs by their total times (all 0: unknown, chooses all); NULL:
 * no memory.
 */
const double *ets_middle_weights(struct ets_arena *arena, const double *ticks, uint32_t count);
double ets_middle_mean(const double *ticks, uint32_t count, const double *weights);

/* With fewer runs, all are in the middle half: mid is the average. */
enum { ETS_MIDDLE_RUNS = 3 };

/* Whether the middle half of a block is not all of its runs. */
bool ets_middle_is_told(const struct ets_inspection *inspection);

/* Prints ", shares of mid" for the heading of `runs` runs, or nothing; returns the length. */
size_t ets_print_share_of(uint32_t runs, char *text, size_t room);

/*
 * Prints ", only the 18 steady runs", ", only run 3 of the trace", or nothing; returns the length.
 */
size_t ets_chosen_runs_print(const struct ets_chosen_runs *runs, uint32_t run_count, uint32_t run,
                             char *text, size_t room);

#endif
