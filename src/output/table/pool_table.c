/* The table of `summary`: quantiles over all files, and how far the files lie apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "output/table/operator_cell.h"
#include "output/table/pool_table.h"
#include "output/table/table.h"
#include "views/difference_order.h"
#include "views/operator_lines.h"

enum cell {
    CELL_BLOCK,
    CELL_METHOD,
    CELL_FILES,
    CELL_FILE_COUNT,
    CELL_RUNS,
    CELL_NAME,
    CELL_CALLS,
    CELL_P50,
    CELL_MID,
    CELL_P90,
    CELL_MIN,
    CELL_MAX,
    CELL_AVG,
    CELL_RANGE,
    CELL_FILE_MIN,
    CELL_FILE_MAX,
    CELL_SPREAD,
    CELL_SHARE,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_BACKEND,
    CELL_DEPTH,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_FILES] = {.name = "files", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_FILE_COUNT] = {.name = "file_count", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_RUNS] = {.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_NAME] = {.name = "operator", .least_width = 30, .cut_in_middle = 1},
    [CELL_CALLS] = {.name = "calls", .kind = ETS_COLUMN_INTEGER, .priority = 3, .dull_at_one = 1},
    [CELL_P50] =
        {.name = "p50", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .has_bounds = 1, .priority = 1},
    [CELL_MID] = {.name = "mid", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .has_bounds = 1},
    [CELL_P90] =
        {.name = "p90", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 1},
    [CELL_MIN] =
        {.name = "min", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 6},
    [CELL_MAX] =
        {.name = "max", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 5},
    [CELL_AVG] = {.name = "avg",
                  .kind = ETS_COLUMN_TIME,
                  .shares_unit = 2,
                  .has_bounds = 1,
                  .machine_only = 1},
    [CELL_RANGE] = {.name = "range",
                    .title = "p50 of files",
                    .kind = ETS_COLUMN_TIME,
                    .shares_unit = 2,
                    .human_only = 1,
                    .priority = 2},
    [CELL_FILE_MIN] = {.name = "file_p50_min", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_FILE_MAX] = {.name = "file_p50_max", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_SPREAD] = {.name = "spread", .kind = ETS_COLUMN_SHARE},
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_SOURCE] = {.name = "source",
                     .kind = ETS_COLUMN_LIST,
                     .least_width = 14,
                     .priority = 4,
                     .cut_at_start = 1,
                     .first_of_list = 1},
    [CELL_MODULE] = {.name = "module",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 7,
                     .least_width = 10,
                     .first_of_list = 1},
    [CELL_BACKEND] = {.name = "backend", .machine_only = 1},
    [CELL_DEPTH] = {.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
};

/* One operator over all files. */
struct line {
    const struct ets_pool_operator *op;
    uint32_t number; /* within the block */
    struct ets_statistics times;
    double file_min, file_max; /* of the files' medians */
    double middle;             /* mid of chosen_runs.h, which shares are of */
};

struct filler {
    struct ets_table *table;
    const struct ets_pool *pool;
    const struct ets_pool_table_options *options;
    struct ets_arena *arena; /* of one block's lines */
};

static void add_columns(const struct filler *f, bool has_unit)
{
    bool has_nodes = false, has_middle = false;
    for (uint32_t b = 0; b < ets_pool_block_count(f->pool); b++) {
        const struct ets_pool_block *block = ets_pool_block(f->pool, b);
        for (uint32_t i = 0; i < block->operator_count; i++) {
            const struct ets_row *row = block->operators[i].row;
            has_nodes |= row != NULL && row->node_count > 0;
        }
        has_middle |= block->run_count >= ETS_MIDDLE_RUNS;
    }
    for (int c = 0; c < CELL_COUNT; c++) {
        struct ets_column column = columns[c];
        if (!has_unit && column.kind == ETS_COLUMN_TIME) column.kind = ETS_COLUMN_TICKS;
        if (c == CELL_MID && !has_middle) column.machine_only = 1;
        if ((c == CELL_SOURCE || c == CELL_MODULE) && !has_nodes) column.machine_only = 1;
        ets_table_add_column(f->table, &column);
    }
}

static void describe(const struct ets_pool_block *block, uint32_t number, const double *weights,
                     double *scratch, struct line *line)
{
    *line = (struct line){.op = &block->operators[number], .number = number};
    line->file_min = HUGE_VAL;
    line->file_max = -HUGE_VAL;
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        struct ets_statistics of_file;
        memcpy(scratch, line->op->per_run + part->first_run, part->run_count * sizeof *scratch);
        ets_statistics_compute(scratch, part->run_count, &of_file);
        line->file_min = fmin(line->file_min, of_file.p50);
        line->file_max = fmax(line->file_max, of_file.p50);
    }
    line->middle = ets_middle_mean(line->op->per_run, block->run_count, weights);
    memcpy(scratch, line->op->per_run, block->run_count * sizeof *scratch);
    ets_statistics_compute(scratch, block->run_count, &line->times);
}

static void put_time(const struct filler *f, const struct line *line, double time)
{
    ets_table_put_bounds(f->table, time, time + line->op->resolution);
}

static void put_ratio(const struct filler *f, double part, double whole, double resolution)
{
    if (whole > 0) ets_table_put_bounds(f->table, part / whole, (part + resolution) / whole);
    else ets_table_put_nothing(f->table);
}

/* Of very many no row has room. */
static void put_files(const struct filler *f, const struct ets_pool_block *block)
{
    enum { MOST_FILES = 256 };
    if (block->part_count > MOST_FILES) {
        ets_table_put_nothing(f->table);
        return;
    }
    struct ets_text *names = ets_arena_alloc_array(f->arena, block->part_count, sizeof *names);
    for (uint32_t p = 0; names != NULL && p < block->part_count; p++) {
        const char *name = f->options->files[block->parts[p].inspection];
        names[p] = (struct ets_text){name, strlen(name)};
    }
    if (names != NULL) ets_table_put_list(f->table, names, block->part_count);
    else ets_table_put_nothing(f->table);
}

/* What a delegate's own clock has no answer to; ratios of its ticks are good. */
static bool is_time(enum cell cell)
{
    return (cell >= CELL_P50 && cell <= CELL_FILE_MAX) || cell == CELL_SHARE;
}

static void put_cell(const struct filler *f, enum cell cell, const struct ets_pool_block *block,
                     const struct line *line, double total, const struct ets_text_list *sources,
                     const struct ets_text_list *modules)
{
    const struct ets_statistics *t = &line->times;
    if (line->op->has_own_clock && is_time(cell)) {
        ets_table_put_nothing(f->table);
        return;
    }
    switch (cell) {
    case CELL_BLOCK: ets_table_put_text(f->table, block->name); break;
    case CELL_METHOD: ets_table_put_string(f->table, block->method); break;
    case CELL_FILES: put_files(f, block); break;
    case CELL_FILE_COUNT: ets_table_put_integer(f->table, block->part_count); break;
    case CELL_RUNS: ets_table_put_integer(f->table, t->count); break;
    case CELL_NAME: ets_put_pool_operator(f->table, line->op); break;
    case CELL_CALLS:
        if (line->op->row != NULL) ets_table_put_integer(f->table, line->op->calls);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_P50: put_time(f, line, t->p50); break;
    case CELL_MID:
        if (isnan(line->middle)) ets_table_put_nothing(f->table);
        else put_time(f, line, line->middle);
        break;
    case CELL_P90: put_time(f, line, t->p90); break;
    case CELL_MIN: put_time(f, line, t->min); break;
    case CELL_MAX: put_time(f, line, t->max); break;
    case CELL_AVG: put_time(f, line, t->mean); break;
    case CELL_RANGE:
        if (block->part_count == 1) ets_table_put_nothing(f->table);
        else ets_table_put_bounds(f->table, line->file_min, line->file_max);
        break;
    case CELL_FILE_MIN: ets_table_put_real(f->table, line->file_min); break;
    case CELL_FILE_MAX: ets_table_put_real(f->table, line->file_max); break;
    case CELL_SPREAD:
        if (block->part_count == 1) ets_table_put_nothing(f->table);
        else put_ratio(f, line->file_max - line->file_min, t->p50, 0);
        break;
    case CELL_SHARE: put_ratio(f, line->middle, total, line->op->resolution); break;
    case CELL_SOURCE: ets_table_put_list(f->table, sources->items, sources->count); break;
    case CELL_MODULE: ets_table_put_list(f->table, modules->items, modules->count); break;
    case CELL_BACKEND:
        ets_table_put_string(f->table, line->op->row == NULL ? NULL : line->op->row->backend);
        break;
    case CELL_DEPTH: ets_table_put_integer(f->table, line->op->depth); break;
    case CELL_COUNT: break;
    }
}

static bool add_line(const struct filler *f, const struct ets_pool_block *block,
                     const struct line *line, double total)
{
    struct ets_text_list sources = {NULL, 0}, modules = {NULL, 0};
    if (line->op->row != NULL &&
        !ets_operator_row_places(f->arena, line->op->row, &sources, &modules)) {
        return false;
    }
    ets_table_add_row(f->table, line->op->depth);
    for (int c = 0; c < CELL_COUNT; c++) {
        put_cell(f, (enum cell)c, block, line, total, &sources, &modules);
    }
    return true;
}

/* Which files, where not all have this block. */
static size_t print_files(const struct filler *f, const struct ets_pool_block *block, char *text,
                          size_t room)
{
    enum { NAMED = 3 };
    size_t used = ets_print_text(text, room, "%u file%s", block->part_count,
                                 block->part_count == 1 ? "" : "s");
    for (uint32_t p = 0; p < block->part_count && p < NAMED; p++) {
        used += ets_print_text(text + used, room - used, "%s%s", p == 0 ? " (" : ", ",
                               f->options->files[block->parts[p].inspection]);
    }
    return used + ets_print_text(text + used, room - used, "%s",
                                 block->part_count > NAMED ? ", ...)" : ")");
}

static void add_heading(const struct filler *f, const struct ets_pool_block *block)
{
    char text[512];
    size_t used =
        ets_print_text(text, sizeof text / 4, "%.*s", (int)block->name.size, block->name.data);
    if (block->method != NULL) {
        used += ets_print_text(text + used, sizeof text / 4, " - method %s", block->method);
    }
    used += ets_print_text(text + used, sizeof text - used, " - %u run%s of ", block->run_count,
                           block->run_count == 1 ? "" : "s");
    used += print_files(f, block, text + used, sizeof text - used);
    used += ets_print_share_of(block->run_count, text + used, sizeof text - used);
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

/* Two blocks of what may be one program: why, and what would tell. */
static void add_likeness(const struct filler *f, const struct ets_pool_block *block)
{
    char text[512];
    if (block->may_be == ETS_NO_INDEX) return;
    const struct ets_pool_block *other = ets_pool_block(f->pool, block->may_be);
    size_t size = ets_print_text(
        text, sizeof text,
        "%s and %s differ here in conversions and widths of floats alone, which XNNPACK may choose "
        "by the processor",
        f->options->files[other->parts[0].inspection],
        f->options->files[block->parts[0].inspection]);
    size += ets_advise_with(ets_table_words(f->table), ETS_ADVICE_PROGRAM, text + size,
                            sizeof text - size);
    ets_table_add_note(f->table, (struct ets_text){text, size});
}

/* Frames first, then the largest medians. */
static int by_time(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    const bool a_frame = a->op->role == ETS_POOL_FRAME, b_frame = b->op->role == ETS_POOL_FRAME;
    if (a_frame != b_frame) return a_frame ? -1 : 1;
    if (a->op->has_own_clock != b->op->has_own_clock) return a->op->has_own_clock ? 1 : -1;
    if (!a_frame && a->times.p50 != b->times.p50) return a->times.p50 > b->times.p50 ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool fill_block(const struct filler *f, const struct ets_pool_block *block)
{
    const uint32_t count = block->operator_count;
    struct line *lines = ets_arena_alloc_array(f->arena, count, sizeof *lines);
    double *scratch = ets_arena_alloc_array(f->arena, block->run_count, sizeof *scratch);
    if (lines == NULL || scratch == NULL) return false;
    const double *weights = ets_middle_weights(
        f->arena, block->total == ETS_NO_INDEX ? scratch : block->operators[block->total].per_run,
        block->run_count);
    if (weights == NULL) return false;
    for (uint32_t i = 0; i < count; i++) describe(block, i, weights, scratch, &lines[i]);
    const double total = block->total == ETS_NO_INDEX ? NAN : lines[block->total].middle;
    if (count > 0 && f->options->by_time) qsort(lines, count, sizeof *lines, by_time);
    if (count > 0) add_heading(f, block);
    uint32_t left = f->options->top > 0 ? f->options->top : count;
    for (uint32_t i = 0; i < count && left > 0; i++) {
        left -= f->options->top > 0 && lines[i].op->role == ETS_POOL_FRAME ? 0 : 1;
        if (!add_line(f, block, &lines[i], total)) return false;
    }
    add_likeness(f, block);
    return true;
}

enum ets_status ets_pool_table_fill(struct ets_table *table, const struct ets_pool *pool,
                                    const struct ets_pool_table_options *options,
                                    struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    const bool has_unit = ets_pool_unit(pool) != ETS_UNIT_CYCLES;
    const struct filler f = {table, pool, options, &arena};
    add_columns(&f, has_unit);
    bool ok = true;
    for (uint32_t b = 0; ok && b < ets_pool_block_count(pool); b++) {
        ok = fill_block(&f, ets_pool_block(pool, b));
        ets_arena_reset(&arena);
    }
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
