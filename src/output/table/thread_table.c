/* The table of numbers of threads. */
#include "output/table/thread_table.h"

#include <math.h>

#include "host/text_builder.h"

struct cell {
    struct ets_table *table;
    const struct ets_thread_line *line;
    const char *trace;
};

static void put_time(const struct cell *cell, double low, double high)
{
    if (isnan(low)) ets_table_put_nothing(cell->table);
    else ets_table_put_bounds(cell->table, low, high);
}

static void put_threads(const struct cell *cell)
{
    ets_table_put_integer(cell->table, cell->line->threads);
}

static void put_median(const struct cell *cell)
{
    put_time(cell, cell->line->time.median, cell->line->time.median);
}

static void put_low(const struct cell *cell)
{
    put_time(cell, cell->line->time.low, cell->line->time.low);
}

static void put_high(const struct cell *cell)
{
    put_time(cell, cell->line->time.high, cell->line->time.high);
}

static void put_speedup(const struct cell *cell)
{
    ets_table_put_known(cell->table, cell->line->speedup.median);
}

static void put_speedup_low(const struct cell *cell)
{
    ets_table_put_known(cell->table, cell->line->speedup.low);
}

static void put_speedup_high(const struct cell *cell)
{
    ets_table_put_known(cell->table, cell->line->speedup.high);
}

static void put_efficiency(const struct cell *cell)
{
    ets_table_put_known(cell->table, cell->line->efficiency);
}

static void put_gain(const struct cell *cell)
{
    const enum ets_thread_gain gain = cell->line->gain;
    ets_table_put_string(cell->table, ets_thread_gain_name(gain));
    ets_table_mark_cell(cell->table, gain == ETS_THREADS_FASTER    ? ETS_MEANS_BETTER
                                     : gain == ETS_THREADS_SLOWER  ? ETS_MEANS_WORSE
                                     : gain == ETS_THREADS_UNCLEAR ? ETS_MEANS_WARNING
                                                                   : ETS_MEANS_NOTHING);
}

static void put_over(const struct cell *cell)
{
    if (cell->line->gain == ETS_THREADS_FIRST) ets_table_put_nothing(cell->table);
    else ets_table_put_integer(cell->table, cell->line->over);
}

static void put_turns(const struct cell *cell)
{
    ets_table_put_integer(cell->table, cell->line->turns);
}

static void put_runs(const struct cell *cell)
{
    ets_table_put_integer(cell->table, cell->line->runs);
}

static void put_trace(const struct cell *cell)
{
    ets_table_put_string(cell->table, cell->trace);
}

static const struct field {
    struct ets_column column;
    void (*put)(const struct cell *cell);
} fields[] = {
    {{.name = "threads", .kind = ETS_COLUMN_INTEGER}, put_threads},
    {{.name = "median", .kind = ETS_COLUMN_TIME, .shares_unit = 1}, put_median},
    {{.name = "median_low",
      .title = "low",
      .kind = ETS_COLUMN_TIME,
      .shares_unit = 1,
      .priority = 2},
     put_low},
    {{.name = "median_high",
      .title = "high",
      .kind = ETS_COLUMN_TIME,
      .shares_unit = 1,
      .priority = 2},
     put_high},
    {{.name = "speedup", .title = "speed-up", .kind = ETS_COLUMN_REAL, .is_factor = 1},
     put_speedup},
    {{.name = "speedup_low",
      .title = "low",
      .kind = ETS_COLUMN_REAL,
      .is_factor = 1,
      .priority = 1},
     put_speedup_low},
    {{.name = "speedup_high",
      .title = "high",
      .kind = ETS_COLUMN_REAL,
      .is_factor = 1,
      .priority = 1},
     put_speedup_high},
    {{.name = "efficiency", .title = "of ideal", .kind = ETS_COLUMN_SHARE, .is_no_part = 1},
     put_efficiency},
    {{.name = "gain"}, put_gain},
    {{.name = "over", .kind = ETS_COLUMN_INTEGER, .priority = 3}, put_over},
    {{.name = "turns", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_turns},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs},
    {{.name = "trace", .least_width = 12, .cut_in_middle = 1, .priority = 4}, put_trace},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void add_heading(struct ets_table *table, const struct ets_thread_line *line)
{
    char room[128];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_text(&text, "%u turn%s, %u runs of each; low and high: 95 %% interval over the turns",
                 line->turns, line->turns == 1 ? "" : "s", line->runs);
    ets_table_add_section(table, ets_built_text(&text));
}

void ets_thread_table_fill(struct ets_table *table, const struct ets_thread_line *lines,
                           const char *const *traces, uint32_t count)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    add_heading(table, &lines[0]);
    for (uint32_t i = 0; i < count; i++) {
        const struct cell cell = {table, &lines[i], traces == NULL ? NULL : traces[i]};
        ets_table_add_row(table, 0);
        for (size_t f = 0; f < FIELDS; f++) fields[f].put(&cell);
    }
}
