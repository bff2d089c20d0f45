/* What differs between two programs as a table: a section for each method, a row for each thing. */
#include "output/table/program_difference_table.h"

#include <math.h>
#include <string.h>

#include "output/table/program_thing_text.h"

enum { ROOM = 1024, MOST_USES = 32, MOST_SAMPLES = ETS_PROGRAM_MOST_SAMPLES };

/* What the cells of a line are of. */
struct line {
    struct ets_table *table;
    const struct ets_program_changes *view;
    const struct ets_program_change_line *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_text(const struct line *line, const struct ets_text_builder *text)
{
    if (text->used == 0) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, ets_built_text(text));
}

static void put_method(const struct line *line)
{
    const struct ets_method *methods = line->of->methods;
    const struct ets_method *method = methods[0].program != NULL ? &methods[0] : &methods[1];
    if (method->program == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, method->name);
}

static void put_part(const struct line *line)
{
    ets_table_put_string(line->table, ets_program_part_name(line->of->change->part));
}

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, ets_program_change_name(line->of->change->kind));
}

static void put_name(const struct line *line)
{
    char room[ROOM];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_program_thing(&text, line->view, line->of);
    put_text(line, &text);
}

static void put_fields(const struct line *line)
{
    struct ets_text names[ETS_FIELD_COUNT];
    size_t count = 0;
    for (int i = 0; i < ETS_FIELD_COUNT; i++) {
        if ((line->of->change->fields & ets_field_bit((enum ets_program_field)i)) == 0) continue;
        const char *name = ets_program_field_name((enum ets_program_field)i);
        names[count++] = (struct ets_text){name, strlen(name)};
    }
    ets_table_put_list(line->table, names, count);
}

static void put_side(const struct line *line, int side)
{
    char room[ROOM];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_program_side(&text, line->view, line->of, side);
    put_text(line, &text);
}

static void put_before(const struct line *line)
{
    put_side(line, 0);
}

static void put_after(const struct line *line)
{
    put_side(line, 1);
}

static void put_number(const struct line *line, int side, uint64_t number)
{
    if (line->of->change->index[side] == ETS_THING_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)number);
}

static void put_index_before(const struct line *line)
{
    put_number(line, 0, line->of->change->index[0]);
}

static void put_index_after(const struct line *line)
{
    put_number(line, 1, line->of->change->index[1]);
}

static void put_bytes(const struct line *line, int side)
{
    const struct ets_program_change *change = line->of->change;
    if (change->holder != NULL) ets_table_put_integer(line->table, (int64_t)change->bytes[side]);
    else put_number(line, side, change->bytes[side]);
}

static void put_bytes_before(const struct line *line)
{
    put_bytes(line, 0);
}

static void put_bytes_after(const struct line *line)
{
    put_bytes(line, 1);
}

static void put_bytes_change(const struct line *line)
{
    const uint64_t *bytes = line->of->change->bytes;
    if (bytes[0] == bytes[1]) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)(bytes[1] - bytes[0]));
}

static void put_hash(const struct line *line, int side)
{
    char room[20];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_text(&text, "%016llx", (unsigned long long)line->of->hashes[side]);
    ets_table_put_string(line->table, line->of->has_hash[side] ? room : NULL);
}

static void put_hash_before(const struct line *line)
{
    put_hash(line, 0);
}

static void put_hash_after(const struct line *line)
{
    put_hash(line, 1);
}

static void put_element_count(const struct line *line)
{
    if (!line->of->has_numbers) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)line->of->numbers.count);
}

static void put_unequal_count(const struct line *line)
{
    if (!line->of->has_numbers) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)line->of->numbers.unequal_count);
}

static void put_max_change(const struct line *line)
{
    ets_table_put_known(line->table, line->of->has_numbers ? line->of->numbers.max_error : NAN);
}

static void put_mean_change(const struct line *line)
{
    const struct ets_comparison *numbers = &line->of->numbers;
    const bool is_known = line->of->has_numbers && numbers->unequal_count > numbers->broken_count;
    ets_table_put_known(line->table,
                        is_known ? numbers->error_absolute_sum /
                                       (double)(numbers->unequal_count - numbers->broken_count)
                                 : NAN);
}

/* "[0, 3]: 0.5 -> 0.25" */
static void add_sample(struct ets_text_builder *text, const struct ets_program_changes *view,
                       const struct ets_program_change_line *line,
                       const struct ets_element_change *sample)
{
    struct ets_tensor tensor;
    int64_t at[ETS_TENSOR_MAX_RANK];
    uint64_t rest = sample->index;
    if (!ets_program_change_tensor(view->difference, line, 0, &tensor)) return;
    for (uint32_t i = tensor.rank; i-- > 0;) {
        const uint64_t size = tensor.sizes[i] > 0 ? (uint64_t)tensor.sizes[i] : 1;
        at[i] = (int64_t)(rest % size);
        rest /= size;
    }
    ets_add_text(text, "[");
    for (uint32_t i = 0; i < tensor.rank; i++) {
        ets_add_text(text, "%s%lld", i > 0 ? ", " : "", (long long)at[i]);
    }
    ets_add_text(text, "]: %.9g -> %.9g", sample->before, sample->after);
}

static void put_samples(const struct line *line)
{
    char rooms[MOST_SAMPLES][256];
    struct ets_text samples[MOST_SAMPLES];
    uint32_t count = 0;
    for (; count < line->of->sample_count && count < MOST_SAMPLES; count++) {
        struct ets_text_builder text = {rooms[count], sizeof rooms[count], 0};
        add_sample(&text, line->view, line->of, &line->of->samples[count]);
        samples[count] = ets_built_text(&text);
    }
    ets_table_put_list(line->table, samples, count);
}

static void put_uses(const struct line *line)
{
    char rooms[MOST_USES][160];
    struct ets_text uses[MOST_USES];
    const int side = line->of->use_counts[0] > 0 ? 0 : 1;
    uint32_t count = 0;
    for (; count < line->of->use_counts[side] && count < MOST_USES; count++) {
        struct ets_text_builder text = {rooms[count], sizeof rooms[count], 0};
        ets_add_value_use(&text, &line->of->methods[side], &line->of->uses[side][count]);
        uses[count] = ets_built_text(&text);
    }
    ets_table_put_list(line->table, uses, count);
}

static void put_source(const struct line *line)
{
    const struct ets_graph_node *node = line->of->node;
    const struct ets_graph_frame *frame = node == NULL ? NULL : ets_graph_user_frame(node);
    if (frame == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, frame->place);
}

static void put_module(const struct line *line)
{
    const struct ets_graph_node *node = line->of->node;
    const struct ets_text path =
        node == NULL ? (struct ets_text){NULL, 0} : ets_graph_module_path(node);
    if (path.size == 0) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, path);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "part"}, put_part},
    {{.name = "change"}, put_kind},
    {{.name = "name", .least_width = 16, .cut_in_middle = 1}, put_name},
    {{.name = "fields", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_fields},
    {{.name = "before", .least_width = 12}, put_before},
    {{.name = "after", .least_width = 12}, put_after},
    {{.name = "before_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_index_before},
    {{.name = "after_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_index_after},
    {{.name = "before_bytes", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_bytes_before},
    {{.name = "after_bytes", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_bytes_after},
    {{.name = "change_bytes",
      .title = "bytes",
      .kind = ETS_COLUMN_INTEGER,
      .is_signed = 1,
      .priority = 1},
     put_bytes_change},
    {{.name = "before_hash", .machine_only = 1}, put_hash_before},
    {{.name = "after_hash", .machine_only = 1}, put_hash_after},
    {{.name = "elements", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_element_count},
    {{.name = "differing", .kind = ETS_COLUMN_INTEGER, .priority = 2}, put_unequal_count},
    {{.name = "max_abs_difference",
      .title = "max diff",
      .kind = ETS_COLUMN_REAL,
      .digits = 3,
      .priority = 2},
     put_max_change},
    {{.name = "mean_abs_difference", .kind = ETS_COLUMN_REAL, .machine_only = 1}, put_mean_change},
    {{.name = "used_by", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_uses},
    {{.name = "module", .priority = 4}, put_module},
    {{.name = "source", .priority = 3, .least_width = 10, .cut_at_start = 1}, put_source},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* The last column, where samples are wanted. */
static const struct ets_column sample_column = {.name = "samples",
                                                .title = "first differences",
                                                .kind = ETS_COLUMN_LIST,
                                                .wraps = 1,
                                                .least_width = 20};

static void put_line(struct ets_table *table, const struct ets_program_changes *view,
                     const struct ets_program_change_line *of)
{
    const struct line line = {table, view, of};
    ets_table_add_row(table, 0);
    for (size_t i = 0; i < FIELD_COUNT; i++) fields[i].put(&line);
    if (view->has_samples) put_samples(&line);
}

/* "method forward: 7 differences, instructions matched by debug handle" */
static void put_heading(struct ets_table *table, const struct ets_program_changes *view,
                        const struct ets_program_change_line *first, uint32_t count)
{
    char room[256];
    struct ets_text_builder text = {room, sizeof room, 0};
    const uint32_t index = first->change->method;
    if (index == ETS_THING_NONE) {
        ets_add_plain_text(&text, "%s: %u difference%s",
                           ets_change_is_of_cases(first->change) ? "test cases" : "program", count,
                           count == 1 ? "" : "s");
    } else {
        const struct ets_method *methods = first->methods;
        const struct ets_method *method = methods[0].program != NULL ? &methods[0] : &methods[1];
        ets_add_plain_text(&text, "method %.*s: %u difference%s%s", ETS_TEXT(method->name), count,
                           count == 1 ? "" : "s",
                           view->difference->methods[index].by_handles
                               ? ", instructions matched by debug handle"
                               : "");
    }
    ets_table_add_section(table, ets_built_text(&text));
}

/* Rows from `start` on that have its part; at most `top` are put, and `left` says how many are not.
 * Returns how many there are. */
static uint32_t put_rows(struct ets_table *table, const struct ets_program_changes *view,
                         uint32_t start, uint32_t end, uint32_t top, struct ets_text_builder *left)
{
    const struct ets_program_change *first = view->lines[start].change;
    uint32_t count = 0;
    while (start + count < end && view->lines[start + count].change->part == first->part) {
        if (top == 0 || count < top) put_line(table, view, &view->lines[start + count]);
        count++;
    }
    if (top > 0 && count > top) {
        ets_add_text(left, "%s%u %s%s", left->used == 0 ? "not shown: " : ", ", count - top,
                     ets_program_part_name(first->part),
                     first->part == ETS_PART_NAMED_DATA || count - top == 1 ? "" : "s");
    }
    return count;
}

/* The lines from `start` on that are of one method, the program, or test cases; returns their end.
 */
static uint32_t put_method_lines(struct ets_table *table, const struct ets_program_changes *view,
                                 uint32_t start, uint32_t top)
{
    char room[512];
    struct ets_text_builder left = {room, sizeof room, 0};
    uint32_t end = start;
    while (end < view->line_count &&
           view->lines[end].change->method == view->lines[start].change->method &&
           ets_change_is_of_cases(view->lines[end].change) ==
               ets_change_is_of_cases(view->lines[start].change)) {
        end++;
    }
    put_heading(table, view, &view->lines[start], end - start);
    while (start < end) start += put_rows(table, view, start, end, top, &left);
    if (left.used > 0) ets_table_add_note(table, ets_built_text(&left));
    return end;
}

void ets_program_difference_table_fill(struct ets_table *table,
                                       const struct ets_program_changes *view,
                                       const struct ets_program_difference_table_options *options)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELD_COUNT, 1);
    if (view->has_samples) ets_table_add_column(table, &sample_column);
    ets_table_add_section(table, (struct ets_text){view->headline, strlen(view->headline)});
    for (uint32_t i = 0; !options->is_brief && i < view->line_count;) {
        i = put_method_lines(table, view, i, options->top);
    }
}
