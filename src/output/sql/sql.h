/*
 * sql.h - traces, records and programs as tables of an SQLite database.
 *
 *     const struct ets_study_trace trace = {
 *         .path = "profile.etdp", .inspection = inspection,
 *         .record = ETS_NO_INDEX, .program = ETS_NO_INDEX};
 *     const struct ets_study_sources sources = {.traces = &trace, .trace_count = 1};
 *     struct ets_sql *sql;
 *     struct ets_table *table;
 *     if (ets_sql_open(&sources, NULL, &sql, &error) == ETS_OK &&
 *         ets_table_open(NULL, &table, &error) == ETS_OK) {
 *         if (ets_sql_query(sql, "select name, p50 from operators order by p50 desc limit 5",
 *                           table, &error) == ETS_OK) {
 *             ets_table_write(table, &style, output, &error);
 *         }
 *         ets_table_close(table);
 *     }
 *     ets_sql_close(sql);
 *
 * Nothing is copied: SQLite reads the columns of the inspections through virtual tables, so a query
 * over millions of events starts immediately. ets_sql_schema lists the schema; docs/sql.md explains
 * it. A query can only read: it cannot open or write files, attach databases or load extensions.
 *
 * SQLite (libsqlite3) is loaded with the first database. Use a database from one thread at a time.
 */
#ifndef ETSCOPE_OUTPUT_SQL_SQL_H
#define ETSCOPE_OUTPUT_SQL_SQL_H

#include "output/table/table.h"
#include "study/study_sources.h"

struct ets_sql;

/*
 * Opens a database over the sources; graphs of the records are read. `allocator` NULL: the C
 * library's; SQLite's own memory is always SQLite's. Statuses: UNAVAILABLE (built
 * without SQLite's header, or libsqlite3 is not installed), LIMIT (2^31 events in all), those of
 * ets_etrecord_edge_graph, NO_MEMORY.
 */
ETS_API enum ets_status ets_sql_open(const struct ets_study_sources *sources,
                                     const struct ets_allocator *allocator,
                                     struct ets_sql **sql_out, struct ets_error *error);
ETS_API void ets_sql_close(struct ets_sql *sql); /* NULL is allowed */

/*
 * Runs one SELECT (or WITH, VALUES, EXPLAIN) and puts its columns and rows into an empty table.
 * Statuses: INVALID_ARGUMENT (with SQLite's reason; `offset` is the position in the query if SQLite
 * reports one), NO_MEMORY.
 */
ETS_API enum ets_status ets_sql_query(struct ets_sql *sql, const char *query,
                                      struct ets_table *table, struct ets_error *error);

/*
 * Writes all tables and views to a new SQLite database, which replaces the file at `path` once it
 * is complete. Statuses: IO, NO_MEMORY.
 */
ETS_API enum ets_status ets_sql_save(struct ets_sql *sql, const char *path,
                                     struct ets_error *error);

/*
 * Adds a row for each column of each table and view to an empty table: table, column, type,
 * meaning; a section for each table. Needs no SQLite.
 */
ETS_API void ets_sql_schema(struct ets_table *table);

/* SQLite's version, "3.40.1", as it is on this machine. Status: UNAVAILABLE. */
ETS_API enum ets_status ets_sql_library_version(char *version, size_t capacity,
                                                struct ets_error *error);

#endif
