/*
 * Which runs of a block a table's numbers are over, and which of them shares are of.
 *
 * `mid` is the mean over the middle half of the runs, by their whole time, and a share is its part
 * of the whole run's: slow runs decide nothing, and the shares of a whole add up, as all are of the
 * same runs.
 */
#ifndef ETSCOPE_VIEWS_CHOSEN_RUNS_H
#define ETSCOPE_VIEWS_CHOSEN_RUNS_H

#include <stdbool.h>

#include "host/arena.h"
#include "inspect/accounting/accounting.h"

struct ets_chosen_runs {
    uint32_t first, count; /* neighbours among the runs of the block */
    const double *weights; /* [count] 1: in the middle half, 0: not */
    double whole;          /* mean over the middle half; NaN: nothing stands for a whole run */
};

/* Of one array of ticks per run. */
struct ets_chosen_times {
    struct ets_statistics statistics;
    struct ets_spread spread;
    double middle; /* mean over the middle half; divided by `whole`, the share */
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

/* Of `count` runs by what each took as a whole (zeros: not known, all weigh alike); NULL: no
 * memory.
 */
const double *ets_middle_weights(struct ets_arena *arena, const double *ticks, uint32_t count);
double ets_middle_mean(const double *ticks, uint32_t count, const double *weights);

/* Of fewer runs all are in the middle half: mid is the average. */
enum { ETS_MIDDLE_RUNS = 3 };

/* Whether a block has a middle half that is not all of its runs. */
bool ets_middle_is_told(const struct ets_inspection *inspection);

/* ", shares of mid" behind a heading of `runs` runs, or nothing; returns the length. */
size_t ets_print_share_of(uint32_t runs, char *text, size_t room);

/* ", only the 18 steady ones", ", run 3 of the trace alone", or nothing; returns the length. */
size_t ets_chosen_runs_print(const struct ets_chosen_runs *runs, uint32_t run_count, uint32_t run,
                             char *text, size_t room);

#endif
