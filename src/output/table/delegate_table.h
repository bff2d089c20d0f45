/*
 * delegate_table.h - the table of delegated and other instructions, with the times of a trace.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     struct ets_delegate_table_options options = {.inspection = inspection};
 *     if (ets_delegate_table_fill(table, delegations, &options, &error) == ETS_OK) {
 *         ets_table_write(table, &style, output, &error);
 *     }
 *
 * There is a row for each instruction, in order, and below a delegate call an indented row for each
 * operator that the delegate runs. Columns: docs/columns.md.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_DELEGATE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_DELEGATE_TABLE_H

#include "etscope/experimental/delegates.h"
#include "output/table/table.h"

struct ets_machine; /* cost/machine.h */

struct ets_delegate_table_options {
    const struct ets_inspection
        *inspection;                   /* of a trace of the same program; NULL: show no times */
    enum ets_time_unit tick_unit;      /* of that trace */
    int calls_only;                    /* 1: without the operators inside delegates */
    const struct ets_program *program; /* of the delegates: with costs; NULL: without */
    struct ets_etrecord *record;       /* for costs, and why kernels are outside; NULL: none */
    const struct ets_machine *machine; /* with costs and an inspection: also what holds operators
                                          back, where the clock has a unit; NULL: none */
    uint32_t threads;                  /* that ran; if there is a machine */
};

/*
 * Adds columns, sections and rows to an empty table: a section for each method, or for each of its
 * blocks if the trace has several. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_delegate_table_fill(struct ets_table *table,
                                                const struct ets_delegation *delegations,
                                                const struct ets_delegate_table_options *options,
                                                struct ets_error *error);

#endif
