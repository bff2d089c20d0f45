/*
 * memory_steps_table.h - the table of live bytes: a section for each method, a line for each
 * instruction.
 *
 *     ets_memory_steps_table_begin(table);
 *     ets_memory_steps_table_add(table, &steps, headline);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_MEMORY_STEPS_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_MEMORY_STEPS_TABLE_H

#include "output/table/table.h"
#include "views/memory_steps.h"

/* Adds the columns to an empty table. */
void ets_memory_steps_table_begin(struct ets_table *table);

/* Adds a method under its sentence. */
void ets_memory_steps_table_add(struct ets_table *table, const struct ets_memory_steps *steps,
                                struct ets_text heading);

#endif
