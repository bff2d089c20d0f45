/*
 * operator_table.h - the operators of an inspection as a table.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     struct ets_operator_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     if (ets_operator_table_fill(table, inspection, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 */
#ifndef ETSCOPE_OUTPUT_TABLE_OPERATOR_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_OPERATOR_TABLE_H

#include "output/table/table.h"
#include "views/operator_options.h"

/* Adds columns, sections and rows to an empty table. Status: NO_MEMORY. */
ETS_API enum ets_status ets_operator_table_fill(struct ets_table *table,
                                                const struct ets_inspection *inspection,
                                                const struct ets_operator_options *options,
                                                struct ets_error *error);

#endif
