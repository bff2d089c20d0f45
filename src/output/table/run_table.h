/*
 * run_table.h - executions by method, and one by one: prefill and decode, token by token.
 *
 *     struct ets_run_table_options options = {.of = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX}};
 *     ets_table_open(NULL, &table, &error);
 *     ets_run_table_fill(table, inspection, &options, &error);
 */
#ifndef ETSCOPE_OUTPUT_TABLE_RUN_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_RUN_TABLE_H

#include "output/table/table.h"
#include "views/executions.h"

/* How many tokens a run of a method works on. */
struct ets_method_tokens {
    const char *method;
    double tokens;
};

struct ets_run_table_options {
    /* `one_by_one`: a line for each execution, in the trace's order; else for each method. */
    struct ets_execution_options of;
    uint32_t top;                           /* lines; 0: all */
    const struct ets_method_tokens *tokens; /* [token_count]; others: not known */
    size_t token_count;
};

/*
 * Adds columns and rows to an empty table. Columns are told in docs/columns.md. Runs that execute
 * nothing (loads) have no line. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_run_table_fill(struct ets_table *table,
                                           const struct ets_inspection *inspection,
                                           const struct ets_run_table_options *options,
                                           struct ets_error *error);

#endif
