/* The table of `advise` for programs: a row for each finding. */
#ifndef ETSCOPE_OUTPUT_TABLE_ADVICE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ADVICE_TABLE_H

#include "output/table/table.h"
#include "study/study_sources.h"

struct ets_study;
struct ets_study_advice;

/* The findings that are shown. Status: NO_MEMORY, when the table is written. */
void ets_advice_table_fill(struct ets_table *table, struct ets_study *study,
                           const struct ets_study_advice *advice);

/*
 * The same in one call, for callers from other languages: fills an empty table with the findings
 * about the first trace of the sources; the line above it is the answer. `all`: also observations
 * without advice. Statuses: those of ets_study_init and ets_study_findings.
 */
ETS_API enum ets_status ets_advice_table_of(struct ets_table *table,
                                            const struct ets_study_sources *sources, int all,
                                            struct ets_error *error);

#endif
