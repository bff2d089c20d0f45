/* Words the cells of tables for people. */
#include "output/table/cell_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "host/text_builder.h"

enum { NUMBER_CHARS = ETS_CELL_NUMBER_CHARS };

static void append(struct ets_cell_text *out, const char *data, size_t size)
{
    if (size > sizeof out->data - out->size) return; /* pieces are whole characters */
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

void ets_cell_append_visible(struct ets_cell_text *out, struct ets_text text)
{
    for (size_t i = 0; i < text.size;) {
        const char *at = text.data + i;
        const size_t length = ets_plain_length(at, text.size - i);
        if (length == 1 || (length > 1 && !out->ascii)) {
            append(out, at, length);
            i += length;
            continue;
        }
        const size_t whole = ets_utf8_length(at, text.size - i);
        for (size_t end = i + (whole > 0 ? whole : 1); i < end; i++) {
            char escape[8];
            const unsigned char byte = (unsigned char)text.data[i];
            append(out, escape, (size_t)snprintf(escape, sizeof escape, "\\x%02x", byte));
        }
    }
}

/* Never 0 for something that took time. */
static size_t print_time(char *buffer, double ns, const struct ets_table_unit *unit)
{
    if (!isfinite(ns)) return (size_t)snprintf(buffer, NUMBER_CHARS, "-");
    if (unit->ns > 1 && ns > 0 && ns < unit->ns * 0.0005) {
        return (size_t)snprintf(buffer, NUMBER_CHARS, "<0.001");
    }
    return (size_t)snprintf(buffer, NUMBER_CHARS, "%.*f", unit->ns > 1 ? 3 : 0, ns / unit->ns);
}

/*
 * What a delegate counts in whole steps is a range: "<1", "3..4". Trailing zeros say nothing there,
 * and no time has a power of ten.
 */
static size_t print_bound(char *buffer, double value, const char *plus)
{
    const bool is_large = fabs(value) >= 9999.5;
    const char *sign = value >= 0 ? plus : "";
    return is_large ? (size_t)snprintf(buffer, NUMBER_CHARS, "%s%.0f", sign, value)
                    : (size_t)snprintf(buffer, NUMBER_CHARS, "%s%.4g", sign, value);
}

/* Bounds that read the same are one number: "81.6%", not "81.6..81.6%". */
static void append_range(struct ets_cell_text *out, const char *lower, const char *upper,
                         const char *unit)
{
    if (strcmp(lower, upper) != 0) {
        append(out, lower, strlen(lower));
        append(out, "..", 2);
    }
    append(out, upper, strlen(upper));
    append(out, unit, strlen(unit));
}

/* A change of a time, or the interval that it lies in: "+1.250", "-0.3..+1.2". */
static void append_signed_time(struct ets_cell_text *out, const struct ets_cell *cell,
                               const struct ets_table_unit *unit)
{
    char buffer[NUMBER_CHARS], other[NUMBER_CHARS];
    const double lower = cell->lower / unit->ns, upper = cell->upper / unit->ns;
    int size;
    if (!isfinite(lower) || !isfinite(upper)) size = snprintf(buffer, sizeof buffer, "-");
    else if (lower == upper)
        size = snprintf(buffer, sizeof buffer, "%+.*f", unit->ns > 1 ? 3 : 0, lower);
    else {
        (void)print_bound(buffer, lower, "+");
        (void)print_bound(other, upper, "+");
        append_range(out, buffer, other, "");
        return;
    }
    append(out, buffer, (size_t)size);
}

/*
 * A range as narrow as a tenth of its upper bound is one number for people: "~520". It has as many
 * digits as it needs to lie inside of the range. Returns false for wider ranges.
 */
static bool append_about(struct ets_cell_text *out, const struct ets_shown_column *shown,
                         double lower, double upper, const char *unit)
{
    enum { MOST_DIGITS = 9 };
    static const double narrow = 0.1;
    char buffer[NUMBER_CHARS];
    if (shown->has_bounds || !(lower > 0) || !(upper - lower <= upper * narrow)) return false;
    const int place = (int)floor(log10((upper - lower) / 2));
    const double step = pow(10, place), middle = round((lower + upper) / 2 / step) * step;
    if (place < -MOST_DIGITS) return false;
    append(
        out, buffer,
        (size_t)snprintf(buffer, sizeof buffer, "~%.*f%s", place < 0 ? -place : 0, middle, unit));
    return true;
}

static void append_time(struct ets_cell_text *out, const struct ets_shown_column *shown,
                        const struct ets_cell *cell)
{
    char buffer[NUMBER_CHARS];
    const struct ets_table_unit *unit = shown->unit;
    if (cell->lower == cell->upper || !isfinite(cell->lower)) {
        append(out, buffer, print_time(buffer, cell->lower, unit));
        return;
    }
    if (append_about(out, shown, cell->lower / unit->ns, cell->upper / unit->ns, "")) return;
    char upper[NUMBER_CHARS];
    (void)print_bound(buffer, cell->lower / unit->ns, "");
    (void)print_bound(upper, cell->upper / unit->ns, "");
    if (cell->lower <= 0) append(out, "<", 1);
    append_range(out, cell->lower <= 0 ? upper : buffer, upper, "");
}

/* From here on a part is told as a factor: "22.3x" instead of "2230.8%". */
static const double large_share = 10;

static size_t print_factor(char *buffer, double factor)
{
    return (size_t)snprintf(buffer, NUMBER_CHARS, factor < 999.5 ? "%#.3gx" : "%.0fx", factor);
}

static void append_share(struct ets_cell_text *out, const struct ets_shown_column *shown,
                         const struct ets_cell *cell)
{
    char buffer[NUMBER_CHARS], other[NUMBER_CHARS];
    const double lower = cell->lower * 100, upper = cell->upper * 100;
    int size;
    if (lower < upper && append_about(out, shown, lower, upper, "%")) return;
    if (!isfinite(lower)) size = snprintf(buffer, sizeof buffer, "-");
    else if (lower == upper && cell->lower >= large_share)
        size = (int)print_factor(buffer, cell->lower);
    else if (lower == upper && lower > 0 && lower < 0.05)
        size = snprintf(buffer, sizeof buffer, "<0.1%%");
    else if (lower == upper) size = snprintf(buffer, sizeof buffer, "%.1f%%", lower);
    else if (lower < 0.05) size = snprintf(buffer, sizeof buffer, "<%.1f%%", ceil(upper * 10) / 10);
    else {
        (void)snprintf(buffer, sizeof buffer, "%.1f", lower);
        (void)snprintf(other, sizeof other, "%.1f", upper);
        append_range(out, buffer, other, "%");
        return;
    }
    append(out, buffer, (size_t)size);
}

static void append_signed_share(struct ets_cell_text *out, const struct ets_cell *cell)
{
    char buffer[NUMBER_CHARS];
    if (isfinite(cell->lower) && cell->lower + 1 >= large_share) {
        append(out, buffer, print_factor(buffer, cell->lower + 1));
        return;
    }
    const int size = isfinite(cell->lower)
                         ? snprintf(buffer, sizeof buffer, "%+.1f%%", cell->lower * 100)
                         : snprintf(buffer, sizeof buffer, "-");
    append(out, buffer, (size_t)size);
}

static void append_bytes(struct ets_cell_text *out, double bytes, bool is_signed)
{
    char buffer[NUMBER_CHARS];
    struct ets_text_builder text = {buffer, sizeof buffer, 0};
    if (is_signed && bytes != 0) ets_add_text(&text, bytes < 0 ? "-" : "+");
    ets_add_bytes(&text, (uint64_t)(bytes < 0 ? -bytes : bytes));
    append(out, buffer, text.used);
}

static void append_number(struct ets_cell_text *out, const struct ets_shown_column *shown,
                          const struct ets_cell *cell)
{
    char buffer[NUMBER_CHARS];
    const enum ets_column_kind kind = shown->column->kind;
    const double value = cell->kind == CELL_INTEGER ? (double)cell->integer : cell->lower;
    if (kind == ETS_COLUMN_TIME && shown->column->is_signed) {
        append_signed_time(out, cell, shown->unit);
    } else if (kind == ETS_COLUMN_SHARE && shown->column->is_signed) {
        append_signed_share(out, cell);
    } else if (kind == ETS_COLUMN_TIME) {
        append_time(out, shown, cell);
    } else if (kind == ETS_COLUMN_SHARE) {
        append_share(out, shown, cell);
    } else if (kind == ETS_COLUMN_BYTES) {
        append_bytes(out, value, shown->column->is_signed);
    } else if (cell->kind == CELL_INTEGER) {
        append(out, buffer,
               (size_t)snprintf(buffer, sizeof buffer, "%lld", (long long)cell->integer));
    } else {
        /* Of large numbers all digits before the point. */
        const int digits = shown->column->digits > 0 ? shown->column->digits : 6;
        if (shown->column->is_factor && isfinite(value)) {
            append(out, buffer, print_factor(buffer, value));
            return;
        }
        if (kind == ETS_COLUMN_REAL && cell->kind == CELL_REAL && cell->lower != cell->upper) {
            if (append_about(out, shown, cell->lower, cell->upper, "")) return;
            char other[NUMBER_CHARS];
            (void)snprintf(buffer, sizeof buffer, "%.*g", digits, cell->lower);
            (void)snprintf(other, sizeof other, "%.*g", digits, cell->upper);
            append_range(out, buffer, other, "");
            return;
        }
        const bool is_whole =
            kind == ETS_COLUMN_TICKS || (digits == 6 && fabs(value) >= 1e6 && fabs(value) < 1e15);
        const int size = is_whole ? snprintf(buffer, sizeof buffer, "%.0f", value)
                                  : snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        append(out, buffer, (size_t)size);
    }
}

static void append_list(struct ets_cell_text *out, const struct ets_shown_column *shown,
                        const struct ets_cell *cell)
{
    if (shown->column->first_of_list && cell->item_count > 1) {
        char more[NUMBER_CHARS];
        ets_cell_append_visible(out, cell->items[0]);
        append(out, more, (size_t)snprintf(more, sizeof more, " +%zu", cell->item_count - 1));
        return;
    }
    for (size_t i = 0; i < cell->item_count; i++) {
        if (i > 0) append(out, ", ", 2);
        ets_cell_append_visible(out, cell->items[i]);
    }
}

void ets_cell_append_count(struct ets_cell_text *out, const char *mark, uint64_t count)
{
    char buffer[NUMBER_CHARS];
    append(out, buffer,
           (size_t)snprintf(buffer, sizeof buffer, "%s%llu", mark, (unsigned long long)count));
}

bool ets_cell_has_folder(const struct ets_cell_text *text)
{
    return memchr(text->data, '/', text->size) != NULL;
}

static void put_mark_for_folder(struct ets_cell_text *out, size_t folder)
{
    const char *mark = out->ascii ? "~" : "\xe2\x80\xa6";
    const size_t size = strlen(mark);
    memmove(out->data + size, out->data + folder, out->size - folder);
    memcpy(out->data, mark, size);
    out->size -= folder - size;
}

void ets_cell_compose(struct ets_cell_text *out, const struct ets_shown_column *shown,
                      const struct ets_table_row *row)
{
    const struct ets_cell *cell = &row->cells[shown->index];
    out->size = 0;
    if (cell->kind == CELL_NOTHING) return;
    if (cell->kind == CELL_TEXT) {
        ets_cell_append_visible(out, cell->text);
    } else if (cell->kind == CELL_LIST) {
        append_list(out, shown, cell);
    } else {
        append_number(out, shown, cell);
    }
    if (shown->shared > 0 && ets_cell_has_folder(out)) put_mark_for_folder(out, shown->shared);
}
