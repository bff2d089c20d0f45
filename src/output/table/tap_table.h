/* The table of `tap --list`: the values within a program's delegates. */
#ifndef ETSCOPE_OUTPUT_TABLE_TAP_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_TAP_TABLE_H

#include "output/table/table.h"
#include "views/inside_values.h"

/* Fills an empty table. */
void ets_tap_table_fill(struct ets_table *table, const struct ets_inside_values *values);

#endif
