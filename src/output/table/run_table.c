#include "output/table/run_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "views/operator_lines.h"

/* One execution. */
struct execution {
    uint32_t run, method, position;
    double ticks;
};

/* Its executions are neighbours in `sorted`, in the trace's order. */
struct method {
    struct ets_text name;
    uint32_t first, count;
    struct ets_statistics times;
    double tokens; /* in a run; NaN: not known */
};

struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_run_table_options *options;
    struct ets_arena *arena;
    double tick_ns; /* 0: the clock has no unit */
    struct execution *executions;
    uint32_t count;
    struct ets_strings names;
    struct method *methods;     /* [name number] */
    double *sorted;             /* ticks, method by method */
    const uint32_t *run_number; /* [run] within its block */
    uint32_t *warm_up;          /* [block] runs that are left out; NULL: none */
};

enum { LEAST_FOR_TREND = 8 };

static const struct ets_column method_columns[] = {
    {.name = "method"},
    {.name = "runs", .kind = ETS_COLUMN_INTEGER},
    {.name = "avg", .kind = ETS_COLUMN_TIME},
    {.name = "p50", .kind = ETS_COLUMN_TIME},
    {.name = "p90", .kind = ETS_COLUMN_TIME, .priority = 4},
    {.name = "min", .kind = ETS_COLUMN_TIME, .priority = 5},
    {.name = "max", .kind = ETS_COLUMN_TIME, .priority = 5},
    {.name = "total", .kind = ETS_COLUMN_TIME},
    {.name = "share", .title = "share of total", .kind = ETS_COLUMN_SHARE},
    {.name = "runs_per_s", .title = "runs/s", .kind = ETS_COLUMN_REAL, .priority = 3},
    {.name = "tokens_per_s", .title = "tokens/s", .kind = ETS_COLUMN_REAL},
    {.name = "first", .kind = ETS_COLUMN_TIME, .priority = 2},
    {.name = "trend", .kind = ETS_COLUMN_SHARE, .priority = 1},
};

static const struct ets_column run_columns[] = {
    {.name = "run", .kind = ETS_COLUMN_INTEGER},
    {.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "method"},
    {.name = "position", .kind = ETS_COLUMN_INTEGER},
    {.name = "invocation", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "time", .kind = ETS_COLUMN_TIME},
    {.name = "cumulative", .kind = ETS_COLUMN_TIME},
    {.name = "of_p50", .title = "of p50", .kind = ETS_COLUMN_SHARE},
    {.name = "tokens_per_s", .title = "tokens/s", .kind = ETS_COLUMN_REAL},
};

static void add_columns(const struct filler *f)
{
    const bool by_run = f->options->by_run != 0;
    const struct ets_column *columns = by_run ? run_columns : method_columns;
    const size_t count = by_run ? sizeof run_columns / sizeof *run_columns
                                : sizeof method_columns / sizeof *method_columns;
    for (size_t i = 0; i < count; i++) {
        struct ets_column column = columns[i];
        if (column.kind == ETS_COLUMN_TIME && f->tick_ns == 0) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(f->table, &column);
    }
}

static struct ets_text name_of(const struct ets_block *block)
{
    if (block->method == NULL) return block->name;
    return (struct ets_text){block->method, strlen(block->method)};
}

/* What each run of a block took: the whole of it, or the work that the filter leaves. */
static bool measure_block(struct filler *f, uint32_t index, const uint32_t *run_number,
                          struct ets_arena *arena, double **per_run_out)
{
    struct ets_work work;
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    double *per_run = ets_arena_alloc_array(arena, block->run_count, sizeof *per_run);
    if (per_run == NULL || !ets_work_collect(arena, f->inspection, index, ETS_WORK_KNOWN,
                                             &f->options->filter, run_number, &work)) {
        return false;
    }
    if (!work.is_filtered && ets_work_add_total(&work, per_run)) {
        *per_run_out = per_run;
        return true;
    }
    for (uint32_t i = 0; i < work.count; i++) ets_work_add(&work, &work.pieces[i], per_run);
    *per_run_out = work.count > 0 ? per_run : NULL;
    return true;
}

static double tokens_of(const struct filler *f, struct ets_text method)
{
    for (size_t i = f->options->token_count; i-- > 0;) { /* the last one counts */
        if (ets_text_is(method, f->options->tokens[i].method)) return f->options->tokens[i].tokens;
    }
    return NAN;
}

/* What was asked for. A line for each run keeps its place among all. */
static bool is_chosen(const struct filler *f, uint32_t run)
{
    const uint32_t block = ets_inspection_run(f->inspection, run)->block;
    if (f->warm_up != NULL && f->run_number[run] < f->warm_up[block]) return false;
    return (f->options->run == ETS_NO_INDEX || f->options->run == run) &&
           (f->options->block == ETS_NO_INDEX || f->options->block == block);
}

/* Of each block the runs that are warm-up, where they are to be left out. */
static bool find_warm_up(struct filler *f)
{
    if (!f->options->steady) return true;
    const uint32_t blocks = ets_inspection_block_count(f->inspection);
    f->warm_up = ets_arena_alloc_array(f->arena, blocks, sizeof *f->warm_up);
    for (uint32_t b = 0; f->warm_up != NULL && b < blocks; b++) {
        struct ets_run_phases phases;
        const uint32_t whole = ets_inspection_total_row(f->inspection, b);
        if (whole == ETS_NO_INDEX) continue;
        if (ets_run_phases_of_row(f->inspection, whole, &phases, NULL) != ETS_OK) return false;
        f->warm_up[b] = phases.warm_up;
    }
    return f->warm_up != NULL;
}

static bool add_block(struct filler *f, uint32_t index, const uint32_t *run_number,
                      double **ticks_of_block)
{
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    if (!ets_row_filter_has_block(&f->options->filter, block)) return true;
    return measure_block(f, index, run_number, f->arena, &ticks_of_block[index]);
}

/* Executions in the trace's order, then those of each method together. */
static bool collect(struct filler *f)
{
    const uint32_t runs = ets_inspection_run_count(f->inspection);
    const uint32_t blocks = ets_inspection_block_count(f->inspection);
    const uint32_t *run_number = ets_work_number_runs(f->arena, f->inspection);
    double **ticks = ets_arena_alloc_array(f->arena, blocks, sizeof *ticks);
    f->executions = ets_arena_alloc_array(f->arena, runs, sizeof *f->executions);
    f->sorted = ets_arena_alloc_array(f->arena, runs, sizeof *f->sorted);
    f->methods = ets_arena_alloc_array(f->arena, (size_t)blocks + 1, sizeof *f->methods);
    if (run_number == NULL || ticks == NULL || f->executions == NULL || f->sorted == NULL ||
        f->methods == NULL || ets_strings_init(&f->names, f->arena) != 0) {
        return false;
    }
    f->run_number = run_number;
    if (!find_warm_up(f)) return false;
    for (uint32_t b = 0; b < blocks; b++) {
        if (!add_block(f, b, run_number, ticks)) return false;
    }
    for (uint32_t r = 0; r < runs; r++) {
        const uint32_t b = ets_inspection_run(f->inspection, r)->block;
        if (ticks[b] == NULL) continue;
        if (!f->options->by_run && !is_chosen(f, r)) continue;
        const uint32_t method =
            ets_strings_add(&f->names, name_of(ets_inspection_block(f->inspection, b)));
        if (method == UINT32_MAX) return false;
        f->executions[f->count++] =
            (struct execution){r, method, f->methods[method].count++, ticks[b][run_number[r]]};
    }
    return true;
}

static bool summarise(struct filler *f)
{
    uint32_t first = 0;
    double *scratch = ets_arena_alloc_array(f->arena, f->count, sizeof *scratch);
    if (scratch == NULL) return false;
    for (uint32_t m = 1; m < f->names.count; m++) {
        struct method *method = &f->methods[m];
        method->name = ets_strings_get(&f->names, m);
        method->tokens = tokens_of(f, method->name);
        method->first = first;
        first += method->count;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const struct execution *e = &f->executions[i];
        f->sorted[f->methods[e->method].first + e->position] = e->ticks;
    }
    for (uint32_t m = 1; m < f->names.count; m++) {
        struct method *method = &f->methods[m];
        memcpy(scratch, f->sorted + method->first, method->count * sizeof *scratch);
        ets_statistics_compute(scratch, method->count, &method->times);
    }
    return true;
}

static void put_time(const struct filler *f, double ticks)
{
    const double time = f->tick_ns == 0 ? ticks : ticks * f->tick_ns;
    ets_table_put_bounds(f->table, time, time);
}

static void put_share(const struct filler *f, double part, double whole)
{
    if (whole > 0 && isfinite(part)) ets_table_put_bounds(f->table, part / whole, part / whole);
    else ets_table_put_nothing(f->table);
}

/* `count` things in `ticks`, for a second. */
static void put_rate(const struct filler *f, double count, double ticks)
{
    if (f->tick_ns > 0 && ticks > 0 && !isnan(count)) {
        ets_table_put_real(f->table, count * 1e9 / (ticks * f->tick_ns));
    } else {
        ets_table_put_nothing(f->table);
    }
}

/* How the last quarter of the runs compares with the first, median with median: 0.1 is 10 % more.
 */
static double trend_of(const struct method *method, const double *ticks, double *scratch)
{
    const uint32_t quarter = method->count / 4;
    struct ets_statistics first, last;
    if (method->count < LEAST_FOR_TREND) return NAN;
    memcpy(scratch, ticks, quarter * sizeof *scratch);
    ets_statistics_compute(scratch, quarter, &first);
    memcpy(scratch, ticks + method->count - quarter, quarter * sizeof *scratch);
    ets_statistics_compute(scratch, quarter, &last);
    return first.p50 > 0 ? last.p50 / first.p50 - 1 : NAN;
}

static bool put_methods(struct filler *f)
{
    double total = 0;
    double *scratch = ets_arena_alloc_array(f->arena, f->count, sizeof *scratch);
    if (scratch == NULL) return false;
    for (uint32_t m = 1; m < f->names.count; m++) total += f->methods[m].times.total;
    for (uint32_t m = 1; m < f->names.count; m++) {
        const struct method *method = &f->methods[m];
        const struct ets_statistics *t = &method->times;
        if (f->options->top > 0 && m > f->options->top) break;
        ets_table_add_row(f->table, 0);
        ets_table_put_text(f->table, method->name);
        ets_table_put_integer(f->table, method->count);
        put_time(f, t->mean);
        put_time(f, t->p50);
        put_time(f, t->p90);
        put_time(f, t->min);
        put_time(f, t->max);
        put_time(f, t->total);
        put_share(f, t->total, total);
        put_rate(f, method->count, t->total);
        put_rate(f, method->tokens * method->count, t->total);
        put_time(f, f->sorted[method->first]);
        put_share(f, trend_of(method, f->sorted + method->first, scratch), 1);
    }
    return true;
}

static bool put_runs(struct filler *f)
{
    double *sums = ets_arena_alloc_array(f->arena, f->names.count, sizeof *sums);
    if (sums == NULL) return false;
    uint32_t left = f->options->top > 0 ? f->options->top : f->count;
    for (uint32_t i = 0; i < f->count && left > 0; i++) {
        const struct execution *e = &f->executions[i];
        const struct method *method = &f->methods[e->method];
        const struct ets_run *run = ets_inspection_run(f->inspection, e->run);
        sums[e->method] += e->ticks;
        if (!is_chosen(f, e->run)) continue;
        left--;
        ets_table_add_row(f->table, 0);
        ets_table_put_integer(f->table, e->run);
        ets_table_put_integer(f->table, run->block);
        ets_table_put_text(f->table, method->name);
        ets_table_put_integer(f->table, e->position);
        if (run->method.data != NULL) ets_table_put_integer(f->table, run->invocation);
        else ets_table_put_nothing(f->table);
        put_time(f, e->ticks);
        put_time(f, sums[e->method]);
        put_share(f, e->ticks, method->times.p50);
        put_rate(f, method->tokens, e->ticks);
    }
    return true;
}

enum ets_status ets_run_table_fill(struct ets_table *table, const struct ets_inspection *inspection,
                                   const struct ets_run_table_options *options,
                                   struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct filler f = {
        .table = table, .inspection = inspection, .options = options, .arena = &arena};
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) f.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    add_columns(&f);
    const bool ok =
        collect(&f) && summarise(&f) && (options->by_run ? put_runs(&f) : put_methods(&f));
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
