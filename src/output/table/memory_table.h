/*
 * memory_table.h - the table of planned memory: a section for each method, a line for each tensor.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     ets_memory_table_begin(table);
 *     if (ets_memory_table_add(table, &plan, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 */
#ifndef ETSCOPE_OUTPUT_TABLE_MEMORY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_MEMORY_TABLE_H

#include "output/table/table.h"
#include "views/memory_lines.h"

struct ets_memory_table_options {
    struct ets_memory_options lines;
    uint32_t top; /* only the first lines of each method; 0: all */
};

/* Adds the columns to an empty table. */
void ets_memory_table_begin(struct ets_table *table);

/* Adds a method: its sentence as heading, its tensors. Status: NO_MEMORY. */
enum ets_status ets_memory_table_add(struct ets_table *table, const struct ets_memory_plan *plan,
                                     const struct ets_memory_table_options *options,
                                     struct ets_error *error);

#endif
