/* Executions by method, and one by one, as tables. */
#include "output/table/run_table.h"
#include "inspect/time_details.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"

/* What the cells of a line are of. */
struct line {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_method_runs *method;
    const struct ets_execution *execution; /* NULL: the line is the method's */
    double tokens;                         /* in an execution; NaN: not known */
    double tick_ns;                        /* 0: the clock has no unit */
    double all;                            /* ticks of all methods */
    double cumulative;                     /* ticks of the method so far */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_time(const struct line *line, double ticks)
{
    const double time = line->tick_ns == 0 ? ticks : ticks * line->tick_ns;
    ets_table_put_bounds(line->table, time, time);
}

static void put_share(const struct line *line, double part, double whole)
{
    if (whole > 0 && isfinite(part)) ets_table_put_bounds(line->table, part / whole, part / whole);
    else ets_table_put_nothing(line->table);
}

/* `count` things in `ticks`, for a second. */
static void put_rate(const struct line *line, double count, double ticks)
{
    if (line->tick_ns > 0 && ticks > 0 && !isnan(count)) {
        ets_table_put_real(line->table, count * 1e9 / (ticks * line->tick_ns));
    } else {
        ets_table_put_nothing(line->table);
    }
}

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table, line->method->name);
}

static void put_stage(const struct line *line)
{
    ets_table_put_string(line->table, ets_run_stage_name(line->method->stage));
}

static void put_count(const struct line *line)
{
    ets_table_put_integer(line->table, line->method->count);
}

static void put_mean(const struct line *line)
{
    put_time(line, line->method->times.mean);
}

static void put_p50(const struct line *line)
{
    put_time(line, line->method->times.p50);
}

static void put_p90(const struct line *line)
{
    put_time(line, line->method->times.p90);
}

static void put_min(const struct line *line)
{
    put_time(line, line->method->times.min);
}

static void put_max(const struct line *line)
{
    put_time(line, line->method->times.max);
}

static void put_total(const struct line *line)
{
    put_time(line, line->method->times.total);
}

static void put_share_of_all(const struct line *line)
{
    put_share(line, line->method->times.total, line->all);
}

static void put_runs_per_second(const struct line *line)
{
    put_rate(line, line->method->count, line->method->times.total);
}

static void put_tokens_per_second(const struct line *line)
{
    const double told = line->tokens * line->method->count;
    const uint64_t known = line->method->tokens;
    put_rate(line, isnan(told) && known > 0 ? (double)known : told, line->method->times.total);
}

static void put_first(const struct line *line)
{
    put_time(line, line->method->first);
}

static void put_trend(const struct line *line)
{
    put_share(line, line->method->trend, 1);
}

static const struct field method_fields[] = {
    {{.name = "method"}, put_method},
    {{.name = "stage"}, put_stage},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER}, put_count},
    {{.name = "avg", .kind = ETS_COLUMN_TIME}, put_mean},
    {{.name = "p50", .kind = ETS_COLUMN_TIME}, put_p50},
    {{.name = "p90", .kind = ETS_COLUMN_TIME, .priority = 4}, put_p90},
    {{.name = "min", .kind = ETS_COLUMN_TIME, .priority = 5}, put_min},
    {{.name = "max", .kind = ETS_COLUMN_TIME, .priority = 5}, put_max},
    {{.name = "total", .kind = ETS_COLUMN_TIME}, put_total},
    {{.name = "share", .title = "share of total", .kind = ETS_COLUMN_SHARE}, put_share_of_all},
    {{.name = "runs_per_s", .title = "runs/s", .kind = ETS_COLUMN_REAL, .priority = 3},
     put_runs_per_second},
    {{.name = "tokens_per_s", .title = "tokens/s", .kind = ETS_COLUMN_REAL}, put_tokens_per_second},
    {{.name = "first", .kind = ETS_COLUMN_TIME, .priority = 2}, put_first},
    {{.name = "trend", .kind = ETS_COLUMN_SHARE, .is_no_part = 1, .priority = 1}, put_trend},
};

static const struct ets_run *run_of(const struct line *line)
{
    return ets_inspection_run(line->inspection, line->execution->run);
}

static void put_run(const struct line *line)
{
    ets_table_put_integer(line->table, line->execution->run);
}

static void put_block(const struct line *line)
{
    ets_table_put_integer(line->table, run_of(line)->block);
}

static void put_number(const struct line *line)
{
    ets_table_put_integer(line->table, line->execution->position);
}

static void put_invocation(const struct line *line)
{
    const struct ets_run *run = run_of(line);
    if (run->method.data != NULL) ets_table_put_integer(line->table, run->invocation);
    else ets_table_put_nothing(line->table);
}

static void put_tokens(const struct line *line)
{
    const uint32_t tokens = line->execution->tokens;
    if (tokens > 0) ets_table_put_integer(line->table, tokens);
    else ets_table_put_nothing(line->table);
}

/* The place of the first of them in the generation. */
static void put_position(const struct line *line)
{
    const struct ets_run *run = run_of(line);
    if (run->tokens > 0) ets_table_put_integer(line->table, (int64_t)run->position);
    else ets_table_put_nothing(line->table);
}

static void put_ticks(const struct line *line)
{
    put_time(line, line->execution->ticks);
}

static void put_cumulative(const struct line *line)
{
    put_time(line, line->cumulative);
}

static void put_of_p50(const struct line *line)
{
    put_share(line, line->execution->ticks, line->method->times.p50);
}

static void put_phase(const struct line *line)
{
    ets_table_put_string(line->table, line->execution->is_warm_up   ? "warm-up"
                                      : line->execution->is_outlier ? "outlier"
                                                                    : NULL);
}

static void put_token_rate(const struct line *line)
{
    const uint32_t known = line->execution->tokens;
    put_rate(line, isnan(line->tokens) && known > 0 ? known : line->tokens, line->execution->ticks);
}

static const struct field run_fields[] = {
    {{.name = "run", .kind = ETS_COLUMN_INTEGER}, put_run},
    {{.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_block},
    {{.name = "method"}, put_method},
    {{.name = "stage"}, put_stage},
    {{.name = "number", .kind = ETS_COLUMN_INTEGER, .priority = 3}, put_number},
    {{.name = "invocation", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_invocation},
    {{.name = "tokens", .kind = ETS_COLUMN_INTEGER}, put_tokens},
    {{.name = "position", .kind = ETS_COLUMN_INTEGER, .priority = 2}, put_position},
    {{.name = "time", .kind = ETS_COLUMN_TIME}, put_ticks},
    {{.name = "cumulative", .kind = ETS_COLUMN_TIME}, put_cumulative},
    {{.name = "of_p50", .title = "of median", .kind = ETS_COLUMN_REAL, .is_factor = 1}, put_of_p50},
    {{.name = "tokens_per_s", .title = "tokens/s", .kind = ETS_COLUMN_REAL}, put_token_rate},
    {{.name = "phase", .priority = 1}, put_phase},
};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void put_line(const struct field *fields, size_t count, const struct line *line)
{
    ets_table_add_row(line->table, 0);
    for (size_t i = 0; i < count; i++) fields[i].put(line);
}

static double tokens_of(const struct ets_run_table_options *options, struct ets_text method)
{
    for (size_t i = options->token_count; i-- > 0;) { /* the last one counts */
        if (ets_text_is(method, options->tokens[i].method)) return options->tokens[i].tokens;
    }
    return NAN;
}

static void put_methods(const struct ets_executions *executions,
                        const struct ets_run_table_options *options, struct line line)
{
    uint32_t left = options->top > 0 ? options->top : executions->method_count;
    ets_table_add_columns(line.table, &method_fields[0].column, sizeof *method_fields,
                          COUNT(method_fields), line.tick_ns > 0);
    for (uint32_t m = 0; m < executions->method_count; m++) {
        line.all += executions->methods[m].times.total;
    }
    for (uint32_t m = 0; m < executions->method_count && left > 0; m++) {
        line.method = &executions->methods[m];
        line.tokens = tokens_of(options, line.method->name);
        if (line.method->count == 0) continue;
        put_line(method_fields, COUNT(method_fields), &line);
        left--;
    }
}

/* Returns false if memory runs out. */
static bool put_executions(const struct ets_executions *executions,
                           const struct ets_run_table_options *options, struct ets_arena *arena,
                           struct line line)
{
    uint32_t left = options->top > 0 ? options->top : executions->count;
    double *sums = ets_arena_alloc_array(arena, executions->method_count, sizeof *sums);
    ets_table_add_columns(line.table, &run_fields[0].column, sizeof *run_fields, COUNT(run_fields),
                          line.tick_ns > 0);
    if (sums == NULL) return false;
    for (uint32_t i = 0; i < executions->count && left > 0; i++) {
        const struct ets_execution *e = &executions->items[i];
        sums[e->method] += e->ticks;
        if (!e->is_chosen) continue;
        line.execution = e;
        line.method = &executions->methods[e->method];
        line.tokens = tokens_of(options, line.method->name);
        line.cumulative = sums[e->method];
        put_line(run_fields, COUNT(run_fields), &line);
        left--;
    }
    return true;
}

enum ets_status ets_run_table_fill(struct ets_table *table, const struct ets_inspection *inspection,
                                   const struct ets_run_table_options *options,
                                   struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_executions executions;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    struct line line = {.table = table, .inspection = inspection};
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) line.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    bool ok = ets_executions_collect(&arena, inspection, &options->of, &executions);
    if (ok && options->of.one_by_one) ok = put_executions(&executions, options, &arena, line);
    else if (ok) put_methods(&executions, options, line);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of runs");
}
