/* A table of an entity's rows, with the columns that the catalogue has for tables. */
#ifndef ETSCOPE_OUTPUT_TABLE_ENTITY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ENTITY_TABLE_H

#include "catalogue/entities.h"
#include "output/table/table.h"

/*
 * Adds the columns to an empty table. `arranged` tells how people see some of them, by name: all
 * but the kind and bounds, which the catalogue knows; it ends with a NULL name; NULL: all are for
 * machines and people alike. Without a unit (`has_unit` 0), times are in cycles.
 */
void ets_entity_table_begin(struct ets_table *table, const struct ets_entity *entity,
                            const struct ets_column *arranged, int has_unit);

/* Puts the cells of a row that was added. */
void ets_entity_table_put(struct ets_table *table, const struct ets_entity *entity,
                          const struct ets_entity_row *row);

#endif
