/*
 * The table of `inspect`: operators, or groups of them, with their times and places in the source.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/text_builder.h"
#include "inspect/patterns.h"
#include "inspect/stated_nodes.h"
#include "inspect/time_details.h"
#include "output/table/cost_fields.h"
#include "output/table/operator_table.h"
#include "output/table/roof_fields.h"
#include "output/table/table.h"
#include "views/block_heading.h"
#include "views/cost_headline.h"
#include "views/metadata_text.h"
#include "views/operator_lines.h"
#include "views/phase_text.h"

/* Allocation events of a block's runs, and their bytes together. */
struct allocations {
    uint64_t count, bytes;
};

/* The table that is being filled, and what the cells of a line are of. */
struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    struct ets_operator_options *options; /* a copy, with what the table finds */
    struct ets_arena *arena;              /* of one block's lines */
    double tick_ns;                       /* 0: the clock has no unit */
    uint32_t *run_number;                 /* [run] within its block */
    struct allocations *allocations;      /* [block] */
    /* At hand: */
    const struct ets_block *block;
    struct ets_chosen_runs runs;
    struct ets_places *places;
    const struct ets_operator_line *line;
    const struct ets_row *row;    /* of the line; NULL: it is a group */
    struct ets_headroom headroom; /* of the block; with a machine */
    double flops_unit;            /* with costs: what people see flops in */
};

/* Which tables have a column. */
enum shown_in { IN_ALL, IN_ROWS, IN_MODULES };

struct field {
    struct ets_column column;
    void (*put)(const struct filler *f);
    enum shown_in shown_in;
};

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

static void put_block(const struct filler *f)
{
    ets_table_put_text(f->table, f->block->name);
}

static void put_block_index(const struct filler *f)
{
    ets_table_put_integer(f->table, ets_inspection_run(f->inspection, f->block->first_run)->block);
}

static void put_method(const struct filler *f)
{
    ets_table_put_string(f->table, f->block->method);
}

static void put_runs(const struct filler *f)
{
    ets_table_put_integer(f->table, f->line->times.statistics.count);
}

static void put_instruction(const struct filler *f)
{
    if (f->row == NULL || f->row->instruction < 0 || f->row->is_delegated) {
        ets_table_put_nothing(f->table);
    } else {
        ets_table_put_integer(f->table, f->row->instruction);
    }
}

static void put_places(const struct filler *f, enum ets_place_kind kind,
                       const struct ets_numbers *list)
{
    struct ets_text *names = ets_arena_alloc_array(f->arena, list->count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < list->count; i++) {
        names[i] = ets_places_name(f->places, kind, list->items[i]);
    }
    if (names == NULL) ets_table_put_nothing(f->table);
    else ets_table_put_list(f->table, names, list->count);
}

static void put_group(const struct filler *f)
{
    static const enum ets_place_kind kinds[] = {[ETS_GROUP_MODULE] = ETS_PLACE_MODULE,
                                                [ETS_GROUP_SOURCE] = ETS_PLACE_LINE,
                                                [ETS_GROUP_FILE] = ETS_PLACE_FILE,
                                                [ETS_GROUP_HANDLE] = ETS_PLACE_HANDLE};
    const struct ets_operator_line *line = f->line;
    if (line->group.count == 0) ets_table_put_list(f->table, &line->name, 1);
    else put_places(f, kinds[f->options->group_by], &line->group);
}

static void put_name(const struct filler *f)
{
    char text[256];
    struct ets_text_builder name = {text, sizeof text, 0};
    const struct ets_operator_line *line = f->line;
    if (is_place_group(f->options)) {
        put_group(f);
        return;
    }
    if (line->has_own_clock) {
        ets_add_text(&name, "%.*s (clock of its own)", ETS_TEXT(line->name));
    } else if (f->row != NULL && f->row->backend != NULL &&
               ets_text_is(line->name, "DELEGATE_CALL")) {
        ets_add_text(&name, "DELEGATE_CALL %s", f->row->backend);
    }
    ets_table_put_text(f->table, name.used > 0 ? ets_built_text(&name) : line->name);
}

static void put_event(const struct filler *f)
{
    ets_table_put_text(f->table, f->row->name);
}

static void put_kernel(const struct filler *f)
{
    ets_table_put_text(f->table, f->row->kernel);
}

static void put_calls(const struct filler *f)
{
    if (f->line->calls_per_run > 0 && !f->line->is_rest) {
        ets_table_put_real(f->table, f->line->calls_per_run);
    } else {
        ets_table_put_nothing(f->table);
    }
}

/* `ticks` of `runs` runs; what too few runs do not give is left out. */
static void put_ticks(const struct filler *f, double ticks, struct ets_clock_error error,
                      double runs)
{
    const double scale = f->tick_ns == 0 ? 1 : f->tick_ns;
    const struct ets_span time = ets_span_of(ticks, error, runs);
    if (isnan(ticks)) ets_table_put_nothing(f->table);
    else ets_table_put_bounds(f->table, time.lower * scale, time.upper * scale);
}

/* Of the line's calls in `runs` runs. Ticks of a clock of its own are no times. */
static void put_time(const struct filler *f, double ticks, double runs)
{
    const struct ets_operator_line *line = f->line;
    const double known = line->has_own_clock ? NAN : ticks;
    put_ticks(f, known, line->error, runs);
}

static void put_own_time(const struct filler *f, double ticks)
{
    put_ticks(f, ticks, f->line->self_error, 1);
}

static void put_mean(const struct filler *f)
{
    put_time(f, f->line->times.statistics.mean, 1);
}

static void put_p50(const struct filler *f)
{
    put_time(f, f->line->times.statistics.p50, 1);
}

static void put_mid(const struct filler *f)
{
    put_time(f, f->line->times.middle, 1);
}

static void put_min(const struct filler *f)
{
    put_time(f, f->line->times.statistics.min, 1);
}

static void put_max(const struct filler *f)
{
    put_time(f, f->line->times.statistics.max, 1);
}

static void put_p10(const struct filler *f)
{
    put_time(f, f->line->times.statistics.p10, 1);
}

static void put_p90(const struct filler *f)
{
    put_time(f, f->line->times.statistics.p90, 1);
}

static void put_p99(const struct filler *f)
{
    put_time(f, f->line->times.spread.p99, 1);
}

static void put_ci_low(const struct filler *f)
{
    put_time(f, f->line->times.spread.median_low, 1);
}

static void put_ci_high(const struct filler *f)
{
    put_time(f, f->line->times.spread.median_high, 1);
}

/* Where each run may be off by up to a range, the deviation may be by half of it. */
static void put_deviation(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const double count = line->times.statistics.count, sd = line->times.spread.sd;
    const double range = line->error.below + line->error.above;
    const double off = range / 2 * sqrt(count / (count - 1.0));
    const double scale = f->tick_ns == 0 ? 1 : f->tick_ns;
    if (isnan(sd) || line->has_own_clock) ets_table_put_nothing(f->table);
    else ets_table_put_bounds(f->table, fmax(sd - off, 0) * scale, (sd + off) * scale);
}

static void put_total(const struct filler *f)
{
    put_time(f, f->line->times.statistics.total, f->line->times.statistics.count);
}

static void put_part(const struct filler *f, double ticks, struct ets_clock_error error)
{
    const double whole = f->runs.whole;
    const struct ets_span part = ets_span_part(ets_span_of(ticks, error, 1), whole);
    if (isnan(whole) || isnan(ticks)) ets_table_put_nothing(f->table);
    else ets_table_put_bounds(f->table, part.lower, part.upper);
}

static void put_share(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const double known = line->has_own_clock ? NAN : line->times.middle;
    put_part(f, known, line->error);
}

static void put_self(const struct filler *f)
{
    put_own_time(f, f->line->self.statistics.mean);
}

static void put_self_mid(const struct filler *f)
{
    put_own_time(f, f->line->self.middle);
}

static void put_self_share(const struct filler *f)
{
    put_part(f, f->line->self.middle, f->line->self_error);
}

static void put_resolution(const struct filler *f)
{
    put_ticks(f, f->line->resolution, (struct ets_clock_error){.below = 0}, 0);
}

static void put_source(const struct filler *f)
{
    put_places(f, ETS_PLACE_LINE, &f->line->lines);
}

/* For people, an event of which only the call is known does not repeat the call's lines. */
static void put_source_shown(const struct filler *f)
{
    const struct ets_text whole_call = {"(whole call)", 12};
    if (f->row != NULL && f->row->tie == ETS_TIE_CALL && f->line->lines.count > 0) {
        ets_table_put_list(f->table, &whole_call, 1);
    } else {
        put_source(f);
    }
}

static void put_module(const struct filler *f)
{
    put_places(f, ETS_PLACE_MODULE, &f->line->modules);
}

static void put_backend(const struct filler *f)
{
    ets_table_put_string(f->table, f->row->backend);
}

/* The name of the one node in another runtime's model. */
static void put_node(const struct filler *f)
{
    const bool is_told = ets_inspection_runtime(f->inspection).data != NULL;
    if (!is_told || f->row->node_count == 0) ets_table_put_nothing(f->table);
    else ets_table_put_text(f->table, f->row->nodes[0].node->name);
}

static void put_ops(const struct filler *f)
{
    struct ets_text *ops = ets_arena_alloc_array(f->arena, f->row->node_count, sizeof *ops);
    size_t count = 0;
    for (size_t i = 0; ops != NULL && i < f->row->node_count; i++) {
        if (f->row->nodes[i].node->op.data != NULL) ops[count++] = f->row->nodes[i].node->op;
    }
    if (ops == NULL) ets_table_put_nothing(f->table);
    else ets_table_put_list(f->table, ops, count);
}

static void put_handles(const struct filler *f)
{
    ets_table_put_integers(f->table, f->row->handles, f->row->handle_count);
}

static void put_tie(const struct filler *f)
{
    ets_table_put_string(f->table, ets_tie_name(f->row->tie));
}

static void put_payload_nodes(const struct filler *f)
{
    const size_t count = f->row->payload_node_count;
    struct ets_text *names = ets_arena_alloc_array(f->arena, count, sizeof *names);
    if (names == NULL) {
        ets_table_put_nothing(f->table);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *type = f->row->payload_nodes[i].type;
        names[i] = (struct ets_text){type, strlen(type)};
    }
    ets_table_put_list(f->table, names, count);
}

static void put_metadata(const struct filler *f)
{
    struct ets_text_list list;
    if (!ets_row_metadata(f->arena, f->inspection, f->line->row, &f->runs, f->run_number, &list)) {
        list = (struct ets_text_list){NULL, 0};
    }
    ets_table_put_list(f->table, list.items, list.count);
}

static void put_inferred(const struct filler *f)
{
    ets_table_put_integer(f->table, f->row != NULL && f->row->is_inferred);
}

static void put_depth(const struct filler *f)
{
    ets_table_put_integer(f->table, f->line->depth);
}

/* A time of the line: machines are told its bounds. */
#define TIME(...)                                             \
    {                                                         \
        .kind = ETS_COLUMN_TIME, .has_bounds = 1, __VA_ARGS__ \
    }
#define INTEGER(...)                            \
    {                                           \
        .kind = ETS_COLUMN_INTEGER, __VA_ARGS__ \
    }
#define LIST(...)                            \
    {                                        \
        .kind = ETS_COLUMN_LIST, __VA_ARGS__ \
    }

/* Every column that there is, in the order of the table; priorities say what a narrow one drops. */
/* clang-format off */
static const struct field fields[] = {
    {{.name = "block", .machine_only = 1}, put_block, IN_ALL},
    {INTEGER(.name = "block_index", .machine_only = 1), put_block_index, IN_ALL},
    {{.name = "method", .machine_only = 1}, put_method, IN_ALL},
    {INTEGER(.name = "runs", .machine_only = 1), put_runs, IN_ALL},
    {INTEGER(.name = "instruction", .title = "#", .priority = 1), put_instruction, IN_ROWS},
    {{.name = "operator", .least_width = 32, .cut_in_middle = 1}, put_name, IN_ALL},
    {{.name = "event", .machine_only = 1, .least_width = 20}, put_event, IN_ROWS},
    {{.name = "kernel", .machine_only = 1, .least_width = 20}, put_kernel, IN_ROWS},
    {{.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 3, .dull_at_one = 1}, put_calls, IN_ALL},
    {TIME(.name = "avg", .shares_unit = 1, .priority = 4), put_mean, IN_ALL},
    {TIME(.name = "p50", .shares_unit = 1, .priority = 2), put_p50, IN_ALL},
    {TIME(.name = "mid", .shares_unit = 1), put_mid, IN_ALL},
    {TIME(.name = "min", .shares_unit = 2, .priority = 7), put_min, IN_ALL},
    {TIME(.name = "max", .shares_unit = 2, .priority = 5), put_max, IN_ALL},
    {TIME(.name = "p10", .shares_unit = 2, .priority = 12), put_p10, IN_ALL},
    {TIME(.name = "p90", .shares_unit = 2, .priority = 11), put_p90, IN_ALL},
    {TIME(.name = "p99", .shares_unit = 2, .machine_only = 1), put_p99, IN_ALL},
    {TIME(.name = "ci_low", .shares_unit = 2, .machine_only = 1), put_ci_low, IN_ALL},
    {TIME(.name = "ci_high", .shares_unit = 2, .machine_only = 1), put_ci_high, IN_ALL},
    {TIME(.name = "sd", .shares_unit = 2, .machine_only = 1), put_deviation, IN_ALL},
    {TIME(.name = "total", .priority = 10), put_total, IN_ALL},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share, IN_ALL},
    {TIME(.name = "self", .shares_unit = 1, .human_only = 1), put_self_mid, IN_MODULES},
    {TIME(.name = "self", .machine_only = 1), put_self, IN_MODULES},
    {TIME(.name = "self_mid", .machine_only = 1), put_self_mid, IN_MODULES},
    {{.name = "self_share", .title = "self share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1,
      .priority = 6}, put_self_share, IN_MODULES},
    {{.name = "resolution", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_resolution, IN_ALL},
    {LIST(.name = "source", .human_only = 1, .least_width = 14, .cut_at_start = 1,
          .first_of_list = 1), put_source_shown, IN_ROWS},
    {LIST(.name = "source", .machine_only = 1), put_source, IN_ROWS},
    {LIST(.name = "module", .priority = 8, .least_width = 10, .cut_at_start = 1,
          .first_of_list = 1), put_module, IN_ROWS},
    {{.name = "node", .priority = 2, .least_width = 10, .cut_at_start = 1}, put_node, IN_ROWS},
    {{.name = "backend", .priority = 9}, put_backend, IN_ROWS},
    {LIST(.name = "op_types", .priority = 13, .least_width = 20, .first_of_list = 1), put_ops, IN_ROWS},
    {LIST(.name = "debug_handles", .machine_only = 1), put_handles, IN_ROWS},
    {{.name = "tie", .machine_only = 1}, put_tie, IN_ROWS},
    {LIST(.name = "delegate_nodes", .machine_only = 1), put_payload_nodes, IN_ROWS},
    {LIST(.name = "metadata", .priority = 14, .least_width = 10, .first_of_list = 1), put_metadata, IN_ROWS},
    {INTEGER(.name = "inferred", .machine_only = 1), put_inferred, IN_ROWS},
    {INTEGER(.name = "depth", .machine_only = 1), put_depth, IN_ALL},
};
/* clang-format on */

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static bool is_shown(const struct field *field, enum ets_group_by group_by)
{
    switch (field->shown_in) {
    case IN_ROWS: return group_by == ETS_GROUP_NONE;
    case IN_MODULES: return group_by == ETS_GROUP_MODULE;
    default: return true;
    }
}

/* The column that names the lines says what they are. */
static void name_groups(const struct ets_operator_options *options, struct ets_column *column)
{
    static const char *const names[] = {"operator", "operator", "module",      "source",
                                        "backend",  "file",     "debug_handle"};
    if (options->group_by == ETS_GROUP_NONE) return;
    column->name = names[options->group_by];
    column->first_of_list = 1;
    column->cut_at_start =
        options->group_by == ETS_GROUP_SOURCE || options->group_by == ETS_GROUP_FILE;
    if (is_place_group(options)) column->kind = ETS_COLUMN_LIST;
}

/* The columns of costs stand behind those of times. */
static void add_cost_columns(struct filler *f)
{
    uint64_t largest = 0;
    for (uint32_t b = 0; b < ets_inspection_block_count(f->inspection); b++) {
        const uint64_t flops = ets_cost_flops(&f->options->costs->blocks[b].cost);
        if (flops > largest) largest = flops;
    }
    f->flops_unit = ets_cost_fields_add(f->table, largest, f->tick_ns > 0);
}

static void add_columns(struct filler *f)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        struct ets_column column = fields[i].column;
        if (!is_shown(&fields[i], f->options->group_by)) continue;
        if (fields[i].put == put_name) name_groups(f->options, &column);
        if (fields[i].put == put_mid && !ets_middle_is_told(f->inspection)) column.machine_only = 1;
        ets_table_add_columns(f->table, &column, sizeof column, 1, f->tick_ns > 0);
        if (fields[i].put != put_resolution) continue;
        if (f->options->costs != NULL) add_cost_columns(f);
        if (f->options->machine != NULL && f->tick_ns > 0) ets_roof_fields_add(f->table);
    }
}

/* What the line did, and how fast: by the time that shares are of. */
static void put_cost(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const struct ets_span time = ets_span_of(line->times.middle, line->error, 1);
    const bool is_timed = f->tick_ns > 0 && !line->has_own_clock;
    const struct ets_cost_cells cells = {.table = f->table,
                                         .cost = &line->cost,
                                         .lower_ns = is_timed ? time.lower * f->tick_ns : NAN,
                                         .upper_ns = is_timed ? time.upper * f->tick_ns : NAN,
                                         .unit = f->flops_unit};
    ets_cost_fields_put(&cells, f->tick_ns > 0);
}

/* What the machine's roof says of the line, and what the line would take there. */
static void put_roof(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const struct ets_span time = ets_span_of(line->times.middle, line->error, 1);
    const double tick_ns = line->has_own_clock ? NAN : f->tick_ns;
    ets_roof_fields_put_row(f->table, f->options->headroom, line->row, time.lower * tick_ns,
                            time.upper * tick_ns, line->saved * tick_ns);
}

static void put_line(struct filler *f, const struct ets_operator_line *line)
{
    f->line = line;
    f->row = line->row == ETS_NO_INDEX ? NULL : ets_inspection_row(f->inspection, line->row);
    ets_table_add_row(f->table, line->depth);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (is_shown(&fields[i], f->options->group_by)) fields[i].put(f);
        if (fields[i].put != put_resolution) continue;
        if (f->options->costs != NULL) put_cost(f);
        if (f->options->headroom != NULL) put_roof(f);
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

/* Holds the block against the machine's roof, for its lines. */
static bool find_headroom(struct filler *f, uint32_t block)
{
    const struct ets_headroom_options options = {f->options->machine, f->options->threads,
                                                 f->tick_ns};
    if (options.machine == NULL || f->tick_ns <= 0) return true;
    f->options->headroom = &f->headroom;
    return ets_headroom_find(f->arena, f->inspection, f->options->costs, &options, &f->runs,
                             f->run_number, block, &f->headroom);
}

/* What a run of the block computes, before the block itself. */
static void add_cost(const struct filler *f, uint32_t block)
{
    char text[ETS_COST_HEADLINE];
    if (f->options->costs == NULL) return;
    const size_t size =
        ets_cost_headline(&f->options->costs->blocks[block], "a run", text, sizeof text);
    if (size > 0) ets_table_add_headline(f->table, (struct ets_text){text, size});
}

static void add_heading(struct filler *f, const struct ets_block *block,
                        const struct allocations *allocations)
{
    char text[512];
    size_t used =
        ets_block_heading(f->inspection, block, ets_table_words(f->table), text, sizeof text);
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
        size += ets_advise_with(ets_table_words(f->table), ETS_ADVICE_STEADY, text + size,
                                sizeof text - size);
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
    struct ets_operator_lines lines = {.count = 0};
    f->block = ets_inspection_block(f->inspection, index);
    if (!ets_chosen_runs_find(f->arena, f->inspection, index, f->options->run, f->options->steady,
                              &f->runs)) {
        return false;
    }
    if (!find_headroom(f, index)) return false;
    const bool ok = f->options->group_by == ETS_GROUP_NONE
                        ? ets_operator_lines_by_row(f->arena, f->inspection, f->options, &f->runs,
                                                    index, &lines)
                        : ets_operator_lines_by_group(f->arena, f->inspection, f->options, &f->runs,
                                                      f->run_number, index, &lines);
    if (!ok) return false;
    f->places = lines.places;
    const bool is_whole =
        f->options->group_by == ETS_GROUP_NONE && ets_row_filter_is_empty(&f->options->filter);
    if (lines.count == 0 && !is_whole) return true; /* only loads, or nothing that matches */
    if (!ets_operator_lines_sort(f->arena, f->options->sort, &lines)) return false;
    if (f->options->headroom != NULL &&
        !ets_roof_sentence_add(f->table, f->arena, f->inspection, &f->headroom, &f->runs,
                               f->run_number, index, f->tick_ns)) {
        return false;
    }
    add_cost(f, index);
    add_heading(f, f->block, &f->allocations[index]);
    uint32_t left = f->options->top > 0 ? f->options->top : lines.count;
    for (uint32_t i = 0; i < lines.count && left > 0; i++) {
        left -= f->options->top > 0 && is_frame(f, &lines.items[i]) ? 0 : 1;
        put_line(f, &lines.items[i]);
    }
    char note[512];
    const size_t size = ets_repeated_line_print(&lines.crowded, ets_table_words(f->table),
                                                ETS_ADVICE_MODULES, note, sizeof note);
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){note, size});
    return add_phases(f, index);
}

enum ets_status ets_operator_table_fill(struct ets_table *table,
                                        const struct ets_inspection *inspection,
                                        const struct ets_operator_options *options,
                                        struct ets_error *error)
{
    struct ets_arena arena, survey_arena;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&survey_arena, ets_table_allocator(table), 0);
    struct ets_operator_options with_costs = *options;
    struct ets_costs costs;
    struct filler f = {
        .table = table, .inspection = inspection, .options = &with_costs, .arena = &arena};
    if (options->has_costs) {
        const enum ets_status status = ets_row_costs_find(&survey_arena, inspection, &costs, error);
        if (status != ETS_OK) {
            ets_arena_reset(&survey_arena);
            return status;
        }
        with_costs.costs = &costs;
    }
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
    return ok ? ETS_OK : ets_fail_memory(error, "the table of operators");
}
