/* The table of captured values: one row for each tensor, with its statistics. */
#include "output/table/tensor_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/numerics.h"
#include "host/text_builder.h"
#include "views/captured_statistics.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_captured_value *value;
    const struct ets_captured_line *shown;
    const struct ets_tensor_statistics *statistics; /* NULL: there are no numbers */
    struct ets_arena *arena;
    bool *no_memory;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_integer(const struct line *line, int64_t value, bool is_there)
{
    if (is_there) ets_table_put_integer(line->table, value);
    else ets_table_put_nothing(line->table);
}

static void put_finite(const struct line *line, double value)
{
    if (isfinite(value)) ets_table_put_real(line->table, value);
    else ets_table_put_nothing(line->table);
}

static void put_text(const struct line *line, struct ets_text text)
{
    if (text.size > 0) ets_table_put_text(line->table, text);
    else ets_table_put_nothing(line->table);
}

static const struct ets_block *block_of(const struct line *line)
{
    return ets_inspection_block(line->inspection, line->shown->block);
}

static void put_block(const struct line *line)
{
    ets_table_put_text(line->table, block_of(line)->name);
}

static void put_block_index(const struct line *line)
{
    ets_table_put_integer(line->table, line->shown->block);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, block_of(line)->method);
}

static void put_run(const struct line *line)
{
    ets_table_put_integer(line->table, line->value->run);
}

static void put_event(const struct line *line)
{
    put_integer(line, line->value->event, line->value->event != ETS_NO_INDEX);
}

static void put_chain(const struct line *line)
{
    put_integer(line, line->value->chain, line->value->chain >= 0);
}

static void put_instruction(const struct line *line)
{
    put_integer(line, line->value->instruction, line->value->chain >= 0);
}

static void put_operator(const struct line *line)
{
    char room[256];
    struct ets_text_builder text = {room, sizeof room, 0};
    const struct ets_text name = ets_captured_value_operator(line->inspection, line->value);
    const char *backend = line->shown->row == NULL ? NULL : line->shown->row->backend;
    if (backend != NULL && ets_text_is(name, "DELEGATE_CALL")) {
        ets_add_text(&text, "DELEGATE_CALL %s", backend);
        put_text(line, ets_built_text(&text));
    } else {
        put_text(line, name);
    }
}

static void put_backend(const struct line *line)
{
    ets_table_put_string(line->table, line->shown->row == NULL ? NULL : line->shown->row->backend);
}

static void put_output(const struct line *line)
{
    ets_table_put_integer(line->table, line->value->is_output != 0);
}

static void put_index(const struct line *line)
{
    ets_table_put_integer(line->table, line->value->index);
}

static void put_item(const struct line *line)
{
    put_integer(line, line->value->item, line->value->item_count > 0);
}

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, ets_captured_kind_name(line->value->type));
}

static void put_dtype(const struct line *line)
{
    const struct ets_captured_value *value = line->value;
    ets_table_put_string(
        line->table, value->has_tensor ? ets_scalar_type_name(value->tensor.scalar_type) : NULL);
}

static void put_shape(const struct line *line)
{
    const struct ets_tensor *tensor = &line->value->tensor;
    if (line->value->has_tensor) ets_table_put_integers(line->table, tensor->sizes, tensor->rank);
    else ets_table_put_nothing(line->table);
}

static void put_strides(const struct line *line)
{
    const struct ets_tensor *tensor = &line->value->tensor;
    if (line->value->has_tensor) ets_table_put_integers(line->table, tensor->strides, tensor->rank);
    else ets_table_put_nothing(line->table);
}

static void put_offset(const struct line *line)
{
    put_integer(line, line->value->offset, line->value->offset >= 0);
}

static void put_size(const struct line *line)
{
    const int64_t bytes = ets_captured_bytes(line->value);
    put_integer(line, bytes, bytes >= 0);
}

static void put_status(const struct line *line)
{
    ets_table_put_string(line->table, ets_numbers_state_name(line->shown->numbers.state));
}

static void put_min(const struct line *line)
{
    put_finite(line, line->statistics == NULL ? NAN : line->statistics->min);
}

static void put_max(const struct line *line)
{
    put_finite(line, line->statistics == NULL ? NAN : line->statistics->max);
}

static void put_mean(const struct line *line)
{
    put_finite(line, line->statistics == NULL ? NAN : ets_tensor_statistics_mean(line->statistics));
}

static void put_std(const struct line *line)
{
    put_finite(line, line->statistics == NULL ? NAN : ets_tensor_statistics_std(line->statistics));
}

static void put_l2(const struct line *line)
{
    put_finite(line, line->statistics == NULL ? NAN : ets_tensor_statistics_l2(line->statistics));
}

static void put_nan(const struct line *line)
{
    const struct ets_tensor_statistics *statistics = line->statistics;
    put_integer(line, statistics == NULL ? 0 : (int64_t)statistics->nan_count, statistics != NULL);
}

static void put_inf(const struct line *line)
{
    const struct ets_tensor_statistics *statistics = line->statistics;
    put_integer(line, statistics == NULL ? 0 : (int64_t)statistics->infinite_count,
                statistics != NULL);
}

static void put_zeros(const struct line *line)
{
    const struct ets_tensor_statistics *statistics = line->statistics;
    put_integer(line, statistics == NULL ? 0 : (int64_t)statistics->zero_count, statistics != NULL);
}

static void put_first_values(const struct line *line)
{
    if (line->statistics == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_reals(line->table, line->statistics->first, line->statistics->first_count);
}

static void put_hash(const struct line *line)
{
    char text[ETS_HASH_CHARS];
    if (line->statistics == NULL) {
        ets_table_put_nothing(line->table);
        return;
    }
    ets_hash_print(line->statistics->hash, text);
    ets_table_put_text(line->table, (struct ets_text){text, sizeof text});
}

static void put_text_value(const struct line *line)
{
    ets_table_put_text(line->table, line->value->text);
}

static void put_source(const struct line *line)
{
    ets_table_put_list(line->table, line->shown->sources.items, line->shown->sources.count);
}

static void put_module(const struct line *line)
{
    ets_table_put_list(line->table, line->shown->modules.items, line->shown->modules.count);
}

static void put_handles(const struct line *line)
{
    const struct ets_row *row = line->shown->row;
    ets_table_put_integers(line->table, row == NULL ? NULL : row->handles,
                           row == NULL ? 0 : row->handle_count);
}

/* All numbers in logical order; none where there are no bytes. */
static void put_values(const struct line *line)
{
    const struct ets_tensor *tensor = &line->value->tensor;
    struct ets_elements elements;
    if (line->shown->numbers.state != ETS_NUMBERS_OK ||
        ets_elements_init(&elements, tensor, NULL) != ETS_OK) {
        ets_table_put_nothing(line->table);
        return;
    }
    const size_t count = (size_t)(elements.remaining * elements.component_count);
    if ((int)tensor->scalar_type == ETS_SCALAR_LONG) {
        int64_t *integers = ets_arena_alloc_array(line->arena, count, sizeof *integers);
        *line->no_memory |= integers == NULL;
        if (integers == NULL) return;
        ets_tensor_gather(tensor, 0, count, integers);
        ets_table_put_integers(line->table, integers, count);
        return;
    }
    double *numbers = ets_arena_alloc_array(line->arena, count, sizeof *numbers);
    *line->no_memory |= numbers == NULL;
    if (numbers == NULL) return;
    for (size_t i = 0; i < count; i++) (void)ets_elements_next(&elements, &numbers[i]);
    ets_table_put_reals(line->table, numbers, count);
}

static const struct field fields[] = {
    {{.name = "block", .machine_only = 1}, put_block},
    {{.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_block_index},
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "run", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_run},
    {{.name = "event", .kind = ETS_COLUMN_INTEGER}, put_event},
    {{.name = "chain", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_chain},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .priority = 4},
     put_instruction},
    {{.name = "operator", .least_width = 24, .cut_in_middle = 1}, put_operator},
    {{.name = "backend", .machine_only = 1}, put_backend},
    {{.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_output},
    {{.name = "index", .kind = ETS_COLUMN_INTEGER, .priority = 11}, put_index},
    {{.name = "item", .kind = ETS_COLUMN_INTEGER, .priority = 3}, put_item},
    {{.name = "kind", .machine_only = 1}, put_kind},
    {{.name = "dtype", .priority = 2}, put_dtype},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS, .least_width = 14}, put_shape},
    {{.name = "strides", .kind = ETS_COLUMN_NUMBERS, .priority = 10}, put_strides},
    {{.name = "offset", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_offset},
    {{.name = "size", .kind = ETS_COLUMN_BYTES, .priority = 7}, put_size},
    {{.name = "status", .machine_only = 1}, put_status},
    {{.name = "min", .kind = ETS_COLUMN_REAL}, put_min},
    {{.name = "max", .kind = ETS_COLUMN_REAL}, put_max},
    {{.name = "mean", .kind = ETS_COLUMN_REAL, .priority = 1}, put_mean},
    {{.name = "std", .kind = ETS_COLUMN_REAL, .priority = 5}, put_std},
    {{.name = "l2", .kind = ETS_COLUMN_REAL, .machine_only = 1}, put_l2},
    {{.name = "nan", .kind = ETS_COLUMN_INTEGER}, put_nan},
    {{.name = "inf", .kind = ETS_COLUMN_INTEGER}, put_inf},
    {{.name = "zeros", .kind = ETS_COLUMN_INTEGER, .priority = 6}, put_zeros},
    {{.name = "first_values", .kind = ETS_COLUMN_NUMBERS, .machine_only = 1}, put_first_values},
    {{.name = "hash", .priority = 9}, put_hash},
    {{.name = "text", .priority = 3, .least_width = 12}, put_text_value},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .priority = 8,
      .least_width = 14,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_source},
    {{.name = "module",
      .kind = ETS_COLUMN_LIST,
      .machine_only = 1,
      .least_width = 10,
      .first_of_list = 1},
     put_module},
    {{.name = "debug_handles",
      .title = "handles",
      .kind = ETS_COLUMN_NUMBERS,
      .priority = 9,
      .least_width = 7,
      .first_of_list = 1},
     put_handles},
    {{.name = "values", .kind = ETS_COLUMN_NUMBERS, .machine_only = 1}, put_values},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* The columns that are shown, in their order. */
struct choice {
    const struct field *fields[FIELDS];
    size_t count;
};

static const struct field *find_field(struct ets_text name)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (ets_text_is(name, fields[i].column.name)) return &fields[i];
    }
    return NULL;
}

/* All but `values`, which is asked for. */
static void choose_all(const struct ets_tensor_table_options *options, struct choice *choice)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].put == put_values && !options->values) continue;
        choice->fields[choice->count++] = &fields[i];
    }
}

/* Those of the comma-separated names of `wanted`. */
static enum ets_status choose_named(struct ets_table *table, const char *wanted,
                                    struct choice *choice, struct ets_error *error)
{
    while (*wanted != '\0') {
        const struct ets_text name = {wanted, strcspn(wanted, ",")};
        const struct field *field = find_field(name);
        if (field == NULL) {
            ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "there is no column \"%.*s\"",
                            (int)name.size, name.data);
        }
        if (choice->count == FIELDS) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "too many columns");
        }
        choice->fields[choice->count++] = field;
        wanted += name.size + (wanted[name.size] == ',');
    }
    return ETS_OK;
}

/* Whether no row has anything in a column. */
static bool is_empty(const struct field *field, const struct ets_captured_contents *has)
{
    static void (*const of_numbers[])(const struct line *) = {
        put_min, put_max, put_mean,  put_std,          put_l2,
        put_nan, put_inf, put_zeros, put_first_values, put_hash};
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++) {
        if (field->put == of_numbers[i]) return !has->has_numbers;
    }
    if (field->put == put_text_value) return !has->has_texts;
    if (field->put == put_strides) return !has->has_layouts;
    if (field->put == put_item) return !has->has_items;
    if (field->put == put_index) return !has->has_indices;
    return field->put == put_handles && !has->has_handles;
}

static void add_columns(struct ets_table *table, const struct ets_inspection *inspection,
                        const struct ets_tensor_table_options *options, const struct choice *choice)
{
    const struct ets_captured_contents has =
        ets_captured_survey(inspection, options->debug_buffer, &options->filter);
    for (size_t i = 0; i < choice->count; i++) {
        struct ets_column column = choice->fields[i]->column;
        if (options->columns != NULL) {
            column.machine_only = column.priority = 0;
            column.keep_empty = 1;
        } else if (is_empty(choice->fields[i], &has)) {
            column.machine_only = 1;
        }
        ets_table_add_column(table, &column);
    }
}

static void add_heading(struct ets_table *table, const struct ets_inspection *inspection,
                        uint32_t run)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    const struct ets_run *r = ets_inspection_run(inspection, run);
    const struct ets_block *block = ets_inspection_block(inspection, r->block);
    ets_add_text(&text, "%.*s", ETS_TEXT(r->name));
    if (block->method_state == ETS_METHOD_FOUND) ets_add_text(&text, " - method %s", block->method);
    ets_add_text(&text, " - run %u", run);
    if (r->bundled_input_index >= 0) {
        ets_add_text(&text, ", test case %d", (int)r->bundled_input_index);
    }
    ets_table_add_section(table, ets_built_text(&text));
}

/* What a line has no numbers for, and NaN. */
static void count_gap(const struct ets_captured_line *line, struct ets_tensor_table_gaps *gaps)
{
    const struct ets_tensor_numbers *numbers = &line->numbers;
    if (numbers->is_known) {
        if (numbers->statistics.nan_count > 0 && gaps->with_nan++ == 0) {
            gaps->first_nan = line->value.event;
        }
        return;
    }
    if (line->value.text.data != NULL) return;
    if (numbers->state == ETS_NUMBERS_UNRECORDED) gaps->unrecorded++;
    else if (numbers->state == ETS_NUMBERS_NO_BUFFER) gaps->without_buffer++;
    else if (numbers->state == ETS_NUMBERS_OUTSIDE) {
        if (gaps->outside++ == 0) gaps->outside_reason = numbers->reason;
    } else if (gaps->unreadable++ == 0) {
        gaps->unreadable_reason = numbers->reason;
    }
}

static bool is_broken(const struct ets_tensor_numbers *numbers)
{
    return numbers->is_known &&
           (numbers->statistics.nan_count > 0 || numbers->statistics.infinite_count > 0);
}

/* Returns false if memory runs out. */
static bool put_line(const struct choice *choice, struct line line,
                     const struct ets_captured_line *shown)
{
    bool no_memory = false;
    line.value = &shown->value;
    line.shown = shown;
    line.statistics = shown->numbers.is_known ? &shown->numbers.statistics : NULL;
    line.no_memory = &no_memory;
    ets_table_add_row(line.table, 0);
    for (size_t i = 0; i < choice->count; i++) choice->fields[i]->put(&line);
    return !no_memory;
}

/* Returns false if memory runs out. */
static bool put_lines(const struct choice *choice, const struct ets_tensor_table_options *options,
                      struct line line, struct ets_tensor_table_gaps *gaps)
{
    struct ets_captured_statistics numbers;
    struct ets_captured_line shown;
    uint32_t run = ETS_NO_INDEX; /* whose heading stands */
    uint32_t shown_count = 0;    /* of that run */
    bool ok = true;
    ets_captured_statistics_init(&numbers, line.inspection, options->debug_buffer,
                                 &options->filter);
    while (ok && ets_captured_statistics_next(&numbers, line.arena, &shown)) {
        count_gap(&shown, gaps);
        if (!options->broken_only || is_broken(&shown.numbers)) {
            if (shown.value.run != run) {
                add_heading(line.table, line.inspection, shown.value.run);
                shown_count = 0;
            }
            run = shown.value.run;
            if (options->top == 0 || shown_count++ < options->top) {
                ok = put_line(choice, line, &shown);
            }
        }
        ets_arena_reset(line.arena);
    }
    return ok && !numbers.no_memory;
}

enum ets_status ets_tensor_table_fill(struct ets_table *table,
                                      const struct ets_inspection *inspection,
                                      const struct ets_tensor_table_options *options,
                                      struct ets_tensor_table_gaps *gaps_out,
                                      struct ets_error *error)
{
    struct choice choice = {.count = 0};
    struct ets_tensor_table_gaps gaps = {.first_nan = ETS_NO_INDEX};
    struct ets_arena arena; /* of one row's texts */
    if (options->columns == NULL) choose_all(options, &choice);
    else ETS_TRY(choose_named(table, options->columns, &choice, error));
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    add_columns(table, inspection, options, &choice);
    const bool ok =
        put_lines(&choice, options,
                  (struct line){.table = table, .inspection = inspection, .arena = &arena}, &gaps);
    ets_arena_reset(&arena);
    if (!ok) return ets_fail_memory(error, "the table of captured values");
    if (gaps_out != NULL) *gaps_out = gaps;
    return ETS_OK;
}
