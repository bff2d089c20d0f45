/*
 * Reads the tables that `etscope inspect` prints, for people or as Markdown: their rows are put
 * down as CSV, which is read like any table. A printed number is right-aligned under its heading,
 * so that cells are found by their places; a row of which that is not true is refused.
 */
#include "import/inspector_table.h"
#include "import/text_lines.h"

enum { MOST_BLOCK = 4096, NO_PLACE = -1 };

/* What is known of the table of a block. Places count characters from the line's start. */
struct heading {
    bool is_markdown;
    int name_at; /* where names begin; of Markdown the number of the cell */
    int time_at; /* behind the last digit; of Markdown the number of the cell */
    int digits;
};

struct writer {
    struct ets_foreign *f;
    char *text; /* NULL: counts only */
    size_t used;
    struct heading heading;
    bool has_heading, is_in_cycles;
    struct ets_text block;
    size_t line_at;
};

static enum ets_status fail_line(const struct writer *w, const char *reason,
                                 struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, w->line_at,
                    "the table of inspect %s; write it again as JSON", reason);
}

/* Markdown has a backslash before what it would take for more than itself. */
static void put(struct writer *w, struct ets_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        i += w->heading.is_markdown && text.data[i] == '\\' && i + 1 < text.size;
        const bool is_mark = text.data[i] == '"';
        if (w->text != NULL && is_mark) w->text[w->used] = '"';
        if (w->text != NULL) w->text[w->used + is_mark] = text.data[i];
        w->used += 1 + (size_t)is_mark;
    }
}

static void put_literal(struct writer *w, char c)
{
    if (w->text != NULL) w->text[w->used] = c;
    w->used++;
}

static void put_cell(struct writer *w, struct ets_text text, char end)
{
    put_literal(w, '"');
    put(w, text);
    put_literal(w, '"');
    put_literal(w, end);
}

static bool is_inner_byte(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static int characters(struct ets_text text)
{
    int count = 0;
    for (size_t i = 0; i < text.size; i++) count += !is_inner_byte(text.data[i]);
    return count;
}

/* The bytes of the first `count` characters. */
static size_t bytes_of(struct ets_text text, int count)
{
    size_t at = 0;
    for (; at < text.size && count > 0; count--) {
        for (at++; at < text.size && is_inner_byte(text.data[at]);) at++;
    }
    return at;
}

/* Takes the next column off a printed heading: names have single blanks. */
static bool take_column(struct ets_text line, size_t *at, struct ets_text *name_out)
{
    while (*at < line.size && line.data[*at] == ' ') ++*at;
    const size_t start = *at;
    while (*at < line.size &&
           (line.data[*at] != ' ' || (*at + 1 < line.size && line.data[*at + 1] != ' '))) {
        ++*at;
    }
    *name_out = (struct ets_text){line.data + start, *at - start};
    return *at > start;
}

/* Takes the next cell of Markdown off, which ends with a bar that no backslash is before. */
static bool take_markdown(struct ets_text *line, struct ets_text *cell_out)
{
    for (size_t i = 0; i < line->size; i++) {
        if (line->data[i] != '|' || (i > 0 && line->data[i - 1] == '\\')) continue;
        *cell_out = ets_trim((struct ets_text){line->data, i});
        *line = (struct ets_text){line->data + i + 1, line->size - i - 1};
        return true;
    }
    return false;
}

/* Better columns first; 0: none of times. */
static int rank_of(struct ets_text column, int *digits_out)
{
    static const char *const names[] = {"avg", "mid", "p50"};
    struct ets_text unit;
    if (!ets_take_last(&column, " ", &unit)) return 0;
    *digits_out = ets_table_unit(unit);
    for (int i = 0; i < 3 && *digits_out != ETS_TABLE_NO_UNIT; i++) {
        if (ets_text_is(column, names[i])) return i + 1;
    }
    return 0;
}

static void see_column(struct heading *heading, int *best, struct ets_text name, int at, int end)
{
    int digits = 0;
    const int rank = rank_of(name, &digits);
    if (ets_text_is(name, "operator")) heading->name_at = at;
    if (rank <= *best) return;
    *best = rank;
    heading->time_at = end;
    heading->digits = digits;
}

static void read_heading(struct ets_text line, struct heading *heading)
{
    struct ets_text name;
    int best = 0;
    *heading = (struct heading){ets_text_starts_with(line, "|"), NO_PLACE, NO_PLACE, 0};
    if (!heading->is_markdown) {
        for (size_t at = 0; take_column(line, &at, &name);) {
            see_column(heading, &best, name, (int)(at - name.size), (int)at);
        }
        return;
    }
    line = (struct ets_text){line.data + 1, line.size - 1};
    for (int i = 0; take_markdown(&line, &name); i++) see_column(heading, &best, name, i, i);
}

/* "#  operator ...", "| # | operator |": operators in their order. */
static bool is_heading(struct ets_text line)
{
    const bool is_markdown = ets_text_starts_with(line, "|");
    if (is_markdown) return ets_text_starts_with(line, "| # | operator |");
    size_t at = 0;
    struct ets_text name;
    return line.size < 1024 && take_column(line, &at, &name) && ets_text_is(name, "#") &&
           take_column(line, &at, &name) && ets_text_is(name, "operator");
}

/* Without numbers of instructions: operators may have been added up. */
static bool is_of_groups(struct ets_text line)
{
    static const char *const groups[] = {"operator", "module", "source",   "backend",
                                         "file",     "handle", "category", "part",
                                         "layer",    "method", "run"};
    struct heading heading;
    const bool is_markdown = ets_text_starts_with(line, "| ");
    const struct ets_text first = {line.data + 2 * is_markdown, line.size - 2 * is_markdown};
    if (line.size > 1024) return false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!ets_text_starts_with(first, groups[i])) continue;
        read_heading(line, &heading);
        return heading.time_at != NO_PLACE;
    }
    return false;
}

bool ets_is_inspect_text(struct ets_text start)
{
    struct ets_text line;
    const struct ets_bytes bytes = {(const uint8_t *)start.data, start.size};
    for (size_t at = 0; ets_next_line(bytes, &at, &line);) {
        if (is_heading(line) || is_of_groups(line)) return true;
    }
    return false;
}

/* Whether rounding to its last digit, which is more than a nanosecond, changes it by over 2.5 %. */
static bool is_coarse(struct ets_text number, int digits)
{
    enum { ENOUGH = 20 };
    size_t i = ets_text_starts_with(number, "<");
    unsigned value = 0;
    bool has_point = false;
    for (; i < number.size && value < ENOUGH; i++) {
        const char c = number.data[i];
        if (c == '.' && has_point) return false; /* a range's end is exact */
        if (c != '.' && (c < '0' || c > '9')) return false;
        has_point = has_point || c == '.';
        if (c == '.') continue;
        value = value * 10 + (unsigned)(c - '0');
        digits -= has_point;
    }
    return has_point && i == number.size && value < ENOUGH && digits > 0;
}

/* "Execute - 5 runs, shares of mid", of Markdown within two stars. */
static bool take_title(struct ets_text line, struct ets_text *block_out)
{
    struct ets_text rest;
    if (ets_text_starts_with(line, "**")) line = (struct ets_text){line.data + 2, line.size - 2};
    if (!ets_take_last(&line, " - ", &rest) || line.size > MOST_BLOCK) return false;
    size_t digits = 0;
    while (digits < rest.size && rest.data[digits] >= '0' && rest.data[digits] <= '9') digits++;
    rest = (struct ets_text){rest.data + digits, rest.size - digits};
    if (digits == 0 || !ets_text_starts_with(rest, " run")) return false;
    *block_out = line;
    return true;
}

/* The lower end of "1.5..2.5" and of "<1"; empty: not known, as "~520". */
static struct ets_text lower_end(struct ets_text number)
{
    for (size_t i = 0; i + 1 < number.size; i++) {
        if (number.data[i] == '.' && number.data[i + 1] == '.')
            return (struct ets_text){number.data, i};
    }
    if (ets_text_starts_with(number, "<")) return (struct ets_text){"0", 1};
    return number;
}

static enum ets_status put_row(struct writer *w, struct ets_text name, struct ets_text time,
                               uint32_t depth, struct ets_error *error)
{
    const bool is_in_cycles = w->heading.digits == ETS_TABLE_CYCLES;
    char number[24];
    int64_t ns;
    if (ets_text_contains(name, "\xe2\x80\xa6") || ets_text_contains(time, "\xe2\x80\xa6")) {
        return fail_line(w, "has names or numbers that were cut for a narrow terminal", error);
    }
    if (!is_in_cycles && is_coarse(time, w->heading.digits)) {
        return fail_line(w, "has times that its unit rounds to one or two digits", error);
    }
    if (w->text != NULL && is_in_cycles != w->is_in_cycles) {
        return fail_line(w, "has both cycles and times", error);
    }
    w->is_in_cycles = is_in_cycles;
    size_t size = ets_print_text(number, sizeof number, "%u", (unsigned)depth);
    put_cell(w, w->block, ',');
    put_cell(w, name, ',');
    put_cell(w, (struct ets_text){number, size}, ',');
    size = 0;
    if (ets_decimal_ns(lower_end(time), is_in_cycles ? 0 : w->heading.digits, &ns) && ns >= 0) {
        size = ets_print_text(number, sizeof number, "%lld", (long long)ns);
    }
    put_cell(w, (struct ets_text){number, size}, '\n');
    return ETS_OK;
}

static enum ets_status read_printed(struct writer *w, struct ets_text line, struct ets_error *error)
{
    const struct heading *heading = &w->heading;
    const int length = characters(line);
    if (length < heading->time_at)
        return fail_line(w, "has a row that ends before its time", error);
    const size_t name_at = bytes_of(line, heading->name_at), end = bytes_of(line, heading->time_at);
    struct ets_text all = {line.data + name_at, line.size - name_at}, name;
    size_t at = 0, start = end;
    if (!take_column(all, &at, &name)) return ETS_OK;
    const uint32_t blanks = (uint32_t)(at - name.size);
    while (start > 0 && line.data[start - 1] != ' ') start--;
    const bool is_right = start < end && (end == line.size || line.data[end] == ' ');
    const bool has_room = name_at + at < start; /* the time is none of the name */
    const bool is_empty = start == end;
    if (name_at > 0 && line.data[name_at - 1] != ' ') {
        return fail_line(w, "has a row whose columns are not below their headings", error);
    }
    if (!is_empty && (!is_right || !has_room)) {
        return fail_line(w, "has a row whose columns are not below their headings", error);
    }
    return put_row(w, name, (struct ets_text){line.data + start, end - start}, blanks / 2, error);
}

static enum ets_status read_markdown(struct writer *w, struct ets_text line,
                                     struct ets_error *error)
{
    static const char blank[] = "&nbsp; ";
    struct ets_text cell, name = {NULL, 0}, time = {NULL, 0};
    uint32_t depth = 0;
    line = (struct ets_text){line.data + 1, line.size - 1};
    for (int i = 0; take_markdown(&line, &cell); i++) {
        if (i == w->heading.name_at) name = cell;
        if (i == w->heading.time_at) time = cell;
    }
    for (; ets_text_starts_with(name, blank); depth++) {
        name = (struct ets_text){name.data + sizeof blank - 1, name.size - (sizeof blank - 1)};
    }
    if (name.size == 0 || ets_text_starts_with(name, "---")) return ETS_OK;
    return put_row(w, name, time, depth, error);
}

static enum ets_status read_line(struct writer *w, struct ets_text line, struct ets_error *error)
{
    struct ets_text block;
    if (is_heading(line)) {
        read_heading(line, &w->heading);
        w->has_heading = w->heading.time_at != NO_PLACE;
        if (!w->has_heading) return fail_line(w, "has no column p50, mid or avg", error);
        if (ets_text_contains(line, "self ")) {
            return fail_line(w, "is a tree, whose parts are no events", error);
        }
        return ETS_OK;
    }
    if (is_of_groups(line)) {
        return fail_line(w, "has no column #, so that operators may have been added up", error);
    }
    if (take_title(line, &block)) {
        w->block = block;
        w->has_heading = false;
        return ETS_OK;
    }
    if (ets_trim(line).size == 0) w->has_heading = false;
    if (!w->has_heading || w->block.size == 0) return ETS_OK;
    if (!w->heading.is_markdown) {
        const char first = line.data[0];
        const bool is_row = first == ' ' || (first >= '0' && first <= '9');
        w->has_heading = is_row && line.size > (size_t)w->heading.name_at;
        return w->has_heading ? read_printed(w, line, error) : ETS_OK; /* a note behind the table */
    }
    w->has_heading = line.data[0] == '|';
    return w->has_heading ? read_markdown(w, line, error) : ETS_OK;
}

static enum ets_status write_rows(struct writer *w, struct ets_error *error)
{
    struct ets_text line;
    const char *heading = w->is_in_cycles ? "block,event,depth,p50_cycles,block_index\n"
                                          : "block,event,depth,p50_ns,block_index\n";
    w->used = 0;
    w->has_heading = false;
    w->block = (struct ets_text){NULL, 0};
    put(w, ets_text_of(heading));
    for (size_t at = 0; w->line_at = at, ets_next_line(w->f->bytes, &at, &line);) {
        ETS_TRY(read_line(w, line, error));
    }
    return ETS_OK;
}

enum ets_status ets_inspect_text_read(struct ets_foreign *f, struct ets_error *error)
{
    struct writer w = {.f = f};
    ETS_TRY(write_rows(&w, error));
    const size_t most = w.used + sizeof "cycles";
    char *text = ets_arena_alloc_array(&f->arena, most, 1);
    if (text == NULL) return ets_fail_foreign(error);
    w.text = text;
    ETS_TRY(write_rows(&w, error));
    return ets_inspector_csv_read(f, (struct ets_text){text, w.used}, error);
}
