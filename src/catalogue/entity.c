/* The entities, and the fields that relations have of their columns. */
#include "catalogue/entity.h"

#include "base/error.h"
#include "catalogue/entities.h"

const struct ets_entity *const ets_entities[] = {&ets_operators_entity, &ets_memory_tensors_entity,
                                                 &ets_findings_entity, &ets_stage_reads_entity,
                                                 NULL};

static bool is_listed(const struct ets_entity_column *column)
{
    const enum ets_column_audience audience = ets_column_audience(column);
    return (audience == ETS_SEEN_BY_ALL || audience == ETS_SEEN_BY_RELATIONS) &&
           ets_column_is_in_rows(column, 0);
}

/* Whether relations know it, though they do not list it. */
static bool is_known(const struct ets_entity_column *column)
{
    const enum ets_column_audience audience = ets_column_audience(column);
    return audience == ETS_SEEN_BY_OLD_QUERIES || audience == ETS_SEEN_BY_TABLES;
}

static uint32_t add(struct ets_entity_field *fields, uint32_t count,
                    const struct ets_entity_column *column, enum ets_field_part part)
{
    const bool is_hidden = part == ETS_FIELD_NS || part == ETS_FIELD_NS_UPPER || !is_listed(column);
    if (count == ETS_ENTITY_MOST_FIELDS) return count;
    fields[count] = (struct ets_entity_field){column, part, is_hidden};
    return count + 1;
}

uint32_t ets_entity_list_fields(const struct ets_entity *entity,
                                struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS],
                                uint32_t *listed_out)
{
    const struct ets_entity_column *column;
    uint32_t count = 0;
    for (column = entity->columns; column->name != NULL; column++) {
        if (!is_listed(column)) continue;
        count = add(fields, count, column, ETS_FIELD_VALUE);
        if (column->has_bounds) count = add(fields, count, column, ETS_FIELD_UPPER);
    }
    *listed_out = count;
    for (column = entity->columns; column->name != NULL; column++) {
        if (is_known(column)) count = add(fields, count, column, ETS_FIELD_VALUE);
        if (is_listed(column) && column->quantity == ETS_QUANTITY_TIME) {
            count = add(fields, count, column, ETS_FIELD_NS);
            if (column->has_bounds) count = add(fields, count, column, ETS_FIELD_NS_UPPER);
        }
    }
    return count;
}

void ets_entity_field_name(const struct ets_entity_field *field, char name[ETS_FIELD_NAME_CHARS])
{
    const bool is_upper = field->part == ETS_FIELD_UPPER || field->part == ETS_FIELD_NS_UPPER;
    const bool is_ns = field->part == ETS_FIELD_NS || field->part == ETS_FIELD_NS_UPPER;
    const bool is_bytes = field->column->quantity == ETS_QUANTITY_BYTES;
    ets_print_text(name, ETS_FIELD_NAME_CHARS, "%s%s%s%s", field->column->name,
                   is_bytes ? "_bytes" : "", is_ns ? "_ns" : "", is_upper ? "_upper" : "");
}

struct ets_datum ets_entity_field_value(const struct ets_entity_field *field,
                                        const struct ets_entity_row *row)
{
    const bool is_ns = field->part == ETS_FIELD_NS || field->part == ETS_FIELD_NS_UPPER;
    if (is_ns && (row->trace == NULL || row->trace->unit != ETS_UNIT_NS)) {
        return ets_datum_nothing();
    }
    const struct ets_datum value = field->column->get(row);
    switch (value.kind) {
    case ETS_DATUM_TEXTS: return ets_datum_join(row->scratch, value.texts, value.count);
    case ETS_DATUM_NUMBERS:
        return ets_datum_print_numbers(row->scratch, value.numbers, value.count);
    case ETS_DATUM_REAL:
        if (field->part == ETS_FIELD_UPPER || field->part == ETS_FIELD_NS_UPPER) {
            return ets_datum_real(value.upper);
        }
        return value;
    default: return value;
    }
}

const char *ets_quantity_unit(enum ets_quantity quantity)
{
    switch (quantity) {
    case ETS_QUANTITY_TIME: return "ns or cycles";
    case ETS_QUANTITY_SHARE: return "0 to 1";
    case ETS_QUANTITY_BYTES: return "bytes";
    default: return NULL;
    }
}
