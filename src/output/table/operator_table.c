#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inspect/accounting/accounting.h"
#include "inspect/patterns.h"
#include "inspect/row_times.h"
#include "output/table/operator_table.h"
#include "output/table/table.h"
#include "views/block_heading.h"
#include "views/metadata_text.h"
#include "views/operator_lines.h"
#include "views/phase_text.h"

/* What one cell of a line shows. */
enum cell {
    CELL_BLOCK,
    CELL_BLOCK_INDEX,
    CELL_METHOD,
    CELL_RUNS,
    CELL_INSTRUCTION,
    CELL_NAME,
    CELL_EVENT,
    CELL_KERNEL,
    CELL_CALLS,
    CELL_AVG,
    CELL_P50,
    CELL_MID,
    CELL_MIN,
    CELL_MAX,
    CELL_P10,
    CELL_P90,
    CELL_P99,
    CELL_CI_LOW,
    CELL_CI_HIGH,
    CELL_SD,
    CELL_TOTAL,
    CELL_SHARE,
    CELL_SELF_SHOWN,
    CELL_SELF,
    CELL_SELF_MID,
    CELL_SELF_SHARE,
    CELL_RESOLUTION,
    CELL_SOURCE_SHOWN,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_BACKEND,
    CELL_OPS,
    CELL_HANDLES,
    CELL_TIE,
    CELL_PAYLOAD_NODES,
    CELL_METADATA,
    CELL_INFERRED,
    CELL_DEPTH,
    CELL_COUNT
};

/* Every column that there is, in the order of the table; priorities say what a narrow one drops. */
static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_BLOCK_INDEX] = {.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_RUNS] = {.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 3},
    [CELL_NAME] = {.name = "operator", .least_width = 32, .cut_in_middle = 1},
    [CELL_EVENT] = {.name = "event", .machine_only = 1, .least_width = 20},
    [CELL_KERNEL] = {.name = "kernel", .machine_only = 1, .least_width = 20},
    [CELL_CALLS] = {.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 2, .dull_at_one = 1},
    [CELL_AVG] =
        {.name = "avg", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .has_bounds = 1, .priority = 4},
    [CELL_P50] =
        {.name = "p50", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .has_bounds = 1, .priority = 1},
    [CELL_MID] = {.name = "mid", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .has_bounds = 1},
    [CELL_MIN] =
        {.name = "min", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 7},
    [CELL_MAX] =
        {.name = "max", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 5},
    [CELL_P10] =
        {.name = "p10", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 12},
    [CELL_P90] =
        {.name = "p90", .kind = ETS_COLUMN_TIME, .shares_unit = 2, .has_bounds = 1, .priority = 11},
    [CELL_P99] = {.name = "p99",
                  .kind = ETS_COLUMN_TIME,
                  .shares_unit = 2,
                  .has_bounds = 1,
                  .machine_only = 1},
    [CELL_CI_LOW] = {.name = "ci_low",
                     .kind = ETS_COLUMN_TIME,
                     .shares_unit = 2,
                     .has_bounds = 1,
                     .machine_only = 1},
    [CELL_CI_HIGH] = {.name = "ci_high",
                      .kind = ETS_COLUMN_TIME,
                      .shares_unit = 2,
                      .has_bounds = 1,
                      .machine_only = 1},
    [CELL_SD] = {.name = "sd",
                 .kind = ETS_COLUMN_TIME,
                 .shares_unit = 2,
                 .has_bounds = 1,
                 .machine_only = 1},
    [CELL_TOTAL] = {.name = "total", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .priority = 10},
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_SELF_SHOWN] = {.name = "self",
                         .kind = ETS_COLUMN_TIME,
                         .shares_unit = 1,
                         .has_bounds = 1,
                         .human_only = 1},
    [CELL_SELF] = {.name = "self", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1},
    [CELL_SELF_MID] = {.name = "self_mid",
                       .kind = ETS_COLUMN_TIME,
                       .has_bounds = 1,
                       .machine_only = 1},
    [CELL_SELF_SHARE] = {.name = "self_share",
                         .title = "self share",
                         .kind = ETS_COLUMN_SHARE,
                         .has_bounds = 1,
                         .priority = 6},
    [CELL_RESOLUTION] = {.name = "resolution", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_SOURCE_SHOWN] = {.name = "source",
                           .kind = ETS_COLUMN_LIST,
                           .human_only = 1,
                           .least_width = 14,
                           .cut_at_start = 1,
                           .first_of_list = 1},
    [CELL_SOURCE] = {.name = "source", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_MODULE] = {.name = "module",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 8,
                     .least_width = 10,
                     .first_of_list = 1},
    [CELL_BACKEND] = {.name = "backend", .priority = 9},
    [CELL_OPS] = {.name = "op_types",
                  .kind = ETS_COLUMN_LIST,
                  .priority = 13,
                  .least_width = 20,
                  .first_of_list = 1},
    [CELL_HANDLES] = {.name = "debug_handles", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_TIE] = {.name = "tie", .machine_only = 1},
    [CELL_PAYLOAD_NODES] = {.name = "delegate_nodes", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_METADATA] = {.name = "metadata",
                       .kind = ETS_COLUMN_LIST,
                       .priority = 14,
                       .least_width = 10,
                       .first_of_list = 1},
    [CELL_INFERRED] = {.name = "inferred", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_DEPTH] = {.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
};

/* Allocation events of a block's runs, and their bytes together. */
struct allocations {
    uint64_t count, bytes;
};

struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_operator_options *options;
    struct ets_arena *arena; /* of one block's lines */
    double tick_ns;          /* 0: the clock has no unit */
    bool is_shown[CELL_COUNT];
    uint32_t *run_number;            /* [run] within its block */
    struct allocations *allocations; /* [block] */
    struct ets_chosen_runs runs;     /* of the block at hand */
};

static const char *group_title(enum ets_group_by group_by)
{
    static const char *const titles[] = {"operator", "operator", "module",      "source",
                                         "backend",  "file",     "debug_handle"};
    return titles[group_by];
}

/* Groups whose name is a list: of source lines, of modules, of handles. */
static bool is_place_group(const struct ets_operator_options *options)
{
    switch (options->group_by) {
    case ETS_GROUP_MODULE:
    case ETS_GROUP_SOURCE:
    case ETS_GROUP_FILE:
    case ETS_GROUP_HANDLE: return true;
    default: return false;
    }
}

static void add_columns(struct filler *f)
{
    const bool is_grouped = f->options->group_by != ETS_GROUP_NONE;
    static const enum cell row_only[] = {
        CELL_INSTRUCTION, CELL_EVENT,         CELL_KERNEL,  CELL_SOURCE,   CELL_MODULE,
        CELL_BACKEND,     CELL_OPS,           CELL_HANDLES, CELL_INFERRED, CELL_SOURCE_SHOWN,
        CELL_TIE,         CELL_PAYLOAD_NODES, CELL_METADATA};
    for (int i = 0; i < CELL_COUNT; i++) f->is_shown[i] = true;
    for (size_t i = 0; is_grouped && i < sizeof row_only / sizeof *row_only; i++) {
        f->is_shown[row_only[i]] = false;
    }
    if (f->options->group_by != ETS_GROUP_MODULE) {
        f->is_shown[CELL_SELF_SHOWN] = f->is_shown[CELL_SELF] = false;
        f->is_shown[CELL_SELF_MID] = f->is_shown[CELL_SELF_SHARE] = false;
    }
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        if (!f->is_shown[i]) continue;
        if (i == CELL_MID && !ets_middle_is_told(f->inspection)) column.machine_only = 1;
        if (column.kind == ETS_COLUMN_TIME && f->tick_ns == 0) column.kind = ETS_COLUMN_TICKS;
        if (i == CELL_NAME && is_grouped) {
            column.name = group_title(f->options->group_by);
            column.cut_at_start =
                f->options->group_by == ETS_GROUP_SOURCE || f->options->group_by == ETS_GROUP_FILE;
            column.first_of_list = 1;
            if (is_place_group(f->options)) column.kind = ETS_COLUMN_LIST;
        }
        ets_table_add_column(f->table, &column);
    }
}

static void put_time(const struct filler *f, double ticks, double quantum, double calls)
{
    const double scale = f->tick_ns == 0 ? 1 : f->tick_ns;
    const struct ets_span time = ets_span_of(ticks, quantum, calls);
    ets_table_put_bounds(f->table, time.lower * scale, time.upper * scale);
}

/* What too few runs do not give is left out. */
static void put_known_time(const struct filler *f, double ticks, double quantum, double calls)
{
    if (isnan(ticks)) ets_table_put_nothing(f->table);
    else put_time(f, ticks, quantum, calls);
}

/* Where each run may be off by up to `range`, the deviation may be by half of it. */
static void put_deviation(const struct filler *f, const struct ets_spread *spread, uint32_t count,
                          double range)
{
    const double off = range / 2 * sqrt(count / (count - 1.0));
    const double scale = f->tick_ns == 0 ? 1 : f->tick_ns;
    if (isnan(spread->sd)) {
        ets_table_put_nothing(f->table);
        return;
    }
    ets_table_put_bounds(f->table, fmax(spread->sd - off, 0) * scale, (spread->sd + off) * scale);
}

static void put_share(const struct filler *f, const struct ets_chosen_times *times, double quantum,
                      double calls)
{
    const double total = f->runs.whole;
    if (isnan(total) || isnan(times->middle)) {
        ets_table_put_nothing(f->table);
        return;
    }
    const struct ets_span time = ets_span_of(times->middle, quantum, calls);
    ets_table_put_bounds(f->table, time.lower / total, time.upper / total);
}

static void put_list(const struct filler *f, const struct ets_text_list *list)
{
    ets_table_put_list(f->table, list->items, list->count);
}

/* For people, an event of which only the call is known does not repeat the call's lines. */
static void put_source_shown(const struct filler *f, const struct ets_operator_line *line,
                             const struct ets_row *row)
{
    const struct ets_text whole_call = {"(whole call)", 12};
    if (row != NULL && row->tie == ETS_TIE_CALL && line->sources.count > 0) {
        ets_table_put_list(f->table, &whole_call, 1);
    } else {
        put_list(f, &line->sources);
    }
}

static void put_payload_nodes(const struct filler *f, const struct ets_row *row)
{
    struct ets_text *names =
        ets_arena_alloc_array(f->arena, row->payload_node_count, sizeof *names);
    if (names == NULL) {
        ets_table_put_nothing(f->table);
        return;
    }
    for (size_t i = 0; i < row->payload_node_count; i++) {
        const char *type = row->payload_nodes[i].type;
        names[i] = (struct ets_text){type, strlen(type)};
    }
    ets_table_put_list(f->table, names, row->payload_node_count);
}

static void put_metadata(const struct filler *f, uint32_t row)
{
    struct ets_text_list list;
    if (!ets_row_metadata(f->arena, f->inspection, row, &f->runs, f->run_number, &list)) {
        list = (struct ets_text_list){NULL, 0};
    }
    put_list(f, &list);
}

static void put_name(const struct filler *f, const struct ets_operator_line *line)
{
    char text[256];
    const bool is_call = ets_text_is(line->name, "DELEGATE_CALL");
    if (is_place_group(f->options)) {
        if (line->places.count > 0) put_list(f, &line->places);
        else ets_table_put_list(f->table, &line->name, 1);
        return;
    }
    if (line->has_own_clock) {
        const size_t size = ets_print_text(text, sizeof text, "%.*s (clock of its own)",
                                           (int)line->name.size, line->name.data);
        ets_table_put_text(f->table, (struct ets_text){text, size});
        return;
    }
    if (!is_call || line->backend.size == 0) {
        ets_table_put_text(f->table, line->name);
        return;
    }
    const size_t size = ets_print_text(text, sizeof text, "DELEGATE_CALL %.*s",
                                       (int)line->backend.size, line->backend.data);
    ets_table_put_text(f->table, (struct ets_text){text, size});
}

static void put_cell(const struct filler *f, enum cell cell, const struct ets_operator_line *line,
                     const struct ets_block *block)
{
    const struct ets_row *row =
        line->row == ETS_NO_INDEX ? NULL : ets_inspection_row(f->inspection, line->row);
    const struct ets_statistics *t = &line->times.statistics;
    const struct ets_spread *spread = &line->times.spread;
    const double q = line->quantum_ns, n = line->coarse_calls;
    if (cell >= CELL_AVG && cell <= CELL_SHARE && line->has_own_clock) {
        ets_table_put_nothing(f->table);
        return;
    }
    switch (cell) {
    case CELL_BLOCK: ets_table_put_text(f->table, block->name); break;
    case CELL_BLOCK_INDEX:
        ets_table_put_integer(f->table, ets_inspection_run(f->inspection, block->first_run)->block);
        break;
    case CELL_METHOD: ets_table_put_string(f->table, block->method); break;
    case CELL_RUNS: ets_table_put_integer(f->table, t->count); break;
    case CELL_INSTRUCTION:
        if (row == NULL || row->instruction < 0 || row->is_delegated)
            ets_table_put_nothing(f->table);
        else ets_table_put_integer(f->table, row->instruction);
        break;
    case CELL_NAME: put_name(f, line); break;
    case CELL_EVENT: ets_table_put_text(f->table, row->name); break;
    case CELL_KERNEL: ets_table_put_text(f->table, line->kernel); break;
    case CELL_CALLS:
        if (line->calls_per_run > 0 && !line->is_rest) {
            ets_table_put_real(f->table, line->calls_per_run);
        } else {
            ets_table_put_nothing(f->table);
        }
        break;
    case CELL_AVG: put_time(f, t->mean, q, n); break;
    case CELL_P50: put_time(f, t->p50, q, n); break;
    case CELL_MID: put_known_time(f, line->times.middle, q, n); break;
    case CELL_MIN: put_time(f, t->min, q, n); break;
    case CELL_MAX: put_time(f, t->max, q, n); break;
    case CELL_P10: put_time(f, t->p10, q, n); break;
    case CELL_P90: put_time(f, t->p90, q, n); break;
    case CELL_P99: put_time(f, spread->p99, q, n); break;
    case CELL_CI_LOW: put_known_time(f, spread->median_low, q, n); break;
    case CELL_CI_HIGH: put_known_time(f, spread->median_high, q, n); break;
    case CELL_SD: put_deviation(f, spread, t->count, fabs(q * n)); break;
    case CELL_TOTAL: put_time(f, t->total, q, n * t->count); break;
    case CELL_SHARE: put_share(f, &line->times, q, n); break;
    case CELL_SELF_SHOWN:
    case CELL_SELF_MID:
        put_known_time(f, line->self.middle, line->self_quantum_ns, line->self_coarse_calls);
        break;
    case CELL_SELF:
        put_time(f, line->self.statistics.mean, line->self_quantum_ns, line->self_coarse_calls);
        break;
    case CELL_SELF_SHARE:
        put_share(f, &line->self, line->self_quantum_ns, line->self_coarse_calls);
        break;
    case CELL_RESOLUTION: put_time(f, fabs(q), 0, 0); break;
    case CELL_SOURCE_SHOWN: put_source_shown(f, line, row); break;
    case CELL_SOURCE: put_list(f, &line->sources); break;
    case CELL_MODULE: put_list(f, &line->modules); break;
    case CELL_BACKEND: ets_table_put_text(f->table, line->backend); break;
    case CELL_OPS: put_list(f, &line->ops); break;
    case CELL_HANDLES: ets_table_put_integers(f->table, row->handles, row->handle_count); break;
    case CELL_TIE: ets_table_put_string(f->table, ets_tie_name(row->tie)); break;
    case CELL_PAYLOAD_NODES: put_payload_nodes(f, row); break;
    case CELL_METADATA: put_metadata(f, line->row); break;
    case CELL_INFERRED: ets_table_put_integer(f->table, row != NULL && row->is_inferred); break;
    case CELL_DEPTH: ets_table_put_integer(f->table, line->depth); break;
    case CELL_COUNT: break;
    }
}

/* What is asked of every block, from one pass over all runs and events. */
static bool survey(struct filler *f, struct ets_arena *arena)
{
    const struct ets_event_table *events = ets_inspection_events(f->inspection);
    const uint32_t blocks = ets_inspection_block_count(f->inspection);
    f->run_number = ets_work_number_runs(arena, f->inspection);
    f->allocations = ets_arena_alloc_array(arena, blocks, sizeof *f->allocations);
    if (f->run_number == NULL || f->allocations == NULL) return false;
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_ALLOCATION) continue;
        struct allocations *a =
            &f->allocations[ets_inspection_run(f->inspection, events->run[i])->block];
        a->count++;
        a->bytes += events->end[i];
    }
    return true;
}

static void add_heading(struct filler *f, const struct ets_block *block,
                        const struct allocations *allocations)
{
    char text[512];
    size_t used = ets_block_heading(f->inspection, block, text, sizeof text);
    if (allocations->count > 0) {
        used += ets_print_text(text + used, sizeof text - used, ", %llu allocations of %llu bytes",
                               (unsigned long long)allocations->count,
                               (unsigned long long)allocations->bytes);
    }
    used += ets_chosen_runs_print(&f->runs, block->run_count, f->options->run, text + used,
                                  sizeof text - used);
    used += ets_print_share_of(f->runs.count, text + used, sizeof text - used);
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

/* What of the block's runs is warm-up, drift, or out of line. */
static bool add_phases(const struct filler *f, uint32_t index)
{
    char text[512];
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    const uint32_t whole = ets_inspection_total_row(f->inspection, index), count = block->run_count;
    if (whole == ETS_NO_INDEX || count < 2 || f->options->run != ETS_NO_INDEX) return true;
    uint32_t *runs = ets_arena_alloc_array(f->arena, count, sizeof *runs);
    double *ticks = ets_arena_alloc_array(f->arena, count, sizeof *ticks);
    int64_t *took = ets_arena_alloc_array(f->arena, count, sizeof *took);
    struct ets_run_phases phases;
    if (runs == NULL || ticks == NULL || took == NULL) return false;
    ets_inspection_row_ticks(f->inspection, whole, ETS_NO_INDEX, ticks);
    for (uint32_t run = block->first_run, i = 0; i < count; run++) {
        if (ets_inspection_run(f->inspection, run)->block != index) continue;
        took[i] = ticks[i] < 9e18 ? (int64_t)ticks[i] : INT64_MAX;
        runs[i++] = run;
    }
    if (ets_run_phases_find(took, count, NULL, &phases, NULL) != ETS_OK) return false;
    size_t size = ets_run_phases_print(&phases, runs, took, text, sizeof text);
    if (phases.warm_up > 0 && !f->options->steady)
        size += ets_advise_steady(text, size, sizeof text);
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){text, size});
    return true;
}

/* Lines of the framework, such as Method::execute, are not among the first N. */
static bool is_frame(const struct filler *f, const struct ets_operator_line *line)
{
    return line->row != ETS_NO_INDEX && ets_inspection_row(f->inspection, line->row)->chain == -1;
}

static bool fill_block(struct filler *f, uint32_t index)
{
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    struct ets_operator_lines lines = {.count = 0};
    if (!ets_chosen_runs_find(f->arena, f->inspection, index, f->options->run, f->options->steady,
                              &f->runs)) {
        return false;
    }
    const bool ok = f->options->group_by == ETS_GROUP_NONE
                        ? ets_operator_lines_by_row(f->arena, f->inspection, f->options, &f->runs,
                                                    index, &lines)
                        : ets_operator_lines_by_group(f->arena, f->inspection, f->options, &f->runs,
                                                      f->run_number, index, &lines);
    if (!ok) return false;
    const bool is_whole =
        f->options->group_by == ETS_GROUP_NONE && ets_row_filter_is_empty(&f->options->filter);
    if (lines.count == 0 && !is_whole) return true; /* only loads, or nothing that matches */
    if (!ets_operator_lines_sort(f->arena, f->options->sort, &lines)) return false;
    add_heading(f, block, &f->allocations[index]);
    uint32_t left = f->options->top > 0 ? f->options->top : lines.count;
    for (uint32_t i = 0; i < lines.count && left > 0; i++) {
        left -= f->options->top > 0 && is_frame(f, &lines.items[i]) ? 0 : 1;
        ets_table_add_row(f->table, lines.items[i].depth);
        for (int c = 0; c < CELL_COUNT; c++) {
            if (f->is_shown[c]) put_cell(f, (enum cell)c, &lines.items[i], block);
        }
    }
    char note[512];
    const size_t size =
        ets_crowded_line_print(&lines.crowded, "--group-by module", note, sizeof note);
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){note, size});
    return add_phases(f, index);
}

enum ets_status ets_operator_table_fill(struct ets_table *table,
                                        const struct ets_inspection *inspection,
                                        const struct ets_operator_options *options,
                                        struct ets_error *error)
{
    struct ets_arena arena, survey_arena;
    ets_arena_init(&arena, NULL, 0);
    ets_arena_init(&survey_arena, NULL, 0);
    struct filler f = {
        .table = table, .inspection = inspection, .options = options, .arena = &arena};
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) f.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    add_columns(&f);
    bool ok = survey(&f, &survey_arena);
    for (uint32_t b = 0; ok && b < ets_inspection_block_count(inspection); b++) {
        const bool has_run = options->run == ETS_NO_INDEX ||
                             ets_inspection_run(inspection, options->run)->block == b;
        if (!has_run || (options->block != ETS_NO_INDEX && options->block != b)) continue;
        if (!ets_row_filter_has_block(&options->filter, ets_inspection_block(inspection, b)))
            continue;
        ok = fill_block(&f, b);
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&survey_arena);
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
