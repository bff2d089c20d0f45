/* Lists the columns of the catalogue, as tables of commands have them. */
#include "output/table/catalogue_table.h"

#include "base/error.h"
#include "base/text.h"
#include "catalogue/entities.h"

static const struct ets_column columns[] = {
    {.name = "table", .machine_only = 1},
    {.name = "column"},
    {.name = "unit"},
    {.name = "has_upper", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "group_by", .title = "grouped by", .kind = ETS_COLUMN_LIST},
    {.name = "meaning", .least_width = 30, .wraps = 1},
};

/* The name of a column in formats for machines. */
static void put_name(struct ets_table *table, const struct ets_entity_column *column)
{
    char name[ETS_FIELD_NAME_CHARS];
    const struct ets_entity_field field = {
        column, column->quantity == ETS_QUANTITY_TIME ? ETS_FIELD_NS : ETS_FIELD_VALUE, false};
    ets_entity_field_name(&field, name);
    ets_table_put_string(table, name);
}

/* The kinds of rows that have the column; none: all. */
static void put_kinds(struct ets_table *table, const struct ets_entity *entity,
                      const struct ets_entity_column *column)
{
    enum { MOST_KINDS = 24 };
    struct ets_text names[MOST_KINDS];
    size_t count = 0;
    for (uint32_t kind = 0; entity->kinds != NULL && entity->kinds[kind] != NULL; kind++) {
        if (column->seen >> 8 == 0 || count == MOST_KINDS) break;
        if (ets_column_is_in_rows(column, kind)) names[count++] = ets_text_of(entity->kinds[kind]);
    }
    ets_table_put_list(table, names, count);
}

static bool is_for_machines(const struct ets_entity_column *column)
{
    return ets_column_is_in_tables(column) && ets_column_audience(column) != ETS_SEEN_BY_PEOPLE;
}

static void add_entity(struct ets_table *table, const struct ets_entity *entity)
{
    char text[256];
    const size_t size = ets_print_text(text, sizeof text, "%s: %s", entity->name, entity->meaning);
    ets_table_add_section(table, (struct ets_text){text, size});
    for (const struct ets_entity_column *each = entity->columns; each->name != NULL; each++) {
        if (!is_for_machines(each)) continue;
        ets_table_add_row(table, 0);
        ets_table_put_string(table, entity->name);
        put_name(table, each);
        ets_table_put_string(table, ets_quantity_unit(each->quantity));
        ets_table_put_integer(table, each->has_bounds);
        put_kinds(table, entity, each);
        ets_table_put_string(table, each->meaning);
    }
}

void ets_catalogue_table_fill(struct ets_table *table)
{
    ets_table_add_columns(table, columns, sizeof *columns, sizeof columns / sizeof *columns, 1);
    for (size_t i = 0; ets_entities[i] != NULL; i++) add_entity(table, ets_entities[i]);
}
