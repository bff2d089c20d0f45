#include "etscope/table.h"

#include <string.h>

#include "base/text.h"
#include "export/table_cells.h"

/* More rows than anyone prints; keeps a hostile file from growing the table without end. */
enum { MAX_ROWS = 50 * 1000 * 1000 };

enum ets_status ets_table_open(const struct ets_allocator *allocator, struct ets_table **table_out,
                               struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_table *table = ets_arena_alloc(&arena, sizeof *table);
    if (table == NULL)
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for a table");
    table->arena = arena;
    *table_out = table;
    return ETS_OK;
}

void ets_table_close(struct ets_table *table)
{
    if (table == NULL) return;
    struct ets_arena arena = table->arena; /* holds the table itself */
    ets_arena_reset(&arena);
}

/* Room for one element more: doubles the array, the old one stays in the arena. */
static void *grow(struct ets_table *table, void *old, uint32_t count, uint32_t *capacity,
                  size_t element_bytes)
{
    if (count < *capacity) return old;
    const uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown =
        wanted > MAX_ROWS * 2u ? NULL : ets_arena_alloc_array(&table->arena, wanted, element_bytes);
    if (grown == NULL) {
        table->no_memory = true;
        return NULL;
    }
    if (count > 0) memcpy(grown, old, count * element_bytes);
    *capacity = wanted;
    return grown;
}

void ets_table_add_column(struct ets_table *table, const struct ets_column *column)
{
    struct ets_column *columns =
        grow(table, table->columns, table->column_count, &table->column_capacity, sizeof *columns);
    if (columns == NULL) return;
    table->columns = columns;
    columns[table->column_count++] = *column;
}

static struct ets_table_row *add_row(struct ets_table *table)
{
    struct ets_table_row *rows =
        grow(table, table->rows, table->row_count, &table->row_capacity, sizeof *rows);
    if (rows == NULL) return NULL;
    table->rows = rows;
    struct ets_cell *cells =
        ets_arena_alloc_array(&table->arena, table->column_count, sizeof *cells);
    if (cells == NULL) {
        table->no_memory = true;
        return NULL;
    }
    rows[table->row_count] = (struct ets_table_row){.cells = cells};
    table->used_cells = 0;
    return &rows[table->row_count++];
}

void ets_table_add_row(struct ets_table *table, uint32_t depth)
{
    struct ets_table_row *row = add_row(table);
    if (row != NULL) row->depth = depth;
}

void ets_table_quiet_row(struct ets_table *table)
{
    if (table->row_count > 0) table->rows[table->row_count - 1].is_quiet = true;
}

static struct ets_cell *next_cell(struct ets_table *table)
{
    if (table->no_memory || table->row_count == 0 || table->used_cells == table->column_count) {
        return NULL;
    }
    return &table->rows[table->row_count - 1].cells[table->used_cells++];
}

static struct ets_text copy(struct ets_table *table, struct ets_text text)
{
    if (text.data == NULL) return text;
    char *data = ets_arena_copy_text(&table->arena, text.data, text.size);
    if (data == NULL) table->no_memory = true;
    return (struct ets_text){data, data == NULL ? 0 : text.size};
}

void ets_table_put_nothing(struct ets_table *table)
{
    (void)next_cell(table);
}

void ets_table_put_text(struct ets_table *table, struct ets_text text)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL || text.data == NULL) return;
    cell->kind = CELL_TEXT;
    cell->text = copy(table, text);
}

void ets_table_put_string(struct ets_table *table, const char *text)
{
    ets_table_put_text(table, (struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

void ets_table_put_list(struct ets_table *table, const struct ets_text *items, size_t count)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    struct ets_text *copies = ets_arena_alloc_array(&table->arena, count, sizeof *copies);
    if (copies == NULL) {
        table->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) copies[i] = copy(table, items[i]);
    cell->kind = CELL_LIST;
    cell->items = copies;
    cell->item_count = count;
}

void ets_table_put_integers(struct ets_table *table, const int64_t *integers, size_t count)
{
    enum { DIGITS = 24 };
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    struct ets_text *items = ets_arena_alloc_array(&table->arena, count, sizeof *items);
    char *digits = ets_arena_alloc_array(&table->arena, count, DIGITS);
    if (items == NULL || digits == NULL) {
        table->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++, digits += DIGITS) {
        items[i].data = digits;
        items[i].size = ets_print_text(digits, DIGITS, "%lld", (long long)integers[i]);
    }
    cell->kind = CELL_LIST;
    cell->items = items;
    cell->item_count = count;
}

void ets_table_put_integer(struct ets_table *table, int64_t value)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    cell->kind = CELL_INTEGER;
    cell->integer = value;
}

void ets_table_put_bounds(struct ets_table *table, double lower, double upper)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    cell->kind = CELL_REAL;
    cell->lower = lower;
    cell->upper = upper;
}

void ets_table_put_real(struct ets_table *table, double value)
{
    ets_table_put_bounds(table, value, value);
}

static void add_text_row(struct ets_table *table, struct ets_text text, bool is_note)
{
    struct ets_table_row *row = add_row(table);
    if (row == NULL) return;
    row->is_section = true;
    row->is_note = is_note;
    ets_table_put_text(table, text);
}

void ets_table_add_section(struct ets_table *table, struct ets_text heading)
{
    add_text_row(table, heading, false);
}

void ets_table_add_note(struct ets_table *table, struct ets_text text)
{
    add_text_row(table, text, true);
}

static bool is_named(const struct ets_column *column, const char *name, size_t size)
{
    return strlen(column->name) == size && memcmp(column->name, name, size) == 0;
}

/* Fills `chosen` with the columns of these names: of one that has two, people's and machines'. */
static enum ets_status parse_choice(const struct ets_table *table, const char *names,
                                    uint32_t *chosen, uint32_t *count_out, struct ets_error *error)
{
    *count_out = 0;
    do {
        const size_t size = strcspn(names, ",");
        const uint32_t before = *count_out;
        for (uint32_t i = 0; i < before; i++) {
            if (!is_named(&table->columns[chosen[i]], names, size)) continue;
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "column \"%.*s\" is named twice",
                            (int)size, names);
        }
        for (uint32_t c = 0; c < table->column_count; c++) {
            if (is_named(&table->columns[c], names, size)) chosen[(*count_out)++] = c;
        }
        if (*count_out == before) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "there is no column \"%.*s\"",
                            (int)size, names);
        }
        names += size;
    } while (*names++ == ',');
    return ETS_OK;
}

/* A named column is never dropped, and for everyone unless there are two of its name. */
static struct ets_column named_column(const struct ets_table *table, uint32_t index)
{
    struct ets_column column = table->columns[index];
    bool is_one_of_two = false;
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (c != index && strcmp(table->columns[c].name, column.name) == 0) is_one_of_two = true;
    }
    const bool is_list = column.kind == ETS_COLUMN_LIST || column.kind == ETS_COLUMN_NUMBERS;
    if (is_list && column.machine_only && column.least_width == 0) { /* made for no terminal */
        column.least_width = 14;
        column.first_of_list = 1;
    }
    if (!is_one_of_two) column.machine_only = column.human_only = 0;
    column.priority = 0;
    column.keep_empty = 1;
    return column;
}

enum ets_status ets_table_choose_columns(struct ets_table *table, const char *names,
                                         struct ets_error *error)
{
    const uint32_t count = table->column_count;
    uint32_t kept;
    uint32_t *chosen = ets_arena_alloc_array(&table->arena, count, sizeof *chosen);
    struct ets_column *columns = ets_arena_alloc_array(&table->arena, count, sizeof *columns);
    struct ets_cell *cells = ets_arena_alloc_array(&table->arena, count, sizeof *cells);
    if (table->no_memory || chosen == NULL || columns == NULL || cells == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
    }
    ETS_TRY(parse_choice(table, names, chosen, &kept, error));
    for (uint32_t i = 0; i < kept; i++) columns[i] = named_column(table, chosen[i]);
    for (uint32_t r = 0; r < table->row_count; r++) {
        struct ets_table_row *row = &table->rows[r];
        if (row->is_section) continue; /* its text is no column's */
        for (uint32_t i = 0; i < kept; i++) cells[i] = row->cells[chosen[i]];
        memcpy(row->cells, cells, kept * sizeof *cells);
    }
    table->columns = columns;
    table->column_count = table->column_capacity = kept;
    return ETS_OK;
}

const char *ets_table_column_name(const struct ets_table *table, uint32_t index)
{
    return index < table->column_count ? table->columns[index].name : NULL;
}

uint32_t ets_table_row_count(const struct ets_table *table)
{
    return table->row_count;
}

struct ets_text ets_table_heading(const struct ets_table *table)
{
    for (uint32_t i = 0; i < table->row_count && table->column_count > 0; i++) {
        const struct ets_table_row *row = &table->rows[i];
        if (row->is_section && !row->is_note) return row->cells[0].text;
    }
    return (struct ets_text){NULL, 0};
}

int ets_table_next_note(const struct ets_table *table, uint32_t *row, struct ets_text *note_out)
{
    while (*row < table->row_count && table->column_count > 0) {
        const struct ets_table_row *next = &table->rows[(*row)++];
        if (!next->is_note) continue;
        *note_out = next->cells[0].text;
        return 1;
    }
    return 0;
}

enum ets_status ets_table_write(const struct ets_table *table, const struct ets_table_style *style,
                                struct ets_output *output, struct ets_error *error)
{
    if (table->no_memory) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
    }
    if (style->format == ETS_FORMAT_TABLE || style->format == ETS_FORMAT_MARKDOWN) {
        return ets_table_write_text(table, style, output, error);
    }
    return ets_table_write_records(table, style, output, error);
}

int ets_format_find(const char *name, enum ets_format *format_out)
{
    static const char *const names[] = {"table", "tsv", "csv", "json", "jsonl", "markdown"};
    for (int i = 0; i < 6; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *format_out = (enum ets_format)i;
        return 1;
    }
    return 0;
}

size_t ets_utf8_length(const unsigned char *at, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80) return 1;
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc2 ? 2 : 0;
    if (length == 0 || length > size || at[0] > 0xf4) return 0;
    uint32_t code = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}

const struct ets_table_unit *ets_table_find_unit(const char *name)
{
    static const struct ets_table_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    for (size_t i = 0; name != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, name) == 0) return &units[i];
    }
    return NULL;
}
