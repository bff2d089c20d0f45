/*
 * difference.h - compares two sets of traces, operator by operator.
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
 * Matching. Blocks are matched by method or name, those with the most in common first. If both
 * sides joined a block to an ETRecord, operators are matched by their debug handles and names: by
 * the handles themselves if both exports numbered alike, else by module, operator and position
 * among equal ones in the exported program. Remaining operators that share handles are compared as
 * a group: five kernels that became one delegate call are one line. If fewer than half of the
 * operators match so, the modules of their nodes are tried, then source lines, then names; the
 * block says which. A delegate's events are matched in the same way if they are tied to nodes (enum
 * ets_tie), else by name in order, ignoring the number at the end of the name. If one side has no
 * record, operators are matched by name, along the longest common sequence. Traces of two runtimes
 * are matched so by the types of operators, which are named alike for all runtimes; two profiles of
 * one runtime by type and node name.
 *
 * Verdicts. The unit is the recording, which is one trace of a side: runs of one process share its
 * memory layout, clock and neighbours, so they do not count as independent. A recording has one
 * value for each line, the median of its runs; a side has the mean of those. Copies of a recording
 * count once.
 *
 * - One recording a side: DIFFERS or UNCLEAR, by a rank test over the runs, adjusted for the number
 *   of lines by Benjamini and Hochberg. This compares two recordings, not two programs.
 * - From ETS_LEAST_RECORDINGS a side on, an exact unpaired permutation test over the recordings
 *   decides the whole run. Other lines use the largest statistic of all lines in the same
 *   permutations (Westfall and Young). FASTER and SLOWER also exceed least_change and the spread
 *   between the recordings of one side.
 * - Fewer: UNDECIDED, with the number of recordings that would decide.
 */
#ifndef ETSCOPE_DIFFERENCE_H
#define ETSCOPE_DIFFERENCE_H

#include "etscope/experimental/pool.h"

ETS_DECLARATIONS_BEGIN

struct ets_difference;

enum ets_change {
    ETS_CHANGE_NONE = 0,          /* the same operator on both sides */
    ETS_CHANGE_ADDED = 1,         /* only after */
    ETS_CHANGE_REMOVED = 2,       /* only before */
    ETS_CHANGE_REPLACED = 3,      /* other kernels for the same nodes */
    ETS_CHANGE_DELEGATED = 4,     /* kernels that a delegate took over */
    ETS_CHANGE_UNDELEGATED = 5,   /* kernels that took over from a delegate */
    ETS_CHANGE_REPARTITIONED = 6, /* delegates on both sides, partitioned differently */
    ETS_CHANGE_COUNT = 7
};

enum ets_verdict {
    ETS_VERDICT_SAME = 0, /* the interval of the change is within least_change */
    ETS_VERDICT_FASTER = 1,
    ETS_VERDICT_SLOWER = 2,
    ETS_VERDICT_UNDECIDED = 3, /* `doubt` tells why */
    ETS_VERDICT_NONE = 4,      /* only one side has it */
    /* One recording a side, or one side recorded after the other (`doubt`): */
    ETS_VERDICT_UNCLEAR = 5, /* the recordings do not differ clearly */
    ETS_VERDICT_DIFFERS = 6, /* they differ, the programs may not */
    ETS_VERDICT_COUNT = 7
};

/* Why a line has no other verdict. */
enum ets_line_doubt {
    ETS_LINE_DECIDED = 0,
    ETS_LINE_ONE_RECORDING = 1,  /* one recording a side cannot tell the program from the day */
    ETS_LINE_FEW_RECORDINGS = 2, /* `recordings_needed` of each side would decide */
    ETS_LINE_SPREAD = 3, /* recordings of one side differ by more than the change: `spread` */
    ETS_LINE_CLOCK = 4,  /* a delegate's clock is coarser than the change */
    ETS_LINE_APART = 5   /* one side was recorded after the other: it may be the machine */
};

enum {
    ETS_LEAST_RECORDINGS = 4,   /* of each side, for a verdict on the whole run */
    ETS_ADVISED_RECORDINGS = 5, /* of each side, for verdicts on operators */
    ETS_MOST_RECORDINGS = 1000  /* more are not asked for */
};

struct ets_difference_options {
    double false_discovery; /* accepted probability of a false change; 0: 0.05 */
    double least_change;    /* smaller changes count as "same": 0.01 is 1 % of the time before */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/* A 95 % interval; NaN: too few values for one. */
struct ets_interval {
    double low, high;
};

/* One side of a line: operators of a block of its pool. Times are their sum in each run. */
struct ets_difference_side {
    const struct ets_pool_block *block; /* NULL: the side has none */
    const uint32_t *operators;          /* [operator_count] in order of execution */
    uint32_t operator_count;
    double resolution;           /* of the sum, as in ets_pool_operator */
    const double *per_run;       /* [block->run_count] in order of the runs; NULL: no operators */
    struct ets_statistics times; /* of all runs; count 0: no operators */
    double
        median; /* mean over the recordings of the median of the runs of each; NaN: no operators */
};

struct ets_difference_line {
    uint32_t block;  /* index for ets_difference_block */
    uint32_t parent; /* the enclosing line, which precedes it; or ETS_NO_INDEX */
    enum ets_pool_role role;
    int has_own_clock; /* 1: times of one or both sides are the delegate's own ticks. If only one
                          side's are, they are not compared, and the verdict is NONE */
    enum ets_change change;
    enum ets_verdict verdict;
    enum ets_line_doubt doubt;
    uint32_t recordings_needed; /* FEW_RECORDINGS: in all, of each side; 0: too many */
    struct ets_difference_side before, after;
    double change_of_median;      /* median after - median before; with one side: +-its median */
    double ratio;                 /* change_of_median / median before; NaN if that is 0 */
    struct ets_interval interval; /* of change_of_median; NaN if a side is missing */
    double spread;  /* range of the medians of a side's recordings without the tenth at each end, of
                       the side  where it is larger; NaN: one recording a side */
    double p;       /* probability of such a change by chance; NaN: not tested */
    int p_is_exact; /* 1: of all permutations, or ranks; 0: of many of them, or approximated */
    double adjusted_p; /* for the number of lines; of the whole run, for the number of methods */
};

/* What operators were matched by. */
enum ets_matched_by {
    ETS_MATCHED_ORDER = 0,      /* names, in order of execution */
    ETS_MATCHED_HANDLES = 1,    /* debug handles */
    ETS_MATCHED_TYPES = 2,      /* operator types, in order of execution: sides of two runtimes */
    ETS_MATCHED_OPERATOR = 3,   /* operator types, added up */
    ETS_MATCHED_MODULE = 4,     /* modules, added up */
    ETS_MATCHED_IN_MODULES = 5, /* modules of nodes: too few handles matched */
    ETS_MATCHED_LINES = 6       /* source lines of nodes: too few modules matched */
};

/* A block of one or both sides. */
struct ets_difference_block {
    const struct ets_pool_block *before, *after;  /* one may be NULL */
    uint32_t before_recordings, after_recordings; /* copies count once */
    int by_handles; /* 1: matched by debug handles, or by what records know of them */
    enum ets_matched_by matched_by;
    uint32_t first_line, line_count; /* in order of execution, parents first */
    uint32_t total;                  /* line of Method::execute, or ETS_NO_INDEX */
};

/*
 * The pools must live until close. Statuses: INVALID_ARGUMENT (one counts cycles, the other time),
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_difference_open(const struct ets_pool *before,
                                            const struct ets_pool *after,
                                            const struct ets_difference_options *options,
                                            struct ets_difference **difference_out,
                                            struct ets_error *error);
ETS_API void ets_difference_close(struct ets_difference *difference); /* NULL is allowed */

/* The unit of times, as ets_pool_unit. */
ETS_API enum ets_time_unit ets_difference_unit(const struct ets_difference *difference);
ETS_API uint32_t ets_difference_block_count(const struct ets_difference *difference);
ETS_API const struct ets_difference_block *ets_difference_block(
    const struct ets_difference *difference, uint32_t index);
ETS_API uint32_t ets_difference_line_count(const struct ets_difference *difference);
ETS_API const struct ets_difference_line *ets_difference_line(
    const struct ets_difference *difference, uint32_t index);

/* How well the two sides match. */
struct ets_agreement {
    /* Operators of both sides; those inside delegates only if no handles match their calls. */
    uint32_t operators, matched;
    int is_poor; /* 1: most operators have no match: different programs, or records are missing. 0
                    where operators are added up */
    int is_identical; /* 1: all times are equal: copies of one recording */
    int captured; /* 1, 2: only the runs before or after captured tensors, which takes time; 0 */
};
ETS_API void ets_difference_agreement(const struct ets_difference *difference,
                                      struct ets_agreement *agreement_out);

ETS_DECLARATIONS_END

#endif
