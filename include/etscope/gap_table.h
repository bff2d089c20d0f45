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

#ifdef __cplusplus
}
#endif

#endif
