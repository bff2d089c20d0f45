/*
 * annotate_table.h - the model's source, with the cost of each line in the margin.
 *
 *     struct ets_annotate_options options = {
 *         .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .lines = ETS_LINES_FUNCTIONS};
 *     struct ets_annotate_gaps gaps;
 *     ets_table_open(NULL, &table, &error);
 *     ets_annotate_table_fill(table, inspection, &options, &gaps, &error);
 *
 * The time of a line is that of the work whose innermost user frame it is. Each piece of work is
 * counted at one line, so that all lines, and the work without a line, add up to the run. If a
 * delegate fused several lines into one operator, it counts at the line of its first node; the
 * other lines refer to it. The error of a line is that of the compared value of its nodes that
 * stands out most. A line without captured values refers to the line whose error includes its own.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_ANNOTATE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ANNOTATE_TABLE_H

#include "etscope/experimental/delegates.h"
#include "etscope/experimental/gap.h"
#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "output/table/table.h"

struct ets_machine; /* cost/machine.h */

enum ets_annotate_lines {
    ETS_LINES_COUNTED = 0,   /* only lines with data */
    ETS_LINES_FUNCTIONS = 1, /* the functions that contain them */
    ETS_LINES_CONTEXT = 2,   /* `context` lines before and after each */
    ETS_LINES_ALL = 3        /* whole files */
};

struct ets_annotate_options {
    uint32_t block, run; /* ETS_NO_INDEX: all */
    int steady;          /* 1: without warm-up, as ets_run_phases_find detects it */
    enum ets_annotate_lines lines;
    uint32_t context;
    const char *file; /* only this file, by its path or the end of its path; NULL: all */
    int all_frames;   /* 1: also the time of what a line called: work with the line in its stack
                         trace, or in those of all fused operators */
    struct ets_row_filter filter;
    int has_costs;                     /* 1: also what a line computes and moves, and how fast */
    const struct ets_machine *machine; /* with costs: also what a line would take at its roofs,
                                          where the clock has a unit; NULL: none */
    uint32_t threads;                  /* that ran; if there is a machine */
    /*
     * An evaluated report; adds columns with the numeric error of each line in the report's run.
     * NULL: none.
     */
    const struct ets_gap_report *gap;
    const struct ets_delegation *delegations; /* of the program, for bytes of instructions; NULL:
                                                 only what the ETRecord's graph states */
    /*
     * Returns the text of a file that the ETRecord names, borrowed until the call ends; 0: not
     * found. Text is used only if every line that the ETRecord has of the file, in the stack traces
     * of all joined nodes, is there. NULL: use only the lines
     * in the ETRecord.
     */
    int (*source)(void *context, struct ets_text file, struct ets_bytes *text_out);
    void *source_context;
};

/* Files that `source` returned, but of which only the lines in the ETRecord are shown. */
struct ets_annotate_gaps {
    uint32_t changed;              /* with other lines than the ETRecord's, or lines it lacks */
    struct ets_text first_changed; /* borrowed from the record */
    uint32_t changed_line;         /* of first_changed, the first that differs */
    int is_unknown; /* 1: the ETRecord lacks its text, so nothing is known to differ */
};

/*
 * Adds to an empty table: columns, a section with lines for each file of each block, then the work
 * without a line. docs/columns.md describes the columns. No rows: nothing matches. Status:
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_annotate_table_fill(struct ets_table *table,
                                                const struct ets_inspection *inspection,
                                                const struct ets_annotate_options *options,
                                                struct ets_annotate_gaps *gaps_out,
                                                struct ets_error *error);

#endif
