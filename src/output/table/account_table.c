/* The table of the tree of times: each line with its own part, the framework's and what is left. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inspect/accounting/accounting.h"
#include "inspect/patterns.h"
#include "inspect/row_times.h"
#include "output/table/account_table.h"
#include "output/table/table.h"
#include "views/account_lines.h"
#include "views/block_heading.h"
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
    CELL_LINE,
    CELL_EVENT,
    CELL_KERNEL,
    CELL_CALLS,
    CELL_AVG,
    CELL_SELF,
    CELL_SELF_MID,
    CELL_SHARE,
    CELL_SELF_SHARE,
    CELL_P50,
    CELL_MID,
    CELL_CI_LOW,
    CELL_CI_HIGH,
    CELL_P99,
    CELL_SD,
    CELL_MIN,
    CELL_MAX,
    CELL_P10,
    CELL_P90,
    CELL_TOTAL,
    CELL_TICKS,
    CELL_SELF_TICKS,
    CELL_RESOLUTION,
    CELL_CLOCK,
    CELL_CLOCK_SCALE,
    CELL_CLOCK_RESIDUAL,
    CELL_CLOCK_REASON,
    CELL_OWN_TICKS,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_BACKEND,
    CELL_HANDLES,
    CELL_DEPTH,
    CELL_STATE,
    CELL_WARM_UP,
    CELL_FIRST_RATIO,
    CELL_DRIFT,
    CELL_TREND_P,
    CELL_OUTLIERS,
    CELL_COUNT
};

/* clang-format off */
#define TEXT(title) {.name = title, .machine_only = 1}
#define NUMBER(title, type) {.name = title, .kind = type, .machine_only = 1}
#define MAIN_TIME(title, rank) \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .priority = rank, .shares_unit = 1}
#define TIME(title, rank) \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .priority = rank, .shares_unit = 2}
#define MACHINE_TIME(title) \
    {.name = title, .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1}
/* clang-format on */

/* In the order of the table; priorities say what a narrow one drops. */
static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = TEXT("block"),
    [CELL_BLOCK_INDEX] = NUMBER("block_index", ETS_COLUMN_INTEGER),
    [CELL_METHOD] = TEXT("method"),
    [CELL_RUNS] = NUMBER("runs", ETS_COLUMN_INTEGER),
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 4},
    [CELL_NAME] = {.name = "operator", .least_width = 36, .cut_in_middle = 1},
    [CELL_LINE] = TEXT("line"),
    [CELL_EVENT] = TEXT("event"),
    [CELL_KERNEL] = TEXT("kernel"),
    [CELL_CALLS] = {.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 2, .dull_at_one = 1},
    [CELL_AVG] = MAIN_TIME("avg", 0),
    [CELL_SELF] = MAIN_TIME("self", 1),
    [CELL_SELF_MID] = MACHINE_TIME("self_mid"),
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_SELF_SHARE] = {.name = "self_share",
                         .kind = ETS_COLUMN_SHARE,
                         .has_bounds = 1,
                         .machine_only = 1},
    [CELL_P50] = MAIN_TIME("p50", 3),
    [CELL_MID] = MAIN_TIME("mid", 0),
    [CELL_CI_LOW] = MACHINE_TIME("ci_low"),
    [CELL_CI_HIGH] = MACHINE_TIME("ci_high"),
    [CELL_P99] = TIME("p99", 5),
    [CELL_SD] = TIME("sd", 6),
    [CELL_MIN] = MACHINE_TIME("min"),
    [CELL_MAX] = MACHINE_TIME("max"),
    [CELL_P10] = MACHINE_TIME("p10"),
    [CELL_P90] = MACHINE_TIME("p90"),
    [CELL_TOTAL] = MACHINE_TIME("total"),
    [CELL_TICKS] = NUMBER("ticks", ETS_COLUMN_INTEGER),
    [CELL_SELF_TICKS] = NUMBER("self_ticks", ETS_COLUMN_INTEGER),
    [CELL_RESOLUTION] = NUMBER("resolution", ETS_COLUMN_TIME),
    [CELL_CLOCK] = TEXT("clock"),
    [CELL_CLOCK_SCALE] = NUMBER("clock_scale", ETS_COLUMN_REAL),
    [CELL_CLOCK_RESIDUAL] = NUMBER("clock_residual", ETS_COLUMN_REAL),
    [CELL_CLOCK_REASON] = TEXT("clock_reason"),
    [CELL_OWN_TICKS] = {.name = "own_ticks", .kind = ETS_COLUMN_REAL, .priority = 2},
    [CELL_SOURCE] = {.name = "source",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 7,
                     .least_width = 14,
                     .cut_at_start = 1,
                     .first_of_list = 1},
    [CELL_MODULE] = NUMBER("module", ETS_COLUMN_LIST),
    [CELL_BACKEND] = TEXT("backend"),
    [CELL_HANDLES] = NUMBER("debug_handles", ETS_COLUMN_NUMBERS),
    [CELL_DEPTH] = NUMBER("depth", ETS_COLUMN_INTEGER),
    [CELL_STATE] = TEXT("state"),
    [CELL_WARM_UP] = NUMBER("warm_up_runs", ETS_COLUMN_INTEGER),
    [CELL_FIRST_RATIO] = NUMBER("first_ratio", ETS_COLUMN_REAL),
    [CELL_DRIFT] = NUMBER("drift", ETS_COLUMN_REAL),
    [CELL_TREND_P] = NUMBER("trend_p", ETS_COLUMN_REAL),
    [CELL_OUTLIERS] = NUMBER("outlier_runs", ETS_COLUMN_NUMBERS),
};

struct writer {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    double tick_ns;          /* 0: the clock has no unit */
    struct ets_arena *arena; /* of one block */
    const struct ets_block *block;
    struct ets_account_lines lines;
    bool no_memory;
};

static void put_bounds(const struct writer *w, double ticks, double below, double above,
                       double unit)
{
    if (isnan(ticks)) {
        ets_table_put_nothing(w->table);
        return;
    }
    double lower = ticks - below;
    if (ticks >= 0 && lower < 0) lower = 0;
    ets_table_put_bounds(w->table, lower * unit, (ticks + above) * unit);
}

static void put_time(const struct writer *w, const struct ets_account_times *times, double ticks,
                     double runs)
{
    const double unit = w->tick_ns == 0 ? 1 : w->tick_ns;
    put_bounds(w, ticks, times->below * runs, times->above * runs, unit);
}

/* Each value may be off by a part of the range; the deviation then by half of it at the most. */
static void put_deviation(const struct writer *w, const struct ets_account_times *times)
{
    const double n = times->statistics.count;
    const double off = (times->below + times->above) / 2 * sqrt(n / (n - 1));
    put_bounds(w, times->spread.sd, off, off, w->tick_ns == 0 ? 1 : w->tick_ns);
}

static void put_share(const struct writer *w, const struct ets_account_times *times, double root)
{
    if (!(root > 0)) ets_table_put_nothing(w->table);
    else put_bounds(w, times->middle, times->below, times->above, 1 / root);
}

static void put_real(const struct writer *w, double value)
{
    if (isfinite(value)) ets_table_put_real(w->table, value);
    else ets_table_put_nothing(w->table);
}

static bool is_unknown(const struct ets_account_line *line)
{
    return line->row->clock != NULL && line->row->clock->state == ETS_CLOCK_UNKNOWN &&
           line->node != NULL && line->node->kind == ETS_ACCOUNT_ROW;
}

static const char *kind_of(const struct ets_account_line *line)
{
    static const char *const names[] = {"row", "framework", "unaccounted"};
    return line->node == NULL ? "operator_calls" : names[line->node->kind];
}

static void put_name(const struct writer *w, const struct ets_account_line *line)
{
    char text[320];
    const struct ets_text name = ets_row_operator(line->row);
    const char *backend = line->row->backend;
    if (line->node == NULL) {
        ets_table_put_string(w->table, "(operator calls)");
    } else if (line->node->kind != ETS_ACCOUNT_ROW) {
        ets_table_put_string(
            w->table, line->node->kind == ETS_ACCOUNT_FRAMEWORK ? "(framework)" : "(unaccounted)");
    } else if (is_unknown(line) || !line->node->is_added) {
        const size_t size =
            ets_print_text(text, sizeof text, "%.*s (%s)", (int)name.size, name.data,
                           is_unknown(line) ? "clock unknown" : "not added");
        ets_table_put_text(w->table, (struct ets_text){text, size});
    } else if (ets_text_is(name, "DELEGATE_CALL") && backend != NULL) {
        const size_t size = ets_print_text(text, sizeof text, "DELEGATE_CALL %s", backend);
        ets_table_put_text(w->table, (struct ets_text){text, size});
    } else {
        ets_table_put_text(w->table, name);
    }
}

static void put_outliers(struct writer *w, const struct ets_run_phases *phases)
{
    int64_t *list = ets_arena_alloc_array(w->arena, phases->outliers, sizeof *list);
    uint32_t used = 0;
    for (uint32_t i = 0; list != NULL && i < phases->run_count; i++) {
        if (ets_run_phases_is_outlier(phases, i, w->lines.whole[i]))
            list[used++] = w->lines.runs[i];
    }
    ets_table_put_integers(w->table, list, used);
}

static void put_phase(struct writer *w, enum cell cell, const struct ets_run_phases *phases)
{
    static const char *const states[] = {"too_few", "steady", "drifting"};
    switch (cell) {
    case CELL_STATE: ets_table_put_string(w->table, states[phases->state]); break;
    case CELL_WARM_UP: ets_table_put_integer(w->table, phases->warm_up); break;
    case CELL_FIRST_RATIO: put_real(w, phases->first_ratio); break;
    case CELL_DRIFT: put_real(w, phases->drift); break;
    case CELL_TREND_P: put_real(w, phases->trend_p); break;
    default: put_outliers(w, phases); break;
    }
}

/* Of the row behind a line; a line that is none has nothing of it. */
static void put_row_cell(struct writer *w, enum cell cell, const struct ets_account_line *line)
{
    const struct ets_row *row = line->row;
    struct ets_text_list sources, modules;
    switch (cell) {
    case CELL_INSTRUCTION:
        if (row->instruction < 0 || row->is_delegated) ets_table_put_nothing(w->table);
        else ets_table_put_integer(w->table, row->instruction);
        break;
    case CELL_EVENT: ets_table_put_text(w->table, row->name); break;
    case CELL_KERNEL: ets_table_put_text(w->table, row->kernel); break;
    case CELL_CALLS: ets_table_put_real(w->table, row->calls_per_run); break;
    case CELL_BACKEND: ets_table_put_string(w->table, row->backend); break;
    case CELL_HANDLES: ets_table_put_integers(w->table, row->handles, row->handle_count); break;
    case CELL_RESOLUTION:
        put_bounds(w, (double)row->quantum_ticks, 0, 0, w->tick_ns == 0 ? 1 : w->tick_ns);
        break;
    default:
        if (!ets_operator_row_places(w->arena, row, &sources, &modules)) {
            w->no_memory = true;
            ets_table_put_nothing(w->table);
            break;
        }
        const struct ets_text_list *list = cell == CELL_SOURCE ? &sources : &modules;
        ets_table_put_list(w->table, list->items, list->count);
    }
}

static void put_clock(const struct writer *w, enum cell cell, const struct ets_account_line *line)
{
    const struct ets_delegate_clock *clock = line->row->clock;
    switch (cell) {
    case CELL_CLOCK: ets_table_put_string(w->table, ets_row_clock(line->row)); break;
    case CELL_CLOCK_SCALE: put_real(w, clock == NULL ? NAN : clock->scale); break;
    case CELL_CLOCK_RESIDUAL: put_real(w, clock == NULL ? NAN : clock->residual); break;
    case CELL_CLOCK_REASON:
        ets_table_put_string(w->table, clock == NULL ? NULL : clock->reason);
        break;
    default: put_real(w, is_unknown(line) ? line->inclusive.statistics.mean : NAN); break;
    }
}

static void put_times(const struct writer *w, enum cell cell, const struct ets_account_line *line)
{
    const struct ets_account_times *t = &line->inclusive;
    const struct ets_statistics *s = &t->statistics;
    const bool is_added = line->node == NULL || line->node->is_added;
    const bool has_self = is_added && (line->node == NULL || line->node->kind == ETS_ACCOUNT_ROW);
    const bool is_of_self = cell == CELL_SELF || cell == CELL_SELF_TICKS || cell == CELL_SELF_MID ||
                            cell == CELL_SELF_SHARE;
    if (is_unknown(line) || (is_of_self && !has_self) || (cell == CELL_SHARE && !is_added)) {
        ets_table_put_nothing(w->table);
        return;
    }
    switch (cell) {
    case CELL_AVG: put_time(w, t, s->mean, 1); break;
    case CELL_SELF: put_time(w, &line->self, line->self.statistics.mean, 1); break;
    case CELL_SHARE: put_share(w, t, line->root); break;
    case CELL_SELF_SHARE: put_share(w, &line->self, line->root); break;
    case CELL_SELF_MID: put_time(w, &line->self, line->self.middle, 1); break;
    case CELL_P50: put_time(w, t, s->p50, 1); break;
    case CELL_MID: put_time(w, t, t->middle, 1); break;
    case CELL_CI_LOW: put_time(w, t, t->spread.median_low, 1); break;
    case CELL_CI_HIGH: put_time(w, t, t->spread.median_high, 1); break;
    case CELL_P99: put_time(w, t, t->spread.p99, 1); break;
    case CELL_SD: put_deviation(w, t); break;
    case CELL_MIN: put_time(w, t, s->min, 1); break;
    case CELL_MAX: put_time(w, t, s->max, 1); break;
    case CELL_P10: put_time(w, t, s->p10, 1); break;
    case CELL_P90: put_time(w, t, s->p90, 1); break;
    case CELL_TOTAL: put_time(w, t, s->total, s->count); break;
    case CELL_TICKS: ets_table_put_integer(w->table, t->total); break;
    default: ets_table_put_integer(w->table, line->self.total); break;
    }
}

static void put_cell(struct writer *w, enum cell cell, const struct ets_account_line *line)
{
    const bool is_row = line->node != NULL && line->node->kind == ETS_ACCOUNT_ROW;
    if (cell == CELL_BLOCK) {
        ets_table_put_text(w->table, w->block->name);
    } else if (cell == CELL_BLOCK_INDEX) {
        ets_table_put_integer(w->table, line->row->block);
    } else if (cell == CELL_METHOD) {
        ets_table_put_string(w->table, w->block->method);
    } else if (cell == CELL_RUNS) {
        ets_table_put_integer(w->table, w->lines.range_count);
    } else if (cell == CELL_NAME) {
        put_name(w, line);
    } else if (cell == CELL_LINE) {
        ets_table_put_string(w->table, kind_of(line));
    } else if (cell == CELL_DEPTH) {
        ets_table_put_integer(w->table, line->depth);
    } else if (cell >= CELL_AVG && cell <= CELL_SELF_TICKS) {
        put_times(w, cell, line);
    } else if (cell >= CELL_STATE && line->phases != NULL) {
        put_phase(w, cell, line->phases);
    } else if (!is_row || cell >= CELL_STATE) {
        ets_table_put_nothing(w->table);
    } else if (cell >= CELL_CLOCK && cell <= CELL_OWN_TICKS) {
        put_clock(w, cell, line);
    } else {
        put_row_cell(w, cell, line);
    }
}

static void add_columns(const struct writer *w)
{
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        if (i == CELL_MID && !ets_middle_is_told(w->inspection)) column.machine_only = 1;
        if (column.kind == ETS_COLUMN_TIME && w->tick_ns == 0) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(w->table, &column);
    }
}

static void add_heading(const struct writer *w, const struct ets_account_options *options,
                        uint32_t kept)
{
    char text[512];
    const struct ets_account_lines *lines = &w->lines;
    size_t used = ets_block_heading(w->inspection, w->block, text, sizeof text);
    if (options->run != ETS_NO_INDEX) {
        used += ets_print_text(text + used, sizeof text - used, ", run %u of the trace alone",
                               options->run);
    } else if (lines->range_count < lines->run_count) {
        used += ets_print_text(text + used, sizeof text - used, ", only the %u steady ones",
                               lines->range_count);
    }
    used += ets_print_share_of(lines->range_count, text + used, sizeof text - used);
    if (kept < lines->count) {
        used +=
            ets_print_text(text + used, sizeof text - used, ", %u of %u lines", kept, lines->count);
    }
    ets_table_add_section(w->table, (struct ets_text){text, used});
}

static void add_note(const struct writer *w, const struct ets_account_options *options)
{
    char text[512];
    const struct ets_account_lines *lines = &w->lines;
    if (lines->whole == NULL || options->run != ETS_NO_INDEX) return;
    size_t size =
        ets_run_phases_print(&lines->phases, lines->runs, lines->whole, text, sizeof text);
    if (lines->phases.warm_up > 0 && !options->steady) {
        size += ets_advise_steady(text, size, sizeof text);
    }
    if (size > 0) ets_table_add_note(w->table, (struct ets_text){text, size});
}

static enum ets_status fill_block(struct writer *w, const struct ets_account_options *options,
                                  uint32_t block, struct ets_error *error)
{
    w->block = ets_inspection_block(w->inspection, block);
    ETS_TRY(ets_account_lines_open(w->arena, w->inspection, options, block, &w->lines, error));
    const bool *is_kept = ets_account_lines_choose(w->arena, w->inspection, options, &w->lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; is_kept != NULL && i < w->lines.count; i++) kept += is_kept[i];
    if (kept > 0 || w->lines.count == 0) add_heading(w, options, kept);
    for (uint32_t i = 0; kept > 0 && i < w->lines.count; i++) {
        if (!is_kept[i]) continue;
        ets_table_add_row(w->table, w->lines.items[i].depth);
        for (int c = 0; c < CELL_COUNT; c++) put_cell(w, (enum cell)c, &w->lines.items[i]);
    }
    w->no_memory |= is_kept == NULL;
    if (kept > 0) add_note(w, options);
    ets_account_lines_close(&w->lines);
    return ETS_OK;
}

enum ets_status ets_account_table_fill(struct ets_table *table,
                                       const struct ets_inspection *inspection,
                                       const struct ets_account_options *options,
                                       struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct writer w = {.table = table, .inspection = inspection, .arena = &arena};
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    if (unit != ETS_UNIT_CYCLES) w.tick_ns = 1e9 / ets_time_unit_per_second(unit);
    add_columns(&w);
    enum ets_status status = ETS_OK;
    for (uint32_t b = 0; status == ETS_OK && b < ets_inspection_block_count(inspection); b++) {
        const bool has_run = options->run == ETS_NO_INDEX ||
                             ets_inspection_run(inspection, options->run)->block == b;
        if (!has_run || (options->block != ETS_NO_INDEX && options->block != b)) continue;
        if (!ets_row_filter_has_block(&options->filter, ets_inspection_block(inspection, b)))
            continue;
        status = fill_block(&w, options, b, error);
        ets_arena_reset(&arena);
    }
    if (status == ETS_OK && w.no_memory) {
        status = ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
    }
    return status;
}
