/* Splits tables that are text into cells. */
#include "import/table_rows.h"

#include <string.h>

#include "base/text.h"
#include "import/text_lines.h"

/* "|" as tabulate draws it in its grids. */
static const char drawn_bar[] = "\xe2\x94\x82";
enum { DRAWN_BYTES = sizeof drawn_bar - 1 };

static void add_cell(struct ets_table_reader *reader, struct ets_text cell)
{
    if (reader->cell_count < ETS_TABLE_MOST_CELLS) reader->cells[reader->cell_count++] = cell;
}

/* The bytes of a bar at the beginning of the text; 0: there is none. */
static size_t bar_bytes(struct ets_text text)
{
    if (text.size > 0 && text.data[0] == '|') return 1;
    return ets_text_starts_with(text, drawn_bar) ? DRAWN_BYTES : 0;
}

/* A drawn row begins and ends with a bar; lines of frames have none, or "|---". */
static bool split_drawn(struct ets_table_reader *reader, struct ets_text line)
{
    line = ets_text_trim(line);
    const size_t first = bar_bytes(line);
    if (first == 0) return false;
    line = (struct ets_text){line.data + first, line.size - first};
    size_t start = 0;
    bool has_text = false;
    for (size_t at = 0; at < line.size;) {
        const struct ets_text rest = {line.data + at, line.size - at};
        const size_t bytes = bar_bytes(rest);
        has_text = has_text || (bytes == 0 && strchr("-:|+= ", *rest.data) == NULL);
        if (bytes > 0) {
            add_cell(reader, ets_text_trim((struct ets_text){line.data + start, at - start}));
            start = at + bytes;
        }
        at += bytes > 0 ? bytes : 1;
    }
    return has_text;
}

static enum ets_status next_drawn(struct ets_table_reader *reader, bool *found_out)
{
    struct ets_text line;
    *found_out = false;
    while (!*found_out) {
        reader->record_at = reader->at;
        reader->cell_count = 0;
        if (!ets_next_line(reader->bytes, &reader->at, &line)) break;
        *found_out = split_drawn(reader, line);
    }
    return ETS_OK;
}

/* Takes a quoted cell, from behind its first mark; two marks within stand for one. */
static enum ets_status take_quoted(struct ets_table_reader *reader, struct ets_error *error)
{
    const char *data = (const char *)reader->bytes.data;
    const size_t start = reader->at, size = reader->bytes.size;
    size_t end = start, doubled = 0;
    for (; end < size && (data[end] != '"' || (end + 1 < size && data[end + 1] == '"')); end++) {
        if (data[end] != '"') continue;
        doubled++;
        end++;
    }
    if (end == size) {
        return ets_fail(error, ETS_MALFORMED, start - 1, "nothing closes this quotation mark");
    }
    struct ets_text cell = {data + start, end - start};
    if (doubled > 0) {
        char *copy = ets_arena_copy_text(reader->arena, cell.data, cell.size);
        if (copy == NULL) return ets_fail_memory(error, "the table");
        size_t used = 0;
        for (size_t i = 0; i < cell.size; i++) {
            copy[used++] = cell.data[i];
            i += cell.data[i] == '"';
        }
        cell = (struct ets_text){copy, used};
    }
    add_cell(reader, cell);
    reader->at = end + 1;
    return ETS_OK;
}

static void take_plain(struct ets_table_reader *reader)
{
    const char *data = (const char *)reader->bytes.data;
    const size_t start = reader->at;
    size_t end = start;
    while (end < reader->bytes.size && data[end] != reader->separator && data[end] != '\n') end++;
    reader->at = end;
    if (end > start && data[end - 1] == '\r') end--;
    add_cell(reader, (struct ets_text){data + start, end - start});
}

enum ets_status ets_table_next(struct ets_table_reader *reader, bool *found_out,
                               struct ets_error *error)
{
    const char *data = (const char *)reader->bytes.data;
    const size_t size = reader->bytes.size;
    if (reader->separator == '|') return next_drawn(reader, found_out);
    *found_out = reader->at < size;
    reader->record_at = reader->at;
    reader->cell_count = 0;
    while (reader->at < size) {
        if (data[reader->at] == '"') {
            reader->at++;
            ETS_TRY(take_quoted(reader, error));
            if (reader->at < size && data[reader->at] == '\r') reader->at++;
        } else {
            take_plain(reader);
        }
        if (reader->at < size && data[reader->at++] == '\n') break;
    }
    return ETS_OK;
}
