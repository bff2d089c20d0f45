/* The table of `diff`: a section for each block, a row for each operator. */
#include "output/table/difference_table.h"

#include <math.h>

#include "base/error.h"
#include "compare/compare_names.h"
#include "host/text_builder.h"
#include "output/table/operator_cell.h"
#include "views/difference_view.h"

/* What the cells of a line are of. */
struct line {
    struct ets_table *table;
    const struct ets_difference_view *view;
    const struct ets_difference_view_line *shown;
    const struct ets_difference_line *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

/* Colours the cell that was put last by the verdict on its operator. */
static void mark_verdict(const struct line *line)
{
    const enum ets_verdict verdict = line->of->verdict;
    const bool is_open = verdict == ETS_VERDICT_UNCLEAR || verdict == ETS_VERDICT_DIFFERS ||
                         verdict == ETS_VERDICT_UNDECIDED;
    ets_table_mark_cell(line->table, verdict == ETS_VERDICT_SLOWER   ? ETS_MEANS_WORSE
                                     : verdict == ETS_VERDICT_FASTER ? ETS_MEANS_BETTER
                                     : is_open                       ? ETS_MEANS_WARNING
                                                                     : ETS_MEANS_NOTHING);
}

/* A delegate's own clock has no times; ratios of its ticks are good. */
static void put_time(const struct line *line, double lower, double upper)
{
    if (isnan(lower) || line->of->has_own_clock) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, lower, upper);
}

static void put_median(const struct line *line, const struct ets_difference_side *side)
{
    put_time(line, side->median, side->median + side->resolution);
}

static void put_word(const struct line *line, const char *word)
{
    ets_table_put_string(line->table, *word == '\0' ? NULL : word);
}

static void put_list(const struct line *line, const struct ets_text_list *list)
{
    ets_table_put_list(line->table, list->items, list->count);
}

static void put_run_count(const struct line *line, const struct ets_difference_side *side)
{
    ets_table_put_integer(line->table, side->block == NULL ? 0 : side->block->run_count);
}

static void put_block(const struct line *line)
{
    ets_table_put_text(line->table, line->view->named_by->name);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->view->named_by->method);
}

static void put_matched_by(const struct line *line)
{
    ets_table_put_string(line->table, ets_matched_by_name(line->view->block->matched_by));
}

static void put_runs_before(const struct line *line)
{
    put_run_count(line, &line->of->before);
}

static void put_runs_after(const struct line *line)
{
    put_run_count(line, &line->of->after);
}

static void put_recordings_before(const struct line *line)
{
    ets_table_put_integer(line->table, line->view->block->before_recordings);
}

static void put_recordings_after(const struct line *line)
{
    ets_table_put_integer(line->table, line->view->block->after_recordings);
}

static void put_instruction(const struct line *line)
{
    if (line->shown->instruction < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->shown->instruction);
}

/* What people read: "addmm.out", or what became what. */
static void put_name(const struct line *line)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    if (line->of->change < ETS_CHANGE_REPLACED) {
        ets_put_pool_operator(line->table, line->shown->named_by);
        return;
    }
    ets_difference_add_name(&text, line->shown);
    ets_table_put_text(line->table, ets_built_text(&text));
}

static void put_operators_before(const struct line *line)
{
    put_list(line, &line->shown->before);
}

static void put_operators_after(const struct line *line)
{
    put_list(line, &line->shown->after);
}

static void put_before(const struct line *line)
{
    put_median(line, &line->of->before);
}

static void put_after(const struct line *line)
{
    put_median(line, &line->of->after);
}

static void put_change(const struct line *line)
{
    put_time(line, line->of->change_of_median, line->of->change_of_median);
    mark_verdict(line);
}

static void put_ratio(const struct line *line)
{
    ets_table_put_known(line->table, line->of->ratio);
    mark_verdict(line);
}

static void put_interval(const struct line *line)
{
    put_time(line, line->of->interval.low, line->of->interval.high);
}

static void put_change_low(const struct line *line)
{
    put_time(line, line->of->interval.low, line->of->interval.low);
}

static void put_change_high(const struct line *line)
{
    put_time(line, line->of->interval.high, line->of->interval.high);
}

static void put_spread(const struct line *line)
{
    put_time(line, line->of->spread, line->of->spread);
}

static void put_contribution(const struct line *line)
{
    ets_table_put_known(line->table, line->shown->contribution);
}

static void put_p(const struct line *line)
{
    ets_table_put_known(line->table, line->of->p);
}

static void put_p_is_exact(const struct line *line)
{
    if (isnan(line->of->p)) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->p_is_exact);
}

static void put_adjusted_p(const struct line *line)
{
    ets_table_put_known(line->table, line->of->adjusted_p);
}

static void put_verdict(const struct line *line)
{
    put_word(line, ets_verdict_name(line->of->verdict));
    mark_verdict(line);
}

static void put_reason(const struct line *line)
{
    char room[128];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_difference_add_reason(&text, line->of);
    if (text.used == 0) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, ets_built_text(&text));
}

static void put_needed(const struct line *line)
{
    if (line->of->recordings_needed == 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->recordings_needed);
}

static void put_kind(const struct line *line)
{
    put_word(line, ets_change_name(line->of->change));
}

static void put_tie(const struct line *line)
{
    ets_table_put_string(line->table, ets_tie_name(line->shown->tie));
}

static void put_source(const struct line *line)
{
    put_list(line, &line->shown->sources);
}

static void put_module(const struct line *line)
{
    put_list(line, &line->shown->modules);
}

static void put_depth(const struct line *line)
{
    ets_table_put_integer(line->table, line->shown->depth);
}

static const struct field fields[] = {
    {{.name = "block", .machine_only = 1}, put_block},
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "matched_by", .machine_only = 1}, put_matched_by},
    {{.name = "runs_before", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs_before},
    {{.name = "runs_after", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs_after},
    {{.name = "recordings_before", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
     put_recordings_before},
    {{.name = "recordings_after", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
     put_recordings_after},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_instruction},
    {{.name = "operator", .least_width = 20, .cut_in_middle = 1}, put_name},
    {{.name = "operators_before", .kind = ETS_COLUMN_LIST, .machine_only = 1},
     put_operators_before},
    {{.name = "operators_after", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_operators_after},
    {{.name = "before", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .shares_unit = 1}, put_before},
    {{.name = "after", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .shares_unit = 1}, put_after},
    {{.name = "change", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .is_signed = 1, .priority = 3},
     put_change},
    {{.name = "ratio", .title = "%", .kind = ETS_COLUMN_SHARE, .is_signed = 1}, put_ratio},
    {{.name = "interval",
      .title = "95 % interval",
      .kind = ETS_COLUMN_TIME,
      .human_only = 1,
      .shares_unit = 1,
      .is_signed = 1,
      .priority = 4},
     put_interval},
    {{.name = "change_low", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_change_low},
    {{.name = "change_high", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_change_high},
    {{.name = "spread", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_spread},
    {{.name = "contribution", .kind = ETS_COLUMN_SHARE, .machine_only = 1}, put_contribution},
    {{.name = "p", .kind = ETS_COLUMN_REAL, .machine_only = 1}, put_p},
    {{.name = "p_is_exact", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_p_is_exact},
    {{.name = "adjusted_p", .kind = ETS_COLUMN_REAL, .machine_only = 1}, put_adjusted_p},
    {{.name = "verdict"}, put_verdict},
    {{.name = "reason", .machine_only = 1}, put_reason},
    {{.name = "recordings_needed", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_needed},
    {{.name = "kind", .title = "what", .priority = 2}, put_kind},
    {{.name = "tie", .machine_only = 1}, put_tie},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .least_width = 14,
      .priority = 1,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_source},
    {{.name = "module",
      .kind = ETS_COLUMN_LIST,
      .priority = 5,
      .least_width = 10,
      .cut_at_start = 1,
      .first_of_list = 1},
     put_module},
    {{.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_depth},
};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void add_columns(struct ets_table *table, const struct ets_difference *difference)
{
    const bool has_unit = ets_difference_unit(difference) != ETS_UNIT_CYCLES;
    const struct ets_difference_contents contents = ets_difference_survey(difference);
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct ets_column column = fields[i].column;
        const bool is_place = fields[i].put == put_source || fields[i].put == put_module;
        if (is_place && !contents.has_handles) column.machine_only = 1;
        if (fields[i].put == put_kind && !contents.has_changes) column.machine_only = 1;
        ets_table_add_columns(table, &column, sizeof column, 1, has_unit);
    }
}

static void add_runs(struct ets_text_builder *text, const struct ets_pool_block *block,
                     uint32_t recordings)
{
    if (block == NULL) {
        ets_add_text(text, "none");
        return;
    }
    ets_add_text(text, "%u run%s", block->run_count, block->run_count == 1 ? "" : "s");
    if (block->part_count > 1) {
        ets_add_text(text, " of %u recording%s", recordings, recordings == 1 ? "" : "s");
    }
}

static void add_heading(struct ets_table *table, const struct ets_difference_view *view)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room / 2, 0};
    ets_add_text(&text, "%.*s", ETS_TEXT(view->named_by->name));
    text.room = sizeof room;
    if (view->named_by->method != NULL) {
        ets_add_text(&text, " - method %.*s", (int)sizeof room / 2, view->named_by->method);
    }
    if (view->named_by->stage != ETS_STAGE_NONE) {
        ets_add_text(&text, " - %s", ets_run_stage_name(view->named_by->stage));
    }
    ets_add_text(&text, " - ");
    add_runs(&text, view->block->before, view->block->before_recordings);
    ets_add_text(&text, " before, ");
    add_runs(&text, view->block->after, view->block->after_recordings);
    ets_add_text(&text, " after, matched by %s", ets_matched_by_words(view->block->matched_by));
    ets_table_add_section(table, ets_built_text(&text));
}

static bool fill_block(struct ets_table *table, const struct ets_difference *difference,
                       uint32_t block, const struct ets_difference_order_options *options,
                       struct ets_arena *arena)
{
    struct ets_difference_view view;
    if (!ets_difference_view_collect(arena, difference, block, options, &view)) return false;
    if (view.count > 0) add_heading(table, &view);
    for (uint32_t i = 0; i < view.count; i++) {
        const struct line line = {table, &view, &view.lines[i], view.lines[i].of};
        ets_table_add_row(table, line.shown->depth);
        for (size_t k = 0; k < COUNT(fields); k++) fields[k].put(&line);
    }
    return true;
}

enum ets_status ets_difference_table_fill(struct ets_table *table,
                                          const struct ets_difference *difference,
                                          const struct ets_difference_order_options *options,
                                          struct ets_error *error)
{
    struct ets_arena arena; /* of one block's lines */
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    bool ok = true;
    add_columns(table, difference);
    for (uint32_t b = 0; ok && b < ets_difference_block_count(difference); b++) {
        ok = fill_block(table, difference, b, options, &arena);
        ets_arena_reset(&arena);
    }
    return ok ? ETS_OK : ets_fail_memory(error, "the table of a difference");
}
