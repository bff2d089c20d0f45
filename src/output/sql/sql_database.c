/* Opens the SQLite database over the collected data, and saves it as a file. */
#include "output/sql/sql_database.h"

#include <string.h>

#include "base/error.h"
#include "host/output.h"

/* Runs statements of our own. Status: IO, NO_MEMORY. */
static enum ets_status execute(struct ets_sql *sql, const char *statements, struct ets_error *error)
{
    sql->unprepared = (struct ets_error){.status = ETS_OK};
    const int code = sql->sqlite.exec(sql->connection, statements, NULL, NULL, NULL);
    if (code == SQLITE_OK) return ETS_OK;
    if (sql->unprepared.status != ETS_OK) return ets_sql_fail_unprepared(sql, error);
    const enum ets_status status = (code & 0xff) == SQLITE_NOMEM ? ETS_NO_MEMORY : ETS_IO;
    return ets_fail(error, status, ETS_NO_OFFSET, "%s", sql->sqlite.errmsg(sql->connection));
}

static enum ets_status add_views(struct ets_sql *sql, const char *schema, struct ets_error *error)
{
    struct ets_arena scratch;
    enum ets_status status = ETS_OK;
    ets_arena_init(&scratch, sql->study.arena.allocator, 0);
    for (const struct ets_sql_view *view = ets_sql_views; status == ETS_OK && view->name != NULL;
         view++) {
        const size_t room = strlen(view->select) + 128;
        char *text = ets_arena_alloc(&scratch, room);
        if (text == NULL) {
            status = ets_fail_memory(error, "a view of the database");
            break;
        }
        ets_print_text(text, room, "create view %s.%s as %s", schema, view->name, view->select);
        status = execute(sql, text, error);
    }
    ets_arena_reset(&scratch);
    return status;
}

static enum ets_status connect(struct ets_sql *sql, struct ets_error *error)
{
    static const char *const functions[] = {
        "select 1 from json_each('[]')",       "select 1 from json_tree('[]')",
        "select 1 from pragma_table_info('')", "select 1 from pragma_table_xinfo('')",
        "select 1 from pragma_table_list('')", "select 1 from pragma_function_list"};
    if (sql->sqlite.open_v2(":memory:", &sql->connection,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK ||
        ets_sql_add_tables(sql) != SQLITE_OK || ets_sql_add_functions(sql) != SQLITE_OK) {
        const char *reason =
            sql->connection == NULL ? "no memory" : sql->sqlite.errmsg(sql->connection);
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "SQLite cannot open a database: %s",
                        reason);
    }
    ETS_TRY(add_views(sql, "main", error));
    /* SQLite's own table functions are made when they are first named, which is no reading. */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        (void)execute(sql, functions[i], NULL);
    }
    ets_sql_guard(sql, true);
    return ETS_OK;
}

enum ets_status ets_sql_open(const struct ets_study_sources *sources,
                             const struct ets_allocator *allocator, struct ets_sql **sql_out,
                             struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_sql *sql = ets_arena_alloc(&arena, sizeof *sql);
    if (sql == NULL) return ets_fail_memory(error, "the database");
    sql->arena = arena;
    ets_arena_init(&sql->study.arena, allocator, 0);
    enum ets_status status = ets_sqlite_open(&sql->sqlite, error);
    if (status == ETS_OK) status = ets_study_init(&sql->study, sources, allocator, error);
    if (status == ETS_OK) status = connect(sql, error);
    if (status == ETS_OK) *sql_out = sql;
    else ets_sql_close(sql);
    return status;
}

void ets_sql_close(struct ets_sql *sql)
{
    if (sql == NULL) return;
    if (sql->connection != NULL) sql->sqlite.close_v2(sql->connection);
    ets_study_reset(&sql->study);
    ets_sqlite_close(&sql->sqlite);
    struct ets_arena arena = sql->arena; /* holds the database itself */
    ets_arena_reset(&arena);
}

enum ets_status ets_sql_library_version(char *version, size_t capacity, struct ets_error *error)
{
    struct ets_sqlite sqlite;
    ETS_TRY(ets_sqlite_open(&sqlite, error));
    ets_print_text(version, capacity, "%s", sqlite.libversion());
    ets_sqlite_close(&sqlite);
    return ETS_OK;
}

/* A table in the file "out" with the rows of the virtual one, and its indices. */
static enum ets_status save_table(struct ets_sql *sql, const struct ets_sql_table *table,
                                  struct ets_error *error)
{
    struct ets_arena scratch;
    char name[64], text[256];
    ets_arena_init(&scratch, sql->study.arena.allocator, 0);
    ets_print_text(name, sizeof name, "out.%s", ets_sql_table_name(table));
    const char *create = ets_sql_create_text(&scratch, table, name, true);
    enum ets_status status = create == NULL ? ets_fail_memory(error, "a table of the database")
                                            : execute(sql, create, error);
    ets_arena_reset(&scratch);
    ets_print_text(text, sizeof text, "insert into out.%s select * from main.%s",
                   ets_sql_table_name(table), ets_sql_table_name(table));
    if (status == ETS_OK) status = execute(sql, text, error);
    for (int i = 0; status == ETS_OK && i < ETS_SQL_LOOKUPS && table->indexed[i] != NULL; i++) {
        ets_print_text(text, sizeof text, "create index out.%s_%s on %s(\"%s\")",
                       ets_sql_table_name(table), table->indexed[i], ets_sql_table_name(table),
                       table->indexed[i]);
        status = execute(sql, text, error);
    }
    return status;
}

/* Nobody else sees the file before it is whole, so no journal protects it. */
static enum ets_status fill_file(struct ets_sql *sql, const char *path, struct ets_error *error)
{
    char *attach = sql->sqlite.mprintf("attach %Q as out", path);
    enum ets_status status = attach == NULL ? ets_fail_memory(error, "the database's path")
                                            : execute(sql, attach, error);
    sql->sqlite.free(attach);
    if (status != ETS_OK) return status;
    status = execute(sql,
                     "pragma out.journal_mode = off; pragma out.synchronous = off; "
                     "begin",
                     error);
    for (size_t i = 0; status == ETS_OK && ets_sql_tables[i] != NULL; i++) {
        status = save_table(sql, ets_sql_tables[i], error);
    }
    if (status == ETS_OK) status = add_views(sql, "out", error);
    struct ets_error *reason = status == ETS_OK ? error : NULL;
    const enum ets_status ended = execute(sql, status == ETS_OK ? "commit" : "rollback", reason);
    if (status == ETS_OK) status = ended;
    (void)execute(sql, "detach out", NULL);
    return status;
}

enum ets_status ets_sql_save(struct ets_sql *sql, const char *path, struct ets_error *error)
{
    struct ets_output *output;
    ETS_TRY(ets_output_open(path, &output, error));
    const char *temporary = ets_output_temporary(output);
    enum ets_status status = ETS_OK;
    if (temporary == NULL) {
        status = ets_fail(error, ETS_IO, ETS_NO_OFFSET, "a database must be a regular file");
    } else {
        ets_sql_guard(sql, false);
        status = fill_file(sql, temporary, error);
        ets_sql_guard(sql, true);
    }
    if (status == ETS_OK) return ets_output_commit(output, error);
    ets_output_discard(output);
    return status;
}
