/*
 * gap_table.h - a gap report (gap.h) as tables: its rows, and how values were matched.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     if (ets_alignment_table_fill(table, report, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 *
 * docs/columns.md describes the columns.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_GAP_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_GAP_TABLE_H

#include "etscope/experimental/gap.h"
#include "output/table/table.h"

/*
 * Adds columns, a row for each captured value with its value of the reference, in the order of the
 * trace, then a row with the reason for each node of the reference that was not captured. Status:
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_alignment_table_fill(struct ets_table *table,
                                                 const struct ets_inspection *inspection,
                                                 const struct ets_gap_report *report,
                                                 struct ets_error *error);

/* The metric in the column `gap`, as in ExecuTorch's Inspector.calculate_numeric_gap. */
enum ets_gap_metric {
    ETS_GAP_METRIC_SNR = 0,
    ETS_GAP_METRIC_MSE = 1,
    ETS_GAP_METRIC_L1 = 2,
    ETS_GAP_METRIC_COSINE = 3,
    ETS_GAP_METRIC_MAX = 4 /* the largest absolute error */
};

struct ets_gap_table_options {
    enum ets_gap_metric metric;
    int only_off; /* 1: only rows that differ */
    int values;   /* 1: with the first elements of both tensors, in machine formats */
};

/*
 * Adds columns, a section whose heading states the finding, and a row for each compared value, in
 * the order of the reference's evaluation. The report's comparators are the last columns. The
 * report must be evaluated. Statuses: NO_MEMORY, INVALID_ARGUMENT (a comparator is named like
 * another column).
 */
ETS_API enum ets_status ets_gap_table_fill(struct ets_table *table,
                                           const struct ets_inspection *inspection,
                                           const struct ets_gap_report *report,
                                           const struct ets_gap_table_options *options,
                                           struct ets_error *error);

#endif
