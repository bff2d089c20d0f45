/* The database: the data, SQLite, and the connection between the two. */
#ifndef ETSCOPE_OUTPUT_SQL_SQL_DATABASE_H
#define ETSCOPE_OUTPUT_SQL_SQL_DATABASE_H

#include "output/sql/sql.h"
#include "output/sql/sql_tables.h"
#include "output/sql/sqlite_library.h"

struct ets_sql {
    struct ets_arena arena; /* of this struct */
    struct ets_study study;
    struct ets_sqlite sqlite;
    sqlite3 *connection;
    struct ets_error unprepared; /* why a table could not be prepared; status OK: none failed */
};

/* Hands out why a table could not be prepared, instead of SQLite's own words for it. */
static inline enum ets_status ets_sql_fail_unprepared(const struct ets_sql *sql,
                                                      struct ets_error *error)
{
    if (error != NULL) *error = sql->unprepared;
    return sql->unprepared.status;
}

/* sql_module.c: makes the tables known as virtual ones. Returns SQLite's code. */
int ets_sql_add_tables(struct ets_sql *sql);
/* sql_functions.c: percentile(x, p) and median(x). Likewise. */
int ets_sql_add_functions(struct ets_sql *sql);
/* sql_query.c: allows only reading from now on; `is_guarded` false: allows everything. */
void ets_sql_guard(struct ets_sql *sql, bool is_guarded);

/* "create table NAME (...)" of a table, in `scratch`; NULL: no memory. */
const char *ets_sql_create_text(struct ets_arena *scratch, const struct ets_sql_table *table,
                                const char *name, bool is_file);

#endif
