/* Copies the relational tables into those of a page, cell by cell. */
#include "output/page/page_relations.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/os/os_files.h"
#include "output/sql/sql_tables.h"

const char *ets_page_file_name(const char *path)
{
    return ets_os_name(path);
}

static enum ets_page_type type_of(const char *type)
{
    if (strcmp(type, "INTEGER") == 0) return ETS_PAGE_INTEGER;
    return strcmp(type, "REAL") == 0 ? ETS_PAGE_REAL : ETS_PAGE_TEXT;
}

static bool put_cell(struct ets_page_document *document, struct ets_page_table *table,
                     struct ets_datum value)
{
    const struct ets_page_column *column = &table->columns[table->at];
    const bool is_path = strcmp(column->name, "path") == 0;
    const bool is_source = strcmp(column->name, "code") == 0;
    if (value.kind == ETS_DATUM_NO_MEMORY) return false;
    if (is_source && document->has_no_source) value.kind = ETS_DATUM_NOTHING;
    if (value.kind == ETS_DATUM_TEXT && column->type == ETS_PAGE_TEXT) {
        ets_page_put_text(document, table, /* a report tells no folders */
                          is_path ? ets_text_without_folder(value.text) : value.text);
    } else if (value.kind == ETS_DATUM_REAL && column->type == ETS_PAGE_REAL) {
        ets_page_put_real(document, table, value.real);
    } else if (value.kind == ETS_DATUM_INTEGER && column->type == ETS_PAGE_REAL) {
        ets_page_put_real(document, table, (double)value.integer);
    } else if (value.kind == ETS_DATUM_INTEGER && column->type == ETS_PAGE_INTEGER) {
        ets_page_put_integer(document, table, value.integer);
    } else {
        ets_page_put_null(document, table);
    }
    return true;
}

static bool put_row(struct ets_page_document *document, struct ets_page_table *table,
                    const struct ets_sql_table *relation, struct ets_sql_cursor *cursor)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!put_cell(document, table, ets_sql_cursor_cell(cursor, relation, (int)i))) return false;
    }
    if (cursor->scratch.used_bytes > 0) ets_arena_reset(&cursor->scratch);
    return !document->has_failed;
}

static bool put_rows(struct ets_page_document *document, struct ets_page_table *table,
                     const struct ets_sql_table *relation, struct ets_sql_cursor *cursor)
{
    if (relation->begin != NULL) {
        relation->begin(cursor, -1);
        while (relation->next(cursor)) {
            if (!put_row(document, table, relation, cursor)) return false;
        }
        return true;
    }
    const uint64_t count = ets_sql_table_count(relation, cursor->study);
    for (cursor->row = 0; cursor->row < count; cursor->row++) {
        if (!ets_sql_cursor_has(cursor, relation)) continue;
        if (!put_row(document, table, relation, cursor)) return false;
    }
    return true;
}

static enum ets_status add_relation(struct ets_page_document *document, struct ets_study *study,
                                    const struct ets_sql_table *relation, struct ets_error *error)
{
    struct ets_sql_cursor cursor;
    struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS];
    struct ets_sql_field field;
    uint32_t columns = 0;
    while (ets_sql_table_column(relation, columns, &field) && !field.is_hidden) columns++;
    ETS_TRY(ets_sql_table_prepare(relation, study, error));
    struct ets_page_table *table =
        ets_page_add_table(document, ets_sql_table_name(relation), columns);
    ets_sql_cursor_init(&cursor, relation, study, ets_study_alloc(study, relation->state_bytes + 1),
                        fields);
    bool ok = table != NULL && cursor.state != NULL;
    for (uint32_t i = 0; ok && i < columns; i++) {
        (void)ets_sql_table_column(relation, i, &field);
        const char *name = ets_arena_copy_text(&document->arena, field.name, strlen(field.name));
        ok = name != NULL;
        ets_page_name_column(table, i, name, type_of(field.type));
    }
    ok = ok && put_rows(document, table, relation, &cursor);
    ets_arena_reset(&cursor.scratch);
    ets_study_release(study, cursor.state);
    return ok ? ETS_OK : ets_fail_memory(error, "the tables of the report");
}

enum ets_status ets_page_add_relations(struct ets_page_document *document, struct ets_study *study,
                                       struct ets_error *error)
{
    for (size_t i = 0; ets_sql_tables[i] != NULL; i++) {
        if (ets_sql_tables[i] == &ets_sql_events_table) continue;
        if (ets_sql_tables[i] == &ets_sql_tensors_table && document->has_no_tensors) continue;
        ETS_TRY(add_relation(document, study, ets_sql_tables[i], error));
    }
    return ETS_OK;
}
