/*
 * The table of the tree of times: each row with its self time, framework time and unaccounted time.
 */
#include "output/table/account_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/text_builder.h"
#include "inspect/patterns.h"
#include "inspect/time_details.h"
#include "views/account_words.h"
#include "views/block_heading.h"
#include "views/operator_lines.h"
#include "views/phase_text.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_block *block;
    const struct ets_account_lines *lines;
    const struct ets_account_line *of;
    double tick_ns; /* 0: the clock has no unit */
    struct ets_text_list sources, modules;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
    bool (*has)(const struct line *line); /* other lines have nothing there */
};

static bool any(const struct line *line)
{
    (void)line;
    return true;
}

static bool is_row(const struct line *line)
{
    return line->of->node != NULL && line->of->node->kind == ETS_ACCOUNT_ROW;
}

static bool is_unknown(const struct line *line)
{
    return ets_account_line_is_unknown(line->of);
}

static bool has_time(const struct line *line)
{
    return !is_unknown(line);
}

static bool is_added(const struct line *line)
{
    return ets_account_line_is_added(line->of);
}

static bool has_self(const struct line *line)
{
    return ets_account_line_has_self(line->of);
}

static bool has_phases(const struct line *line)
{
    return line->of->is_whole;
}

static void put_bounds(const struct line *line, double ticks, double below, double above,
                       double unit)
{
    if (isnan(ticks)) {
        ets_table_put_nothing(line->table);
        return;
    }
    const struct ets_span span = ets_account_span(ticks, below, above);
    ets_table_put_bounds(line->table, span.lower * unit, span.upper * unit);
}

static double unit_of(const struct line *line)
{
    return line->tick_ns == 0 ? 1 : line->tick_ns;
}

static void put_inclusive(const struct line *line, double ticks)
{
    const struct ets_account_times *times = &line->of->inclusive;
    put_bounds(line, ticks, times->below, times->above, unit_of(line));
}

static void put_own(const struct line *line, double ticks)
{
    const struct ets_account_times *times = &line->of->self;
    put_bounds(line, ticks, times->below, times->above, unit_of(line));
}

static void put_part(const struct line *line, const struct ets_account_times *times)
{
    const double root = line->of->root;
    if (!(root > 0)) ets_table_put_nothing(line->table);
    else put_bounds(line, times->middle, times->below, times->above, 1 / root);
}

static void put_real(const struct line *line, double value)
{
    if (isfinite(value)) ets_table_put_real(line->table, value);
    else ets_table_put_nothing(line->table);
}

static void put_block(const struct line *line)
{
    ets_table_put_text(line->table, line->block->name);
}

static void put_block_index(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->row->block);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->block->method);
}

static void put_runs(const struct line *line)
{
    ets_table_put_integer(line->table, line->lines->range_count);
}

static void put_instruction(const struct line *line)
{
    const struct ets_row *row = line->of->row;
    if (row->instruction < 0 || row->is_delegated) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, row->instruction);
}

static void put_name(const struct line *line)
{
    char text[ETS_ACCOUNT_NAME];
    ets_table_put_text(line->table, ets_account_line_name(line->of, text, sizeof text));
}

static void put_line_kind(const struct line *line)
{
    ets_table_put_string(line->table, ets_account_line_kind(line->of));
}

static void put_event(const struct line *line)
{
    ets_table_put_text(line->table, line->of->row->name);
}

static void put_kernel(const struct line *line)
{
    ets_table_put_text(line->table, line->of->row->kernel);
}

static void put_calls(const struct line *line)
{
    ets_table_put_real(line->table, line->of->row->calls_per_run);
}

static void put_mean(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.mean);
}

static void put_self(const struct line *line)
{
    put_own(line, line->of->self.statistics.mean);
}

static void put_self_middle(const struct line *line)
{
    put_own(line, line->of->self.middle);
}

static void put_share(const struct line *line)
{
    put_part(line, &line->of->inclusive);
}

static void put_self_share(const struct line *line)
{
    put_part(line, &line->of->self);
}

static void put_p50(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.p50);
}

static void put_middle(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.middle);
}

static void put_median_low(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.spread.median_low);
}

static void put_median_high(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.spread.median_high);
}

static void put_p99(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.spread.p99);
}

/* Each value may be off by a part of the range; the deviation then by half of it at the most. */
static void put_deviation(const struct line *line)
{
    const struct ets_account_times *times = &line->of->inclusive;
    const double n = times->statistics.count;
    const double off = (times->below + times->above) / 2 * sqrt(n / (n - 1));
    put_bounds(line, times->spread.sd, off, off, unit_of(line));
}

static void put_min(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.min);
}

static void put_max(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.max);
}

static void put_p10(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.p10);
}

static void put_p90(const struct line *line)
{
    put_inclusive(line, line->of->inclusive.statistics.p90);
}

static void put_total(const struct line *line)
{
    const struct ets_account_times *times = &line->of->inclusive;
    const double runs = times->statistics.count;
    put_bounds(line, times->statistics.total, times->below * runs, times->above * runs,
               unit_of(line));
}

static void put_ticks(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->inclusive.total);
}

static void put_self_ticks(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->self.total);
}

static void put_resolution(const struct line *line)
{
    put_bounds(line, (double)line->of->row->quantum_ticks, 0, 0, unit_of(line));
}

static void put_clock(const struct line *line)
{
    ets_table_put_string(line->table, ets_row_clock(line->of->row));
}

static void put_clock_scale(const struct line *line)
{
    const struct ets_delegate_clock *clock = line->of->row->clock;
    put_real(line, clock == NULL ? NAN : clock->scale);
}

static void put_clock_residual(const struct line *line)
{
    const struct ets_delegate_clock *clock = line->of->row->clock;
    put_real(line, clock == NULL ? NAN : clock->residual);
}

static void put_clock_reason(const struct line *line)
{
    const struct ets_delegate_clock *clock = line->of->row->clock;
    ets_table_put_string(line->table, clock == NULL ? NULL : clock->reason);
}

static void put_own_ticks(const struct line *line)
{
    put_real(line, line->of->inclusive.statistics.mean);
}

static void put_sources(const struct line *line)
{
    ets_table_put_list(line->table, line->sources.items, line->sources.count);
}

static void put_modules(const struct line *line)
{
    ets_table_put_list(line->table, line->modules.items, line->modules.count);
}

static void put_backend(const struct line *line)
{
    ets_table_put_string(line->table, line->of->row->backend);
}

static void put_handles(const struct line *line)
{
    ets_table_put_integers(line->table, line->of->row->handles, line->of->row->handle_count);
}

static void put_depth(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->depth);
}

static void put_state(const struct line *line)
{
    static const char *const states[] = {"too_few", "steady", "drifting"};
    ets_table_put_string(line->table, states[line->lines->phases.state]);
}

static void put_warm_up(const struct line *line)
{
    ets_table_put_integer(line->table, line->lines->phases.warm_up);
}

static void put_first_ratio(const struct line *line)
{
    put_real(line, line->lines->phases.first_ratio);
}

static void put_drift(const struct line *line)
{
    put_real(line, line->lines->phases.drift);
}

static void put_trend(const struct line *line)
{
    put_real(line, line->lines->phases.trend_p);
}

static void put_outliers(const struct line *line)
{
    ets_table_put_integers(line->table, line->lines->outliers, line->lines->phases.outliers);
}

/* clang-format off */
#define TEXT(title) {.name = title, .machine_only = 1}
#define NUMBER(title, type) {.name = title, .kind = type, .machine_only = 1}
#define MAIN_TIME(title, rank)                                                                    \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .priority = rank, .shares_unit = 1}
#define TIME(title, rank)                                                                         \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .priority = rank, .shares_unit = 2}
#define MACHINE_TIME(title)                                                                       \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1}
/* clang-format on */

/* In the order of the table; priorities say what a narrow one drops. */
static const struct field fields[] = {
    {TEXT("block"), put_block, any},
    {NUMBER("block_index", ETS_COLUMN_INTEGER), put_block_index, any},
    {TEXT("method"), put_method, any},
    {NUMBER("runs", ETS_COLUMN_INTEGER), put_runs, any},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_instruction, is_row},
    {{.name = "operator", .least_width = 32, .cut_in_middle = 1}, put_name, any},
    {TEXT("line"), put_line_kind, any},
    {TEXT("event"), put_event, is_row},
    {TEXT("kernel"), put_kernel, is_row},
    {{.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 2, .dull_at_one = 1},
     put_calls,
     is_row},
    {MAIN_TIME("avg", 0), put_mean, has_time},
    {MAIN_TIME("self", 1), put_self, has_self},
    {MACHINE_TIME("self_mid"), put_self_middle, has_self},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share, is_added},
    {{.name = "self_share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1, .machine_only = 1},
     put_self_share,
     has_self},
    {MAIN_TIME("p50", 3), put_p50, has_time},
    {MAIN_TIME("mid", 0), put_middle, has_time},
    {MACHINE_TIME("ci_low"), put_median_low, has_time},
    {MACHINE_TIME("ci_high"), put_median_high, has_time},
    {TIME("p99", 5), put_p99, has_time},
    {TIME("sd", 6), put_deviation, has_time},
    {MACHINE_TIME("min"), put_min, has_time},
    {MACHINE_TIME("max"), put_max, has_time},
    {MACHINE_TIME("p10"), put_p10, has_time},
    {MACHINE_TIME("p90"), put_p90, has_time},
    {MACHINE_TIME("total"), put_total, has_time},
    {NUMBER("ticks", ETS_COLUMN_INTEGER), put_ticks, has_time},
    {NUMBER("self_ticks", ETS_COLUMN_INTEGER), put_self_ticks, has_self},
    {NUMBER("resolution", ETS_COLUMN_TIME), put_resolution, is_row},
    {TEXT("clock"), put_clock, is_row},
    {NUMBER("clock_scale", ETS_COLUMN_REAL), put_clock_scale, is_row},
    {NUMBER("clock_residual", ETS_COLUMN_REAL), put_clock_residual, is_row},
    {TEXT("clock_reason"), put_clock_reason, is_row},
    {{.name = "own_ticks", .kind = ETS_COLUMN_REAL, .priority = 2}, put_own_ticks, is_unknown},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .priority = 7,
      .least_width = 14,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_sources,
     is_row},
    {NUMBER("module", ETS_COLUMN_LIST), put_modules, is_row},
    {TEXT("backend"), put_backend, is_row},
    {NUMBER("debug_handles", ETS_COLUMN_NUMBERS), put_handles, is_row},
    {NUMBER("depth", ETS_COLUMN_INTEGER), put_depth, any},
    {TEXT("state"), put_state, has_phases},
    {NUMBER("warm_up_runs", ETS_COLUMN_INTEGER), put_warm_up, has_phases},
    {NUMBER("first_ratio", ETS_COLUMN_REAL), put_first_ratio, has_phases},
    {NUMBER("drift", ETS_COLUMN_REAL), put_drift, has_phases},
    {NUMBER("trend_p", ETS_COLUMN_REAL), put_trend, has_phases},
    {NUMBER("outlier_runs", ETS_COLUMN_NUMBERS), put_outliers, has_phases},
};

enum { FIELDS = sizeof fields / sizeof *fields };

static void add_columns(struct ets_table *table, const struct ets_inspection *inspection,
                        bool has_unit)
{
    struct field shown[FIELDS];
    memcpy(shown, fields, sizeof shown);
    for (size_t i = 0; i < FIELDS; i++) {
        if (shown[i].put == put_middle && !ets_middle_is_told(inspection)) {
            shown[i].column.machine_only = 1;
        }
    }
    ets_table_add_columns(table, &shown[0].column, sizeof *shown, FIELDS, has_unit);
}

static void add_heading(const struct line *line, const struct ets_inspection *inspection,
                        const struct ets_account_options *options, uint32_t kept)
{
    char text[512];
    const struct ets_account_lines *lines = line->lines;
    struct ets_text_builder heading = {text, sizeof text, 0};
    heading.used =
        ets_block_heading(inspection, line->block, ets_table_words(line->table), text, sizeof text);
    if (options->run != ETS_NO_INDEX) {
        ets_add_text(&heading, ", only run %u of the trace", options->run);
    } else if (lines->range_count < lines->run_count) {
        ets_add_text(&heading, ", only the %u steady runs", lines->range_count);
    }
    heading.used +=
        ets_print_share_of(lines->range_count, text + heading.used, sizeof text - heading.used);
    if (kept < lines->count) ets_add_text(&heading, ", %u of %u rows", kept, lines->count);
    ets_table_add_section(line->table, ets_built_text(&heading));
}

static void add_note(const struct line *line, const struct ets_account_options *options)
{
    char text[512];
    const struct ets_account_lines *lines = line->lines;
    if (lines->whole == NULL || options->run != ETS_NO_INDEX) return;
    size_t size = ets_run_phases_print(&lines->phases, lines->runs, lines->whole, lines->stage,
                                       text, sizeof text);
    if (lines->phases.warm_up > 0 && !options->steady) {
        size += ets_advise_with(ets_table_words(line->table), ETS_ADVICE_STEADY, text + size,
                                sizeof text - size);
    }
    if (size > 0) ets_table_add_note(line->table, (struct ets_text){text, size});
}

static bool put_line(struct ets_arena *arena, struct line *line)
{
    if (is_row(line) &&
        !ets_operator_row_places(arena, line->of->row, &line->sources, &line->modules)) {
        return false;
    }
    ets_table_add_row(line->table, line->of->depth);
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].has(line)) fields[i].put(line);
        else ets_table_put_nothing(line->table);
    }
    return true;
}

/* Returns false if memory runs out. */
static bool put_lines(struct ets_arena *arena, struct line line,
                      const struct ets_inspection *inspection,
                      const struct ets_account_options *options)
{
    const struct ets_account_lines *lines = line.lines;
    const bool *is_kept = ets_account_lines_choose(arena, inspection, options, lines);
    uint32_t kept = 0;
    if (is_kept == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) kept += is_kept[i];
    if (kept > 0 || lines->count == 0) add_heading(&line, inspection, options, kept);
    for (uint32_t i = 0; i < lines->count; i++) {
        line.of = &lines->items[i];
        if (is_kept[i] && !put_line(arena, &line)) return false;
    }
    if (kept > 0) add_note(&line, options);
    return true;
}

static bool is_asked_for(const struct ets_inspection *inspection,
                         const struct ets_account_options *options, uint32_t block)
{
    if (options->block != ETS_NO_INDEX && options->block != block) return false;
    if (options->run != ETS_NO_INDEX &&
        ets_inspection_run(inspection, options->run)->block != block) {
        return false;
    }
    return ets_row_filter_has_block(&options->filter, ets_inspection_block(inspection, block));
}

enum ets_status ets_account_table_fill(struct ets_table *table,
                                       const struct ets_inspection *inspection,
                                       const struct ets_account_options *options,
                                       struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_account_lines lines;
    struct line line = {.table = table, .lines = &lines};
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    enum ets_status status = ETS_OK;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    if (unit != ETS_UNIT_CYCLES) line.tick_ns = 1e9 / ets_time_unit_per_second(unit);
    add_columns(table, inspection, line.tick_ns > 0);
    for (uint32_t b = 0; status == ETS_OK && b < ets_inspection_block_count(inspection); b++) {
        if (!is_asked_for(inspection, options, b)) continue;
        line.block = ets_inspection_block(inspection, b);
        status = ets_account_lines_open(&arena, inspection, options, b, &lines, error);
        if (status == ETS_OK && !put_lines(&arena, line, inspection, options)) {
            status = ets_fail_memory(error, "the table of the tree of times");
        }
        ets_account_lines_close(&lines);
        ets_arena_reset(&arena);
    }
    return status;
}
