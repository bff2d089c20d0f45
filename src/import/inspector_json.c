/* Reads the JSON of `etscope inspect`, a document or lines: its rows are put down as CSV, which is
 * read like any table.
 */
#include <stdio.h>

#include "import/foreign_json.h"
#include "import/inspector_table.h"
#include "import/text_lines.h"

/* What a table has to tell; others of the forty members of a row are worked out again. */
static const char *const names[] = {"block",   "block_index", "event",     "depth",
                                    "backend", "p50_ns",      "p50_cycles"};
enum { NAMES = sizeof names / sizeof *names, NUMBER_CHARS = 24, AROUND = 4 };

struct rows {
    struct ets_foreign *f;
    char *text;
    size_t used;
};

/* How many bytes a value may take, with marks around it and all of its own doubled. */
static size_t most_chars(const struct ets_json_value *value)
{
    const bool is_text = ets_json_is(value, ETS_JSON_TEXT) || ets_json_is(value, ETS_JSON_DECIMAL);
    return AROUND + (is_text ? 2 * (size_t)value->size : NUMBER_CHARS);
}

static void put(struct rows *rows, struct ets_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"') rows->text[rows->used++] = '"';
        rows->text[rows->used++] = text.data[i];
    }
}

static void put_cell(struct rows *rows, const struct ets_json_value *value, char end)
{
    char number[NUMBER_CHARS];
    rows->text[rows->used++] = '"';
    if (ets_json_is(value, ETS_JSON_TEXT) || ets_json_is(value, ETS_JSON_DECIMAL)) {
        put(rows, (struct ets_text){value->as.text, value->size});
    } else if (ets_json_is(value, ETS_JSON_INT)) {
        snprintf(number, sizeof number, "%lld", (long long)value->as.integer);
        put(rows, ets_text_of(number));
    }
    rows->text[rows->used++] = '"';
    rows->text[rows->used++] = end;
}

/* The columns that the first row has: of times those of the trace's unit. */
static uint32_t find_columns(const struct ets_json_value *row, uint32_t columns[NAMES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < NAMES; i++) {
        if (ets_json_get(row, names[i]) != NULL) columns[count++] = i;
    }
    return count;
}

static enum ets_status put_rows(struct rows *rows, const struct ets_json_value *list,
                                struct ets_error *error)
{
    uint32_t columns[NAMES];
    const struct ets_json_value *first = ets_json_first(list), *row = first;
    const uint32_t count = find_columns(first, columns);
    size_t most = NAMES * (NUMBER_CHARS + AROUND);
    if (count == 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "its rows are none of inspect's");
    }
    for (uint32_t r = 0; r < list->size; r++, row = ets_json_next(row)) {
        for (uint32_t i = 0; i < count; i++)
            most += most_chars(ets_json_get(row, names[columns[i]]));
    }
    rows->text = ets_arena_alloc_array(&rows->f->arena, most, 1);
    if (rows->text == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < count; i++) {
        put(rows, ets_text_of(names[columns[i]]));
        rows->text[rows->used++] = i + 1 < count ? ',' : '\n';
    }
    row = first;
    for (uint32_t r = 0; r < list->size; r++, row = ets_json_next(row)) {
        for (uint32_t i = 0; i < count; i++) {
            put_cell(rows, ets_json_get(row, names[columns[i]]), i + 1 < count ? ',' : '\n');
        }
    }
    return ETS_OK;
}

static enum ets_status read_rows(struct ets_foreign *f, const struct ets_json_value *list,
                                 struct ets_error *error)
{
    struct rows rows = {.f = f};
    if (!ets_json_is(list, ETS_JSON_ARRAY) || list->size == 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "the JSON of inspect has no rows");
    }
    ETS_TRY(put_rows(&rows, list, error));
    return ets_inspector_csv_read(f, (struct ets_text){rows.text, rows.used}, error);
}

enum ets_status ets_inspector_json_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) status = read_rows(f, ets_json_get(json.tape.values, "rows"), error);
    ets_foreign_json_reset(&json);
    return status;
}

bool ets_is_inspect_row(struct ets_text start)
{
    struct ets_text line = ets_take_first(&start, '\n');
    return ets_text_starts_with(line, "{\"block\"") && ets_text_contains(line, "\"block_index\"");
}

/* Lines as one list: the end of each becomes a comma, but not of the last and of empty ones. */
static size_t join_lines(struct ets_bytes bytes, char *list)
{
    struct ets_text line;
    size_t used = 0;
    for (size_t at = 0; ets_next_line(bytes, &at, &line);) {
        if (ets_text_trim(line).size == 0) continue;
        list[used] = used == 0 ? '[' : ',';
        used++;
        memcpy(list + used, line.data, line.size);
        used += line.size;
    }
    list[used++] = ']';
    return used;
}

enum ets_status ets_inspector_lines_read(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_foreign_json json;
    /* Each line has an end, or is the last one. */
    char *list = ets_arena_alloc_array(&f->arena, f->bytes.size + 3, 1);
    if (list == NULL) return ets_fail_foreign(error);
    f->bytes = (struct ets_bytes){(const uint8_t *)list, join_lines(f->bytes, list)};
    enum ets_status status = ets_foreign_json_parse(f, &json, error);
    if (status == ETS_OK) status = read_rows(f, json.tape.values, error);
    if (status != ETS_OK && error != NULL) error->offset = ETS_NO_OFFSET;
    ets_foreign_json_reset(&json);
    return status;
}
