/* Fills a table from the columns of an entity. */
#include "output/table/entity_table.h"

#include <string.h>

static const enum ets_column_kind kinds[] = {
    [ETS_QUANTITY_TEXT] = ETS_COLUMN_TEXT,       [ETS_QUANTITY_TEXTS] = ETS_COLUMN_LIST,
    [ETS_QUANTITY_NUMBERS] = ETS_COLUMN_NUMBERS, [ETS_QUANTITY_INTEGER] = ETS_COLUMN_INTEGER,
    [ETS_QUANTITY_REAL] = ETS_COLUMN_REAL,       [ETS_QUANTITY_TIME] = ETS_COLUMN_TIME,
    [ETS_QUANTITY_SHARE] = ETS_COLUMN_SHARE,     [ETS_QUANTITY_BYTES] = ETS_COLUMN_BYTES,
};

static bool is_shown(const struct ets_entity_view *view, const struct ets_entity_column *column)
{
    return ets_column_is_in_tables(column) && ets_column_is_in_rows(column, view->kind);
}

/* Whether people have another column of this name. */
static bool has_other_for_people(const struct ets_entity_view *view,
                                 const struct ets_entity_column *column)
{
    for (const struct ets_entity_column *of = view->entity->columns; of->name != NULL; of++) {
        if (of != column && ets_column_audience(of) == ETS_SEEN_BY_PEOPLE && is_shown(view, of) &&
            strcmp(of->name, column->name) == 0) {
            return true;
        }
    }
    return false;
}

static struct ets_column arrange(const struct ets_entity_view *view,
                                 const struct ets_entity_column *of)
{
    struct ets_column column = {.name = of->name};
    for (size_t i = 0; i < ETS_ARRANGED_LISTS; i++) {
        const struct ets_column *each = view->arranged[i];
        for (; each != NULL && each->name != NULL; each++) {
            if (strcmp(each->name, of->name) == 0) column = *each;
        }
    }
    const bool is_quoted = of->quantity == ETS_QUANTITY_NUMBERS && column.kind == ETS_COLUMN_LIST;
    if (!is_quoted) column.kind = kinds[of->quantity];
    column.has_bounds = of->has_bounds;
    if (ets_column_audience(of) == ETS_SEEN_BY_PEOPLE) column.human_only = 1;
    else if (has_other_for_people(view, of)) column.machine_only = 1;
    return column;
}

const struct ets_entity_column *ets_entity_table_begin(struct ets_table *table,
                                                       const struct ets_entity_view *view,
                                                       const struct ets_entity_column *first,
                                                       const char *last)
{
    const struct ets_entity_column *of = first == NULL ? view->entity->columns : first;
    for (; of->name != NULL; of++) {
        if (is_shown(view, of)) {
            const struct ets_column column = arrange(view, of);
            ets_table_add_columns(table, &column, sizeof column, 1, view->has_unit);
        }
        if (last != NULL && strcmp(of->name, last) == 0) return of + 1;
    }
    return of;
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

const struct ets_entity_column *ets_entity_table_put(struct ets_table *table,
                                                     const struct ets_entity_view *view,
                                                     const struct ets_entity_row *row,
                                                     const struct ets_entity_column *first,
                                                     const char *last)
{
    const struct ets_entity_column *of = first == NULL ? view->entity->columns : first;
    for (; of->name != NULL; of++) {
        if (is_shown(view, of)) put(table, of->get(row));
        if (last != NULL && strcmp(of->name, last) == 0) return of + 1;
    }
    return of;
}
