/* The table of `summary`: quantiles over all files, and how far the files differ. */
#include "output/table/pool_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "output/table/operator_cell.h"
#include "views/chosen_runs.h"
#include "views/difference_order.h"
#include "views/operator_lines.h"
#include "views/pool_lines.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_pool_block *block;
    const struct ets_pool_line *of;
    double whole;                                 /* of a run: what shares are of */
    struct ets_text_list files, sources, modules; /* `files` empty: too many for a row */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_block(const struct line *line)
{
    ets_table_put_text(line->table, line->block->name);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->block->method);
}

static void put_files(const struct line *line)
{
    if (line->files.count == 0) ets_table_put_nothing(line->table);
    else ets_table_put_list(line->table, line->files.items, line->files.count);
}

static void put_file_count(const struct line *line)
{
    ets_table_put_integer(line->table, line->block->part_count);
}

static void put_runs(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->times.count);
}

static void put_instruction(const struct line *line)
{
    const int32_t instruction = ets_difference_instruction(line->of->op);
    if (instruction < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, instruction);
}

static void put_name(const struct line *line)
{
    ets_put_pool_operator(line->table, line->of->op);
}

static void put_calls(const struct line *line)
{
    if (line->of->op->row == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->op->calls);
}

/* Ticks of a delegate's own clock are no time, and no part of one; ratios of them are good. */
static void put_bounds(const struct line *line, double lower, double upper)
{
    if (line->of->op->has_own_clock || isnan(lower)) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, lower, upper);
}

static void put_time(const struct line *line, double time)
{
    put_bounds(line, time, time + line->of->op->resolution);
}

static void put_p50(const struct line *line)
{
    put_time(line, line->of->times.p50);
}

static void put_middle(const struct line *line)
{
    put_time(line, line->of->middle);
}

static void put_p90(const struct line *line)
{
    put_time(line, line->of->times.p90);
}

static void put_min(const struct line *line)
{
    put_time(line, line->of->times.min);
}

static void put_max(const struct line *line)
{
    put_time(line, line->of->times.max);
}

static void put_mean(const struct line *line)
{
    put_time(line, line->of->times.mean);
}

static void put_range(const struct line *line)
{
    if (line->block->part_count == 1) ets_table_put_nothing(line->table);
    else put_bounds(line, line->of->file_min, line->of->file_max);
}

static void put_file_min(const struct line *line)
{
    put_bounds(line, line->of->file_min, line->of->file_min);
}

static void put_file_max(const struct line *line)
{
    put_bounds(line, line->of->file_max, line->of->file_max);
}

static void put_spread(const struct line *line)
{
    const struct ets_pool_line *of = line->of;
    if (line->block->part_count > 1 && of->times.p50 > 0) {
        ets_table_put_real(line->table, (of->file_max - of->file_min) / of->times.p50);
    } else {
        ets_table_put_nothing(line->table);
    }
}

static void put_share(const struct line *line)
{
    const double upper = line->of->middle + line->of->op->resolution;
    if (!(line->whole > 0)) ets_table_put_nothing(line->table);
    else put_bounds(line, line->of->middle / line->whole, upper / line->whole);
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
    const struct ets_row *row = line->of->op->row;
    ets_table_put_string(line->table, row == NULL ? NULL : row->backend);
}

static void put_depth(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->op->depth);
}

/* A time for people; `priority` says how soon a narrow table drops it. */
/* clang-format off */
#define TIME(title, unit, rank)                                                                   \
    {.name = title, .kind = ETS_COLUMN_TIME, .shares_unit = unit, .has_bounds = 1, .priority = rank}
/* clang-format on */

static const struct field fields[] = {
    {{.name = "block", .machine_only = 1}, put_block},
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "files", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_files},
    {{.name = "file_count", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_file_count},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_instruction},
    {{.name = "operator", .least_width = 30, .cut_in_middle = 1}, put_name},
    {{.name = "calls", .kind = ETS_COLUMN_INTEGER, .priority = 3, .dull_at_one = 1}, put_calls},
    {TIME("p50", 1, 1), put_p50},
    {TIME("mid", 1, 0), put_middle},
    {TIME("p90", 2, 1), put_p90},
    {TIME("min", 2, 6), put_min},
    {TIME("max", 2, 5), put_max},
    {{.name = "avg", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .machine_only = 1},
     put_mean},
    {{.name = "range",
      .title = "p50 of files",
      .kind = ETS_COLUMN_TIME,
      .shares_unit = 2,
      .human_only = 1,
      .priority = 2},
     put_range},
    {{.name = "file_p50_min", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_file_min},
    {{.name = "file_p50_max", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_file_max},
    {{.name = "spread", .kind = ETS_COLUMN_SHARE, .is_no_part = 1}, put_spread},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .least_width = 14,
      .priority = 4,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_sources},
    {{.name = "module",
      .kind = ETS_COLUMN_LIST,
      .priority = 7,
      .least_width = 10,
      .first_of_list = 1},
     put_modules},
    {{.name = "backend", .machine_only = 1}, put_backend},
    {{.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_depth},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* People see no column that says the same as another, or nothing. */
static void add_columns(struct ets_table *table, const struct ets_pool *pool)
{
    struct field shown[FIELDS];
    bool has_nodes = false, has_middle = false;
    for (uint32_t b = 0; b < ets_pool_block_count(pool); b++) {
        const struct ets_pool_block *block = ets_pool_block(pool, b);
        for (uint32_t i = 0; i < block->operator_count; i++) {
            const struct ets_row *row = block->operators[i].row;
            has_nodes |= row != NULL && row->node_count > 0;
        }
        has_middle |= block->run_count >= ETS_MIDDLE_RUNS;
    }
    memcpy(shown, fields, sizeof shown);
    for (size_t i = 0; i < FIELDS; i++) {
        const bool is_place = shown[i].put == put_sources || shown[i].put == put_modules;
        if (is_place && !has_nodes) shown[i].column.machine_only = 1;
        if (shown[i].put == put_middle && !has_middle) shown[i].column.machine_only = 1;
    }
    ets_table_add_columns(table, &shown[0].column, sizeof *shown, FIELDS,
                          ets_pool_unit(pool) != ETS_UNIT_CYCLES);
}

/* Of very many no row has room. Returns false if memory runs out. */
static bool list_files(struct ets_arena *arena, const struct ets_pool_block *block,
                       const char *const *files, struct ets_text_list *list)
{
    enum { MOST_FILES = 256 };
    *list = (struct ets_text_list){NULL, block->part_count > MOST_FILES ? 0 : block->part_count};
    list->items = ets_arena_alloc_array(arena, list->count, sizeof *list->items);
    for (uint32_t p = 0; list->items != NULL && p < list->count; p++) {
        const char *name = files[block->parts[p].inspection];
        list->items[p] = (struct ets_text){name, strlen(name)};
    }
    return list->items != NULL;
}

/* Names the files that have this block. */
static void add_file_names(struct ets_text_builder *heading, const struct ets_pool_block *block,
                           const char *const *files)
{
    enum { NAMED = 3 };
    ets_add_text(heading, "%u file%s", block->part_count, block->part_count == 1 ? "" : "s");
    for (uint32_t p = 0; p < block->part_count && p < NAMED; p++) {
        ets_add_text(heading, "%s%s", p == 0 ? " (" : ", ", files[block->parts[p].inspection]);
    }
    ets_add_text(heading, "%s", block->part_count > NAMED ? ", ...)" : ")");
}

static void add_heading(struct ets_table *table, const struct ets_pool_block *block,
                        const char *kind, const char *const *files)
{
    char text[512];
    struct ets_text_builder heading = {text, sizeof text / 4, 0}; /* long names leave room */
    ets_add_text(&heading, "%.*s", ETS_TEXT(block->name));
    heading.room += heading.used;
    if (block->method != NULL) ets_add_text(&heading, " - method %s", block->method);
    heading.room = sizeof text;
    ets_add_text(&heading, " - %u run%s%s of ", block->run_count, block->run_count == 1 ? "" : "s",
                 kind);
    add_file_names(&heading, block, files);
    heading.used +=
        ets_print_share_of(block->run_count, text + heading.used, sizeof text - heading.used);
    ets_table_add_section(table, ets_built_text(&heading));
}

/* Notes that two blocks may be of one program, why, and how to decide it. */
static void add_likeness(struct ets_table *table, const struct ets_pool_block *block,
                         const struct ets_pool_block *other, const char *const *files)
{
    char text[512];
    size_t size =
        ets_print_text(text, sizeof text,
                       "%s and %s differ here only in conversions and float widths, which XNNPACK "
                       "may choose by the processor",
                       files[other->parts[0].inspection], files[block->parts[0].inspection]);
    size += ets_advise_with(ets_table_words(table), ETS_ADVICE_PROGRAM, text + size,
                            sizeof text - size);
    ets_table_add_note(table, (struct ets_text){text, size});
}

static bool put_line(struct ets_arena *arena, struct line *line)
{
    const struct ets_row *row = line->of->op->row;
    line->sources = line->modules = (struct ets_text_list){NULL, 0};
    if (row != NULL && !ets_operator_row_places(arena, row, &line->sources, &line->modules)) {
        return false;
    }
    ets_table_add_row(line->table, line->of->op->depth);
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(line);
    return true;
}

static bool fill_block(struct ets_arena *arena, struct ets_table *table,
                       const struct ets_pool_block *block, const char *kind,
                       const struct ets_pool_table_options *options)
{
    const struct ets_pool_line_options order = {.by_time = options->by_time != 0,
                                                .top = options->top};
    struct ets_pool_lines lines;
    struct line line = {.table = table, .block = block};
    if (!ets_pool_lines_collect(arena, block, &order, &lines) ||
        !list_files(arena, block, options->files, &line.files)) {
        return false;
    }
    line.whole = lines.whole;
    if (lines.count > 0) add_heading(table, block, kind, options->files);
    for (uint32_t i = 0; i < lines.count; i++) {
        line.of = &lines.items[i];
        if (!put_line(arena, &line)) return false;
    }
    return true;
}

enum ets_status ets_pool_table_fill(struct ets_table *table, const struct ets_pool *pool,
                                    const struct ets_pool_table_options *options,
                                    struct ets_error *error)
{
    struct ets_arena arena, all; /* of a block; of the table */
    struct ets_pool_kinds kinds;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&all, ets_table_allocator(table), 0);
    add_columns(table, pool);
    bool ok = ets_pool_kinds_find(&all, pool, &kinds);
    for (uint32_t b = 0; ok && b < ets_pool_block_count(pool); b++) {
        const struct ets_pool_block *block = ets_pool_block(pool, b);
        ok = fill_block(&arena, table, block, ets_pool_block_kind(&kinds, b), options);
        if (ok && block->may_be != ETS_NO_INDEX) {
            add_likeness(table, block, ets_pool_block(pool, block->may_be), options->files);
        }
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&all);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of several traces");
}
