/* Renders tables for machines: TSV, CSV, JSON, JSON lines. Units are part of the column names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/arena.h"
#include "host/json_text.h"
#include "host/number.h"
#include "output/table/field_text.h"
#include "output/table/table_cells.h"

/* A value of every row: a column, or the upper bounds of one. */
struct record_field {
    const struct ets_column *column;
    uint32_t index; /* of the column */
    bool is_upper;
    struct ets_text name, before; /* "avg_ns"; what stands before the value: ', "avg_ns": ' */
};

struct records {
    const struct ets_table *table;
    struct ets_output *output;
    enum ets_format format;
    const struct ets_table_unit *time_unit;
    struct ets_arena arena; /* of the fields */
    struct record_field *fields;
    uint32_t field_count;
};

static void put(const struct records *r, const char *text)
{
    ets_output_write(r->output, text, strlen(text));
}

static bool is_json(const struct records *r)
{
    return r->format == ETS_FORMAT_JSON || r->format == ETS_FORMAT_JSONL;
}

static void put_json_text(const struct records *r, struct ets_text text)
{
    ets_output_write_json(r->output, text.data, text.size);
}

static void put_field(const struct records *r, const struct ets_text *texts, size_t count)
{
    ets_put_field(r->output, texts, count, ", ", r->format == ETS_FORMAT_TSV ? '\t' : ',');
}

static void put_text(const struct records *r, struct ets_text text)
{
    if (is_json(r)) put_json_text(r, text);
    else put_field(r, &text, 1);
}

static void put_real(const struct records *r, const struct ets_column *column, double value)
{
    if (column->kind == ETS_COLUMN_TIME) value /= r->time_unit->ns;
    if (!isfinite(value)) {
        put(r, is_json(r) ? "null" : "");
        return;
    }
    char text[ETS_NUMBER_CHARS];
    const size_t size = ets_print_double(text, value);
    ets_output_write(r->output, text, size);
}

/* The text of a number; JSON has none for NaN and infinity. */
static void put_number(const struct records *r, struct ets_text text)
{
    const char last = text.size > 0 ? text.data[text.size - 1] : 'n';
    if (last < '0' || last > '9') put(r, "null");
    else ets_output_write(r->output, text.data, text.size);
}

static void put_list(const struct records *r, const struct ets_column *column,
                     const struct ets_cell *cell)
{
    if (!is_json(r)) {
        put_field(r, cell->items, cell->item_count);
        return;
    }
    put(r, "[");
    for (size_t i = 0; i < cell->item_count; i++) {
        if (i > 0) put(r, ", ");
        if (column->kind == ETS_COLUMN_NUMBERS) put_number(r, cell->items[i]);
        else put_json_text(r, cell->items[i]);
    }
    put(r, "]");
}

static void put_integer(const struct records *r, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put(r, text);
}

static void put_value(const struct records *r, const struct record_field *field,
                      const struct ets_cell *cell)
{
    if (field->is_upper && cell->kind != CELL_REAL) {
        put(r, is_json(r) ? "null" : "");
        return;
    }
    switch (cell->kind) {
    case CELL_NOTHING: put(r, is_json(r) ? "null" : ""); break;
    case CELL_TEXT: put_text(r, cell->text); break;
    case CELL_LIST: put_list(r, field->column, cell); break;
    case CELL_INTEGER: put_integer(r, cell->integer); break;
    case CELL_REAL: put_real(r, field->column, field->is_upper ? cell->upper : cell->lower); break;
    }
}

/* The name of a column's field, with its unit. Returns its length, as snprintf does. */
static size_t print_name(const struct ets_column *column, bool is_upper, const char *time_unit,
                         char *name, size_t room)
{
    const bool has_unit = column->kind == ETS_COLUMN_TIME;
    const int size =
        snprintf(name, room, "%s%s%s%s%s", column->name,
                 column->kind == ETS_COLUMN_TICKS   ? "_cycles"
                 : column->kind == ETS_COLUMN_BYTES ? "_bytes"
                                                    : "",
                 has_unit ? "_" : "", has_unit ? time_unit : "", is_upper ? "_upper" : "");
    return size < 0 ? 0 : (size_t)size;
}

static bool name_field(struct records *r, struct record_field *field)
{
    const size_t room = strlen(field->column->name) + sizeof "_cycles_upper";
    char *name = ets_arena_alloc(&r->arena, room);
    if (name == NULL) return false;
    field->name = (struct ets_text){
        name, print_name(field->column, field->is_upper, r->time_unit->name, name, room)};
    return true;
}

static void append(struct ets_text *text, char *room, const char *bytes, size_t size)
{
    memcpy(room + text->size, bytes, size);
    text->size += size;
}

/* What stands before each value of a field: rendered once, as there are as many as cells. */
static bool lead_field(struct records *r, struct record_field *field, bool is_first)
{
    const char *separator = is_json(r) ? ", " : r->format == ETS_FORMAT_TSV ? "\t" : ",";
    if (is_first) separator = "";
    if (!is_json(r)) {
        field->before = (struct ets_text){separator, strlen(separator)};
        return true;
    }
    char *key = ets_arena_alloc(&r->arena, ets_json_room(field->name.size) + sizeof ", : ");
    struct ets_text name = field->name;
    struct ets_json_piece piece;
    if (key == NULL) return false;
    field->before = (struct ets_text){key, 0};
    append(&field->before, key, separator, strlen(separator));
    append(&field->before, key, "\"", 1);
    while (ets_json_next(&name, &piece)) append(&field->before, key, piece.data, piece.size);
    append(&field->before, key, "\": ", 3);
    return true;
}

static bool add_field(struct records *r, uint32_t index, bool is_upper)
{
    struct record_field *field = &r->fields[r->field_count];
    *field = (struct record_field){
        .column = &r->table->columns[index], .index = index, .is_upper = is_upper};
    return name_field(r, field) && lead_field(r, field, r->field_count++ == 0);
}

static bool list_fields(struct records *r)
{
    r->fields = ets_arena_alloc_array(&r->arena, r->table->column_count, 2 * sizeof *r->fields);
    bool ok = r->fields != NULL;
    for (uint32_t c = 0; ok && c < r->table->column_count; c++) {
        if (r->table->columns[c].human_only) continue;
        ok = add_field(r, c, false);
        if (ok && r->table->columns[c].has_bounds) ok = add_field(r, c, true);
    }
    return ok;
}

size_t ets_table_field(const struct ets_table *table, uint32_t index, char *name, size_t room,
                       enum ets_column_kind *kind_out)
{
    uint32_t left = index;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const struct ets_column *column = &table->columns[c];
        const uint32_t fields = column->human_only ? 0 : column->has_bounds ? 2 : 1;
        if (left >= fields) {
            left -= fields;
            continue;
        }
        *kind_out = column->kind;
        return print_name(column, left == 1, "ns", name, room);
    }
    return 0;
}

static void put_header(const struct records *r)
{
    for (uint32_t i = 0; i < r->field_count; i++) {
        ets_output_write(r->output, r->fields[i].before.data, r->fields[i].before.size);
        put_field(r, &r->fields[i].name, 1);
    }
    put(r, "\n");
}

static void put_row(const struct records *r, const struct ets_table_row *row)
{
    if (is_json(r)) put(r, "{");
    for (uint32_t i = 0; i < r->field_count; i++) {
        const struct record_field *field = &r->fields[i];
        ets_output_write(r->output, field->before.data, field->before.size);
        put_value(r, field, &row->cells[field->index]);
    }
    if (is_json(r)) put(r, "}");
}

static void put_rows(const struct records *r, bool is_part)
{
    const bool is_array = r->format == ETS_FORMAT_JSON;
    bool is_first = true;
    if (!is_json(r)) put_header(r);
    if (is_array) put(r, "[");
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        if (r->table->rows[i].is_section) continue;
        if (is_array) put(r, is_first ? "\n " : ",\n ");
        put_row(r, &r->table->rows[i]);
        if (!is_array) put(r, "\n");
        is_first = false;
    }
    if (is_array) put(r, is_first ? "]" : "\n]");
    if (is_array && !is_part) put(r, "\n");
}

enum ets_status ets_table_write_records(const struct ets_table *table,
                                        const struct ets_table_style *style,
                                        struct ets_output *output, struct ets_error *error)
{
    const struct ets_table_unit *unit = ets_table_find_unit(style->time_unit);
    struct records r = {.table = table,
                        .output = output,
                        .format = style->format,
                        .time_unit = unit != NULL ? unit : ets_table_find_unit("ns")};
    ets_arena_init(&r.arena, table->arena.allocator, 0);
    const bool ok = list_fields(&r);
    if (ok) put_rows(&r, style->is_part != 0);
    ets_arena_reset(&r.arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the fields of a table's records");
}
