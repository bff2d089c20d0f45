/* allocator_table.h - allocation events of a trace, by allocator or one by one. */
#ifndef ETSCOPE_OUTPUT_TABLE_ALLOCATOR_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ALLOCATOR_TABLE_H

#include "output/table/table.h"
#include "views/allocation_events.h"

/*
 * Adds columns and rows to an empty table: an allocator of a block each, or with `one_by_one` an
 * allocation each. Columns are told in docs/columns.md. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_allocator_table_fill(struct ets_table *table,
                                                 const struct ets_inspection *inspection,
                                                 bool one_by_one, struct ets_error *error);

#endif
