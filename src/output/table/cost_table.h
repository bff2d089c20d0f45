/*
 * The table of a program's work.
 *
 *     ets_cost_table_fill(table, &program, record, delegation, &options, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_COST_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_COST_TABLE_H

#include "output/table/table.h"
#include "views/cost_lines.h"

struct ets_cost_table_options {
    struct ets_cost_view_options lines;
    uint32_t top; /* lines of each method; 0: all */
};

/* Adds columns, sections and rows to an empty table: a section for each method of the delegation,
 * headed by what one run of it computes. Statuses: NO_MEMORY, those of the record's readers. */
ETS_API enum ets_status ets_cost_table_fill(struct ets_table *table,
                                            const struct ets_program *program,
                                            struct ets_etrecord *record,
                                            const struct ets_delegation *delegation,
                                            const struct ets_cost_table_options *options,
                                            struct ets_error *error);

#endif
