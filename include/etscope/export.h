/*
 * export.h - what an inspection shows: the operator table, and upstream's table byte for byte.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     struct ets_operator_table_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     if (ets_operator_table_fill(table, inspection, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 */
#ifndef ETSCOPE_EXPORT_H
#define ETSCOPE_EXPORT_H

#include "etscope/inspect.h"
#include "etscope/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ets_group_by {
    ETS_GROUP_NONE = 0,   /* a line for each row of the inspection */
    ETS_GROUP_OP = 1,     /* by kernel or delegate operator */
    ETS_GROUP_MODULE = 2, /* by module path */
    ETS_GROUP_SOURCE = 3, /* by source file and line */
    ETS_GROUP_BACKEND = 4 /* by delegate backend, and "portable" for kernels */
};

enum ets_sort_by {
    ETS_SORT_ORDER = 0, /* of execution, nested */
    ETS_SORT_TIME = 1,  /* mean per run, longest first */
    ETS_SORT_MAX = 2,
    ETS_SORT_CALLS = 3,
    ETS_SORT_NAME = 4
};

struct ets_operator_table_options {
    enum ets_group_by group_by;
    enum ets_sort_by sort;
    uint32_t top;                 /* lines of each block; 0: all */
    uint32_t block;               /* only this block; ETS_NO_INDEX: all */
    uint32_t run;                 /* only this run; ETS_NO_INDEX: all */
    int all_events;               /* 1: also OPERATOR_CALL around a kernel that reports itself */
    enum ets_time_unit tick_unit; /* of the trace */
};

/* Adds columns, sections and rows to an empty table. Status: NO_MEMORY. */
ETS_API enum ets_status ets_operator_table_fill(struct ets_table *table,
                                                const struct ets_inspection *inspection,
                                                const struct ets_operator_table_options *options,
                                                struct ets_error *error);

/*
 * Writes the view as upstream's Inspector.save_data_to_tsv does, byte for byte. Columns and their
 * order: docs/compatibility.md.
 */
ETS_API void ets_upstream_write_tsv(const struct ets_upstream_view *view,
                                    struct ets_output *output);

#ifdef __cplusplus
}
#endif

#endif
