/*
 * The table of ExecuTorch's Inspector as it is printed, saved as TSV or as a data frame's CSV, and
 * what `etscope inspect` writes in any of its formats.
 */
#ifndef ETSCOPE_IMPORT_INSPECTOR_TABLE_H
#define ETSCOPE_IMPORT_INSPECTOR_TABLE_H

#include "import/foreign.h"

enum { ETS_TABLE_CYCLES = -1, ETS_TABLE_NO_UNIT = -2 };

/* How many digits of nanoseconds a unit has, 3 of "us"; else one of the two above. */
int ets_table_unit(struct ets_text unit);

/* Whether the beginning of a file has the heading of such a table. */
bool ets_is_inspector_table(struct ets_text start);

/*
 * Adds the rows: runs of their own where the table has each run's time (column `raw`), otherwise
 * one run of medians. Statuses: MALFORMED (no column of times, a row without its cells), LIMIT,
 * NO_MEMORY.
 */
enum ets_status ets_inspector_table_read(struct ets_foreign *f, struct ets_error *error);
/* The same of a CSV that was made of a file, whose places are none of the file. */
enum ets_status ets_inspector_csv_read(struct ets_foreign *f, struct ets_text csv,
                                       struct ets_error *error);
/* Whether the beginning of a file has a heading as `etscope inspect` prints it, or of its groups.
 */
bool ets_is_inspect_text(struct ets_text start);
/* The same of what `etscope inspect` prints for people, and of its Markdown. */
enum ets_status ets_inspect_text_read(struct ets_foreign *f, struct ets_error *error);
/* Whether the beginning of a file is a row of `etscope inspect --format jsonl`. */
bool ets_is_inspect_row(struct ets_text start);
/* The same of those rows, a line each. Also UNAVAILABLE, without RapidJSON. */
enum ets_status ets_inspector_lines_read(struct ets_foreign *f, struct ets_error *error);
/* The same of the JSON document of `etscope inspect`. Also UNAVAILABLE, without RapidJSON. */
enum ets_status ets_inspector_json_read(struct ets_foreign *f, struct ets_error *error);

#endif
