/* The table of `gate`: a row for each rule with its limit, both sides and the reason. */
#include "output/table/budget_table.h"

#include <math.h>

#include "base/error.h"
#include "compare/compare_names.h"
#include "host/text_builder.h"
#include "output/table/budget_table.h"
#include "output/table/table.h"
#include "views/budget_lines.h"
#include "views/budget_words.h"
#include "views/difference_headline.h"
#include "views/drift_sentence.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_budget_report *report;
    const struct ets_budget_line *shown;
    const struct ets_budget_verdict *verdict;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

/* In the column of times, rates or shares, as the rule is about one of them. */
static void put_time(const struct line *line, double value)
{
    const bool is_time = !line->shown->is_share && !line->shown->is_rate;
    ets_table_put_known(line->table, is_time ? value : NAN);
}

static void put_rate(const struct line *line, double ticks)
{
    const double rate = line->shown->is_rate ? ets_budget_rate(line->verdict, ticks) : 0;
    ets_table_put_known(line->table, rate > 0 ? rate : NAN);
}

static void put_share(const struct line *line, double value)
{
    ets_table_put_known(line->table, line->shown->is_share ? value : NAN);
}

static void put_result(const struct line *line)
{
    const enum ets_budget_result result = line->verdict->result;
    ets_table_put_string(line->table, ets_budget_result_name(result));
    ets_table_mark_cell(line->table, result == ETS_BUDGET_PASS ? ETS_MEANS_BETTER
                                     : result == ETS_BUDGET_FAIL || result == ETS_BUDGET_MISSING
                                         ? ETS_MEANS_WORSE
                                         : ETS_MEANS_WARNING);
}

static void put_rule(const struct line *line)
{
    ets_table_put_text(line->table, line->shown->rule->text);
}

static void put_rule_line(const struct line *line)
{
    ets_table_put_integer(line->table, line->shown->rule->line);
}

static void put_block(const struct line *line)
{
    if (line->shown->block == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, line->shown->block->name);
}

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table,
                         line->shown->block == NULL ? NULL : line->shown->block->method);
}

static void put_instruction(const struct line *line)
{
    if (line->shown->instruction < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->shown->instruction);
}

static void put_operator(const struct line *line)
{
    if (line->shown->op == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, line->shown->op->name);
}

static void put_metric(const struct line *line)
{
    ets_table_put_string(line->table, ets_budget_metric_name(line->shown->rule->metric));
}

static void put_base(const struct line *line)
{
    put_time(line, line->verdict->base);
}

static void put_new(const struct line *line)
{
    put_time(line, line->verdict->value);
}

static void put_limit(const struct line *line)
{
    put_time(line, line->verdict->limit);
}

static void put_noise(const struct line *line)
{
    put_time(line, line->verdict->noise);
}

static void put_base_share(const struct line *line)
{
    put_share(line, line->verdict->base);
}

static void put_new_share(const struct line *line)
{
    put_share(line, line->verdict->value);
}

static void put_limit_share(const struct line *line)
{
    put_share(line, line->verdict->limit);
}

static void put_base_rate(const struct line *line)
{
    put_rate(line, line->verdict->base);
}

static void put_new_rate(const struct line *line)
{
    put_rate(line, line->verdict->value);
}

static void put_limit_rate(const struct line *line)
{
    put_rate(line, line->verdict->limit);
}

static void put_adjusted_p(const struct line *line)
{
    ets_table_put_known(line->table, line->verdict->p);
}

static void put_spread(const struct line *line)
{
    ets_table_put_known(line->table, line->verdict->spread);
}

static void put_needed(const struct line *line)
{
    if (line->verdict->recordings_needed == 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->verdict->recordings_needed);
}

static void put_reason(const struct line *line)
{
    char text[ETS_BUDGET_REASON_BYTES];
    const bool is_told = ets_budget_has_reason(line->verdict);
    if (is_told) ets_budget_reason(line->report, line->verdict, text);
    ets_table_put_string(line->table, is_told ? text : NULL);
}

static const struct field fields[] = {
    {{.name = "result"}, put_result},
    {{.name = "rule", .least_width = 20, .wraps = 1}, put_rule},
    {{.name = "line", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_rule_line},
    {{.name = "block", .machine_only = 1}, put_block},
    {{.name = "method", .priority = 2}, put_method},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .priority = 3},
     put_instruction},
    {{.name = "operator", .least_width = 20, .cut_in_middle = 1}, put_operator},
    {{.name = "metric", .machine_only = 1}, put_metric},
    {{.name = "base", .kind = ETS_COLUMN_TIME, .shares_unit = 1}, put_base},
    {{.name = "new", .kind = ETS_COLUMN_TIME, .shares_unit = 1}, put_new},
    {{.name = "limit", .kind = ETS_COLUMN_TIME, .shares_unit = 2}, put_limit},
    {{.name = "noise", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .priority = 1}, put_noise},
    {{.name = "base_share", .title = "base", .kind = ETS_COLUMN_SHARE}, put_base_share},
    {{.name = "new_share", .title = "new", .kind = ETS_COLUMN_SHARE}, put_new_share},
    {{.name = "limit_share", .title = "limit", .kind = ETS_COLUMN_SHARE}, put_limit_share},
    {{.name = "base_tokens_per_s", .title = "base tokens/s", .kind = ETS_COLUMN_REAL},
     put_base_rate},
    {{.name = "new_tokens_per_s", .title = "new tokens/s", .kind = ETS_COLUMN_REAL}, put_new_rate},
    {{.name = "limit_tokens_per_s", .title = "limit tokens/s", .kind = ETS_COLUMN_REAL},
     put_limit_rate},
    {{.name = "adjusted_p", .kind = ETS_COLUMN_REAL, .machine_only = 1}, put_adjusted_p},
    {{.name = "spread", .kind = ETS_COLUMN_SHARE, .machine_only = 1}, put_spread},
    {{.name = "recordings_needed", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_needed},
    {{.name = "reason", .machine_only = 1}, put_reason},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* Columns of shares are for people where a rule is about one; times and methods likewise. */
static void add_columns(struct ets_table *table, const struct ets_budget_report *report,
                        const struct ets_budget_lines *lines)
{
    const bool has_unit = ets_difference_unit(report->difference) != ETS_UNIT_CYCLES;
    for (size_t i = 0; i < FIELDS; i++) {
        struct ets_column column = fields[i].column;
        if (column.kind == ETS_COLUMN_SHARE && !lines->has_shares) column.machine_only = 1;
        if (column.kind == ETS_COLUMN_TIME && !lines->has_times) column.machine_only = 1;
        const bool is_rate = fields[i].put == put_base_rate || fields[i].put == put_new_rate ||
                             fields[i].put == put_limit_rate;
        if (is_rate && !lines->has_rates) column.machine_only = 1;
        if (fields[i].put == put_method && !lines->has_methods) column.machine_only = 1;
        ets_table_add_columns(table, &column, sizeof column, 1, has_unit);
    }
}

enum { HEADING_BYTES = 800 + ETS_BUDGET_REASON_BYTES };

/* "; runs after get slower over time: ...": of the first block with such runs. */
static void add_drift(struct ets_text_builder *text, const struct ets_difference *difference)
{
    for (uint32_t b = 0; b < ets_difference_block_count(difference); b++) {
        const struct ets_difference_block *block = ets_difference_block(difference, b);
        if (ets_difference_execution(difference, block) == NULL) continue;
        if (!ets_add_difference_drift(text, "; ", block)) continue;
        ets_add_text(text, ": medians describe neither third");
        return;
    }
}

/* "budget.txt: 3 checks, 1 failed, 1 undecided", "…, 0 failed; worst: conv +3.1 % of 5 % allowed".
 */
static void add_heading(struct ets_table *table, const struct ets_budget_report *report,
                        const struct ets_budget_lines *lines)
{
    const uint32_t count = ets_budget_count(report->verdicts);
    const uint32_t undecided = ets_budget_undecided(report->verdicts);
    char heading[HEADING_BYTES], margin[ETS_BUDGET_REASON_BYTES];
    struct ets_text_builder text = {heading, sizeof heading, 0};
    ets_add_text(&text, "%.256s: %u check%s, %u failed", report->budget_path, count,
                 count == 1 ? "" : "s", ets_budget_failed(report->verdicts));
    if (undecided > 0) {
        ets_add_text(&text, ", %u undecided%s", undecided,
                     report->undecided_passes ? " (passes)" : "");
    }
    if (lines->tightest != NULL) {
        ets_budget_margin(report, lines->tightest, margin);
        ets_add_text(&text, "; worst: %s", margin);
    }
    add_drift(&text, report->difference);
    ets_table_add_section(table, ets_built_text(&text));
}

/* Of each rule what would decide it, as told of its most doubtful line. */
static void add_doubts(struct ets_table *table, const struct ets_budget_report *report,
                       const struct ets_budget_lines *lines)
{
    for (uint32_t i = 0; i < lines->doubt_count; i++) {
        char reason[ETS_BUDGET_REASON_BYTES], note[ETS_BUDGET_REASON_BYTES + 160];
        struct ets_text_builder text = {note, sizeof note, 0};
        const struct ets_budget_line line = ets_budget_line_of(report, lines->doubts[i]);
        ets_budget_uncertainty(report, line.verdict, reason);
        ets_add_text(&text, "undecided: %.*s (line %u): %s",
                     (int)(line.op->name.size < 96 ? line.op->name.size : 96), line.op->name.data,
                     line.rule->line, reason);
        ets_table_add_note(table, ets_built_text(&text));
    }
}

enum ets_status ets_budget_table_fill(struct ets_table *table,
                                      const struct ets_budget_report *report,
                                      struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_budget_lines lines;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_budget_lines_collect(&arena, report, &lines);
    if (ok) {
        add_columns(table, report, &lines);
        add_heading(table, report, &lines);
        for (uint32_t i = 0; i < lines.count; i++) {
            const struct line line = {table, report, &lines.items[i], lines.items[i].verdict};
            ets_table_add_row(table, 0);
            for (size_t k = 0; k < FIELDS; k++) fields[k].put(&line);
        }
        add_doubts(table, report, &lines);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of verdicts");
}
