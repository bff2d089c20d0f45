/* A table of an entity's rows, with the columns that the catalogue has for tables. */
#ifndef ETSCOPE_OUTPUT_TABLE_ENTITY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ENTITY_TABLE_H

#include "catalogue/entities.h"
#include "output/table/table.h"

enum { ETS_ARRANGED_LISTS = 3 };

/* Which of an entity's columns a table has, and how people see them. */
struct ets_entity_view {
    const struct ets_entity *entity;
    /*
     * By name, all but the kind and bounds, which the catalogue knows: numbers that are identifiers
     * may be a list of texts (ETS_COLUMN_LIST), which JSON quotes. The last of the lists that
     * has a name counts. They end with a NULL name; NULL: no list. A column that is in none is for
     * machines and people alike.
     */
    const struct ets_column *arranged[ETS_ARRANGED_LISTS];
    uint32_t kind; /* of the rows */
    int has_unit;  /* 0: times are in cycles */
};

/*
 * Adds the columns from `first` (NULL: the first) to the one named `last` (NULL: the last), and
 * returns what follows, for a table that has others in between.
 */
const struct ets_entity_column *ets_entity_table_begin(struct ets_table *table,
                                                       const struct ets_entity_view *view,
                                                       const struct ets_entity_column *first,
                                                       const char *last);

/* Puts the cells of these columns of a row that was added; likewise. */
const struct ets_entity_column *ets_entity_table_put(struct ets_table *table,
                                                     const struct ets_entity_view *view,
                                                     const struct ets_entity_row *row,
                                                     const struct ets_entity_column *first,
                                                     const char *last);

#endif
