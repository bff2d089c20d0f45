/* The tree of times as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_ACCOUNT_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ACCOUNT_TABLE_H

#include "output/table/table.h"
#include "views/account_lines.h"

/*
 * The tree of accounting.h as a table: adds columns, sections and rows to an empty table. The self
 * times of all lines of a tree add up to its first: in the column `self_ticks`, which is as
 * reported and has no bounds, to the tick. Columns are described in docs/columns.md. Status:
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_account_table_fill(struct ets_table *table,
                                               const struct ets_inspection *inspection,
                                               const struct ets_account_options *options,
                                               struct ets_error *error);

#endif
