/*
 * memory_alternatives_table.h - the table of other memory plans: a section for each method and a
 * row for each plan, with its size and the difference to the exported plan.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_MEMORY_ALTERNATIVES_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_MEMORY_ALTERNATIVES_TABLE_H

#include "memory/memory_plan.h"
#include "output/table/table.h"

/* Adds the columns to an empty table. */
void ets_memory_alternatives_table_begin(struct ets_table *table);

/* Adds a method. Statuses: LIMIT (too many tensors to plan again), NO_MEMORY. */
enum ets_status ets_memory_alternatives_table_add(struct ets_table *table,
                                                  const struct ets_memory_plan *plan,
                                                  struct ets_error *error);

#endif
