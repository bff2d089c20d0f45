/* Replaces the database in builds without SQLite's header: every function fails. */
#include "base/error.h"
#include "output/sql/sql.h"

#define REASON \
    "this build has no SQL support: install the package libsqlite3-dev and build etscope again"

enum ets_status ets_sql_open(const struct ets_study_sources *sources,
                             const struct ets_allocator *allocator, struct ets_sql **sql_out,
                             struct ets_error *error)
{
    (void)sources;
    (void)allocator;
    (void)sql_out;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, REASON);
}

void ets_sql_close(struct ets_sql *sql)
{
    (void)sql;
}

enum ets_status ets_sql_query(struct ets_sql *sql, const char *query, struct ets_table *table,
                              struct ets_error *error)
{
    (void)sql;
    (void)query;
    (void)table;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, REASON);
}

enum ets_status ets_sql_save(struct ets_sql *sql, const char *path, struct ets_error *error)
{
    (void)sql;
    (void)path;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, REASON);
}

enum ets_status ets_sql_library_version(char *version, size_t capacity, struct ets_error *error)
{
    (void)version;
    (void)capacity;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, REASON);
}
