/* The table of planned memory: tensors with place, size and lifetime. */
#include "output/table/memory_table.h"

#include <inttypes.h>

#include "host/text_builder.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_memory_lines *lines;
    const struct ets_memory_line *of;
    struct ets_evalue value;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_step(const struct line *line, uint32_t step)
{
    if (step == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, step);
}

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table, line->lines->plan->method.name);
}

static void put_value(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->tensor->value);
}

static void put_name(const struct line *line)
{
    ets_table_put_text(line->table, line->value.tensor.qualified_name);
}

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, ets_plan_kind_name(line->of->tensor->kind));
}

static void put_bytes(const struct line *line)
{
    ets_table_put_count(line->table, line->of->tensor->bytes);
}

static void put_bytes_are(const struct line *line)
{
    ets_table_put_string(line->table, line->of->tensor->is_upper_bound ? "at most" : "exact");
}

/*
 * Of what is live at the peak, or at the step that was asked for. The bytes of a view count with
 * the tensor that it shows.
 */
static void put_share(const struct line *line)
{
    const uint64_t live = line->lines->plan->live[line->lines->step];
    const double share = live == 0 ? 0 : (double)line->of->tensor->bytes / (double)live;
    const bool counts = line->of->is_at_peak && line->of->tensor->base == ETS_PLAN_NONE;
    if (counts) ets_table_put_bounds(line->table, share, share);
    else ets_table_put_nothing(line->table);
}

static void put_memory(const struct line *line)
{
    const uint32_t arena = line->of->tensor->arena;
    if (arena == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)arena + 1);
}

static void put_offset(const struct line *line)
{
    if (line->of->tensor->arena == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_count(line->table, line->of->tensor->offset);
}

static void put_first(const struct line *line)
{
    put_step(line, line->of->tensor->first);
}

static void put_last(const struct line *line)
{
    put_step(line, line->of->tensor->last);
}

/* "0..4", "8..9" */
static void put_lifetime(const struct line *line)
{
    enum { MOST = 64, ROOM = 32 };
    char texts[MOST][ROOM];
    struct ets_text items[MOST];
    uint32_t count = 0;
    const struct ets_plan_tensor *tensor = line->of->tensor;
    for (; count < tensor->piece_count && count < MOST; count++) {
        const struct ets_plan_piece piece = tensor->pieces[count];
        struct ets_text_builder text = {texts[count], ROOM, 0};
        ets_add_text(&text, "%" PRIu32 "..%" PRIu32, piece.first, piece.last);
        items[count] = ets_built_text(&text);
    }
    ets_table_put_list(line->table, items, count);
}

static void put_lifetime_is(const struct line *line)
{
    ets_table_put_string(line->table, line->of->tensor->is_conditional ? "at most" : "exact");
}

static void put_producer(const struct line *line)
{
    put_step(line, line->of->tensor->producer);
}

/* Another tensor, by its value. */
static void put_tensor(const struct line *line, uint32_t tensor)
{
    if (tensor == ETS_PLAN_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->lines->plan->tensors[tensor].value);
}

static void put_base(const struct line *line)
{
    put_tensor(line, line->of->tensor->base);
}

static void put_in_place(const struct line *line)
{
    put_tensor(line, line->of->in_place_of);
}

/* Instructions that read it, at most the first 256; `readers` counts all. */
static void put_consumers(const struct line *line)
{
    enum { MOST = 256 };
    int64_t steps[MOST];
    size_t count = 0;
    const struct ets_plan_tensor *tensor = line->of->tensor;
    for (uint32_t i = 0; i < tensor->touch_count && count < MOST; i++) {
        if (tensor->touches[i].reads) steps[count++] = tensor->touches[i].step;
    }
    ets_table_put_integers(line->table, steps, count);
}

static void put_operator(const struct line *line)
{
    ets_table_put_text(line->table, line->of->producer);
}

static void put_readers(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->tensor->reader_count);
}

static void put_dtype(const struct line *line)
{
    ets_table_put_string(line->table, ets_scalar_type_name(line->value.tensor.tensor.scalar_type));
}

static void put_shape(const struct line *line)
{
    const struct ets_tensor *tensor = &line->value.tensor.tensor;
    ets_table_put_integers(line->table, tensor->sizes, tensor->rank);
}

static void put_sources(const struct line *line)
{
    ets_table_put_list(line->table, line->of->sources.items, line->of->sources.count);
}

static void put_modules(const struct line *line)
{
    ets_table_put_list(line->table, line->of->modules.items, line->of->modules.count);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "value", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_value},
    {{.name = "kind", .priority = 2}, put_kind},
    {{.name = "size", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "size_is", .title = "size known", .priority = 6, .machine_only = 1}, put_bytes_are},
    {{.name = "share", .kind = ETS_COLUMN_SHARE}, put_share},
    {{.name = "memory_id",
      .title = "memory",
      .kind = ETS_COLUMN_INTEGER,
      .priority = 6,
      .dull_at_one = 1},
     put_memory},
    {{.name = "offset", .kind = ETS_COLUMN_INTEGER, .priority = 4}, put_offset},
    {{.name = "first", .kind = ETS_COLUMN_INTEGER, .priority = 1}, put_first},
    {{.name = "last", .kind = ETS_COLUMN_INTEGER, .priority = 1}, put_last},
    {{.name = "lifetime", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_lifetime},
    {{.name = "lifetime_is", .title = "lifetime known", .machine_only = 1}, put_lifetime_is},
    {{.name = "producer", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_producer},
    {{.name = "operator", .title = "made by", .least_width = 20, .cut_in_middle = 1}, put_operator},
    {{.name = "readers", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_readers},
    {{.name = "consumers", .kind = ETS_COLUMN_NUMBERS, .machine_only = 1}, put_consumers},
    {{.name = "view_of", .title = "view of", .kind = ETS_COLUMN_INTEGER, .priority = 5}, put_base},
    {{.name = "in_place_of", .title = "in place of", .kind = ETS_COLUMN_INTEGER, .priority = 5},
     put_in_place},
    {{.name = "dtype", .priority = 5}, put_dtype},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 3}, put_shape},
    {{.name = "name", .priority = 3, .least_width = 12, .cut_at_start = 1}, put_name},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .least_width = 14,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_sources},
    {{.name = "module",
      .kind = ETS_COLUMN_LIST,
      .priority = 3,
      .least_width = 10,
      .first_of_list = 1},
     put_modules},
};

enum { FIELDS = sizeof fields / sizeof *fields };

void ets_memory_table_begin(struct ets_table *table)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
}

void ets_memory_table_add(struct ets_table *table, const struct ets_memory_lines *lines,
                          uint32_t top)
{
    char text[1024];
    struct line line = {.table = table, .lines = lines};
    size_t size = ets_memory_headline(lines, text, sizeof text);
    ets_table_add_section(table, (struct ets_text){text, size});
    for (uint32_t i = 0; i < lines->count && (top == 0 || i < top); i++) {
        line.of = &lines->items[i];
        ets_method_value(&lines->plan->method, line.of->tensor->value, &line.value);
        ets_table_add_row(table, 0);
        for (size_t f = 0; f < FIELDS; f++) fields[f].put(&line);
    }
    for (uint32_t a = 0; a < lines->plan->arena_count; a++) {
        size = ets_memory_arena_note(lines->plan, a, text, sizeof text);
        if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
    }
    size = ets_memory_choices(lines->plan, text, sizeof text);
    if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
    size = ets_memory_beside(lines, text, sizeof text);
    if (size > 0) ets_table_add_note(table, (struct ets_text){text, size});
}
