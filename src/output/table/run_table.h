/*
 * run_table.h - tables of executions, by method or one by one: prefill and decode, token by token.
 *
 *     struct ets_run_table_options options = {.of = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX}};
 *     ets_table_open(NULL, &table, &error);
 *     ets_run_table_fill(table, inspection, &options, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_RUN_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_RUN_TABLE_H

#include "output/table/table.h"
#include "views/executions.h"

/* The number of tokens that a run of a method processes. */
struct ets_method_tokens {
    const char *method;
    double tokens;
};

struct ets_run_table_options {
    /* `one_by_one`: a row for each execution, in the trace's order; otherwise for each method. */
    struct ets_execution_options of;
    uint32_t top;                           /* lines; 0: all */
    const struct ets_method_tokens *tokens; /* [token_count]; unknown for other methods */
    size_t token_count;
};

/*
 * Adds columns and rows to an empty table. docs/columns.md describes the columns. Runs that execute
 * nothing (loads) have no row. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_run_table_fill(struct ets_table *table,
                                           const struct ets_inspection *inspection,
                                           const struct ets_run_table_options *options,
                                           struct ets_error *error);

#endif
