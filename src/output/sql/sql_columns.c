/* What a table of SQL has: its own columns, or those of an entity of the catalogue. */
#include "base/error.h"
#include "output/sql/sql_tables.h"

const struct ets_sql_table ets_sql_findings_table = {.entity = &ets_findings_entity,
                                                     .has_id = true};
const struct ets_sql_table ets_sql_stage_reads_table = {.entity = &ets_stage_reads_entity};
const struct ets_sql_table ets_sql_memory_tensors_table = {.entity = &ets_memory_tensors_entity};

const char *ets_sql_table_name(const struct ets_sql_table *table)
{
    return table->entity != NULL ? table->entity->name : table->name;
}

const char *ets_sql_table_meaning(const struct ets_sql_table *table)
{
    return table->entity != NULL ? table->entity->meaning : table->meaning;
}

enum ets_status ets_sql_table_prepare(const struct ets_sql_table *table, struct ets_study *study,
                                      struct ets_error *error)
{
    enum ets_status (*prepare)(struct ets_study *, struct ets_error *) =
        table->entity != NULL ? table->entity->prepare : table->prepare;
    return prepare == NULL ? ETS_OK : prepare(study, error);
}

uint64_t ets_sql_table_count(const struct ets_sql_table *table, const struct ets_study *study)
{
    return table->entity != NULL ? table->entity->count(study) : table->count(study);
}

static const char *type_of(enum ets_quantity quantity)
{
    switch (quantity) {
    case ETS_QUANTITY_INTEGER:
    case ETS_QUANTITY_BYTES: return "INTEGER";
    case ETS_QUANTITY_REAL:
    case ETS_QUANTITY_TIME:
    case ETS_QUANTITY_SHARE: return "REAL";
    default: return "TEXT";
    }
}

/* Column `index` of an entity. */
static bool find_field(const struct ets_entity *entity, uint32_t index,
                       struct ets_sql_field *field_out)
{
    struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS];
    uint32_t listed;
    if (index >= ets_entity_list_fields(entity, fields, &listed)) return false;
    const struct ets_entity_field *field = &fields[index];
    *field_out = (struct ets_sql_field){.type = type_of(field->column->quantity),
                                        .meaning = field->column->meaning,
                                        .unit = ets_quantity_unit(field->column->quantity),
                                        .is_hidden = index >= listed,
                                        .is_in_tables = ets_column_is_in_tables(field->column)};
    ets_entity_field_name(field, field_out->name);
    if (field->part == ETS_FIELD_UPPER) field_out->meaning = "its upper bound; equal: it is exact";
    return true;
}

bool ets_sql_table_column(const struct ets_sql_table *table, uint32_t index,
                          struct ets_sql_field *field_out)
{
    if (table->entity != NULL) return find_field(table->entity, index, field_out);
    const struct ets_sql_column *column = &table->columns[index];
    if (column->name == NULL) return false;
    *field_out = (struct ets_sql_field){.type = column->type, .meaning = column->meaning};
    ets_print_text(field_out->name, sizeof field_out->name, "%s", column->name);
    return true;
}

void ets_sql_cursor_init(struct ets_sql_cursor *cursor, const struct ets_sql_table *table,
                         struct ets_study *study, void *state,
                         struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS])
{
    uint32_t listed;
    *cursor = (struct ets_sql_cursor){.study = study, .state = state, .fields = fields};
    ets_arena_init(&cursor->scratch, study->arena.allocator, 0);
    if (table->entity != NULL) ets_entity_list_fields(table->entity, fields, &listed);
}

/* Finds what the row is of, unless it is known. */
static bool find_row(struct ets_sql_cursor *cursor, const struct ets_entity *entity)
{
    if (cursor->found.study != NULL && cursor->found.number == cursor->row) return true;
    cursor->found = (struct ets_entity_row){
        .study = cursor->study, .number = cursor->row, .scratch = &cursor->scratch};
    return entity->find(&cursor->found);
}

bool ets_sql_cursor_has(struct ets_sql_cursor *cursor, const struct ets_sql_table *table)
{
    if (table->entity != NULL) return find_row(cursor, table->entity);
    return table->has == NULL || table->has(cursor);
}

struct ets_datum ets_sql_cursor_cell(struct ets_sql_cursor *cursor,
                                     const struct ets_sql_table *table, int column)
{
    if (table->entity == NULL) return table->cell(cursor, column);
    (void)find_row(cursor, table->entity);
    return ets_entity_field_value(&cursor->fields[column], &cursor->found);
}
