/*
 * accounting.h - where the time of a run went, as a tree that adds up exactly, and which runs of a
 * block are comparable.
 *
 * Experimental: this header may change in any version, names and meanings included.
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
 * Method::execute encloses OPERATOR_CALL and DELEGATE_CALL, these kernels and a delegate's events.
 * What a row takes beyond all that is directly inside of it is a node of its own behind them:
 * "framework" where the row lies outside of any instruction (the runtime between instructions),
 * "unaccounted" inside of one. So the leaves of a tree sum up to its root, tick for tick, in each
 * run, and therefore in totals. Means do so up to rounding; medians and other quantiles need not,
 * as each is of another run.
 *
 * Loading, initialising and executing a method are trees of their own.
 */
#ifndef ETSCOPE_ACCOUNTING_H
#define ETSCOPE_ACCOUNTING_H

#include "etscope/inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_accounting;

enum ets_account_kind {
    ETS_ACCOUNT_ROW = 0,        /* a row of the inspection */
    ETS_ACCOUNT_FRAMEWORK = 1,  /* the rest of a row outside of any instruction */
    ETS_ACCOUNT_UNACCOUNTED = 2 /* the rest of a row inside of one */
};

/*
 * One node. `ticks` are per run of the block, all calls of a run added up; ets_inspection_ticks of
 * the trace, or of the delegate where its clock is unknown. A rest is negative where rows inside
 * took longer than the row around them, which only a clock that was set, or overheads that were
 * taken off, can make; it is kept, as all else would not add up.
 *
 * Times of a clock of steps are lower bounds: the truth of a run is at least ticks - below, and at
 * most ticks + above. What is left of a row by such times is uncertain by as much downwards.
 */
struct ets_account_node {
    enum ets_account_kind kind;
    uint32_t row;    /* of the inspection; of a rest: the row that it is left of */
    uint32_t parent; /* node, before this one; ETS_NO_INDEX: a root */
    uint32_t depth;
    int is_leaf;
    int is_added;         /* 0: not part of the sums: its clock is unknown, or it overlaps */
    const int64_t *ticks; /* [run_count] */
    const int64_t *self;  /* [run_count] without the nodes inside that are added */
    double below, above;  /* ticks in a run; 0: exact */
    double self_below, self_above;
};

/*
 * Builds the trees of block `block`. The inspection must live as long. `allocator` NULL: the C
 * library's. Status: NO_MEMORY. Memory: 8 bytes for each node and run.
 */
ETS_API enum ets_status ets_accounting_open(const struct ets_inspection *inspection, uint32_t block,
                                            const struct ets_allocator *allocator,
                                            struct ets_accounting **accounting_out,
                                            struct ets_error *error);
ETS_API void ets_accounting_close(struct ets_accounting *accounting); /* NULL is allowed */

/* Nodes, each before what it encloses, in order of execution. 0 for a block without events. */
ETS_API uint32_t ets_accounting_node_count(const struct ets_accounting *accounting);
ETS_API const struct ets_account_node *ets_accounting_node(const struct ets_accounting *accounting,
                                                           uint32_t index);
/* The runs of the block that the arrays are over, in file order; `*runs_out`: their numbers. */
ETS_API uint32_t ets_accounting_runs(const struct ets_accounting *accounting,
                                     const uint32_t **runs_out);

/* What a sample shows beyond struct ets_statistics. */
struct ets_spread {
    double p99;         /* linear interpolation; of fewer than 100 values close to the largest */
    double sd;          /* standard deviation, divisor n - 1; NaN below two values */
    double median_low;  /* 95 % confidence interval of the median: the k-th smallest and k-th */
    double median_high; /* largest value, k by the binomial distribution; NaN below 6 values */
};

/* Of `count` values in ascending order, as ets_statistics_compute leaves them. */
ETS_API void ets_spread_compute(const double *sorted, uint32_t count,
                                struct ets_spread *spread_out);

enum ets_phase_state {
    ETS_PHASE_TOO_FEW = 0, /* fewer than 8 runs: nothing is claimed */
    ETS_PHASE_STEADY = 1,
    ETS_PHASE_DRIFTING = 2 /* what should be steady has a trend */
};

/*
 * Which of the runs of a block are comparable, by the time that each took.
 *
 * A run is "far" from others where it lies beyond their median by more than 3.5 (1 + 3/m) scaled
 * median absolute deviations (m: how many they are), and by more than 5 % and 2 ticks.
 *
 * Warm-up are the first runs, at most half of them: those before the first that is not far above
 * the later half; and then, in steps of a twentieth of the runs, what must go until the rest has no
 * falling trend any more. A trend is there where the test of Mann and Kendall says so at 1 % and
 * the median of the last third differs from that of the first by 2 % or more. (Noise that is
 * alike in neighbouring runs makes that test too eager; hence the second condition.) Steady normal
 * noise makes the first run warm-up in 3 % of the traces of 8 runs, 1.5 % of 12, 0.2 % of 50.
 *
 * Drift is a trend in what is left. Outliers are runs of it that are far from the rest, above or
 * below.
 */
struct ets_run_phases {
    enum ets_phase_state state;
    uint32_t run_count;
    uint32_t warm_up;   /* runs before the steady ones; 0: none */
    uint32_t outliers;  /* among the steady runs */
    double first_ratio; /* the first run, divided by the median of the others; NaN: no others */
    double drift;       /* median of the last third / that of the first third - 1 */
    double trend_p;     /* Mann-Kendall, two-sided; NaN: too few */
    double low, high;   /* steady runs outside are outliers; NaN: too few */
};

/*
 * `ticks`: of `count` runs in the order in which they ran. `allocator` (of scratch memory) NULL:
 * the C library's. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_run_phases_find(const int64_t *ticks, uint32_t count,
                                            const struct ets_allocator *allocator,
                                            struct ets_run_phases *phases_out,
                                            struct ets_error *error);

/* The same of what a row took, in each run of its block. */
ETS_API enum ets_status ets_run_phases_of_row(const struct ets_inspection *inspection, uint32_t row,
                                              const struct ets_allocator *allocator,
                                              struct ets_run_phases *phases_out,
                                              struct ets_error *error);

/* 1: run `index` of these `phases`, which took `ticks`, is an outlier. */
ETS_API int ets_run_phases_is_outlier(const struct ets_run_phases *phases, uint32_t index,
                                      int64_t ticks);

#ifdef __cplusplus
}
#endif

#endif
