/*
 * accounting.h - divides the time of a run over a tree that adds up exactly, and finds the
 * comparable runs of a block.
 *
 *     struct ets_accounting *accounting;
 *     if (ets_accounting_open(inspection, 0, NULL, &accounting, &error) == ETS_OK) {
 *         int64_t sum = 0;
 *         for (uint32_t i = 0; i < ets_accounting_node_count(accounting); i++) {
 *             const struct ets_account_node *node = ets_accounting_node(accounting, i);
 *             if (node->is_leaf && node->is_added) sum += node->ticks[0];
 *         }
 *         printf("%lld ticks\n", (long long)sum); // of the block's first run: all roots together
 *         ets_accounting_close(accounting);
 *     }
 *
 * Method::execute encloses OPERATOR_CALL and DELEGATE_CALL, which enclose kernels and a delegate's
 * events. The time of a row that none of its children takes is a separate node after them:
 * "framework" if the row is outside any instruction (the runtime between instructions), else
 * "unaccounted". So the leaves of a tree add up to its root, tick for tick, in each run and in
 * totals. Means add up except for rounding. Medians and other quantiles need not add up, because
 * each may come from another run.
 *
 * Loading, initialising and executing a method are trees of their own.
 */
#ifndef ETSCOPE_INSPECT_ACCOUNTING_ACCOUNTING_H
#define ETSCOPE_INSPECT_ACCOUNTING_ACCOUNTING_H

#include "etscope/inspect.h"

struct ets_accounting;

enum ets_account_kind {
    ETS_ACCOUNT_ROW = 0,        /* a row of the inspection */
    ETS_ACCOUNT_FRAMEWORK = 1,  /* the rest of a row outside any instruction */
    ETS_ACCOUNT_UNACCOUNTED = 2 /* the rest of a row inside an instruction */
};

/*
 * One node. `ticks` are the sums of all calls in each run of the block, from ets_inspection_ticks:
 * ticks of the trace, or of the delegate if its clock is unknown. A rest is negative if the rows
 * inside took longer than the row around them. That happens only if the clock was set meanwhile or
 * overhead was subtracted. It is kept, so that the tree adds up.
 *
 * Times of a coarse clock are lower bounds: the true time of a run is between ticks - below and
 * ticks + above. A rest computed from them is uncertain downwards by the same amount.
 */
struct ets_account_node {
    enum ets_account_kind kind;
    uint32_t row;    /* of the inspection; for a rest: the row that it belongs to */
    uint32_t parent; /* node, before this one; ETS_NO_INDEX: a root */
    uint32_t depth;
    int is_leaf;
    int is_added;         /* 0: left out of the sums: its clock is unknown, or it overlaps */
    const int64_t *ticks; /* [run_count] */
    const int64_t *self;  /* [run_count] without the added nodes inside */
    double below, above;  /* ticks in a run; 0: exact */
    double self_below, self_above;
};

/*
 * Builds the trees of `block`. The inspection must live as long. `allocator` NULL: the C library's.
 * Status: NO_MEMORY. Memory: 8 bytes per node and run.
 */
enum ets_status ets_accounting_open(const struct ets_inspection *inspection, uint32_t block,
                                    const struct ets_allocator *allocator,
                                    struct ets_accounting **accounting_out,
                                    struct ets_error *error);
void ets_accounting_close(struct ets_accounting *accounting); /* NULL is allowed */

/* Nodes in order of execution, parents before children. 0 for a block without events. */
uint32_t ets_accounting_node_count(const struct ets_accounting *accounting);
const struct ets_account_node *ets_accounting_node(const struct ets_accounting *accounting,
                                                   uint32_t index);
/* The number of runs in the arrays, in file order; `*runs_out`: their numbers. */
uint32_t ets_accounting_runs(const struct ets_accounting *accounting, const uint32_t **runs_out);

/* Statistics of a sample beyond struct ets_statistics. */
struct ets_spread {
    double p99;         /* linear interpolation; near the largest of fewer than 100 values */
    double sd;          /* standard deviation, divisor n - 1; NaN below two values */
    double median_low;  /* 95 % confidence interval of the median: the k-th smallest and k-th */
    double median_high; /* largest value, k by the binomial distribution; NaN below 6 values */
};

/* Of `count` values in ascending order, as ets_statistics_compute leaves them. */
void ets_spread_compute(const double *sorted, uint32_t count, struct ets_spread *spread_out);

enum ets_phase_state {
    ETS_PHASE_TOO_FEW = 0, /* fewer than 8 runs: nothing is claimed */
    ETS_PHASE_STEADY = 1,
    ETS_PHASE_DRIFTING = 2 /* the steady runs have a trend */
};

/*
 * The comparable runs of a block, found from their times.
 *
 * A run is "far" from m others if it differs from their median by more than 3.5 (1 + 3/m) scaled
 * median absolute deviations, by more than 5 %, and by more than 2 ticks.
 *
 * Warm-up are the first runs, at most half: all runs before the first that is not far above the
 * later half. Then further runs, in steps of a twentieth, until the rest has no falling trend. A
 * trend needs two conditions: the test of Mann and Kendall finds one at 1 %, and the medians of the
 * first and last third differ by at least 2 %. (Noise that is correlated between adjacent runs
 * makes the test alone too sensitive.) With steady normal noise, the first run is taken for warm-up
 * in 3 % of the traces of 8 runs, 1.5 % of 12, 0.2 % of 50.
 *
 * Drift is a trend in the steady runs. Outliers are steady runs that are far from the rest, above
 * or below.
 */
struct ets_run_phases {
    enum ets_phase_state state;
    uint32_t run_count;
    uint32_t warm_up;   /* runs before the steady ones; 0: none */
    uint32_t outliers;  /* among the steady runs */
    double first_ratio; /* the first run, divided by the median of the others; NaN: no others */
    double drift;       /* median of the last third / that of the first third - 1 */
    double trend_p;     /* Mann-Kendall, two-sided; NaN: too few */
    double low, high;   /* steady runs outside this range are outliers; NaN: too few */
};

/*
 * `ticks` are those of `count` runs in order of execution. `allocator` is for scratch memory; NULL:
 * the C library's. Status: NO_MEMORY.
 */
enum ets_status ets_run_phases_find(const int64_t *ticks, uint32_t count,
                                    const struct ets_allocator *allocator,
                                    struct ets_run_phases *phases_out, struct ets_error *error);

/* The same for the times of a row in each run of its block. */
ETS_API enum ets_status ets_run_phases_of_row(const struct ets_inspection *inspection, uint32_t row,
                                              const struct ets_allocator *allocator,
                                              struct ets_run_phases *phases_out,
                                              struct ets_error *error);

/* 1 if run `index`, which took `ticks`, is an outlier. */
int ets_run_phases_is_outlier(const struct ets_run_phases *phases, uint32_t index, int64_t ticks);

#endif
