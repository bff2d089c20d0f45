/* The table of a measured machine. */
#include "output/table/machine_table.h"

#include "base/error.h"
#include "views/machine_lines.h"

struct cell {
    struct ets_table *table;
    const struct ets_machine_line *line;
};

static void put_threads(const struct cell *cell)
{
    ets_table_put_integer(cell->table, cell->line->roof->threads);
}

static void put_kind(const struct cell *cell)
{
    ets_table_put_string(cell->table, ets_roof_kind_name(ets_roof_kind(cell->line->roof->program)));
}

static void put_program(const struct cell *cell)
{
    ets_table_put_string(cell->table, ets_roof_program_name(cell->line->roof->program));
}

static void put_level(const struct cell *cell)
{
    ets_table_put_string(cell->table, ets_memory_level_name(cell->line->level));
}

static void put_working_set(const struct cell *cell)
{
    const uint64_t bytes = cell->line->roof->working_set_bytes;
    if (bytes == 0) ets_table_put_nothing(cell->table);
    else ets_table_put_integer(cell->table, (int64_t)bytes);
}

/* The rate where it is of that kind. */
static void put_rate(const struct cell *cell, enum ets_roof_kind kind)
{
    if (ets_roof_kind(cell->line->roof->program) != kind) ets_table_put_nothing(cell->table);
    else ets_table_put_real(cell->table, cell->line->rate / 1e9);
}

static void put_operations(const struct cell *cell)
{
    put_rate(cell, ETS_ROOF_COMPUTE);
}

static void put_bytes(const struct cell *cell)
{
    put_rate(cell, ETS_ROOF_BANDWIDTH);
}

/* Of one call, or of the whole. */
static void put_time(const struct cell *cell)
{
    const struct ets_roof *roof = cell->line->roof;
    const bool is_call = ets_roof_kind(roof->program) == ETS_ROOF_CALL;
    const double ns = is_call ? roof->time_ns / (double)roof->work : roof->time_ns;
    ets_table_put_bounds(cell->table, ns, ns);
}

static void put_runs(const struct cell *cell)
{
    ets_table_put_integer(cell->table, cell->line->roof->runs);
}

static void put_spread(const struct cell *cell)
{
    ets_table_put_known(cell->table, cell->line->roof->spread);
}

static const struct field {
    struct ets_column column;
    void (*put)(const struct cell *cell);
} fields[] = {
    {{.name = "threads", .kind = ETS_COLUMN_INTEGER}, put_threads},
    {{.name = "roof"}, put_kind},
    {{.name = "program"}, put_program},
    {{.name = "level"}, put_level},
    {{.name = "working_set", .title = "working set", .kind = ETS_COLUMN_BYTES, .priority = 2},
     put_working_set},
    {{.name = "gflops_per_s", .title = "GFLOP/s", .kind = ETS_COLUMN_REAL, .digits = 3},
     put_operations},
    {{.name = "gbytes_per_s", .title = "GB/s", .kind = ETS_COLUMN_REAL, .digits = 3}, put_bytes},
    {{.name = "time", .title = "min", .kind = ETS_COLUMN_TIME}, put_time},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .priority = 1}, put_runs},
    {{.name = "spread", .kind = ETS_COLUMN_SHARE, .is_no_part = 1}, put_spread},
};
enum { FIELDS = sizeof fields / sizeof *fields, HEADLINE_CHARS = 256 };

enum ets_status ets_machine_table_fill(struct ets_table *table, const struct ets_machine *machine,
                                       struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_machine_lines lines;
    char room[HEADLINE_CHARS] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_machine_lines_collect(&arena, machine, &lines);
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    ets_machine_headline(machine, &text);
    ets_table_add_section(table, ets_built_text(&text));
    for (uint32_t i = 0; ok && i < lines.count; i++) {
        const struct cell cell = {table, &lines.items[i]};
        ets_table_add_row(table, 0);
        for (size_t f = 0; f < FIELDS; f++) fields[f].put(&cell);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of the machine");
}
