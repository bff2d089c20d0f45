/* Tables for machines: TSV, CSV, JSON, JSON lines. Units stand in the column names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/number.h"
#include "host/output.h"
#include "output/table/field_text.h"
#include "output/table/table_cells.h"

struct records {
    const struct ets_table *table;
    struct ets_output *output;
    enum ets_format format;
    const struct ets_table_unit *time_unit;
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

static bool needs_quotes(const struct records *r, struct ets_text text)
{
    const char separator = r->format == ETS_FORMAT_TSV ? '\t' : ',';
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (c == separator || c == '"' || c == '\n' || c == '\r') return true;
    }
    return false;
}

/*
 * Whether a spreadsheet would run a text instead of showing it: it begins with one of these, or
 * with one of their full-width forms, and is no number.
 */
static bool is_formula(struct ets_text text)
{
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                       "\xef\xbc\xa0"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (ets_text_starts_with(text, wide[i])) return true;
    }
    if (text.size == 0 || memchr("=+-@\t\r", text.data[0], 6) == NULL) return false;
    if (text.data[0] != '+' && text.data[0] != '-') return true;
    for (size_t i = 1; i < text.size; i++) {
        const bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (!is_digit && text.data[i] != '.') return true;
    }
    return text.size == 1;
}

/*
 * Texts as one field, ", " between them: RFC 4180's quoting with this format's separator, and an
 * apostrophe before what would be a formula.
 */
static void put_field(const struct records *r, const struct ets_text *texts, size_t count)
{
    bool quote = count > 1 && r->format == ETS_FORMAT_CSV;
    for (size_t i = 0; i < count && !quote; i++) quote = needs_quotes(r, texts[i]);
    if (quote) put(r, "\"");
    if (count > 0 && is_formula(texts[0])) put(r, "'");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) put(r, ", ");
        ets_put_field_text(r->output, texts[i]);
    }
    if (quote) put(r, "\"");
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

static void put_upper(const struct records *r, const struct ets_column *column,
                      const struct ets_cell *cell)
{
    if (cell->kind == CELL_REAL) put_real(r, column, cell->upper);
    else put(r, is_json(r) ? "null" : "");
}

static void put_cell(const struct records *r, const struct ets_column *column,
                     const struct ets_cell *cell)
{
    switch (cell->kind) {
    case CELL_NOTHING: put(r, is_json(r) ? "null" : ""); break;
    case CELL_TEXT: put_text(r, cell->text); break;
    case CELL_LIST: put_list(r, column, cell); break;
    case CELL_INTEGER: put_integer(r, cell->integer); break;
    case CELL_REAL: put_real(r, column, cell->lower); break;
    }
}

static void put_name(const struct records *r, const struct ets_column *column, const char *end)
{
    char name[64];
    const bool has_unit = column->kind == ETS_COLUMN_TIME;
    const char *suffix = column->kind == ETS_COLUMN_TICKS   ? "_cycles"
                         : column->kind == ETS_COLUMN_BYTES ? "_bytes"
                                                            : "";
    snprintf(name, sizeof name, "%s%s%s%s%s", column->name, suffix, has_unit ? "_" : "",
             has_unit ? r->time_unit->name : "", end);
    put_text(r, (struct ets_text){name, strlen(name)});
}

static void put_separator(const struct records *r)
{
    put(r, is_json(r) ? ", " : r->format == ETS_FORMAT_TSV ? "\t" : ",");
}

/* "name": before a cell, where the format has names there. */
static void put_key(const struct records *r, const struct ets_column *column, const char *end)
{
    if (!is_json(r)) return;
    put_name(r, column, end);
    put(r, ": ");
}

static void put_header(const struct records *r)
{
    bool is_first = true;
    for (uint32_t c = 0; c < r->table->column_count; c++) {
        if (r->table->columns[c].human_only) continue;
        if (!is_first) put_separator(r);
        put_name(r, &r->table->columns[c], "");
        if (r->table->columns[c].has_bounds) {
            put_separator(r);
            put_name(r, &r->table->columns[c], "_upper");
        }
        is_first = false;
    }
    put(r, "\n");
}

static void put_row(const struct records *r, const struct ets_table_row *row)
{
    bool is_first = true;
    if (is_json(r)) put(r, "{");
    for (uint32_t c = 0; c < r->table->column_count; c++) {
        const struct ets_column *column = &r->table->columns[c];
        if (column->human_only) continue;
        if (!is_first) put_separator(r);
        put_key(r, column, "");
        put_cell(r, column, &row->cells[c]);
        if (column->has_bounds) {
            put_separator(r);
            put_key(r, column, "_upper");
            put_upper(r, column, &row->cells[c]);
        }
        is_first = false;
    }
    if (is_json(r)) put(r, "}");
}

enum ets_status ets_table_write_records(const struct ets_table *table,
                                        const struct ets_table_style *style,
                                        struct ets_output *output, struct ets_error *error)
{
    (void)error;
    const struct ets_table_unit *unit = ets_table_find_unit(style->time_unit);
    const struct records r = {table, output, style->format,
                              unit != NULL ? unit : ets_table_find_unit("ns")};
    const bool is_array = style->format == ETS_FORMAT_JSON;
    if (!is_json(&r)) put_header(&r);
    if (is_array) put(&r, "[");
    bool is_first = true;
    for (uint32_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].is_section) continue;
        if (is_array) put(&r, is_first ? "\n " : ",\n ");
        put_row(&r, &table->rows[i]);
        if (!is_array) put(&r, "\n");
        is_first = false;
    }
    if (is_array) put(&r, is_first ? "]" : "\n]");
    if (is_array && !style->is_part) put(&r, "\n");
    return ETS_OK;
}
