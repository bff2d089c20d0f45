/*
 * annotate_table.h - the model's source with what each line cost at its margin.
 *
 *     struct ets_annotate_options options = {
 *         .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .lines = ETS_LINES_FUNCTIONS};
 *     struct ets_annotate_gaps gaps;
 *     ets_table_open(NULL, &table, &error);
 *     ets_annotate_table_fill(table, inspection, &options, &gaps, &error);
 *
 * A line's time is that of the work whose innermost frame of the user's it is; every piece of work
 * is counted at one line, so that the lines and what is on no line add up to the run. An operator
 * that a delegate fused from several lines counts at the line of its first node; the others say so.
 * A line's error is that of the compared value, of a node of this line, that stands out most; lines
 * without a captured value of their own say in whose error theirs is.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_ANNOTATE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ANNOTATE_TABLE_H

#include "etscope/experimental/delegates.h"
#include "etscope/experimental/gap.h"
#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "output/table/table.h"

enum ets_annotate_lines {
    ETS_LINES_COUNTED = 0,   /* only those that something is known about */
    ETS_LINES_FUNCTIONS = 1, /* the functions around them */
    ETS_LINES_CONTEXT = 2,   /* `context` lines before and behind each */
    ETS_LINES_ALL = 3        /* whole files */
};

struct ets_annotate_options {
    uint32_t block, run; /* ETS_NO_INDEX: all */
    int steady;          /* 1: without warm-up, as ets_run_phases_find tells it */
    enum ets_annotate_lines lines;
    uint32_t context;
    const char *file; /* only this file, by its path or the end of it; NULL: all */
    int all_frames;   /* 1: also the time of what a line called: of work that it was in the stack
                         trace of, or in those of all operators that were fused into it */
    struct ets_row_filter filter;
    int has_costs; /* 1: also what a line computes and moves, and how fast */
    /* Evaluated; adds each line's numeric error, of the run that it is of. NULL: no such columns.
     */
    const struct ets_gap_report *gap;
    const struct ets_delegation *delegations; /* of the program: bytes of its instructions; NULL:
                                                  as far as the record's graph tells */
    /*
     * The text of a file that the record names, borrowed until the call ends; 0: there is none.
     * Text that differs from the lines in the record is not used. NULL: the record's lines alone.
     */
    int (*source)(void *context, struct ets_text file, struct ets_bytes *text_out);
    void *source_context;
};

/* Files of which only the lines that the record holds can be shown. */
struct ets_annotate_gaps {
    uint32_t missing, changed;                    /* not found; other lines than the record's */
    struct ets_text first_missing, first_changed; /* borrowed from the record */
    uint32_t changed_line;                        /* of first_changed, the first that differs */
};

/*
 * Adds columns, a section for each file of each block and its lines to an empty table; then what is
 * on no line. Columns are told in docs/columns.md. No rows: nothing matches. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_annotate_table_fill(struct ets_table *table,
                                                const struct ets_inspection *inspection,
                                                const struct ets_annotate_options *options,
                                                struct ets_annotate_gaps *gaps_out,
                                                struct ets_error *error);

#endif
