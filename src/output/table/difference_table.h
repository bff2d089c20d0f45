/* A difference of traces as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_DIFFERENCE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_DIFFERENCE_TABLE_H

#include "output/table/table.h"
#include "views/difference_order.h"

/* Adds columns, sections and rows to an empty table. Status: NO_MEMORY. */
ETS_API enum ets_status ets_difference_table_fill(
    struct ets_table *table, const struct ets_difference *difference,
    const struct ets_difference_order_options *options, struct ets_error *error);

#endif
