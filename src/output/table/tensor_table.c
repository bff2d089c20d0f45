/* The table of captured values: one row for each tensor, with its summary. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/numerics.h"
#include "host/number.h"
#include "output/table/table_cells.h"
#include "output/table/tensor_table.h"
#include "views/operator_lines.h"

/* What one cell of a row shows. */
enum cell {
    CELL_BLOCK,
    CELL_BLOCK_INDEX,
    CELL_METHOD,
    CELL_RUN,
    CELL_EVENT,
    CELL_CHAIN,
    CELL_INSTRUCTION,
    CELL_OPERATOR,
    CELL_BACKEND,
    CELL_OUTPUT,
    CELL_INDEX,
    CELL_ITEM,
    CELL_KIND,
    CELL_DTYPE,
    CELL_SHAPE,
    CELL_STRIDES,
    CELL_OFFSET,
    CELL_SIZE,
    CELL_STATUS,
    CELL_MIN,
    CELL_MAX,
    CELL_MEAN,
    CELL_STD,
    CELL_L2,
    CELL_NAN,
    CELL_INFINITE,
    CELL_ZEROS,
    CELL_FIRST,
    CELL_HASH,
    CELL_STRING,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_HANDLES,
    CELL_VALUES,
    CELL_COUNT
};

/* Every column that there is, in the order of the table; priorities say what a narrow one drops. */
static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_BLOCK_INDEX] = {.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_RUN] = {.name = "run", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_EVENT] = {.name = "event", .kind = ETS_COLUMN_INTEGER},
    [CELL_CHAIN] = {.name = "chain", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 4},
    [CELL_OPERATOR] = {.name = "operator", .least_width = 24, .cut_in_middle = 1},
    [CELL_BACKEND] = {.name = "backend", .machine_only = 1},
    [CELL_OUTPUT] = {.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INDEX] = {.name = "index", .kind = ETS_COLUMN_INTEGER, .priority = 11},
    [CELL_ITEM] = {.name = "item", .kind = ETS_COLUMN_INTEGER, .priority = 3},
    [CELL_KIND] = {.name = "kind", .machine_only = 1},
    [CELL_DTYPE] = {.name = "dtype", .priority = 2},
    [CELL_SHAPE] = {.name = "shape", .kind = ETS_COLUMN_NUMBERS, .least_width = 14},
    [CELL_STRIDES] = {.name = "strides", .kind = ETS_COLUMN_NUMBERS, .priority = 10},
    [CELL_OFFSET] = {.name = "offset", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_SIZE] = {.name = "size", .kind = ETS_COLUMN_BYTES, .priority = 7},
    [CELL_STATUS] = {.name = "status", .machine_only = 1},
    [CELL_MIN] = {.name = "min", .kind = ETS_COLUMN_REAL},
    [CELL_MAX] = {.name = "max", .kind = ETS_COLUMN_REAL},
    [CELL_MEAN] = {.name = "mean", .kind = ETS_COLUMN_REAL, .priority = 1},
    [CELL_STD] = {.name = "std", .kind = ETS_COLUMN_REAL, .priority = 5},
    [CELL_L2] = {.name = "l2", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_NAN] = {.name = "nan", .kind = ETS_COLUMN_INTEGER},
    [CELL_INFINITE] = {.name = "inf", .kind = ETS_COLUMN_INTEGER},
    [CELL_ZEROS] = {.name = "zeros", .kind = ETS_COLUMN_INTEGER, .priority = 6},
    [CELL_FIRST] = {.name = "first_values", .kind = ETS_COLUMN_NUMBERS, .machine_only = 1},
    [CELL_HASH] = {.name = "hash", .priority = 9},
    [CELL_STRING] = {.name = "text", .priority = 3, .least_width = 12},
    [CELL_SOURCE] = {.name = "source",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 8,
                     .least_width = 14,
                     .cut_at_start = 1,
                     .first_of_list = 1},
    [CELL_MODULE] = {.name = "module",
                     .kind = ETS_COLUMN_LIST,
                     .machine_only = 1,
                     .least_width = 10,
                     .first_of_list = 1},
    [CELL_HANDLES] = {.name = "debug_handles",
                      .title = "handles",
                      .kind = ETS_COLUMN_NUMBERS,
                      .priority = 9,
                      .least_width = 7,
                      .first_of_list = 1},
    [CELL_VALUES] = {.name = "values", .kind = ETS_COLUMN_NUMBERS, .machine_only = 1},
};

enum { FIRST_VALUES = 8 };

struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_tensor_table_options *options;
    struct ets_arena arena; /* of one row's texts */
    enum cell cells[CELL_COUNT];
    uint32_t cell_count;
    uint32_t run; /* whose heading stands; ETS_NO_INDEX: none does */
    /* Worth a column for people. */
    bool has_layouts, has_items, has_indices, has_numbers, has_texts, has_handles;
};

/* One row. */
struct line {
    const struct ets_captured_value *value;
    const struct ets_summary *summary; /* NULL: there are no numbers */
    const struct ets_row *row;         /* NULL: of no row */
    struct ets_text_list sources, modules;
};

static bool is_statistic(enum cell cell)
{
    return cell >= CELL_MIN && cell <= CELL_HASH;
}

/* Fills `cells` from the comma-separated names of `wanted`. */
static enum ets_status choose_columns(struct filler *f, const char *wanted, struct ets_error *error)
{
    while (wanted != NULL && *wanted != '\0') {
        const size_t size = strcspn(wanted, ",");
        const struct ets_text name = {wanted, size};
        int found = 0;
        while (found < CELL_COUNT && !ets_text_is(name, columns[found].name)) found++;
        if (found == CELL_COUNT) {
            for (int i = 0; i < CELL_COUNT; i++) ets_table_add_column(f->table, &columns[i]);
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "there is no column \"%.*s\"",
                            (int)size, wanted);
        }
        if (f->cell_count == CELL_COUNT) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "too many columns are named");
        }
        f->cells[f->cell_count++] = (enum cell)found;
        wanted += size + (wanted[size] == ',');
    }
    for (int i = 0; f->options->columns == NULL && i < CELL_COUNT; i++) {
        if (i != CELL_VALUES || f->options->values) f->cells[f->cell_count++] = (enum cell)i;
    }
    return ETS_OK;
}

static void add_columns(const struct filler *f)
{
    for (uint32_t i = 0; i < f->cell_count; i++) {
        const enum cell cell = f->cells[i];
        struct ets_column column = columns[cell];
        if (f->options->columns != NULL) {
            column.machine_only = column.priority = 0;
            column.keep_empty = 1;
        } else if (is_statistic(cell) && !f->has_numbers) column.machine_only = 1;
        else if (cell == CELL_STRING && !f->has_texts) column.machine_only = 1;
        else if (cell == CELL_STRIDES && !f->has_layouts) column.machine_only = 1;
        else if (cell == CELL_ITEM && !f->has_items) column.machine_only = 1;
        else if (cell == CELL_INDEX && !f->has_indices) column.machine_only = 1;
        else if (cell == CELL_HANDLES && !f->has_handles) column.machine_only = 1;
        ets_table_add_column(f->table, &column);
    }
}

/* Columns that hold nothing for any row are not for people. */
static void survey(struct filler *f)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    ets_captured_values_init(&values, f->inspection, f->options->debug_buffer, &f->options->filter);
    f->has_numbers = f->options->debug_buffer.data != NULL;
    while (ets_captured_values_next(&values, &value)) {
        f->has_numbers = f->has_numbers || value.has_summary;
        f->has_texts = f->has_texts || value.text.data != NULL;
        f->has_items = f->has_items || value.item_count > 0;
        f->has_indices = f->has_indices || value.index > 0;
        f->has_handles =
            f->has_handles || (value.row != ETS_NO_INDEX &&
                               ets_inspection_row(f->inspection, value.row)->handle_count > 0);
        f->has_layouts =
            f->has_layouts || (value.has_tensor && !ets_tensor_is_contiguous(&value.tensor));
    }
}

/* A list of numbers; `doubles` where they are no integers. */
static void put_numbers(struct filler *f, const int64_t *integers, const double *doubles,
                        size_t count)
{
    struct ets_text *texts = ets_arena_alloc_array(&f->arena, count, sizeof *texts);
    char *room = ets_arena_alloc_array(&f->arena, count, ETS_NUMBER_CHARS);
    if (texts == NULL || room == NULL) {
        f->table->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char *text = room + i * ETS_NUMBER_CHARS;
        if (doubles == NULL) {
            texts[i].size = ets_print_text(text, ETS_NUMBER_CHARS, "%lld", (long long)integers[i]);
        } else {
            texts[i].size = ets_print_double(text, doubles[i]);
        }
        texts[i].data = text;
    }
    ets_table_put_list(f->table, texts, count);
}

static void put_finite(const struct filler *f, double value)
{
    if (isfinite(value)) ets_table_put_real(f->table, value);
    else ets_table_put_nothing(f->table);
}

static void put_statistic(struct filler *f, enum cell cell, const struct ets_summary *summary)
{
    char text[24];
    if (summary == NULL) {
        ets_table_put_nothing(f->table);
        return;
    }
    switch (cell) {
    case CELL_MIN: put_finite(f, summary->min); break;
    case CELL_MAX: put_finite(f, summary->max); break;
    case CELL_MEAN: put_finite(f, ets_summary_mean(summary)); break;
    case CELL_STD: put_finite(f, ets_summary_std(summary)); break;
    case CELL_L2: put_finite(f, ets_summary_l2(summary)); break;
    case CELL_NAN: ets_table_put_integer(f->table, (int64_t)summary->nan_count); break;
    case CELL_INFINITE: ets_table_put_integer(f->table, (int64_t)summary->infinite_count); break;
    case CELL_ZEROS: ets_table_put_integer(f->table, (int64_t)summary->zero_count); break;
    case CELL_FIRST: put_numbers(f, NULL, summary->first, summary->first_count); break;
    default:
        for (int i = 0; i < 16; i++)
            text[i] = "0123456789abcdef"[summary->hash >> (60 - 4 * i) & 15];
        ets_table_put_text(f->table, (struct ets_text){text, 16});
    }
}

/* All numbers in logical order; none where there are no bytes. */
static void put_values(struct filler *f, const struct line *line)
{
    const struct ets_tensor *tensor = &line->value->tensor;
    const int type = (int)tensor->scalar_type;
    struct ets_elements elements;
    if (line->value->status != ETS_OK || ets_elements_init(&elements, tensor, NULL) != ETS_OK) {
        ets_table_put_nothing(f->table);
        return;
    }
    const size_t count = (size_t)(elements.remaining * elements.component_count);
    double *numbers = ets_arena_alloc_array(&f->arena, count, sizeof *numbers);
    int64_t *integers =
        type == ETS_SCALAR_LONG ? ets_arena_alloc_array(&f->arena, count, sizeof *integers) : NULL;
    if (numbers == NULL || (type == ETS_SCALAR_LONG && integers == NULL)) {
        f->table->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) (void)ets_elements_next(&elements, &numbers[i]);
    if (integers != NULL) ets_tensor_gather(tensor, 0, count, integers);
    put_numbers(f, integers, integers != NULL ? NULL : numbers, count);
}

static void put_tensor(struct filler *f, enum cell cell, const struct ets_captured_value *value)
{
    const struct ets_tensor *tensor = &value->tensor;
    if (!value->has_tensor) {
        ets_table_put_nothing(f->table);
        return;
    }
    const uint64_t count = ets_tensor_count(tensor);
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    switch (cell) {
    case CELL_DTYPE:
        ets_table_put_string(f->table, ets_scalar_type_name(tensor->scalar_type));
        break;
    case CELL_SHAPE: put_numbers(f, tensor->sizes, NULL, tensor->rank); break;
    case CELL_STRIDES: put_numbers(f, tensor->strides, NULL, tensor->rank); break;
    default:
        if (element_bytes == 0 || count > INT64_MAX / element_bytes)
            ets_table_put_nothing(f->table);
        else ets_table_put_integer(f->table, (int64_t)(count * element_bytes));
    }
}

static const char *kind_name(int32_t type)
{
    static const char *const names[] = {"null",   "int",    "bool",        "float",
                                        "double", "tensor", "tensor_list", "string"};
    const bool is_known = type >= 0 && type < (int32_t)(sizeof names / sizeof *names);
    return is_known ? names[type] : "unknown";
}

/* Why there are no numbers. */
static const char *status_name(const struct line *line)
{
    if (line->value->has_summary) return "reduced";
    if (line->summary != NULL) return "ok";
    switch (line->value->status) {
    case ETS_NOT_FOUND: return line->value->offset < 0 ? "unrecorded" : "no_buffer";
    case ETS_TRUNCATED: return "outside";
    case ETS_OK:
    case ETS_UNSUPPORTED: return "no_numbers";
    default: return "malformed";
    }
}

static void put_operator(const struct filler *f, const struct line *line)
{
    char text[256];
    struct ets_text name = ets_captured_value_operator(f->inspection, line->value);
    const char *backend = line->row == NULL ? NULL : line->row->backend;
    if (backend != NULL && ets_text_is(name, "DELEGATE_CALL")) {
        name =
            (struct ets_text){text, ets_print_text(text, sizeof text, "DELEGATE_CALL %s", backend)};
    }
    if (name.size > 0) ets_table_put_text(f->table, name);
    else ets_table_put_nothing(f->table);
}

static void put_place(struct filler *f, enum cell cell, const struct line *line)
{
    const struct ets_captured_value *value = line->value;
    const uint32_t run = value->run;
    const uint32_t index = ets_inspection_run(f->inspection, run)->block;
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    switch (cell) {
    case CELL_BLOCK: ets_table_put_text(f->table, block->name); break;
    case CELL_BLOCK_INDEX: ets_table_put_integer(f->table, index); break;
    case CELL_METHOD: ets_table_put_string(f->table, block->method); break;
    case CELL_RUN: ets_table_put_integer(f->table, run); break;
    case CELL_EVENT:
        if (value->event != ETS_NO_INDEX) ets_table_put_integer(f->table, value->event);
        else ets_table_put_nothing(f->table);
        break;
    default:
        if (value->chain < 0) ets_table_put_nothing(f->table);
        else if (cell == CELL_CHAIN) ets_table_put_integer(f->table, value->chain);
        else ets_table_put_integer(f->table, value->instruction);
    }
}

static void put_cell(struct filler *f, enum cell cell, const struct line *line)
{
    const struct ets_captured_value *value = line->value;
    if (is_statistic(cell)) {
        put_statistic(f, cell, line->summary);
        return;
    }
    switch (cell) {
    case CELL_OPERATOR: put_operator(f, line); break;
    case CELL_BACKEND:
        ets_table_put_string(f->table, line->row == NULL ? NULL : line->row->backend);
        break;
    case CELL_OUTPUT: ets_table_put_integer(f->table, value->is_output != 0); break;
    case CELL_INDEX: ets_table_put_integer(f->table, value->index); break;
    case CELL_ITEM:
        if (value->item_count > 0) ets_table_put_integer(f->table, value->item);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_KIND: ets_table_put_string(f->table, kind_name(value->type)); break;
    case CELL_OFFSET:
        if (value->offset >= 0) ets_table_put_integer(f->table, value->offset);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_STATUS: ets_table_put_string(f->table, status_name(line)); break;
    case CELL_STRING:
        if (value->text.data != NULL) ets_table_put_text(f->table, value->text);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_SOURCE: ets_table_put_list(f->table, line->sources.items, line->sources.count); break;
    case CELL_MODULE: ets_table_put_list(f->table, line->modules.items, line->modules.count); break;
    case CELL_HANDLES:
        if (line->row == NULL) put_numbers(f, NULL, NULL, 0);
        else put_numbers(f, line->row->handles, NULL, line->row->handle_count);
        break;
    case CELL_VALUES: put_values(f, line); break;
    case CELL_DTYPE:
    case CELL_SHAPE:
    case CELL_STRIDES:
    case CELL_SIZE: put_tensor(f, cell, value); break;
    default: put_place(f, cell, line);
    }
}

static void add_heading(const struct filler *f, uint32_t run)
{
    char text[512];
    const struct ets_run *r = ets_inspection_run(f->inspection, run);
    const struct ets_block *block = ets_inspection_block(f->inspection, r->block);
    size_t used = ets_print_text(text, sizeof text, "%.*s", (int)r->name.size, r->name.data);
    if (block->method_state == ETS_METHOD_FOUND) {
        used += ets_print_text(text + used, sizeof text - used, " - method %s", block->method);
    }
    used += ets_print_text(text + used, sizeof text - used, " - run %u", run);
    if (r->bundled_input_index >= 0) {
        used += ets_print_text(text + used, sizeof text - used, ", test case %d",
                               r->bundled_input_index);
    }
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

static void count_gap(const struct ets_captured_value *value, struct ets_tensor_table_gaps *gaps)
{
    if (value->has_summary || value->text.data != NULL) return;
    if (value->status == ETS_NOT_FOUND) {
        if (value->offset < 0) gaps->unrecorded++;
        else gaps->without_buffer++;
        return;
    }
    if (value->status == ETS_TRUNCATED) {
        if (gaps->outside++ == 0) gaps->outside_reason = value->reason;
    } else if (gaps->unreadable++ == 0) {
        gaps->unreadable_reason = value->reason;
    }
}

static bool is_broken(const struct ets_summary *summary)
{
    return summary != NULL && (summary->nan_count > 0 || summary->infinite_count > 0);
}

static enum ets_status add_line(struct filler *f, struct ets_captured_value *value,
                                struct ets_tensor_table_gaps *gaps)
{
    struct ets_summary summary;
    struct line line = {.value = value, .summary = value->has_summary ? &value->summary : NULL};
    if (value->status == ETS_OK) {
        value->status = ets_summary_of_tensor(&value->tensor, FIRST_VALUES, &summary);
        if (value->status == ETS_OK) line.summary = &summary;
        else
            ets_set_error(&value->reason, value->status, ETS_NO_OFFSET,
                          "the elements of a %s tensor are no numbers",
                          ets_scalar_type_name(value->tensor.scalar_type));
    }
    if (value->status != ETS_OK) count_gap(value, gaps);
    if (value->row != ETS_NO_INDEX) {
        line.row = ets_inspection_row(f->inspection, value->row);
        if (!ets_operator_row_places(&f->arena, line.row, &line.sources, &line.modules)) {
            return ETS_NO_MEMORY;
        }
    }
    if (line.summary != NULL && line.summary->nan_count > 0 && gaps->with_nan++ == 0) {
        gaps->first_nan = value->event;
    }
    if (f->options->broken_only && !is_broken(line.summary)) return ETS_OK;
    if (value->run != f->run) add_heading(f, value->run);
    f->run = value->run;
    ets_table_add_row(f->table, 0);
    for (uint32_t i = 0; i < f->cell_count; i++) put_cell(f, f->cells[i], &line);
    ets_arena_reset(&f->arena);
    return ETS_OK;
}

enum ets_status ets_tensor_table_fill(struct ets_table *table,
                                      const struct ets_inspection *inspection,
                                      const struct ets_tensor_table_options *options,
                                      struct ets_tensor_table_gaps *gaps_out,
                                      struct ets_error *error)
{
    struct filler f = {
        .table = table, .inspection = inspection, .options = options, .run = ETS_NO_INDEX};
    struct ets_tensor_table_gaps gaps = {.first_nan = ETS_NO_INDEX};
    struct ets_captured_values values;
    struct ets_captured_value value;
    ETS_TRY(choose_columns(&f, options->columns, error));
    ets_arena_init(&f.arena, NULL, 0);
    survey(&f);
    add_columns(&f);
    enum ets_status status = ETS_OK;
    ets_captured_values_init(&values, inspection, options->debug_buffer, &options->filter);
    while (status == ETS_OK && ets_captured_values_next(&values, &value)) {
        status = add_line(&f, &value, &gaps);
    }
    ets_arena_reset(&f.arena);
    if (status != ETS_OK) {
        return ets_fail(error, status, ETS_NO_OFFSET, "no memory for the table");
    }
    if (gaps_out != NULL) *gaps_out = gaps;
    return ETS_OK;
}
