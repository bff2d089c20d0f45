/*
 * Reads the Inspector's table. A row has a name and times, no place on a time line: rows are laid
 * behind one another, inside of the row that sums them up. Durations are the table's own.
 */
#include "import/inspector_table.h"

#include "import/table_rows.h"
#include "import/text_lines.h"

enum column { BLOCK, NAME, RAW, MEDIAN, MIDDLE, AVERAGE, IS_DELEGATED, BACKEND, DEPTH, COLUMNS };

enum { NO_COLUMN = -1, CYCLES = ETS_TABLE_CYCLES, NO_UNIT = ETS_TABLE_NO_UNIT };

struct row {
    struct ets_text name, backend;
    bool is_delegated;
    uint32_t depth;
    uint32_t first_time, time_count; /* into `times`, one for each run */
    uint32_t parent;                 /* row, or ETS_NO_SLICE */
    int64_t start, next;             /* in this run; `next`: where its next part begins */
    bool is_frame, is_call;
};

struct table {
    struct ets_foreign *f;
    struct ets_table_reader reader;
    int columns[COLUMNS];
    int time;   /* column of the time */
    int digits; /* of the unit below which nanoseconds are, or CYCLES */
    struct ets_text block;
    struct row *rows; /* of this block */
    uint32_t row_count, row_room;
    int64_t *times;
    uint32_t time_count, time_room;
    int64_t clock;
};

static const int64_t most_ns = INT64_C(1) << 60;

/* A heading is a line with both names. */
static bool is_heading(struct ets_text line)
{
    const bool is_inspectors = ets_text_contains(line, "event_block_name");
    if (is_inspectors) return ets_text_contains(line, "event_name");
    return ets_text_contains(line, "block_index") && ets_text_contains(line, "p50_");
}

static char separator_of(struct ets_text line)
{
    if (ets_text_contains(line, "\t")) return '\t';
    return ets_text_contains(line, "|") || ets_text_contains(line, "\xe2\x94\x82") ? '|' : ',';
}

/* The line of the heading; lines before it are what a terminal showed. */
static bool find_heading(struct ets_bytes bytes, struct ets_text *line_out, size_t *at_out)
{
    for (size_t at = 0; *at_out = at, ets_next_line(bytes, &at, line_out);) {
        if (is_heading(*line_out)) return true;
    }
    return false;
}

bool ets_is_inspector_table(struct ets_text start)
{
    struct ets_text line;
    size_t at;
    return find_heading((struct ets_bytes){(const uint8_t *)start.data, start.size}, &line, &at);
}

int ets_table_unit(struct ets_text unit)
{
    static const struct {
        const char *name;
        int digits;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}, {"cycles", CYCLES}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ets_text_is(unit, units[i].name)) return units[i].digits;
    }
    return NO_UNIT;
}

/* Splits "p50 (ms)" and "p50_ns" into a name and a unit; without a unit the name is all of it. */
static int take_unit(struct ets_text *name)
{
    for (size_t i = name->size; i-- > 1;) {
        const bool is_open = name->data[i] == '(' && name->data[name->size - 1] == ')';
        if (!is_open && name->data[i] != '_') continue;
        const size_t end = name->size - is_open;
        const int digits = ets_table_unit((struct ets_text){name->data + i + 1, end - i - 1});
        if (digits != NO_UNIT) {
            *name = ets_text_trim((struct ets_text){name->data, i});
            return digits;
        }
        if (name->data[i] == '_') break;
    }
    return NO_UNIT;
}

static void keep_column(struct table *table, int index)
{
    static const struct {
        const char *name;
        enum column column;
    } names[] = {{"event_block_name", BLOCK},
                 {"block", BLOCK},
                 {"event_name", NAME},
                 {"event", NAME},
                 {"raw", RAW},
                 {"p50", MEDIAN},
                 {"mid", MIDDLE},
                 {"avg", AVERAGE},
                 {"is_delegated_op", IS_DELEGATED},
                 {"delegate_backend_name", BACKEND},
                 {"backend", BACKEND},
                 {"depth", DEPTH}};
    struct ets_text name = ets_text_trim(table->reader.cells[index]);
    const int digits = take_unit(&name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const enum column column = names[i].column;
        if (!ets_text_is(name, names[i].name) || table->columns[column] != NO_COLUMN) continue;
        const bool is_time = column == MEDIAN || column == MIDDLE || column == AVERAGE;
        if (is_time && digits == NO_UNIT) continue;
        table->columns[column] = index;
        if (is_time) table->digits = digits;
    }
}

static enum ets_status read_heading(struct table *table, struct ets_error *error)
{
    static const enum column order[] = {RAW, MEDIAN, MIDDLE, AVERAGE};
    struct ets_text line;
    bool found;
    if (!find_heading(table->f->bytes, &line, &table->reader.at)) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "no heading of an Inspector's table");
    }
    table->reader.separator = separator_of(line);
    ETS_TRY(ets_table_next(&table->reader, &found, error));
    for (int i = 0; i < COLUMNS; i++) table->columns[i] = NO_COLUMN;
    table->digits = NO_UNIT;
    for (uint32_t i = 0; i < table->reader.cell_count; i++) keep_column(table, (int)i);
    table->time = NO_COLUMN;
    for (int i = 0; i < 4 && table->time == NO_COLUMN; i++) {
        table->time = table->columns[order[i]];
    }
    if (table->columns[NAME] == NO_COLUMN && table->columns[BLOCK] != NO_COLUMN) {
        return ets_fail(
            error, ETS_MALFORMED, table->reader.record_at,
            "the table has no column of events: it is of groups or a tree; write that of "
            "operators");
    }
    if (table->columns[BLOCK] == NO_COLUMN || table->columns[NAME] == NO_COLUMN ||
        table->time == NO_COLUMN || table->digits == NO_UNIT) {
        return ets_fail(error, ETS_MALFORMED, table->reader.record_at,
                        "the table has no column of times with a unit, as \"p50 (ms)\"");
    }
    table->f->is_in_cycles = table->digits == CYCLES;
    return ETS_OK;
}

static struct ets_text cell(const struct table *table, enum column column)
{
    const int index = table->columns[column];
    if (index == NO_COLUMN || (uint32_t)index >= table->reader.cell_count) {
        return (struct ets_text){NULL, 0};
    }
    return ets_text_trim(table->reader.cells[index]);
}

static enum ets_status add_time(struct table *table, struct row *row, struct ets_text number,
                                struct ets_error *error)
{
    int64_t time;
    const int digits = table->digits == CYCLES ? 0 : table->digits;
    if (!ets_decimal_ns(number, digits, &time) || time < 0 || time > most_ns) time = -1;
    int64_t *times = ets_arena_grow(&table->f->arena, table->times, table->time_count,
                                    &table->time_room, sizeof *times);
    if (times == NULL) return ets_fail_foreign(error);
    table->times = times;
    times[table->time_count++] = time;
    row->time_count++;
    return ETS_OK;
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* "[0.1, 0.2]", also with the names of NumPy's types: "[np.float64(0.1)]". */
static enum ets_status read_list(struct table *table, struct row *row, struct ets_text list,
                                 struct ets_error *error)
{
    list = ets_text_trim(list);
    if (list.size < 2 || list.data[0] != '[') return ETS_OK;
    list = (struct ets_text){list.data + 1, list.size - 2};
    while (list.size > 0) {
        struct ets_text item = ets_trim(ets_take_first(&list, ','));
        const char *open = memchr(item.data, '(', item.size);
        if (open != NULL) {
            item.size -= (size_t)(open + 1 - item.data);
            item.data = open + 1;
        }
        size_t size = 0;
        while (size < item.size && is_of_number(item.data[size])) size++;
        ETS_TRY(add_time(table, row, (struct ets_text){item.data, size}, error));
    }
    return ETS_OK;
}

static enum ets_status add_row(struct table *table, struct ets_error *error)
{
    struct row *rows = ets_arena_grow(&table->f->arena, table->rows, table->row_count,
                                      &table->row_room, sizeof *rows);
    const struct ets_text time = ets_text_trim(table->reader.cells[table->time]);
    if (rows == NULL) return ets_fail_foreign(error);
    table->rows = rows;
    struct row *row = &rows[table->row_count];
    int64_t depth = 0;
    *row = (struct row){.name = cell(table, NAME),
                        .backend = cell(table, BACKEND),
                        .is_delegated = ets_text_is(cell(table, IS_DELEGATED), "True"),
                        .first_time = table->time_count,
                        .parent = ETS_NO_SLICE};
    if (ets_decimal_ns(cell(table, DEPTH), 0, &depth) && depth > 0 && depth < 1000) {
        row->depth = (uint32_t)depth;
    }
    if (table->time == table->columns[RAW]) {
        ETS_TRY(read_list(table, row, time, error));
    } else {
        ETS_TRY(add_time(table, row, time, error));
    }
    table->row_count++;
    return ETS_OK;
}

static void set_parent(struct table *table, uint32_t child, uint32_t parent)
{
    table->rows[child].parent = parent;
    table->rows[parent].is_frame = true;
    if (ets_text_is(table->rows[parent].name, "DELEGATE_CALL")) {
        table->rows[child].is_delegated = true;
        table->rows[parent].is_call = true;
    }
}

/* The Inspector lists what a call consists of before the call, etscope behind it, with depths. */
static void find_parents(struct table *table, uint32_t total)
{
    struct row *rows = table->rows;
    for (uint32_t i = 0; i < table->row_count; i++) {
        if (table->columns[DEPTH] != NO_COLUMN) {
            uint32_t k = i;
            while (k > 0 && rows[i].depth > 0 && rows[k - 1].depth >= rows[i].depth) k--;
            if (k > 0 && rows[i].depth > 0) set_parent(table, i, k - 1);
        } else if (ets_text_is(rows[i].name, "DELEGATE_CALL")) {
            for (uint32_t k = i; k > 0 && rows[k - 1].is_delegated; k--)
                set_parent(table, k - 1, i);
        } else if (ets_text_is(rows[i].name, "OPERATOR_CALL")) {
            const bool has_kernel = i > 0 && !rows[i - 1].is_delegated && !rows[i - 1].is_frame &&
                                    !ets_text_is(rows[i - 1].name, "OPERATOR_CALL");
            if (has_kernel) set_parent(table, i - 1, i);
        }
    }
    for (uint32_t i = 0; total != ETS_NO_SLICE && i < table->row_count; i++) {
        if (i != total && rows[i].parent == ETS_NO_SLICE) set_parent(table, i, total);
    }
}

/* The row that sums up the others; none in blocks of loading. */
static uint32_t find_total(const struct table *table)
{
    for (uint32_t i = table->row_count; i-- > 0;) {
        if (ets_text_is(table->rows[i].name, "Method::execute")) return i;
    }
    return ETS_NO_SLICE;
}

/* -1: the table does not have it. */
static int64_t time_of(const struct table *table, const struct row *row, uint32_t run)
{
    return run < row->time_count ? table->times[row->first_time + run] : -1;
}

static void place(struct table *table, struct row *row, int64_t time, uint32_t run)
{
    if (row->parent == ETS_NO_SLICE) {
        row->start = table->clock;
        table->clock += time;
    } else {
        struct row *parent = &table->rows[row->parent];
        const int64_t whole = time_of(table, parent, run);
        const int64_t last = parent->start + (whole > time ? whole - time : 0);
        row->start = parent->next < last ? parent->next : last;
        parent->next = row->start + time;
    }
    row->next = row->start;
}

static enum ets_status add_slice(struct table *table, const struct row *row, uint32_t index,
                                 uint32_t total, int64_t time, struct ets_error *error)
{
    struct ets_foreign *f = table->f;
    struct ets_slice slice = {
        .kind = index == total ? ETS_SLICE_RUN
                : total == ETS_NO_SLICE && ets_text_is(table->block, "Default")
                    ? ETS_SLICE_LOAD
                    : ETS_SLICE_OPERATOR,
        .start = row->start,
        .end = row->start + time,
        .is_frame = row->is_frame || index == total,
        .is_delegated = row->parent != ETS_NO_SLICE && table->rows[row->parent].is_call,
    };
    if (index == total) {
        ETS_TRY(ets_foreign_text(f, table->block, &slice.name, error));
    } else {
        const struct ets_text unnamed = {"(no name)", 9};
        ETS_TRY(ets_foreign_text(f, row->name.size > 0 ? row->name : unnamed, &slice.op, error));
        ETS_TRY(ets_foreign_text(f, row->backend, &slice.backend, error));
    }
    return ets_foreign_add(f, &slice, error);
}

/* Tops first, then what they consist of: parents have their place before their parts. */
static enum ets_status add_run(struct table *table, uint32_t total, uint32_t run,
                               struct ets_error *error)
{
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < table->row_count; i++) {
            struct row *row = &table->rows[i];
            const bool is_top = row->parent == ETS_NO_SLICE;
            const bool is_below = !is_top && (table->columns[DEPTH] != NO_COLUMN ||
                                              table->rows[row->parent].parent == ETS_NO_SLICE);
            const int64_t time = time_of(table, row, run);
            if (pass != (is_top ? 0 : is_below ? 1 : 2)) continue;
            if (time < 0) {
                ets_foreign_leave_out(table->f, "times that the table does not have");
                continue;
            }
            place(table, row, time, run);
            if (table->clock > most_ns) {
                return ets_fail(error, ETS_LIMIT, table->reader.record_at,
                                "the rows together take longer than 36 years");
            }
            ETS_TRY(add_slice(table, row, i, total, time, error));
        }
    }
    table->clock += 1000;
    return ETS_OK;
}

/* Adds the rows of a block as its runs. */
static enum ets_status end_block(struct table *table, struct ets_error *error)
{
    const uint32_t total = find_total(table);
    uint32_t runs = 0;
    find_parents(table, total);
    for (uint32_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].time_count > runs) runs = table->rows[i].time_count;
    }
    for (uint32_t run = 0; run < runs; run++) ETS_TRY(add_run(table, total, run, error));
    table->row_count = 0;
    table->time_count = 0;
    return ETS_OK;
}

/* The Inspector lists the whole run last, so that a row behind it is of another block. */
static bool begins_block(const struct table *table, struct ets_text block)
{
    if (table->row_count == 0) return false;
    if (!ets_text_same(block, table->block)) return true;
    if (table->columns[DEPTH] != NO_COLUMN) {
        return ets_text_is(cell(table, NAME), "Method::execute");
    }
    return ets_text_is(table->rows[table->row_count - 1].name, "Method::execute");
}

enum ets_status ets_inspector_table_read(struct ets_foreign *f, struct ets_error *error)
{
    struct table table = {.f = f, .reader = {.bytes = f->bytes, .arena = &f->arena}};
    bool found;
    f->runtime = NULL; /* ExecuTorch's own */
    f->only_frames = true;
    f->by_order = true;
    ETS_TRY(read_heading(&table, error));
    f->is_of_medians = table.time != table.columns[RAW];
    while (true) {
        ETS_TRY(ets_table_next(&table.reader, &found, error));
        if (!found) break;
        /* What follows a table in a terminal has no such cells. */
        if ((uint32_t)table.time >= table.reader.cell_count || cell(&table, BLOCK).size == 0)
            continue;
        const struct ets_text block = cell(&table, BLOCK);
        if (begins_block(&table, block)) ETS_TRY(end_block(&table, error));
        table.block = block;
        ETS_TRY(add_row(&table, error));
    }
    return end_block(&table, error);
}

enum ets_status ets_inspector_csv_read(struct ets_foreign *f, struct ets_text csv,
                                       struct ets_error *error)
{
    f->bytes = (struct ets_bytes){(const uint8_t *)csv.data, csv.size};
    const enum ets_status status = ets_inspector_table_read(f, error);
    if (status != ETS_OK && error != NULL) error->offset = ETS_NO_OFFSET;
    return status;
}
