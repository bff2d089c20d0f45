/* Fills the tables of a page, keeps each text once, and packs columns. */
#include "output/page/page_table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

struct ets_page_table *ets_page_add_table(struct ets_page_document *document, const char *name,
                                          uint32_t column_count)
{
    if (document->table_count == ETS_PAGE_MOST_TABLES) return NULL;
    struct ets_page_table *table = &document->tables[document->table_count];
    *table = (struct ets_page_table){.name = name, .column_count = column_count};
    table->columns = ets_arena_alloc_array(&document->arena, column_count, sizeof *table->columns);
    if (table->columns == NULL) {
        document->has_failed = true;
        return NULL;
    }
    document->table_count++;
    return table;
}

void ets_page_name_column(struct ets_page_table *table, uint32_t column, const char *name,
                          enum ets_page_type type)
{
    table->columns[column].name = name;
    table->columns[column].type = type;
}

static uint32_t count_heads(const struct ets_page_head *columns)
{
    uint32_t count = 0;
    while (columns[count].name != NULL) count++;
    return count;
}

struct ets_page_table *ets_page_add_named_table(struct ets_page_document *document,
                                                const char *name,
                                                const struct ets_page_head *columns)
{
    const uint32_t count = count_heads(columns);
    struct ets_page_table *table = ets_page_add_table(document, name, count);
    for (uint32_t i = 0; table != NULL && i < count; i++) {
        ets_page_name_column(table, i, columns[i].name, columns[i].type);
    }
    return table;
}

struct ets_page_column *ets_page_widen_table(struct ets_page_document *document,
                                             struct ets_page_table *table,
                                             const struct ets_page_head *columns)
{
    struct ets_arena *arena = &document->arena;
    const uint32_t before = table->column_count, more = count_heads(columns);
    struct ets_page_column *all =
        ets_arena_alloc_array(arena, (size_t)before + more, sizeof *table->columns);
    if (all == NULL) return NULL;
    if (before > 0) memcpy(all, table->columns, before * sizeof *all);
    for (uint32_t i = 0; i < more; i++) {
        struct ets_page_column *column = &all[before + i];
        column->name = columns[i].name;
        column->type = columns[i].type;
        column->cells = ets_arena_alloc_array(arena, table->row_count, sizeof *column->cells);
        column->is_there = ets_arena_alloc_array(arena, table->row_count, sizeof *column->is_there);
        if (column->cells == NULL || column->is_there == NULL) return NULL;
    }
    table->columns = all;
    table->column_count += more;
    return all + before;
}

void ets_page_set_integer(struct ets_page_column *column, uint32_t row, int64_t value)
{
    column->cells[row].integer = value;
    column->is_there[row] = true;
}

static void put_cell(struct ets_page_document *document, struct ets_page_table *table,
                     union ets_page_cell cell, bool is_there)
{
    struct ets_page_column *column = &table->columns[table->at];
    struct ets_arena *arena = &document->arena;
    if (document->has_failed) return;
    column->cells =
        ets_arena_grow(arena, column->cells, table->row_count, &column->cell_room, sizeof cell);
    column->is_there = ets_arena_grow(arena, column->is_there, table->row_count,
                                      &column->there_room, sizeof *column->is_there);
    if (column->cells == NULL || column->is_there == NULL) {
        document->has_failed = true;
        return;
    }
    column->cells[table->row_count] = cell;
    column->is_there[table->row_count] = is_there;
    if (++table->at < table->column_count) return;
    table->at = 0;
    table->row_count++;
}

void ets_page_put_null(struct ets_page_document *document, struct ets_page_table *table)
{
    put_cell(document, table, (union ets_page_cell){.integer = 0}, false);
}

void ets_page_put_integer(struct ets_page_document *document, struct ets_page_table *table,
                          int64_t value)
{
    put_cell(document, table, (union ets_page_cell){.integer = value}, true);
}

void ets_page_put_real(struct ets_page_document *document, struct ets_page_table *table,
                       double value)
{
    put_cell(document, table, (union ets_page_cell){.real = value}, isfinite(value));
}

/* The text with U+FFFD for each byte that is not UTF-8; data NULL: no memory. */
static struct ets_text repair(struct ets_arena *arena, struct ets_text text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t used = 0;
    char *copy = ets_arena_alloc_array(arena, text.size + 1, sizeof replacement - 1);
    if (copy == NULL) return (struct ets_text){NULL, 0};
    for (size_t i = 0; i < text.size;) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        const size_t size = length > 0 ? length : sizeof replacement - 1;
        memcpy(copy + used, length > 0 ? text.data + i : replacement, size);
        used += size;
        i += length > 0 ? length : 1;
    }
    return (struct ets_text){copy, used};
}

static uint64_t hash_text(struct ets_text text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.size; i++) {
        hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001b3u;
    }
    return hash ^ hash >> 29;
}

/* The slot of a text, or the free one where it belongs. */
static uint32_t *find_slot(const struct ets_page_document *document, struct ets_text text)
{
    uint32_t at = (uint32_t)hash_text(text) & (document->slot_count - 1);
    while (document->slots[at] != 0 &&
           !ets_text_same(document->texts[document->slots[at] - 1], text)) {
        at = (at + 1) & (document->slot_count - 1);
    }
    return &document->slots[at];
}

static bool grow_slots(struct ets_page_document *document)
{
    if (document->slot_count / 2 > document->text_count) return true;
    document->slot_count = document->slot_count > 0 ? 2 * document->slot_count : 1024;
    document->slots =
        ets_arena_alloc_array(&document->arena, document->slot_count, sizeof *document->slots);
    if (document->slots == NULL) return false;
    for (uint32_t i = 0; i < document->text_count; i++) {
        *find_slot(document, document->texts[i]) = i + 1;
    }
    return true;
}

/* The number of a text; UINT32_MAX: no memory. */
static uint32_t number_text(struct ets_page_document *document, struct ets_text text)
{
    if (!grow_slots(document)) return UINT32_MAX;
    uint32_t *slot = find_slot(document, text);
    if (*slot != 0) return *slot - 1;
    document->texts = ets_arena_grow(&document->arena, document->texts, document->text_count,
                                     &document->text_room, sizeof *document->texts);
    if (document->texts == NULL) return UINT32_MAX;
    document->texts[document->text_count] = text;
    *slot = ++document->text_count;
    return document->text_count - 1;
}

/* Copies a new text: the caller's memory is gone after the row. UINT32_MAX: no memory. */
static uint32_t keep_text(struct ets_page_document *document, struct ets_text text)
{
    if (document->slots == NULL || *find_slot(document, text) == 0) {
        text.data = ets_arena_copy_text(&document->arena, text.data, text.size);
    }
    return text.data == NULL ? UINT32_MAX : number_text(document, text);
}

static bool is_whole(struct ets_text text)
{
    for (size_t i = 0; i < text.size;) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

void ets_page_put_text(struct ets_page_document *document, struct ets_page_table *table,
                       struct ets_text text)
{
    if (document->has_failed) return;
    if (text.data == NULL) {
        ets_page_put_null(document, table);
        return;
    }
    if (!is_whole(text)) text = repair(&document->arena, text);
    const uint32_t number = text.data == NULL ? UINT32_MAX : keep_text(document, text);
    document->has_failed |= number == UINT32_MAX;
    put_cell(document, table, (union ets_page_cell){.text = number}, true);
}

void ets_page_put_string(struct ets_page_document *document, struct ets_page_table *table,
                         const char *text)
{
    ets_page_put_text(document, table, (struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

bool ets_page_set_text(struct ets_page_document *document, struct ets_page_column *column,
                       uint32_t row, struct ets_text text)
{
    column->cells[row].text = keep_text(document, text);
    column->is_there[row] = true;
    return column->cells[row].text != UINT32_MAX;
}

bool ets_page_set_string(struct ets_page_document *document, struct ets_page_column *column,
                         uint32_t row, const char *text)
{
    return ets_page_set_text(document, column, row, (struct ets_text){text, strlen(text)});
}

struct ets_page_table *ets_page_find_table(struct ets_page_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->table_count; i++) {
        if (strcmp(document->tables[i].name, name) == 0) return &document->tables[i];
    }
    return NULL;
}

void ets_page_mark_texts(const struct ets_page_table *table, const char *column, bool *marks)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct ets_page_column *at = &table->columns[i];
        if (at->type != ETS_PAGE_TEXT || strcmp(at->name, column) != 0) continue;
        for (uint32_t k = 0; k < table->row_count; k++) {
            if (at->is_there[k]) marks[at->cells[k].text] = true;
        }
    }
}

static bool pack_bits(struct ets_arena *arena, struct ets_page_column *column, uint32_t rows)
{
    const size_t size = ((size_t)rows + 7) / 8;
    uint8_t *bits = ets_arena_alloc(arena, size);
    if (bits == NULL) return false;
    for (uint32_t i = 0; i < rows; i++) {
        bits[i / 8] |= (uint8_t)(column->is_there[i] << i % 8);
    }
    return ets_page_put_bytes(arena, &column->packed, bits, size);
}

static bool pack_real(struct ets_arena *arena, struct ets_page_bytes *bytes, double value)
{
    uint64_t bits;
    uint8_t little[sizeof bits];
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof little; i++) little[i] = (uint8_t)(bits >> 8 * i);
    return ets_page_put_bytes(arena, bytes, little, sizeof little);
}

static bool pack_column(struct ets_arena *arena, struct ets_page_column *column, uint32_t rows)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < rows; i++) column->has_nulls |= !column->is_there[i];
    bool ok = !column->has_nulls || pack_bits(arena, column, rows);
    for (uint32_t i = 0; ok && i < rows; i++) {
        const union ets_page_cell *cell = &column->cells[i];
        if (!column->is_there[i]) continue;
        if (column->type == ETS_PAGE_REAL) {
            ok = pack_real(arena, &column->packed, cell->real);
        } else if (column->type == ETS_PAGE_TEXT) {
            ok = ets_page_put_unsigned(arena, &column->packed, cell->text);
        } else {
            ok = ets_page_put_signed(arena, &column->packed, (uint64_t)cell->integer - before);
            before = (uint64_t)cell->integer;
        }
    }
    return ok;
}

bool ets_page_pack_table(struct ets_page_document *document, struct ets_page_table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!pack_column(&document->arena, &table->columns[i], table->row_count)) return false;
    }
    return true;
}

bool ets_page_pack_texts(struct ets_page_document *document, struct ets_page_bytes *bytes_out)
{
    struct ets_arena *arena = &document->arena;
    bool ok = ets_page_put_unsigned(arena, bytes_out, document->text_count);
    for (uint32_t i = 0; ok && i < document->text_count; i++) {
        ok = ets_page_put_unsigned(arena, bytes_out, document->texts[i].size);
    }
    for (uint32_t i = 0; ok && i < document->text_count; i++) {
        ok = ets_page_put_bytes(arena, bytes_out, document->texts[i].data, document->texts[i].size);
    }
    return ok;
}
