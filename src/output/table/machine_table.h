/* The table of `machine`: what was measured, by threads, programs and levels of memory. */
#ifndef ETSCOPE_OUTPUT_TABLE_MACHINE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_MACHINE_TABLE_H

#include "cost/machine.h"
#include "output/table/table.h"

/* Status: NO_MEMORY. */
enum ets_status ets_machine_table_fill(struct ets_table *table, const struct ets_machine *machine,
                                       struct ets_error *error);

#endif
