/*
 * size_table.h - where the bytes of programs are, item by item or in groups.
 *
 *     const struct ets_size_table_options options = {.for_people = 1, .top = 10};
 *     ets_table_open(NULL, &table, &error);
 *     ets_size_table_fill(table, map, &options, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_SIZE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_SIZE_TABLE_H

#include "output/table/table.h"
#include "views/size_lines.h"

struct ets_size_table_options {
    int groups_only;     /* 1: a row for each group `by`; 0: for each item, in the groups' order */
    enum ets_size_by by; /* BY_PART where items are shown */
    uint32_t top;        /* items of each group, or groups; 0: all */
    int for_people; /* 1: also rows of the groups, above their items, and of what is left out */
};

/*
 * Adds columns and rows to an empty table, with the answer as its heading. Columns are told in
 * docs/columns.md. Items add up to the files, and so do groups. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_size_table_fill(struct ets_table *table, const struct ets_byte_map *map,
                                            const struct ets_size_table_options *options,
                                            struct ets_error *error);

#endif
