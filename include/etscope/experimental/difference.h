/*
 * difference.h - what changed between two sets of traces, operator by operator.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_difference *difference; // of the pools `before` and `after` (pool.h)
 *     struct ets_difference_options options = {.least_change = 0.01};
 *     if (ets_difference_open(before, after, &options, &difference, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_difference_line_count(difference); i++) {
 *             const struct ets_difference_line *line = ets_difference_line(difference, i);
 *             printf("%s: %+.1f%%\n", ets_verdict_name(line->verdict), 100 * line->ratio);
 *         }
 *         ets_difference_close(difference);
 *     }
 *
 * Who is compared with whom. Blocks: those of one method, or name, that have most in common.
 * In a block that both sides joined to an ETRecord, operators are matched by what their debug
 * handles stand for, and by name; handles themselves where both exports numbered alike, else the
 * module, operator and place among its like of the exported program. What is left and shares
 * handles is compared as a group: five kernels that became one delegate call are one line. A
 * delegate's events are matched so where they are tied to nodes (enum ets_tie), else by name in
 * order, without their number among their like. Without a record on both sides operators are
 * matched by name, in the longest order that both have in common.
 *
 * A line's verdict rests on a rank test over the runs (significance.h), adjusted for the number of
 * lines by Benjamini and Hochberg. Runs of one trace share one state of the machine: the test tells
 * whether these traces differ, not whether another trace would. Give several to know that.
 */
#ifndef ETSCOPE_DIFFERENCE_H
#define ETSCOPE_DIFFERENCE_H

#include "etscope/experimental/pool.h"

ETS_DECLARATIONS_BEGIN

struct ets_difference;

enum ets_change {
    ETS_CHANGE_NONE = 0,          /* the same operator on both sides */
    ETS_CHANGE_ADDED = 1,         /* after alone */
    ETS_CHANGE_REMOVED = 2,       /* before alone */
    ETS_CHANGE_REPLACED = 3,      /* other kernels for the same nodes */
    ETS_CHANGE_DELEGATED = 4,     /* kernels that a delegate took over */
    ETS_CHANGE_UNDELEGATED = 5,   /* a delegate's work that kernels do now */
    ETS_CHANGE_REPARTITIONED = 6, /* delegates on both sides, cut differently */
    ETS_CHANGE_COUNT = 7
};

enum ets_verdict {
    ETS_VERDICT_SAME = 0, /* the whole interval of the shift lies within least_change */
    ETS_VERDICT_FASTER = 1,
    ETS_VERDICT_SLOWER = 2,
    ETS_VERDICT_UNKNOWN = 3, /* too few runs to tell, or the clock is too coarse */
    ETS_VERDICT_NONE = 4,    /* one side alone */
    ETS_VERDICT_UNCLEAR = 5, /* neither: the interval reaches beyond least_change */
    ETS_VERDICT_COUNT = 6
};

struct ets_difference_options {
    double false_discovery; /* wrong ones among the changes; 0: 0.05 */
    double least_change;    /* a shift by less, 0.01 for 1 % of the median before, is none */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/* The test of Mann and Whitney (Wilcoxon's rank sum), two-sided. */
struct ets_rank_test {
    double u; /* pairs in which `after` is larger, ties counted half; NaN: a sample is empty */
    double p; /* so far apart, or farther, by chance; 1 for empty samples */
    double least_p; /* the smallest that samples of these sizes can reach without ties */
    int is_exact;   /* 1: counted over all ways to draw the samples, ties included; 0: by the normal
                       distribution, with the correction for ties and for continuity */
};

/* The estimate of Hodges and Lehmann: the median of all differences after - before. */
struct ets_shift {
    double estimate;  /* NaN: a sample is empty */
    double low, high; /* its confidence interval (Moses); NaN: too few values for this confidence */
};

/* One side of a line: operators of a block of its pool; times are their sum in each run. */
struct ets_difference_side {
    const struct ets_pool_block *block; /* NULL: the side has none */
    const uint32_t *operators;          /* [operator_count] in order of execution */
    uint32_t operator_count;
    double resolution;           /* as in ets_pool_operator, of the sum */
    const double *per_run;       /* [block->run_count] in order of the runs; NULL: no operators */
    struct ets_statistics times; /* count 0: no operators */
};

struct ets_difference_line {
    uint32_t block;  /* index for ets_difference_block */
    uint32_t parent; /* the line that this one lies within, before it; ETS_NO_INDEX */
    enum ets_pool_role role;
    int has_own_clock; /* 1: times are ticks of the delegate's own, on one side or both; with it on
                          one side alone they are not compared, and the verdict is NONE */
    enum ets_change change;
    enum ets_verdict verdict;
    struct ets_difference_side before, after;
    double change_of_median;   /* median after - median before; of one side alone: +-its median */
    double ratio;              /* of that to the median before; NaN where that is 0 */
    struct ets_shift shift;    /* 95 % interval; NaN where a side is missing */
    struct ets_rank_test test; /* p NaN where a side is missing */
    double adjusted_p;
};

/* A block of both sides, or of one. */
struct ets_difference_block {
    const struct ets_pool_block *before, *after; /* one may be NULL */
    int by_handles;                              /* 1: matched by debug handles, 0: by order */
    uint32_t first_line, line_count;             /* in order of execution, parents first */
    uint32_t total;                              /* line of Method::execute, or ETS_NO_INDEX */
};

/*
 * The pools must live as long. Statuses: INVALID_ARGUMENT (one counts cycles, the other time),
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_difference_open(const struct ets_pool *before,
                                            const struct ets_pool *after,
                                            const struct ets_difference_options *options,
                                            struct ets_difference **difference_out,
                                            struct ets_error *error);
ETS_API void ets_difference_close(struct ets_difference *difference); /* NULL is allowed */

/* What times are in: as ets_pool_unit. */
ETS_API enum ets_time_unit ets_difference_unit(const struct ets_difference *difference);
ETS_API uint32_t ets_difference_block_count(const struct ets_difference *difference);
ETS_API const struct ets_difference_block *ets_difference_block(
    const struct ets_difference *difference, uint32_t index);
ETS_API uint32_t ets_difference_line_count(const struct ets_difference *difference);
ETS_API const struct ets_difference_line *ets_difference_line(
    const struct ets_difference *difference, uint32_t index);

/* How much of the two sides belongs together. */
struct ets_agreement {
    /* Operators of both sides; those inside of delegates where no handles match their calls. */
    uint32_t operators, matched;
    int is_poor;      /* 1: most of them have no partner: other programs, or no records to tell */
    int is_identical; /* 1: every run of every operator took the same: copies of one recording */
};
ETS_API void ets_difference_agreement(const struct ets_difference *difference,
                                      struct ets_agreement *agreement_out);

/* "added", "removed", "replaced", "delegated", "undelegated", "repartitioned"; "" for NONE. */
ETS_API const char *ets_change_name(enum ets_change change);
/* "same", "faster", "slower", "unknown", "unclear"; "" for NONE. */
ETS_API const char *ets_verdict_name(enum ets_verdict verdict);

ETS_DECLARATIONS_END

#endif
