/*
 * The table of ExecuTorch's Inspector as it is printed, saved as TSV or as a data frame's CSV, and
 * the TSV and CSV of `etscope inspect`.
 */
#ifndef ETSCOPE_IMPORT_INSPECTOR_TABLE_H
#define ETSCOPE_IMPORT_INSPECTOR_TABLE_H

#include "import/foreign.h"

/* Whether the beginning of a file has the heading of such a table. */
bool ets_is_inspector_table(struct ets_text start);

/*
 * Adds the rows: runs of their own where the table has each run's time (column `raw`), otherwise
 * one run of medians. Statuses: MALFORMED (no column of times, a row without its cells), LIMIT,
 * NO_MEMORY.
 */
enum ets_status ets_inspector_table_read(struct ets_foreign *f, struct ets_error *error);
/* The same of the JSON document of `etscope inspect`. Also UNAVAILABLE, without RapidJSON. */
enum ets_status ets_inspector_json_read(struct ets_foreign *f, struct ets_error *error);

#endif
