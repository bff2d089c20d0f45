/* Fills a table from the columns of an entity. */
#include "output/table/entity_table.h"

#include <string.h>

static const enum ets_column_kind kinds[] = {
    [ETS_QUANTITY_TEXT] = ETS_COLUMN_TEXT,       [ETS_QUANTITY_TEXTS] = ETS_COLUMN_LIST,
    [ETS_QUANTITY_NUMBERS] = ETS_COLUMN_NUMBERS, [ETS_QUANTITY_INTEGER] = ETS_COLUMN_INTEGER,
    [ETS_QUANTITY_REAL] = ETS_COLUMN_REAL,       [ETS_QUANTITY_TIME] = ETS_COLUMN_TIME,
    [ETS_QUANTITY_SHARE] = ETS_COLUMN_SHARE,     [ETS_QUANTITY_BYTES] = ETS_COLUMN_BYTES,
};

void ets_entity_table_begin(struct ets_table *table, const struct ets_entity *entity,
                            const struct ets_column *arranged, int has_unit)
{
    for (const struct ets_entity_column *of = entity->columns; of->name != NULL; of++) {
        struct ets_column column = {.name = of->name};
        if (!ets_column_is_in_tables(of)) continue;
        for (const struct ets_column *each = arranged; each != NULL && each->name != NULL; each++) {
            if (strcmp(each->name, of->name) == 0) column = *each;
        }
        column.kind = kinds[of->quantity];
        column.has_bounds = of->has_bounds;
        ets_table_add_columns(table, &column, sizeof column, 1, has_unit);
    }
}

static void put(struct ets_table *table, struct ets_datum value)
{
    switch (value.kind) {
    case ETS_DATUM_INTEGER: ets_table_put_integer(table, value.integer); break;
    case ETS_DATUM_REAL: ets_table_put_bounds(table, value.real, value.upper); break;
    case ETS_DATUM_TEXT: ets_table_put_text(table, value.text); break;
    case ETS_DATUM_TEXTS: ets_table_put_list(table, value.texts, value.count); break;
    case ETS_DATUM_NUMBERS: ets_table_put_integers(table, value.numbers, value.count); break;
    case ETS_DATUM_NO_MEMORY: ets_table_fail(table); break;
    default: ets_table_put_nothing(table);
    }
}

void ets_entity_table_put(struct ets_table *table, const struct ets_entity *entity,
                          const struct ets_entity_row *row)
{
    for (const struct ets_entity_column *of = entity->columns; of->name != NULL; of++) {
        if (ets_column_is_in_tables(of)) put(table, of->get(row));
    }
}
