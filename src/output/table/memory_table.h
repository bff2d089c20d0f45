/*
 * memory_table.h - the table of planned memory: a section for each method, a line for each tensor.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     ets_memory_table_begin(table);
 *     if (ets_memory_lines_collect(&arena, &plan, &options, &lines)) {
 *         ets_memory_table_add(table, &lines, 0);
 *     }
 *     ets_table_write(table, &style, output, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_MEMORY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_MEMORY_TABLE_H

#include "output/table/table.h"
#include "views/memory_lines.h"

/* Adds the columns to an empty table. */
void ets_memory_table_begin(struct ets_table *table);

/* Adds a method: its sentence as heading, its tensors. Of these only the first `top`; 0: all. */
void ets_memory_table_add(struct ets_table *table, const struct ets_memory_lines *lines,
                          uint32_t top);

#endif
