/*
 * trace_tables.h - the table of a difference of inspections in one call, for callers from other
 * languages. Those of one inspection are operator_table.h, account_table.h and run_table.h.
 *
 *     const struct ets_trace_side sides[2] = {{before, 5}, {after, 5}};
 *     const struct ets_trace_difference_options options = {.least_change = 0.01};
 *     ets_table_open(NULL, &table, &error);
 *     status = ets_trace_difference_of(table, sides, &options, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_TRACE_TABLES_H
#define ETSCOPE_OUTPUT_TABLE_TRACE_TABLES_H

#include "etscope/inspect.h"
#include "output/table/table.h"
#include "views/line_sort.h"

struct ets_trace_difference_options {
    int steady;            /* 1: without the warm-up of each */
    double least_change;   /* smaller shifts count as "same": 0.01 is 1 % */
    int allow_mismatch;    /* 1: also compare what looks like different programs */
    enum ets_sort_by sort; /* CHANGE, RATIO, ORDER, NAME */
};

/* The recordings of one side. */
struct ets_trace_side {
    const struct ets_inspection *const *items;
    uint32_t count; /* at least 1 */
};

/*
 * Fills an empty table with what changed from sides[0] to sides[1]; the lines above it are the
 * answer. Statuses: MISMATCH (most operators have no match), those of ets_pool_add and
 * ets_difference_open.
 */
ETS_API enum ets_status ets_trace_difference_of(struct ets_table *table,
                                                const struct ets_trace_side sides[2],
                                                const struct ets_trace_difference_options *options,
                                                struct ets_error *error);

#endif
