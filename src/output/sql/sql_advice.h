/*
 * sql_advice.h - what to change in a model, as a table in one call, for callers from other
 * languages: what `findings` has, and what `etscope advise --format json` writes.
 *
 *     ets_table_open(NULL, &table, &error);
 *     status = ets_sql_advice_fill(table, &sources, NULL, 0, &error);
 */
#ifndef ETSCOPE_OUTPUT_SQL_SQL_ADVICE_H
#define ETSCOPE_OUTPUT_SQL_SQL_ADVICE_H

#include "etscope/experimental/gap.h"
#include "output/sql/sql.h"

/*
 * Fills an empty table with the findings about the first trace of the sources; the line above it is
 * the answer. `gaps` [trace]: of captured values, NULL: none. `all`: also observations without
 * advice. Statuses: those of ets_findings_collect and ets_byte_map_open.
 */
ETS_API enum ets_status ets_sql_advice_fill(struct ets_table *table,
                                            const struct ets_sql_sources *sources,
                                            const struct ets_gap_report *const *gaps, int all,
                                            struct ets_error *error);

#endif
