/* The verdicts of a gate as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_BUDGET_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_BUDGET_TABLE_H

#include "output/table/table.h"
#include "views/budget_words.h"

/*
 * Adds a row for each verdict: failed, then undecided, then passed rules, each in the order of the
 * budget. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_budget_table_fill(struct ets_table *table,
                                              const struct ets_budget_report *report,
                                              struct ets_error *error);

#endif
