/* Runs a user's query, read-only, and puts its rows into a table. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "output/sql/sql_database.h"
#include "output/table/table_cells.h"

enum { LEAST_WIDTH = 12 }; /* of texts where the table is too wide */

/* What a query may do: read. No file is attached, no library loaded, nothing changed. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    static const char *const pragmas[] = {"table_info", "table_xinfo", "table_list",
                                          "function_list"};
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
            if (strcmp(first, pragmas[i]) == 0) return SQLITE_OK;
        }
        return SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

void ets_sql_guard(struct ets_sql *sql, bool is_guarded)
{
    sql->sqlite.set_authorizer(sql->connection, is_guarded ? authorize : NULL, NULL);
}

/* "traces, blocks, ...": whole names, as many as have room. */
static void list_tables(char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; ets_sql_tables[i] != NULL; i++) {
        const char *name = ets_sql_table_name(ets_sql_tables[i]);
        if (used + strlen(", , ...") + strlen(name) >= room) {
            if (room - used > strlen(", ...")) ets_print_text(text + used, room - used, ", ...");
            return;
        }
        used += ets_print_text(text + used, room - used, "%s%s", i > 0 ? ", " : "", name);
    }
}

/* Where SQLite says that the fault is; of an unknown table it does not, so its name is searched. */
static uint64_t find_fault(const struct ets_sql *sql, const char *query, const char *name)
{
    int offset = sql->sqlite.error_offset == NULL ? -1 : sql->sqlite.error_offset(sql->connection);
    if (offset >= 0 && (size_t)offset <= strlen(query)) return (uint64_t)offset;
    const char *found = name == NULL ? NULL : strstr(query, name);
    return found == NULL ? ETS_NO_OFFSET : (uint64_t)(found - query);
}

static enum ets_status explain(const struct ets_sql *sql, const char *query,
                               struct ets_error *error)
{
    static const char no_table[] = "no such table: ", no_column[] = "no such column: ";
    const struct ets_sqlite *sqlite = &sql->sqlite;
    const int code = sqlite->errcode(sql->connection) & 0xff;
    const char *message = sqlite->errmsg(sql->connection);
    const struct ets_text text = {message, strlen(message)};
    if (sql->unprepared.status != ETS_OK) return ets_sql_fail_unprepared(sql, error);
    if (code == SQLITE_NOMEM) {
        return ets_fail_memory(error, "the query");
    }
    if (code == SQLITE_AUTH) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, find_fault(sql, query, NULL),
                        "a query may only read: %s", message);
    }
    if (ets_text_starts_with(text, no_table)) {
        char names[224];
        const char *name = message + sizeof no_table - 1;
        const size_t others = text.size + strlen("; the tables are , and there are views");
        const size_t left = others < sizeof error->message ? sizeof error->message - others : 1;
        list_tables(names, left < sizeof names ? left : sizeof names);
        return ets_fail_advising(error, ETS_ADVICE_SQL_SCHEMA, ETS_INVALID_ARGUMENT,
                                 find_fault(sql, query, name),
                                 "%s; the tables are %s, and there are views", message, names);
    }
    const bool is_column = ets_text_starts_with(text, no_column);
    return ets_fail_advising(
        error, is_column ? ETS_ADVICE_SQL_SCHEMA : ETS_ADVICE_NONE, ETS_INVALID_ARGUMENT,
        find_fault(sql, query, is_column ? message + sizeof no_column - 1 : NULL), "%s", message);
}

static enum ets_status prepare(struct ets_sql *sql, const char *query, sqlite3_stmt **statement_out,
                               struct ets_error *error)
{
    const struct ets_sqlite *sqlite = &sql->sqlite;
    const char *tail;
    sqlite3_stmt *more = NULL;
    sql->unprepared = (struct ets_error){.status = ETS_OK};
    if (sqlite->prepare_v2(sql->connection, query, -1, statement_out, &tail) != SQLITE_OK) {
        return explain(sql, query, error);
    }
    if (*statement_out == NULL) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "the query is empty");
    }
    const int code = sqlite->prepare_v2(sql->connection, tail, -1, &more, NULL);
    if (code == SQLITE_OK && more == NULL) return ETS_OK;
    sqlite->finalize(more);
    sqlite->finalize(*statement_out);
    return ets_fail(error, ETS_INVALID_ARGUMENT, (uint64_t)(tail - query),
                    "a query must be a single statement; a second one starts here");
}

/* By the column's declaration; of an expression by its first value. */
static enum ets_column_kind kind_of(const struct ets_sqlite *sqlite, sqlite3_stmt *statement,
                                    int column, bool has_row)
{
    const char *declared = sqlite->column_decltype(statement, column);
    int type = has_row ? sqlite->column_type(statement, column) : SQLITE_NULL;
    if (declared != NULL && strcmp(declared, "INTEGER") == 0) type = SQLITE_INTEGER;
    if (declared != NULL && strcmp(declared, "TEXT") == 0) type = SQLITE_TEXT;
    if (type == SQLITE_INTEGER) return ETS_COLUMN_INTEGER;
    return type == SQLITE_TEXT || type == SQLITE_BLOB ? ETS_COLUMN_TEXT : ETS_COLUMN_REAL;
}

static bool add_columns(struct ets_sql *sql, sqlite3_stmt *statement, struct ets_table *table,
                        bool has_row)
{
    for (int i = 0; i < sql->sqlite.column_count(statement); i++) {
        const char *name = sql->sqlite.column_name(statement, i);
        if (name == NULL) return false;
        name = ets_arena_copy_text(&sql->study.arena, name, strlen(name));
        if (name == NULL) return false;
        ets_table_add_column(
            table, &(struct ets_column){.name = name,
                                        .keep_empty = 1,
                                        .least_width = LEAST_WIDTH,
                                        .kind = kind_of(&sql->sqlite, statement, i, has_row)});
    }
    return true;
}

static void add_row(const struct ets_sqlite *sqlite, sqlite3_stmt *statement,
                    struct ets_table *table)
{
    const int count = sqlite->column_count(statement);
    ets_table_add_row(table, 0);
    for (int i = 0; i < count; i++) {
        switch (sqlite->column_type(statement, i)) {
        case SQLITE_NULL: ets_table_put_nothing(table); break;
        case SQLITE_INTEGER:
            ets_table_put_integer(table, sqlite->column_int64(statement, i));
            break;
        case SQLITE_FLOAT: ets_table_put_real(table, sqlite->column_double(statement, i)); break;
        default: {
            const void *data = sqlite->column_blob(statement, i);
            const size_t size = (size_t)sqlite->column_bytes(statement, i);
            ets_table_put_text(table, (struct ets_text){data == NULL ? "" : data, size});
        }
        }
    }
}

enum ets_status ets_sql_query(struct ets_sql *sql, const char *query, struct ets_table *table,
                              struct ets_error *error)
{
    const struct ets_sqlite *sqlite = &sql->sqlite;
    sqlite3_stmt *statement;
    ETS_TRY(prepare(sql, query, &statement, error));
    int code = sqlite->step(statement);
    enum ets_status status = ETS_OK;
    if ((code == SQLITE_ROW || code == SQLITE_DONE) &&
        !add_columns(sql, statement, table, code == SQLITE_ROW)) {
        status = ets_fail_memory(error, "the columns of the query");
    }
    while (status == ETS_OK && code == SQLITE_ROW && !table->is_over && !table->no_memory) {
        add_row(sqlite, statement, table);
        code = sqlite->step(statement);
    }
    if (status == ETS_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        status = explain(sql, query, error);
    sqlite->finalize(statement);
    return status;
}
