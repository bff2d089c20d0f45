/*
 * The tree of times of a block as lines: each instruction with what it encloses, its self time, and
 * unaccounted time.
 *
 *     const struct ets_account_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     struct ets_account_lines lines;
 *     if (ets_account_lines_open(&arena, inspection, &options, block, &lines, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *         ets_account_lines_close(&lines);
 *     }
 *
 * Times are ticks of the trace. Lines are in the arena and refer to nodes of lines.accounting,
 * which is valid until close; the inspection is borrowed.
 */
#ifndef ETSCOPE_VIEWS_ACCOUNT_LINES_H
#define ETSCOPE_VIEWS_ACCOUNT_LINES_H

#include <stdbool.h>

#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "host/arena.h"
#include "inspect/accounting/accounting.h"

struct ets_account_options {
    uint32_t block; /* only this block; ETS_NO_INDEX: all */
    uint32_t run;   /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;     /* 1: without warm-up, as ets_run_phases_find detects it */
    int all_events; /* 1: also OPERATOR_CALL wrapper events; 0: their time beyond their kernels is
                       one line, "(operator calls)" */
    uint32_t top; /* only the N innermost lines with the most time, and the lines that enclose them;
                     0: all */
    struct ets_row_filter
        filter; /* only these rows, with the lines inside and around them; numbers stay the same */
};

/* Numbers of one array of ticks per run. */
struct ets_account_times {
    struct ets_statistics statistics;
    struct ets_spread spread;
    double middle;       /* mid of chosen_runs.h, which shares are of */
    double below, above; /* how far the true time of each run may differ */
    int64_t total;       /* as reported */
};

struct ets_account_line {
    const struct ets_account_node *node; /* NULL: the time of calls beyond their kernels */
    const struct ets_row *row;           /* of the node; else the one around those calls */
    uint32_t depth;
    struct ets_account_times inclusive, self;
    double root;   /* middle of the tree's first line */
    bool is_whole; /* the whole execution, which the phases of the lines are about */
};

struct ets_account_lines {
    struct ets_account_line *items;
    uint32_t count;
    struct ets_accounting *accounting; /* whose nodes they show */
    const uint32_t *runs;              /* [run_count] of the block */
    uint32_t run_count;
    uint32_t range_first, range_count; /* the runs among them that the numbers are over */
    enum ets_run_stage stage;          /* of the block */
    struct ets_run_phases phases;      /* valid where `whole` is there */
    const int64_t *whole;              /* [run_count] ticks of the whole execution; NULL: none */
    const int64_t *outliers;           /* [phases.outliers] runs of the trace, where `whole` is */
};

/*
 * The lines of a block, allocated with the arena's allocator; after ETS_OK the caller closes them.
 * Status: NO_MEMORY.
 */
enum ets_status ets_account_lines_open(struct ets_arena *arena,
                                       const struct ets_inspection *inspection,
                                       const struct ets_account_options *options, uint32_t block,
                                       struct ets_account_lines *lines_out,
                                       struct ets_error *error);
void ets_account_lines_close(struct ets_account_lines *lines);

/*
 * account_choice.c: which lines options->filter and options->top keep, including the lines around
 * those: [count]; NULL: no memory.
 */
const bool *ets_account_lines_choose(struct ets_arena *arena,
                                     const struct ets_inspection *inspection,
                                     const struct ets_account_options *options,
                                     const struct ets_account_lines *lines);

#endif
