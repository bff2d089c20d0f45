/* allocation_table.h - who takes a method's memory, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_ALLOCATION_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ALLOCATION_TABLE_H

#include "output/table/table.h"
#include "views/allocation_owners.h"

/*
 * Adds columns, and a section for each method with a row for each owner and each moment of the
 * process. Columns are told in docs/columns.md. Statuses: NOT_FOUND (the trace tells nothing of
 * memory), NO_MEMORY.
 */
ETS_API enum ets_status ets_allocation_table_fill(struct ets_table *table,
                                                  const struct ets_inspection *inspection,
                                                  struct ets_error *error);

#endif
