/*
 * Implements the tables as virtual tables of SQLite, which fetches single cells; nothing is copied
 * in advance.
 */
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "output/sql/sql_database.h"

/* SQLite's struct comes first in each. */
struct virtual_table {
    sqlite3_vtab base;
    struct ets_sql *sql;
    const struct ets_sql_table *table;
};

struct virtual_cursor {
    sqlite3_vtab_cursor base;
    const struct ets_sql_table *table;
    struct ets_sql *sql;
    struct ets_sql_cursor cursor;
    struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS];
    struct ets_sql_range range;
    uint64_t at; /* in the range */
    bool is_over;
};

/* How a table is gone over: xBestIndex's number, which xFilter gets. */
enum plan { PLAN_ALL = 0, PLAN_ID = 1, PLAN_EVENT = 2, PLAN_LOOKUP = 3 };

const char *ets_sql_create_text(struct ets_arena *scratch, const struct ets_sql_table *table,
                                const char *name, bool is_file)
{
    struct ets_sql_field field;
    size_t room = strlen(name) + 64, used = 0;
    for (uint32_t i = 0; ets_sql_table_column(table, i, &field); i++) {
        room += strlen(field.name) + strlen(field.type) + 32;
    }
    char *text = ets_arena_alloc(scratch, room);
    if (text == NULL) return NULL;
    used += ets_print_text(text, room, "create table %s(", name);
    for (uint32_t i = 0; ets_sql_table_column(table, i, &field); i++) {
        const bool is_key = is_file && i == 0 && table->has_id;
        if (is_file && field.is_hidden) break; /* the rest is, too */
        used += ets_print_text(text + used, room - used, "%s\"%s\" %s%s%s", i > 0 ? ", " : "",
                               field.name, field.type, is_key ? " primary key" : "",
                               field.is_hidden ? " hidden" : "");
    }
    ets_print_text(text + used, room - used, ")");
    return text;
}

static const struct ets_sql_table *find_table(const char *name)
{
    for (size_t i = 0; ets_sql_tables[i] != NULL; i++) {
        if (strcmp(ets_sql_table_name(ets_sql_tables[i]), name) == 0) return ets_sql_tables[i];
    }
    return NULL;
}

/* "create virtual table NAME using etscope": arguments[2] is the name. */
static int connect_table(sqlite3 *connection, void *context, int count,
                         const char *const *arguments, sqlite3_vtab **table_out, char **message)
{
    struct ets_sql *sql = context;
    struct ets_arena scratch;
    (void)message;
    struct virtual_table *made = ets_study_alloc(&sql->study, sizeof *made);
    if (made == NULL) return SQLITE_NOMEM;
    *made =
        (struct virtual_table){.sql = sql, .table = count > 2 ? find_table(arguments[2]) : NULL};
    if (made->table == NULL) {
        ets_study_release(&sql->study, made);
        return SQLITE_ERROR;
    }
    ets_arena_init(&scratch, sql->study.arena.allocator, 0);
    const char *text = ets_sql_create_text(&scratch, made->table, "x", false);
    int code = text == NULL ? SQLITE_NOMEM : sql->sqlite.declare_vtab(connection, text);
    ets_arena_reset(&scratch);
    /* Views may use it whatever they are trusted with: reading it changes nothing. */
    if (code == SQLITE_OK) code = sql->sqlite.vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
    if (code == SQLITE_OK) *table_out = &made->base;
    else ets_study_release(&sql->study, made);
    return code;
}

static int disconnect_table(sqlite3_vtab *base)
{
    struct virtual_table *table = (struct virtual_table *)base;
    ets_study_release(&table->sql->study, table);
    return SQLITE_OK;
}

/* What a plan yields, in rows. */
static double rows_of(const struct virtual_table *table, int plan)
{
    const struct ets_study *study = &table->sql->study;
    const double all = (double)ets_sql_table_count(table->table, study);
    if (plan == PLAN_ALL) return all;
    if (plan == PLAN_ID || plan == PLAN_EVENT) return 1;
    const double spread = (double)table->table->lookups[plan - PLAN_LOOKUP].spread(study);
    return spread > 1 ? all / spread : all;
}

/* The plan that an equality of `column` allows; PLAN_ALL: none. */
static int plan_for(const struct ets_sql_table *table, int column)
{
    struct ets_sql_field field;
    if (table->begin != NULL) return column == table->event_column ? PLAN_EVENT : PLAN_ALL;
    if (column < 0 || (column == 0 && table->has_id)) return PLAN_ID;
    if (table->lookups[0].find == NULL || !ets_sql_table_column(table, (uint32_t)column, &field)) {
        return PLAN_ALL;
    }
    for (int i = 0; i < ETS_SQL_LOOKUPS && table->lookups[i].find != NULL; i++) {
        if (strcmp(table->lookups[i].column, field.name) == 0) return PLAN_LOOKUP + i;
    }
    return PLAN_ALL;
}

/* The constraints stay SQLite's to check; a plan only makes the rows fewer. */
static int choose_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct virtual_table *table = (const struct virtual_table *)base;
    struct ets_sql *sql = table->sql;
    int chosen = -1;
    if (ets_sql_table_prepare(table->table, &sql->study, &sql->unprepared) != ETS_OK) {
        return SQLITE_ERROR;
    }
    info->idxNum = PLAN_ALL;
    info->estimatedCost = rows_of(table, PLAN_ALL) + 10;
    for (int i = 0; i < info->nConstraint; i++) {
        if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        const int plan = plan_for(table->table, info->aConstraint[i].iColumn);
        if (plan == PLAN_ALL || rows_of(table, plan) >= info->estimatedCost) continue;
        chosen = i;
        info->idxNum = plan;
        info->estimatedCost = rows_of(table, plan);
    }
    info->estimatedRows = (sqlite3_int64)rows_of(table, info->idxNum);
    if (chosen >= 0) info->aConstraintUsage[chosen].argvIndex = 1;
    const bool is_by_number = table->table->has_id && info->nOrderBy == 1 &&
                              info->aOrderBy[0].iColumn <= 0 && !info->aOrderBy[0].desc;
    info->orderByConsumed = is_by_number;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor_out)
{
    const struct virtual_table *table = (const struct virtual_table *)base;
    struct virtual_cursor *cursor =
        ets_study_alloc(&table->sql->study, sizeof *cursor + table->table->state_bytes);
    if (cursor == NULL) return SQLITE_NOMEM;
    cursor->table = table->table;
    cursor->sql = table->sql;
    ets_sql_cursor_init(&cursor->cursor, table->table, &table->sql->study, cursor + 1,
                        cursor->fields);
    *cursor_out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct virtual_cursor *cursor = (struct virtual_cursor *)(void *)base;
    ets_arena_reset(&cursor->cursor.scratch);
    ets_study_release(&cursor->sql->study, cursor);
    return SQLITE_OK;
}

/* Settles on the row at cursor->at, or the first after it that the table has. */
static void settle(struct virtual_cursor *cursor)
{
    const struct ets_sql_range *range = &cursor->range;
    for (; cursor->at < range->end; cursor->at++) {
        cursor->cursor.row =
            range->list == NULL ? cursor->at : range->base + range->list[cursor->at];
        if (ets_sql_cursor_has(&cursor->cursor, cursor->table)) return;
    }
    cursor->is_over = true;
}

static int next_row(sqlite3_vtab_cursor *base)
{
    struct virtual_cursor *cursor = (struct virtual_cursor *)(void *)base;
    if (cursor->cursor.scratch.used_bytes > 0) ets_arena_reset(&cursor->cursor.scratch);
    if (cursor->table->next != NULL) {
        cursor->is_over = !cursor->table->next(&cursor->cursor);
        return SQLITE_OK;
    }
    cursor->at++;
    settle(cursor);
    return SQLITE_OK;
}

/* The rows of a plan; a value that is no whole number leads to none, or, a text, to all. */
static struct ets_sql_range range_of(const struct virtual_cursor *cursor, int plan,
                                     const int64_t *value)
{
    const struct ets_study *study = cursor->cursor.study;
    const uint64_t count = ets_sql_table_count(cursor->table, study);
    if (value == NULL || plan == PLAN_ALL) return (struct ets_sql_range){.end = count};
    if (plan >= PLAN_LOOKUP) return cursor->table->lookups[plan - PLAN_LOOKUP].find(study, *value);
    const bool is_there = *value >= 0 && (uint64_t)*value < count;
    const uint64_t first = is_there ? (uint64_t)*value : 0;
    return (struct ets_sql_range){.first = first, .end = first + is_there};
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int count,
                  sqlite3_value **arguments)
{
    struct virtual_cursor *cursor = (struct virtual_cursor *)(void *)base;
    const bool is_number =
        count == 1 && cursor->sql->sqlite.value_type(arguments[0]) == SQLITE_INTEGER;
    const bool is_nothing =
        count == 1 && cursor->sql->sqlite.value_type(arguments[0]) == SQLITE_NULL;
    const int64_t number = is_number ? cursor->sql->sqlite.value_int64(arguments[0]) : -1;
    (void)text;
    ets_arena_reset(&cursor->cursor.scratch);
    cursor->is_over = is_nothing; /* NULL equals nothing */
    if (is_nothing) return SQLITE_OK;
    if (cursor->table->begin != NULL) {
        if (is_number && number < 0) {
            cursor->is_over = true;
            return SQLITE_OK;
        }
        cursor->table->begin(&cursor->cursor, number);
        cursor->is_over = !cursor->table->next(&cursor->cursor);
        return SQLITE_OK;
    }
    cursor->range = range_of(cursor, plan, is_number ? &number : NULL);
    cursor->at = cursor->range.first;
    settle(cursor);
    return SQLITE_OK;
}

static int is_over(sqlite3_vtab_cursor *base)
{
    return ((struct virtual_cursor *)(void *)base)->is_over;
}

/* SQLite takes any bytes for text, but those who read it do not. */
static void give_text(struct virtual_cursor *cursor, sqlite3_context *context, struct ets_text text,
                      bool is_made)
{
    const struct ets_sqlite *sqlite = &cursor->sql->sqlite;
    const size_t size = ets_utf8_copy(text.data, text.size, NULL);
    if (size != text.size) {
        char *copy = ets_arena_alloc(&cursor->cursor.scratch, size);
        if (copy == NULL) {
            sqlite->result_error_nomem(context);
            return;
        }
        (void)ets_utf8_copy(text.data, text.size, copy);
        text = (struct ets_text){copy, size};
        is_made = true;
    }
    sqlite->result_text64(context, text.data, text.size, is_made ? SQLITE_TRANSIENT : SQLITE_STATIC,
                          SQLITE_UTF8);
}

static int give_cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    struct virtual_cursor *cursor = (struct virtual_cursor *)(void *)base;
    const struct ets_sqlite *sqlite = &cursor->sql->sqlite;
    const size_t used = cursor->cursor.scratch.used_bytes;
    const struct ets_datum value = ets_sql_cursor_cell(&cursor->cursor, cursor->table, column);
    /* What the cell put into the scratch goes with the row, all else with the database. */
    const bool is_made = cursor->cursor.scratch.used_bytes != used;
    switch (value.kind) {
    case ETS_DATUM_INTEGER: sqlite->result_int64(context, value.integer); break;
    case ETS_DATUM_REAL: sqlite->result_double(context, value.real); break;
    case ETS_DATUM_TEXT: give_text(cursor, context, value.text, is_made); break;
    case ETS_DATUM_NO_MEMORY: sqlite->result_error_nomem(context); break;
    default: sqlite->result_null(context);
    }
    return SQLITE_OK;
}

static int give_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id_out)
{
    *id_out = (sqlite3_int64)((struct virtual_cursor *)(void *)base)->cursor.row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 1,
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = choose_plan,
    .xDisconnect = disconnect_table,
    .xDestroy = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next_row,
    .xEof = is_over,
    .xColumn = give_cell,
    .xRowid = give_row_id,
};

int ets_sql_add_tables(struct ets_sql *sql)
{
    int code = sql->sqlite.create_module(sql->connection, "etscope", &module, sql);
    for (size_t i = 0; code == SQLITE_OK && ets_sql_tables[i] != NULL; i++) {
        char text[128];
        ets_print_text(text, sizeof text, "create virtual table %s using etscope",
                       ets_sql_table_name(ets_sql_tables[i]));
        code = sql->sqlite.exec(sql->connection, text, NULL, NULL, NULL);
    }
    return code;
}
