/*
 * export.h - what an inspection shows: the operator table, the table of captured tensors, and
 * upstream's table byte for byte.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     struct ets_operator_table_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     if (ets_operator_table_fill(table, inspection, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 */
#ifndef ETSCOPE_EXPORT_H
#define ETSCOPE_EXPORT_H

#include "etscope/accounting.h"
#include "etscope/captured_values.h"
#include "etscope/inspect.h"
#include "etscope/row_filter.h"
#include "etscope/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ets_group_by {
    ETS_GROUP_NONE = 0,    /* a line for each row of the inspection */
    ETS_GROUP_OP = 1,      /* by kernel or delegate operator */
    ETS_GROUP_MODULE = 2,  /* by module path: a tree, with the time of each module itself */
    ETS_GROUP_SOURCE = 3,  /* by source file and line */
    ETS_GROUP_BACKEND = 4, /* by delegate backend, and "portable" for kernels */
    ETS_GROUP_FILE = 5,    /* by source file */
    ETS_GROUP_HANDLE = 6   /* by debug handle */
};

enum ets_sort_by {
    ETS_SORT_ORDER = 0, /* of execution, nested */
    ETS_SORT_TIME = 1,  /* median of the runs, longest first */
    ETS_SORT_MAX = 2,
    ETS_SORT_CALLS = 3,
    ETS_SORT_NAME = 4
};

struct ets_operator_table_options {
    enum ets_group_by group_by;
    enum ets_sort_by sort;
    uint32_t top;   /* lines of each block; 0: all */
    uint32_t block; /* only this block; ETS_NO_INDEX: all */
    uint32_t run;   /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;     /* 1: without warm-up, as ets_run_phases_find tells it */
    int all_events; /* 1: also OPERATOR_CALL around a kernel that reports itself */
    uint32_t depth; /* GROUP_MODULE: components of a path; deeper modules count with the one that
                       holds them; 0: all, up to 64 */
    struct ets_row_filter filter; /* only these rows; shares stay those of the whole run */
};

/* Adds columns, sections and rows to an empty table. Status: NO_MEMORY. */
ETS_API enum ets_status ets_operator_table_fill(struct ets_table *table,
                                                const struct ets_inspection *inspection,
                                                const struct ets_operator_table_options *options,
                                                struct ets_error *error);

struct ets_account_table_options {
    uint32_t block; /* only this block; ETS_NO_INDEX: all */
    uint32_t run;   /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;     /* 1: without warm-up, as ets_run_phases_find tells it */
    int all_events; /* 1: also OPERATOR_CALL around a kernel that reports itself; else what they
                       take beyond their kernels is one line, "(operator calls)" */
    uint32_t top;   /* the innermost lines that took most, and what they lie in; 0: all */
    struct ets_row_filter filter; /* rows, what lies in them and what they lie in; numbers stay */
};

/*
 * The tree of accounting.h as a table: adds columns, sections and rows to an empty table. The self
 * times of all lines of a tree add up to its first: in the column `self_ticks`, which is as
 * reported and has no bounds, to the tick. Columns are told in docs/columns.md. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_account_table_fill(struct ets_table *table,
                                               const struct ets_inspection *inspection,
                                               const struct ets_account_table_options *options,
                                               struct ets_error *error);

/*
 * What is to be said of a block's runs: "run 0 is warm-up (3.1 times the median of the others);
 * steady from run 1; 1 outlier: run 17". `runs`, `ticks`: the trace's number of each run and what
 * it took, in order. Returns the length, 0 where there is nothing to say; cut to `room`.
 */
ETS_API size_t ets_run_phases_print(const struct ets_run_phases *phases, const uint32_t *runs,
                                    const int64_t *ticks, char *text, size_t room);

struct ets_tensor_table_options {
    struct ets_bytes debug_buffer; /* data NULL: rows without statistics */
    struct ets_captured_filter filter;
    const char *columns; /* "operator,shape,min": these, in this order; NULL: all */
    int values;      /* 1: machine formats have a column `values`, all numbers in logical order */
    int broken_only; /* 1: only tensors with NaN or infinite numbers */
};

/* What a tensor table could not give numbers for, and which of its numbers are none. */
struct ets_tensor_table_gaps {
    uint32_t with_nan;   /* rows whose tensor has NaN */
    uint32_t first_nan;  /* event of the first of them; ETS_NO_INDEX: it has none */
    uint32_t unrecorded; /* tensors whose bytes the trace's writer did not keep, nor a summary */
    uint32_t without_buffer; /* tensors whose bytes are in a debug buffer that was not given */
    uint32_t outside;        /* tensors whose bytes lie outside of the debug buffer */
    uint32_t unreadable;     /* values that are malformed, or of a type that has no numbers */
    struct ets_error outside_reason, unreadable_reason; /* of the first of each, if any */
};

/*
 * Adds columns, sections and a row for each captured value (captured_values.h) to an empty table.
 * Columns are told in docs/columns.md. `gaps_out` may be NULL. Statuses: NOT_FOUND (a name in
 * `columns` is none, with those that there are), NO_MEMORY.
 */
ETS_API enum ets_status ets_tensor_table_fill(struct ets_table *table,
                                              const struct ets_inspection *inspection,
                                              const struct ets_tensor_table_options *options,
                                              struct ets_tensor_table_gaps *gaps_out,
                                              struct ets_error *error);

/*
 * Writes the view as upstream's Inspector.save_data_to_tsv does, byte for byte. Columns and their
 * order: docs/compatibility.md.
 */
ETS_API void ets_upstream_write_tsv(const struct ets_upstream_view *view,
                                    struct ets_output *output);

#ifdef __cplusplus
}
#endif

#endif
