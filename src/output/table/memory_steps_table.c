/* The table of live bytes by instruction. */
#include "output/table/memory_steps_table.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_memory_steps *steps;
    const struct ets_memory_step *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table, line->steps->plan->method.name);
}

static void put_instruction(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->step);
}

static void put_operator(const struct line *line)
{
    ets_table_put_text(line->table, line->of->maker.name);
}

static void put_live(const struct line *line)
{
    ets_table_put_count(line->table, line->of->live_bytes);
}

static void put_share(const struct line *line)
{
    const uint64_t peak = line->steps->plan->peak_bytes;
    const double share = peak == 0 ? 0 : (double)line->of->live_bytes / (double)peak;
    if (peak == 0) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, share, share);
}

static void put_tensors(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->tensor_count);
}

static void put_new(const struct line *line)
{
    ets_table_put_count(line->table, line->of->new_bytes);
}

static void put_done(const struct line *line)
{
    ets_table_put_count(line->table, line->of->done_bytes);
}

static void put_sources(const struct line *line)
{
    ets_table_put_list(line->table, line->of->maker.sources.items, line->of->maker.sources.count);
}

static void put_modules(const struct line *line)
{
    ets_table_put_list(line->table, line->of->maker.modules.items, line->of->maker.modules.count);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_instruction},
    {{.name = "operator", .least_width = 20, .cut_in_middle = 1}, put_operator},
    {{.name = "live", .kind = ETS_COLUMN_BYTES}, put_live},
    {{.name = "share", .title = "of peak", .kind = ETS_COLUMN_SHARE}, put_share},
    {{.name = "tensors", .kind = ETS_COLUMN_INTEGER, .priority = 2}, put_tensors},
    {{.name = "new", .kind = ETS_COLUMN_BYTES, .priority = 1}, put_new},
    {{.name = "done", .kind = ETS_COLUMN_BYTES, .priority = 1}, put_done},
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

void ets_memory_steps_table_begin(struct ets_table *table)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
}

void ets_memory_steps_table_add(struct ets_table *table, const struct ets_memory_steps *steps,
                                struct ets_text heading)
{
    struct line line = {.table = table, .steps = steps};
    ets_table_add_section(table, heading);
    for (uint32_t i = 0; i < steps->count; i++) {
        line.of = &steps->items[i];
        ets_table_add_row(table, 0);
        for (size_t f = 0; f < FIELDS; f++) fields[f].put(&line);
    }
}
