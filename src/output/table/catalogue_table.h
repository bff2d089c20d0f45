/* The columns of the tables that the catalogue has, with their meanings, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_CATALOGUE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_CATALOGUE_TABLE_H

#include "output/table/table.h"

/* Fills an empty table: a section for each entity, a row for each column of its tables. */
void ets_catalogue_table_fill(struct ets_table *table);

#endif
