/* Stores a table: columns, rows and cells, with a limit for their bytes. */
#include "output/table/table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "host/number.h"
#include "output/table/table_cells.h"

/* More rows than anyone prints; keeps a hostile file from growing the table without end. */
enum { MAX_ROWS = 50 * 1000 * 1000 };

enum ets_status ets_table_open(const struct ets_allocator *allocator, struct ets_table **table_out,
                               struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_table *table = ets_arena_alloc(&arena, sizeof *table);
    if (table == NULL) return ets_fail_memory(error, "a table");
    table->arena = arena;
    ets_arena_init(&table->scratch, allocator, 0);
    if (ets_strings_init(&table->texts, &table->arena) != 0) {
        ets_table_close(table);
        return ets_fail_memory(error, "a table");
    }
    *table_out = table;
    return ETS_OK;
}

void ets_table_limit(struct ets_table *table, uint64_t bytes)
{
    table->limit = bytes;
}

void ets_table_set_words(struct ets_table *table, const struct ets_advice_words *words)
{
    table->words = words;
}

const struct ets_advice_words *ets_table_words(const struct ets_table *table)
{
    return table->words;
}

void ets_table_close(struct ets_table *table)
{
    if (table == NULL) return;
    struct ets_arena arena = table->arena; /* holds the table itself */
    ets_arena_reset(&table->scratch);
    ets_arena_reset(&arena);
}

const struct ets_allocator *ets_table_allocator(const struct ets_table *table)
{
    return table->arena.allocator;
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

void ets_table_add_columns(struct ets_table *table, const struct ets_column *first, size_t stride,
                           size_t count, int has_unit)
{
    for (size_t i = 0; i < count; i++) {
        struct ets_column column =
            *(const struct ets_column *)(const void *)((const char *)first + i * stride);
        if (!has_unit && column.kind == ETS_COLUMN_TIME) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(table, &column);
    }
}

/* Whether the cells may take so many bytes more. */
static bool charge(struct ets_table *table, uint64_t bytes)
{
    table->cell_bytes += bytes;
    if (table->limit != 0 && table->cell_bytes > table->limit) table->is_over = true;
    return !table->is_over;
}

static struct ets_table_row *add_row(struct ets_table *table)
{
    if (!charge(table, table->column_count * sizeof(struct ets_cell))) return NULL;
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
    if (table->no_memory || table->is_over || table->row_count == 0 ||
        table->used_cells == table->column_count) {
        return NULL;
    }
    return &table->rows[table->row_count - 1].cells[table->used_cells++];
}

/* The text as the table keeps it: once, as a file can have many cells of one long text. */
static struct ets_text keep(struct ets_table *table, struct ets_text text)
{
    uint32_t number = ets_strings_find(&table->texts, text);
    if (text.data == NULL || table->no_memory) return (struct ets_text){NULL, 0};
    if (number == UINT32_MAX) {
        text.data = ets_arena_copy_text(&table->arena, text.data, text.size);
        number = text.data == NULL ? UINT32_MAX : ets_strings_add(&table->texts, text);
    }
    if (number == UINT32_MAX) table->no_memory = true;
    return number == UINT32_MAX ? (struct ets_text){NULL, 0} : table->texts.texts[number];
}

void ets_table_mark_cell(struct ets_table *table, enum ets_meaning meaning)
{
    if (table->no_memory || table->is_over || table->row_count == 0 || table->used_cells == 0)
        return;
    table->rows[table->row_count - 1].cells[table->used_cells - 1].meaning = (unsigned char)meaning;
}

void ets_table_put_nothing(struct ets_table *table)
{
    (void)next_cell(table);
}

void ets_table_put_text(struct ets_table *table, struct ets_text text)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL || text.data == NULL || !charge(table, text.size)) return;
    cell->text = keep(table, text);
    cell->kind = CELL_TEXT;
}

void ets_table_put_string(struct ets_table *table, const char *text)
{
    ets_table_put_text(table, (struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

/* Lists are kept once as well: as the bytes of their texts, which are kept once. */
static void put_items(struct ets_table *table, struct ets_cell *cell, struct ets_text *items,
                      size_t count)
{
    uint64_t bytes = count * sizeof *items;
    for (size_t i = 0; i < count; i++) bytes += items[i].size;
    if (!charge(table, bytes)) return;
    for (size_t i = 0; i < count; i++) items[i] = keep(table, items[i]);
    const struct ets_text list = {(const char *)items, count * sizeof *items};
    cell->items = (const struct ets_text *)(const void *)keep(table, list).data;
    cell->item_count = cell->items == NULL ? 0 : count;
    cell->kind = CELL_LIST;
}

/* An array for one list at a time. */
static void *scratch_for(struct ets_table *table, size_t count, size_t bytes)
{
    ets_arena_reset(&table->scratch);
    void *scratch = ets_arena_alloc_array(&table->scratch, count, bytes);
    if (scratch == NULL) table->no_memory = true;
    return scratch;
}

void ets_table_put_list(struct ets_table *table, const struct ets_text *items, size_t count)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    struct ets_text *copies = scratch_for(table, count, sizeof *copies);
    if (copies == NULL) return;
    if (count > 0) memcpy(copies, items, count * sizeof *copies);
    put_items(table, cell, copies, count);
}

/* Numbers as texts: of `integers`, or of `reals` where there are none. */
static void put_numbers(struct ets_table *table, const int64_t *integers, const double *reals,
                        size_t count)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    struct ets_text *items = scratch_for(table, count, sizeof *items + ETS_NUMBER_CHARS);
    if (items == NULL) return;
    char *digits = (char *)(items + count);
    for (size_t i = 0; i < count; i++, digits += ETS_NUMBER_CHARS) {
        items[i].data = digits;
        items[i].size = integers == NULL ? ets_print_double(digits, reals[i])
                                         : ets_print_text(digits, ETS_NUMBER_CHARS, "%lld",
                                                          (long long)integers[i]);
    }
    put_items(table, cell, items, count);
}

void ets_table_put_integers(struct ets_table *table, const int64_t *integers, size_t count)
{
    static const int64_t none[1];
    put_numbers(table, count > 0 ? integers : none, NULL, count);
}

void ets_table_put_reals(struct ets_table *table, const double *reals, size_t count)
{
    put_numbers(table, NULL, reals, count);
}

void ets_table_fail(struct ets_table *table)
{
    table->no_memory = true;
}

void ets_table_put_integer(struct ets_table *table, int64_t value)
{
    struct ets_cell *cell = next_cell(table);
    if (cell == NULL) return;
    cell->kind = CELL_INTEGER;
    cell->integer = value;
}

void ets_table_put_count(struct ets_table *table, uint64_t value)
{
    ets_table_put_integer(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
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

void ets_table_put_known(struct ets_table *table, double value)
{
    if (isnan(value)) ets_table_put_nothing(table);
    else ets_table_put_real(table, value);
}

void ets_table_add_lead(struct ets_table *table, struct ets_text text)
{
    if (!charge(table, text.size)) return;
    struct ets_text *leads =
        grow(table, table->leads, table->lead_count, &table->lead_capacity, sizeof *leads);
    if (leads == NULL) return;
    table->leads = leads;
    leads[table->lead_count++] = keep(table, text);
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

/* Its row; NULL: there is none. */
static struct ets_table_row *find_headline(const struct ets_table *table)
{
    for (uint32_t i = 0; i < table->row_count && table->column_count > 0; i++) {
        if (table->rows[i].is_headline) return &table->rows[i];
    }
    return NULL;
}

void ets_table_add_headline(struct ets_table *table, struct ets_text text)
{
    const bool is_first = find_headline(table) == NULL;
    const uint32_t before = table->row_count;
    add_text_row(table, text, true);
    if (table->row_count > before) table->rows[before].is_headline = is_first;
}

struct ets_text ets_table_headline(const struct ets_table *table)
{
    const struct ets_table_row *row = find_headline(table);
    return row == NULL ? (struct ets_text){NULL, 0} : row->cells[0].text;
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
        return ets_fail_memory(error, "the chosen columns of a table");
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
    if (table->lead_count > 0) return table->leads[0];
    for (uint32_t i = 0; i < table->row_count && table->column_count > 0; i++) {
        const struct ets_table_row *row = &table->rows[i];
        if (row->is_section && !row->is_note) return row->cells[0].text;
    }
    return (struct ets_text){NULL, 0};
}

struct ets_text ets_table_lead(const struct ets_table *table, uint32_t index)
{
    return index < table->lead_count ? table->leads[index] : (struct ets_text){NULL, 0};
}

int ets_table_next_note(const struct ets_table *table, uint32_t *row, struct ets_text *note_out)
{
    while (*row < table->row_count && table->column_count > 0) {
        const struct ets_table_row *next = &table->rows[(*row)++];
        if (!next->is_note || next->is_headline) continue;
        *note_out = next->cells[0].text;
        return 1;
    }
    return 0;
}

const struct ets_table_unit *ets_table_find_unit(const char *name)
{
    static const struct ets_table_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    for (size_t i = 0; name != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, name) == 0) return &units[i];
    }
    return NULL;
}
