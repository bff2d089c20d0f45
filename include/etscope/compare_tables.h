/*
 * compare_tables.h - what comparing traces shows: tables of a difference and of a pool.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     struct ets_difference_table_options options = {.sort = ETS_SORT_CHANGE};
 *     if (ets_difference_table_fill(table, difference, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 *     ets_table_close(table);
 *
 * Columns: docs/columns.md.
 */
#ifndef ETSCOPE_COMPARE_TABLES_H
#define ETSCOPE_COMPARE_TABLES_H

#include "etscope/budget.h"
#include "etscope/difference.h"
#include "etscope/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ets_difference_sort {
    ETS_SORT_CHANGE = 0,    /* what changed first, the largest change of the median first */
    ETS_SORT_RATIO = 1,     /* likewise, by the change against the median before */
    ETS_SORT_EXECUTION = 2, /* as executed */
    ETS_SORT_OPERATOR = 3   /* by name */
};

struct ets_difference_table_options {
    enum ets_difference_sort sort;
    uint32_t top; /* lines of each block, without what they enclose; 0: all */
};

/* Adds columns, sections and rows to an empty table. Status: NO_MEMORY. */
ETS_API enum ets_status ets_difference_table_fill(
    struct ets_table *table, const struct ets_difference *difference,
    const struct ets_difference_table_options *options, struct ets_error *error);

struct ets_pool_table_options {
    const char *const *files; /* [inspections of the pool] their names, for people */
    int by_time;              /* 1: the largest median first; 0: as executed */
    uint32_t top;             /* as above */
};

/*
 * What the traces of a pool say together: quantiles over all runs of all files, and how far the
 * files' own medians lie apart. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_pool_table_fill(struct ets_table *table, const struct ets_pool *pool,
                                            const struct ets_pool_table_options *options,
                                            struct ets_error *error);

/* What a gate checked. */
struct ets_budget_report {
    const struct ets_budget *budget;
    const struct ets_difference *difference;
    const struct ets_budget_verdicts *verdicts;
    const char *budget_path; /* for people and JUnit */
    int undecided_passes;    /* 1: what is undecided is no error for JUnit */
    int hides_passes;        /* 1: the table has no rows of what passes, but counts them */
};

/*
 * A row for each verdict: failures, then what is undecided, then what passes, each in the order of
 * the rules. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_budget_table_fill(struct ets_table *table,
                                              const struct ets_budget_report *report,
                                              struct ets_error *error);

/*
 * The same as JUnit's XML (junit.h): a test case for each verdict; "fail" and "missing" are
 * failures, "undecided" is an error. Status: NO_MEMORY, with nothing written; writing errors appear
 * at the output's commit.
 */
ETS_API enum ets_status ets_budget_write_junit(const struct ets_budget_report *report,
                                               struct ets_output *output, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
