/* Renders tables for people: for terminals and in Markdown. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "etscope/base.h"
#include "host/output.h"
#include "output/table/cell_color.h"
#include "output/table/cell_cut.h"
#include "output/table/table_cells.h"
#include "output/table/table_fold.h"
#include "output/text/character_width.h"

enum { GAP = 2, NUMBER_CHARS = ETS_CELL_NUMBER_CHARS };

/* Nobody reads a wider cell, where there is no terminal whose width would cut it either. */
enum { MOST_COLUMNS = 160 };

struct renderer {
    const struct ets_table *table;
    const struct ets_table_style *style;
    struct ets_output *output;
    struct ets_shown_column *shown;
    uint32_t shown_count;
    struct ets_row_fold *folds; /* [row_count] */
    uint32_t *pending_spaces;   /* not written yet: none stand at the end of a line */
};

/* The largest time of a column, whatever its sign. */
static double largest_of(const struct ets_table *table, uint32_t index)
{
    double largest = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct ets_table_row *row = &table->rows[i];
        if (row->is_section || row->cells[index].kind != CELL_REAL) continue;
        largest = fmax(largest, fmax(row->cells[index].upper, -row->cells[index].lower));
    }
    return largest;
}

/*
 * One unit for the column, by its largest value. Up to five digits stand before the point, so that
 * with three behind it small values beside large ones keep theirs.
 */
static const struct ets_table_unit *choose_unit(const struct renderer *r, uint32_t index)
{
    const struct ets_table_unit *fixed = ets_table_find_unit(r->style->time_unit);
    if (fixed != NULL) return fixed;
    const bool is_guest = r->table->columns[index].shares_unit == 2;
    double largest = is_guest ? 0 : largest_of(r->table, index);
    for (uint32_t c = 0; r->table->columns[index].shares_unit && c < r->table->column_count; c++) {
        if (r->table->columns[c].shares_unit == 1) largest = fmax(largest, largest_of(r->table, c));
    }
    if (largest >= 1e11) return ets_table_find_unit("s");
    if (largest >= 1e8) return ets_table_find_unit("ms");
    return ets_table_find_unit(largest >= 1e3 ? "us" : "ns");
}

static size_t print_title(char *buffer, const struct ets_shown_column *shown)
{
    const char *title = shown->column->title != NULL ? shown->column->title : shown->column->name;
    const char *unit = shown->unit != NULL                       ? shown->unit->name
                       : shown->column->kind == ETS_COLUMN_TICKS ? "cycles"
                                                                 : "";
    return (size_t)snprintf(buffer, NUMBER_CHARS, "%s%s%s", title, unit[0] != '\0' ? " " : "",
                            unit);
}

static bool is_first_text(const struct renderer *r, const struct ets_shown_column *shown)
{
    for (uint32_t i = 0; i < r->shown_count; i++) {
        const enum ets_column_kind kind = r->shown[i].column->kind;
        if (kind == ETS_COLUMN_TEXT || kind == ETS_COLUMN_LIST) return &r->shown[i] == shown;
    }
    return false;
}

static uint32_t indent_of(const struct renderer *r, const struct ets_shown_column *shown,
                          const struct ets_table_row *row)
{
    return is_first_text(r, shown) ? row->depth * 2 : 0;
}

/* What the cell of a row shows, which may stand for several rows. */
static void compose(const struct renderer *r, const struct ets_shown_column *shown,
                    const struct ets_table_row *row, struct ets_cell_text *out)
{
    const uint32_t index = (uint32_t)(row - r->table->rows), count = r->folds[index].count;
    const struct ets_cell *cell = &row->cells[shown->index];
    out->size = 0;
    if (!r->style->is_unfolded && ets_table_is_as_parent(r->table, shown, r->folds, index)) return;
    ets_cell_compose(out, shown, row);
    if (count <= 1) return;
    if (shown->column->counts_repeats) {
        ets_cell_append_count(out, " x", count);
    } else if (shown->column->is_ordinal && cell->kind == CELL_INTEGER) {
        ets_cell_append_count(out, "-", (uint64_t)cell->integer + count - 1);
    }
}

static void measure(struct renderer *r, struct ets_shown_column *shown,
                    struct ets_cell_text *scratch)
{
    char title[NUMBER_CHARS];
    shown->width = (uint32_t)print_title(title, shown);
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        const struct ets_table_row *row = &r->table->rows[i];
        if (row->is_section || r->folds[i].count == 0) continue;
        compose(r, shown, row, scratch);
        const uint32_t width =
            ets_text_columns(scratch->data, scratch->size) + indent_of(r, shown, row);
        if (width > shown->width) shown->width = width;
    }
    const bool is_cut = shown->column->least_width > 0 && r->style->format == ETS_FORMAT_TABLE;
    if (is_cut && shown->width > MOST_COLUMNS) shown->width = MOST_COLUMNS;
}

static uint32_t total_width(const struct renderer *r)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < r->shown_count; i++) width += r->shown[i].width + (i > 0 ? GAP : 0);
    return width;
}

/* Width that could be won by cutting text columns to their least. */
static uint32_t spare_width(const struct renderer *r)
{
    uint32_t spare = 0;
    for (uint32_t i = 0; i < r->shown_count; i++) {
        const uint32_t least = r->shown[i].column->least_width;
        if (least > 0 && r->shown[i].width > least) spare += r->shown[i].width - least;
    }
    return spare;
}

/* The size of "a/b" in "a/b/c.py:3 +2". */
static size_t folder_of(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    return size > 0 ? size - 1 : 0;
}

/* Of two folders the one that holds both. */
static size_t common_folder(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t same = 0;
    while (same < a_size && same < b_size && a[same] == b[same]) same++;
    const bool ends_both = (same == a_size || a[same] == '/') && (same == b_size || b[same] == '/');
    return ends_both ? same : folder_of(a, same);
}

/* The folder that all paths of a column have in common tells none from another. */
static void share_folder(struct renderer *r, struct ets_shown_column *shown,
                         struct ets_cell_text *scratch)
{
    enum { LEAST_SHARED = 3 }; /* what a mark in its place is worth */
    const bool is_list = shown->column->kind == ETS_COLUMN_LIST;
    static const struct ets_cell_text nothing;
    struct ets_cell_text first = nothing;
    size_t shared = 0;
    if (!shown->column->cut_at_start || (is_list && !shown->column->first_of_list)) return;
    first.ascii = scratch->ascii;
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        if (r->table->rows[i].is_section) continue;
        struct ets_cell_text *text = first.size == 0 ? &first : scratch;
        ets_cell_compose(text, shown, &r->table->rows[i]);
        if (!ets_cell_has_folder(text)) text->size = 0;
        if (text->size == 0) continue;
        const size_t folder = folder_of(text->data, text->size);
        shared = text == &first ? folder : common_folder(first.data, shared, text->data, folder);
        if (shared < LEAST_SHARED) return;
    }
    shown->shared = shared;
}

/* Numbers that are all 1, as `calls` without a loop. */
static bool is_all_one(const struct ets_table *table, uint32_t index)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct ets_cell *cell = &table->rows[i].cells[index];
        if (table->rows[i].is_section || cell->kind == CELL_NOTHING) continue;
        if (cell->kind == CELL_INTEGER ? cell->integer != 1
                                       : cell->kind != CELL_REAL || cell->lower != 1) {
            return false;
        }
    }
    return true;
}

static void drop_shown(struct renderer *r, uint32_t at)
{
    memmove(r->shown + at, r->shown + at + 1, (r->shown_count - at - 1) * sizeof *r->shown);
    r->shown_count--;
}

/* What a narrow table spares before anything that tells rows apart. */
static void spare_the_same(struct renderer *r, struct ets_cell_text *scratch)
{
    for (uint32_t i = r->shown_count; i-- > 0 && total_width(r) > r->style->width;) {
        const struct ets_shown_column *shown = &r->shown[i];
        if (shown->column->dull_at_one && is_all_one(r->table, shown->index)) drop_shown(r, i);
    }
    for (uint32_t i = 0; i < r->shown_count && total_width(r) > r->style->width; i++) {
        share_folder(r, &r->shown[i], scratch);
        if (r->shown[i].shared > 0) measure(r, &r->shown[i], scratch);
    }
}

/* Columns from this priority on are worth less than uncut texts. */
enum { EXTRA_PRIORITY = 5 };

/* Drops the column of the highest priority number, if that is `least` or more. */
static bool drop_column(struct renderer *r, int least)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < r->shown_count; i++) {
        if (r->shown[i].column->priority > r->shown[worst].column->priority) worst = i;
    }
    if (r->shown_count == 0 || r->shown[worst].column->priority < least) return false;
    drop_shown(r, worst);
    return true;
}

/* Drops what matters least, then cuts the widest text column character by character. */
static void fit(struct renderer *r, struct ets_cell_text *scratch)
{
    const uint32_t width = r->style->width;
    if (width == 0 || r->style->format != ETS_FORMAT_TABLE) return;
    spare_the_same(r, scratch);
    while (total_width(r) > width && drop_column(r, EXTRA_PRIORITY)) continue;
    while (total_width(r) > width + spare_width(r) && drop_column(r, 1)) continue;
    for (uint32_t excess = total_width(r); excess > width; excess = total_width(r)) {
        struct ets_shown_column *widest = NULL;
        for (uint32_t i = 0; i < r->shown_count; i++) {
            struct ets_shown_column *shown = &r->shown[i];
            const uint32_t least = shown->column->least_width;
            if (least == 0 || shown->width <= least) continue;
            if (widest == NULL || shown->width > widest->width) widest = shown;
        }
        if (widest == NULL) break;
        widest->width--;
    }
}

/* How many cells of a column would look like another one that is not equal. */
static uint32_t count_alike(const struct renderer *r, const struct ets_shown_column *shown,
                            struct ets_cut_text *texts, struct ets_cell_text *scratch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        const struct ets_table_row *row = &r->table->rows[i];
        if (row->is_section || r->folds[i].count == 0) continue;
        const uint32_t indent = indent_of(r, shown, row);
        const uint32_t room = indent < shown->width ? shown->width - indent : 0;
        compose(r, shown, row, scratch);
        texts[count] = ets_cut_text_of(shown, scratch->data, scratch->size, room);
        count += texts[count].whole != 0;
    }
    return ets_count_alike(texts, count);
}

/* Cuts the texts of a column where most of them stay distinct, at best as near to the end as usual.
 */
static void place_cuts(const struct renderer *r, struct ets_shown_column *shown,
                       struct ets_arena *arena, struct ets_cell_text *scratch)
{
    enum { MOST_TAIL = ETS_KEPT_TAIL + 24 };
    if (!shown->column->cut_in_middle || r->style->format != ETS_FORMAT_TABLE) return;
    struct ets_cut_text *texts = ets_arena_alloc_array(arena, r->table->row_count, sizeof *texts);
    if (texts == NULL) return; /* the usual place serves */
    uint32_t best = ETS_KEPT_TAIL, least = count_alike(r, shown, texts, scratch);
    for (uint32_t tail = ETS_KEPT_TAIL + 1; least > 0 && tail <= MOST_TAIL; tail++) {
        if (tail + 4 > shown->width) break;
        shown->tail = tail;
        const uint32_t alike = count_alike(r, shown, texts, scratch);
        if (alike >= least) continue;
        least = alike;
        best = tail;
    }
    shown->tail = best;
}

static void put_spaces(const struct renderer *r, uint32_t count)
{
    *r->pending_spaces += count;
}

static void flush_spaces(const struct renderer *r)
{
    for (; *r->pending_spaces > 0; --*r->pending_spaces) ets_output_write(r->output, " ", 1);
}

static void put_bytes(const struct renderer *r, const char *data, size_t size)
{
    if (size == 0) return;
    flush_spaces(r);
    ets_output_write(r->output, data, size);
}

static void end_line(const struct renderer *r)
{
    *r->pending_spaces = 0;
    ets_output_write(r->output, "\n", 1);
}

/* A cell in its width: cut with a mark, padded on the side away from its alignment. */
static void put_aligned(const struct renderer *r, const struct ets_shown_column *shown,
                        const char *data, size_t size, uint32_t indent)
{
    const uint32_t columns = ets_text_columns(data, size);
    const char *mark = r->style->ascii ? "~" : "\xe2\x80\xa6";
    if (indent > shown->width) indent = shown->width;
    const uint32_t room = shown->width - indent;
    if (shown->is_right && room > columns) put_spaces(r, room - columns);
    put_spaces(r, indent);
    if (columns <= room) {
        put_bytes(r, data, size);
        if (!shown->is_right) put_spaces(r, room - columns);
        return;
    }
    if (room == 0) return;
    const struct ets_cell_cut cut = ets_cell_cut(shown, data, size, room);
    const char *tail = data + size - cut.tail;
    put_bytes(r, data, cut.head);
    put_bytes(r, mark, strlen(mark));
    put_bytes(r, tail, cut.tail);
    const uint32_t used = ets_text_columns(data, cut.head) + 1 + ets_text_columns(tail, cut.tail);
    if (!shown->is_right) put_spaces(r, room - used); /* half of a wide character was left */
}

/* Leaves of a cell what stands on its line `line`, from 0. Returns whether more lines follow. */
static bool keep_line(const struct ets_shown_column *shown, uint32_t line,
                      struct ets_cell_text *text)
{
    size_t start = 0, taken = text->size, next = text->size;
    if (!shown->column->wraps) {
        if (line > 0) text->size = 0;
        return false;
    }
    for (uint32_t i = 0; i <= line; i++) {
        taken = ets_text_line(text->data + start, text->size - start, shown->width, &next);
        next += start;
        if (i < line) start = next;
    }
    const bool has_more = next < text->size;
    memmove(text->data, text->data + start, taken);
    text->size = taken;
    return has_more;
}

/* A share in its width, of which the first `filled` columns are a bar behind it. */
static void put_bar(const struct renderer *r, const struct ets_shown_column *shown,
                    const struct ets_cell_text *text, uint32_t filled)
{
    const uint32_t start = shown->width - (uint32_t)text->size; /* all of it is ASCII */
    flush_spaces(r);
    ets_output_control(r->output, ETS_COLOR_BAR);
    for (uint32_t i = 0; i < shown->width; i++) {
        if (i == filled) ets_output_control(r->output, ETS_COLOR_END);
        ets_output_write(r->output, i < start ? " " : &text->data[i - start], 1);
    }
    if (filled == shown->width) ets_output_control(r->output, ETS_COLOR_END);
}

/* A cell of a row in its colours. */
static void put_cell(const struct renderer *r, const struct ets_shown_column *shown,
                     const struct ets_table_row *row, const struct ets_cell_text *text)
{
    const bool is_plain = !r->style->is_colored || row->is_quiet || text->size == 0;
    const struct ets_cell *cell = &row->cells[shown->index];
    const uint32_t filled = is_plain ? 0 : ets_cell_bar(shown, cell);
    const char *color = is_plain ? NULL : ets_cell_color(shown, cell);
    if (filled > 0) {
        put_bar(r, shown, text, filled);
        return;
    }
    if (color != NULL) {
        flush_spaces(r);
        ets_output_control(r->output, color);
    }
    put_aligned(r, shown, text->data, text->size, indent_of(r, shown, row));
    if (color != NULL) ets_output_control(r->output, ETS_COLOR_END);
}

static void put_line(const struct renderer *r, const struct ets_table_row *row,
                     struct ets_cell_text *scratch)
{
    bool has_more = true;
    for (uint32_t line = 0; has_more; line++) {
        has_more = false;
        for (uint32_t i = 0; i < r->shown_count; i++) {
            const struct ets_shown_column *shown = &r->shown[i];
            if (i > 0) put_spaces(r, GAP);
            if (row == NULL) {
                put_aligned(r, shown, scratch->data, print_title(scratch->data, shown), 0);
                continue;
            }
            compose(r, shown, row, scratch);
            has_more |= keep_line(shown, line, scratch);
            put_cell(r, shown, row, scratch);
        }
        end_line(r);
    }
}

static void put_bold(const struct renderer *r, const char *sequence)
{
    if (r->style->is_colored) ets_output_control(r->output, sequence);
}

/* Where the text behind a label begins: 11 of "  weight   61 % became 0"; 0: it is not indented. */
static uint32_t hang_of(const char *data, size_t size, uint32_t width)
{
    size_t at = 0, label_end;
    while (at < size && data[at] == ' ') at++;
    if (at == 0) return 0;
    const size_t indent = at;
    while (at < size && data[at] != ' ') at++;
    label_end = at;
    while (at < size && data[at] == ' ') at++;
    const size_t hang = at - label_end >= GAP && at < size ? at : indent;
    return hang < width / 2 ? (uint32_t)hang : 0;
}

/* A text in lines of the table's width, broken between words; further lines begin below its text.
 */
static void put_wrapped(const struct renderer *r, const char *data, size_t size)
{
    const uint32_t width = r->style->width == 0 ? UINT32_MAX : r->style->width;
    const uint32_t hang = hang_of(data, size, width);
    uint32_t indent = 0;
    for (size_t next; size > 0; data += next, size -= next, indent = hang) {
        put_spaces(r, indent);
        put_bytes(r, data, ets_text_line(data, size, width - indent, &next));
        if (next < size) ets_output_write(r->output, "\n", 1);
    }
}

static void put_section(const struct renderer *r, const struct ets_table_row *row, bool is_first,
                        struct ets_cell_text *scratch)
{
    scratch->size = 0;
    ets_cell_append_visible(scratch, row->cells[0].text);
    if (!is_first && !row->is_note) ets_output_write(r->output, "\n", 1);
    if (!row->is_note) put_bold(r, "\033[1m");
    put_wrapped(r, scratch->data, scratch->size);
    if (!row->is_note) put_bold(r, "\033[0m");
    ets_output_write(r->output, "\n", 1);
}

static void put_leads(const struct renderer *r, struct ets_cell_text *scratch)
{
    for (uint32_t i = 0; i < r->table->lead_count; i++) {
        scratch->size = 0;
        ets_cell_append_visible(scratch, r->table->leads[i]);
        if (i == 0) put_bold(r, "\033[1m"); /* the answer */
        put_wrapped(r, scratch->data, scratch->size);
        if (i == 0) put_bold(r, "\033[0m");
        ets_output_write(r->output, "\n", 1);
    }
    if (r->table->lead_count > 0) ets_output_write(r->output, "\n", 1);
}

static void write_terminal(const struct renderer *r, struct ets_cell_text *scratch)
{
    bool needs_header = true;
    put_leads(r, scratch);
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        const struct ets_table_row *row = &r->table->rows[i];
        if (r->folds[i].count == 0) continue;
        if (row->is_section) {
            put_section(r, row, i == 0, scratch);
            needs_header = true;
            continue;
        }
        if (needs_header) {
            put_bold(r, "\033[2m");
            put_line(r, NULL, scratch);
            put_bold(r, "\033[0m");
            needs_header = false;
        }
        if (row->is_quiet) put_bold(r, "\033[2m");
        put_line(r, row, scratch);
        if (row->is_quiet) put_bold(r, "\033[0m");
    }
    if (r->table->row_count == 0 && r->shown_count > 0) put_line(r, NULL, scratch);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || ((unsigned char)c & 0x80) != 0;
}

/* Whether Markdown, or the HTML in it, would take a character for more than itself. */
static bool is_markup(char before, char c, char after)
{
    if (c == '<') return !isdigit((unsigned char)after); /* not "<1" */
    if (c == '&') return after == '#' || isalpha((unsigned char)after);
    if (c == '_') return !is_word(before) || !is_word(after); /* not "native_call" */
    return c != '\0' && strchr("\\|`*[]~", c) != NULL;
}

static void put_markdown(const struct renderer *r, const struct ets_cell_text *text)
{
    for (size_t i = 0; i < text->size; i++) {
        const char *at = text->data + i;
        const char before = i > 0 ? at[-1] : ' ', after = i + 1 < text->size ? at[1] : ' ';
        if (is_markup(before, *at, after)) ets_output_write(r->output, "\\", 1);
        ets_output_write(r->output, at, 1);
    }
}

static void put_markdown_cell(const struct renderer *r, const struct ets_cell_text *text,
                              uint32_t depth)
{
    ets_output_write(r->output, " ", 1);
    for (uint32_t i = 0; i < depth; i++) ets_output_write(r->output, "&nbsp; ", 7);
    put_markdown(r, text);
    ets_output_write(r->output, " |", 2);
}

static void put_markdown_header(const struct renderer *r, struct ets_cell_text *scratch)
{
    ets_output_write(r->output, "|", 1);
    for (uint32_t i = 0; i < r->shown_count; i++) {
        scratch->size = print_title(scratch->data, &r->shown[i]);
        put_markdown_cell(r, scratch, 0);
    }
    ets_output_write(r->output, "\n|", 2);
    for (uint32_t i = 0; i < r->shown_count; i++) {
        const char *rule = r->shown[i].is_right ? "---:|" : "---|";
        ets_output_write(r->output, rule, strlen(rule));
    }
    ets_output_write(r->output, "\n", 1);
}

/* A list, as lines of one paragraph would run together. */
static void put_markdown_leads(const struct renderer *r, struct ets_cell_text *scratch)
{
    for (uint32_t i = 0; i < r->table->lead_count; i++) {
        scratch->size = 0;
        ets_cell_append_visible(scratch, r->table->leads[i]);
        ets_output_write(r->output, "* ", 2);
        put_markdown(r, scratch);
        ets_output_write(r->output, "\n", 1);
    }
    if (r->table->lead_count > 0) ets_output_write(r->output, "\n", 1);
}

static void write_markdown(const struct renderer *r, struct ets_cell_text *scratch)
{
    bool needs_header = true;
    put_markdown_leads(r, scratch);
    for (uint32_t i = 0; i < r->table->row_count; i++) {
        const struct ets_table_row *row = &r->table->rows[i];
        if (r->folds[i].count == 0) continue;
        if (row->is_section) {
            scratch->size = 0;
            ets_cell_append_visible(scratch, row->cells[0].text);
            const char *mark = row->is_note ? "" : "**";
            if (i > 0) ets_output_write(r->output, "\n", 1);
            ets_output_write(r->output, mark, strlen(mark));
            put_markdown(r, scratch);
            ets_output_write(r->output, mark, strlen(mark));
            ets_output_write(r->output, "\n\n", row->is_note ? 1 : 2);
            needs_header = true;
            continue;
        }
        if (needs_header) put_markdown_header(r, scratch);
        needs_header = false;
        ets_output_write(r->output, "|", 1);
        for (uint32_t c = 0; c < r->shown_count; c++) {
            compose(r, &r->shown[c], row, scratch);
            put_markdown_cell(r, scratch, is_first_text(r, &r->shown[c]) ? row->depth : 0);
        }
        ets_output_write(r->output, "\n", 1);
    }
    if (r->table->row_count == 0 && r->shown_count > 0) put_markdown_header(r, scratch);
}

static bool is_empty_column(const struct ets_table *table, uint32_t index)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct ets_cell *cell = &table->rows[i].cells[index];
        if (table->rows[i].is_section || cell->kind == CELL_NOTHING) continue;
        if (cell->kind != CELL_LIST || cell->item_count > 0) return false;
    }
    return true;
}

static bool has_ordinals(const struct renderer *r)
{
    for (uint32_t i = 0; i < r->shown_count; i++) {
        if (r->shown[i].column->is_ordinal) return true;
    }
    return false;
}

enum ets_status ets_table_write_text(const struct ets_table *table,
                                     const struct ets_table_style *style, struct ets_output *output,
                                     struct ets_error *error)
{
    struct ets_arena scratch_arena;
    ets_arena_init(&scratch_arena, table->arena.allocator, 0);
    uint32_t pending_spaces = 0;
    struct renderer r = {
        .table = table, .style = style, .output = output, .pending_spaces = &pending_spaces};
    r.shown = ets_arena_alloc_array(&scratch_arena, table->column_count, sizeof *r.shown);
    struct ets_cell_text *scratch = ets_arena_alloc(&scratch_arena, sizeof *scratch);
    r.folds = ets_arena_alloc_array(&scratch_arena, table->row_count, sizeof *r.folds);
    if (r.shown == NULL || scratch == NULL || r.folds == NULL) {
        ets_arena_reset(&scratch_arena);
        return ets_fail_memory(error, "the columns of a table that is printed");
    }
    scratch->ascii = style->ascii != 0;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const struct ets_column *column = &table->columns[c];
        if (column->machine_only) continue;
        if (!column->keep_empty && is_empty_column(table, c)) continue;
        const bool is_text = column->kind == ETS_COLUMN_TEXT || column->kind == ETS_COLUMN_LIST ||
                             column->kind == ETS_COLUMN_NUMBERS;
        r.shown[r.shown_count++] = (struct ets_shown_column){
            .column = column,
            .index = c,
            .unit = column->kind == ETS_COLUMN_TIME ? choose_unit(&r, c) : NULL,
            .is_right = !is_text,
            .has_bounds = style->has_bounds != 0,
            .largest = column->heat ? largest_of(table, c) : 0,
            .tail = ETS_KEPT_TAIL,
        };
    }
    ets_table_find_folds(table, r.shown, r.shown_count, style->is_unfolded != 0, r.folds);
    for (uint32_t i = 0; i < r.shown_count; i++) measure(&r, &r.shown[i], scratch);
    fit(&r, scratch);
    if (!has_ordinals(&r)) { /* without the columns that were dropped, more rows are equal */
        ets_table_find_folds(table, r.shown, r.shown_count, style->is_unfolded != 0, r.folds);
    }
    for (uint32_t i = 0; i < r.shown_count; i++) {
        place_cuts(&r, &r.shown[i], &scratch_arena, scratch);
    }
    if (style->format == ETS_FORMAT_TABLE) write_terminal(&r, scratch);
    else write_markdown(&r, scratch);
    ets_arena_reset(&scratch_arena);
    return ETS_OK;
}
