/*
 * gap_table.h - a gap report (gap.h) as tables.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     if (ets_alignment_table_fill(table, report, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 *
 * Columns are told in docs/columns.md.
 */
#ifndef ETSCOPE_GAP_TABLE_H
#define ETSCOPE_GAP_TABLE_H

#include "etscope/gap.h"
#include "etscope/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Adds columns, and a row for each captured value in the order of the trace with the value of the
 * reference that it is, then one for each node of the reference of which nothing was captured, with
 * the reason. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_alignment_table_fill(struct ets_table *table,
                                                 const struct ets_inspection *inspection,
                                                 const struct ets_gap_report *report,
                                                 struct ets_error *error);

/* What the column `gap` shows, as upstream's Inspector.calculate_numeric_gap. */
enum ets_gap_metric {
    ETS_GAP_METRIC_SNR = 0,
    ETS_GAP_METRIC_MSE = 1,
    ETS_GAP_METRIC_L1 = 2,
    ETS_GAP_METRIC_COSINE = 3,
    ETS_GAP_METRIC_MAX = 4 /* the largest absolute error */
};

struct ets_gap_table_options {
    enum ets_gap_metric metric;
    int only_off; /* 1: only rows that are off */
    int values;   /* 1: with the first numbers of both tensors, for machines */
};

/*
 * Adds columns, a section whose heading is the finding in a sentence, and a row for each compared
 * value, in the order of the reference's evaluation; the report's comparators are columns behind
 * all others. The report is evaluated. Statuses: NO_MEMORY, INVALID_ARGUMENT (a comparator has the
 * name of another column).
 */
ETS_API enum ets_status ets_gap_table_fill(struct ets_table *table,
                                           const struct ets_inspection *inspection,
                                           const struct ets_gap_report *report,
                                           const struct ets_gap_table_options *options,
                                           struct ets_error *error);

/*
 * The finding, and behind ";" what else must be known: "all 6 values agree with the exported
 * program in float64, by at most 1e-07 in linear_1 (models/zoo.py:16); same bits as this runtime's
 * kernels". Returns the length; cut to `room`.
 */
ETS_API size_t ets_gap_headline(const struct ets_gap_report *report, char *text, size_t room);

/*
 * What is known of the guilty operator, in a few lines that end in \n: source, module, what lies
 * inside, the statistics of both tensors, the worst element, and what it was computed from. Returns
 * the length, 0 where nobody is guilty; cut to `room`.
 */
ETS_API size_t ets_gap_describe_guilty(const struct ets_inspection *inspection,
                                       const struct ets_gap_report *report, char *text,
                                       size_t room);

/*
 * What the rows were judged by: "float32 1e-05 of the root mean square (80 roundings of 2^-23;
 * ...)", one for each that occurs, with ";" between. Returns the length; cut to `room`.
 */
ETS_API size_t ets_gap_describe_tolerances(const struct ets_gap_report *report, char *text,
                                           size_t room);

/*
 * The rows as an SVG picture, readable on light and on dark: for each the total error and, inside
 * of it, its own, as bars on a logarithmic scale; what stands out is red. The first 5,000 rows.
 */
ETS_API void ets_gap_picture_write(const struct ets_gap_report *report, struct ets_output *output);

#ifdef __cplusplus
}
#endif

#endif
