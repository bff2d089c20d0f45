/* The table of `gate`: a line for each rule with its limit, both sides and the reason. */
#include <math.h>

#include "base/error.h"
#include "compare/compare_names.h"
#include "output/table/budget_table.h"
#include "output/table/table.h"
#include "views/budget_words.h"

enum cell {
    CELL_RESULT,
    CELL_RULE,
    CELL_LINE,
    CELL_BLOCK,
    CELL_METHOD,
    CELL_INSTRUCTION,
    CELL_OPERATOR,
    CELL_METRIC,
    CELL_BASE,
    CELL_VALUE,
    CELL_LIMIT,
    CELL_NOISE,
    CELL_SHARE_BASE,
    CELL_SHARE,
    CELL_SHARE_LIMIT,
    CELL_P,
    CELL_SPREAD,
    CELL_RUNS_NEEDED,
    CELL_REASON,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_RESULT] = {.name = "result"},
    [CELL_RULE] = {.name = "rule", .least_width = 20, .wraps = 1},
    [CELL_LINE] = {.name = "line", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .priority = 2},
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 3},
    [CELL_OPERATOR] = {.name = "operator", .least_width = 20, .cut_in_middle = 1},
    [CELL_METRIC] = {.name = "metric", .machine_only = 1},
    [CELL_BASE] = {.name = "base", .kind = ETS_COLUMN_TIME, .shares_unit = 1},
    [CELL_VALUE] = {.name = "new", .kind = ETS_COLUMN_TIME, .shares_unit = 1},
    [CELL_LIMIT] = {.name = "limit", .kind = ETS_COLUMN_TIME, .shares_unit = 2},
    [CELL_NOISE] = {.name = "noise", .kind = ETS_COLUMN_TIME, .shares_unit = 1, .priority = 1},
    [CELL_SHARE_BASE] = {.name = "base_share", .title = "base", .kind = ETS_COLUMN_SHARE},
    [CELL_SHARE] = {.name = "new_share", .title = "new", .kind = ETS_COLUMN_SHARE},
    [CELL_SHARE_LIMIT] = {.name = "limit_share", .title = "limit", .kind = ETS_COLUMN_SHARE},
    [CELL_P] = {.name = "adjusted_p", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_SPREAD] = {.name = "spread", .kind = ETS_COLUMN_SHARE, .machine_only = 1},
    [CELL_RUNS_NEEDED] = {.name = "runs_needed", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_REASON] = {.name = "reason", .machine_only = 1},
};

static void put(struct ets_table *table, double value, bool is_of_column)
{
    if (isnan(value) || !is_of_column) ets_table_put_nothing(table);
    else ets_table_put_real(table, value);
}

static void put_reason(struct ets_table *table, const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict)
{
    char text[ETS_BUDGET_REASON_BYTES];
    const bool is_told =
        verdict->result == ETS_BUDGET_UNDECIDED || ets_budget_is_failure(verdict->result);
    if (is_told) ets_budget_reason(report, verdict, text);
    ets_table_put_string(table, is_told ? text : NULL);
}

static void put_cell(struct ets_table *table, enum cell cell,
                     const struct ets_budget_report *report,
                     const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const struct ets_pool_operator *op = ets_budget_operator(report, verdict);
    const struct ets_pool_block *block = ets_budget_block(report, verdict);
    const bool is_share = rule->metric == ETS_METRIC_SHARE;

    const struct ets_text nothing = {NULL, 0};
    switch (cell) {
    case CELL_RESULT: ets_table_put_string(table, ets_budget_result_name(verdict->result)); break;
    case CELL_RULE: ets_table_put_text(table, rule->text); break;
    case CELL_LINE: ets_table_put_integer(table, rule->line); break;
    case CELL_BLOCK: ets_table_put_text(table, block == NULL ? nothing : block->name); break;
    case CELL_METHOD: ets_table_put_string(table, block == NULL ? NULL : block->method); break;
    case CELL_INSTRUCTION:
        if (ets_difference_instruction(op) < 0) ets_table_put_nothing(table);
        else ets_table_put_integer(table, ets_difference_instruction(op));
        break;
    case CELL_OPERATOR: ets_table_put_text(table, op == NULL ? nothing : op->name); break;
    case CELL_METRIC: ets_table_put_string(table, ets_budget_metric_name(rule->metric)); break;
    case CELL_BASE: put(table, verdict->base, !is_share); break;
    case CELL_VALUE: put(table, verdict->value, !is_share); break;
    case CELL_LIMIT: put(table, verdict->limit, !is_share); break;
    case CELL_NOISE: put(table, verdict->noise, !is_share); break;
    case CELL_SHARE_BASE: put(table, verdict->base, is_share); break;
    case CELL_SHARE: put(table, verdict->value, is_share); break;
    case CELL_SHARE_LIMIT: put(table, verdict->limit, is_share); break;
    case CELL_P: put(table, verdict->p, true); break;
    case CELL_SPREAD: put(table, verdict->spread, true); break;
    case CELL_RUNS_NEEDED:
        if (verdict->runs_needed > 0) ets_table_put_integer(table, verdict->runs_needed);
        else ets_table_put_nothing(table);
        break;
    case CELL_REASON: put_reason(table, report, verdict); break;
    case CELL_COUNT: break;
    }
}

/* Columns of shares are for people where a rule is about one. */
static void add_columns(struct ets_table *table, const struct ets_budget_report *report)
{
    bool has_share = false, has_time = false, has_method = false;
    for (uint32_t i = 0; i < ets_budget_count(report->verdicts); i++) {
        const struct ets_budget_verdict *verdict = ets_budget_verdict(report->verdicts, i);
        const struct ets_pool_block *block = ets_budget_block(report, verdict);
        const bool is_share =
            ets_budget_rule(report->budget, verdict->rule)->metric == ETS_METRIC_SHARE;
        has_share |= is_share;
        has_time |= !is_share;
        has_method |= block != NULL && block->method != NULL;
    }
    for (int c = 0; c < CELL_COUNT; c++) {
        struct ets_column column = columns[c];
        const bool has_unit = ets_difference_unit(report->difference) != ETS_UNIT_CYCLES;
        if (column.kind == ETS_COLUMN_SHARE && !has_share) column.machine_only = 1;
        if (column.kind == ETS_COLUMN_TIME && !has_time) column.machine_only = 1;
        if (c == CELL_METHOD && !has_method) column.machine_only = 1;
        if (column.kind == ETS_COLUMN_TIME && !has_unit) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(table, &column);
    }
}

/* How much of what a rule allows is used: 1 is all of it. */
static double used_part(const struct ets_budget_report *report,
                        const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const bool is_over_base = !isnan(verdict->noise) && verdict->limit > verdict->base;
    if (rule->metric == ETS_METRIC_SHARE) return verdict->limit / verdict->value;
    if (!is_over_base) return verdict->value / verdict->limit;
    return (verdict->value - verdict->base) / (verdict->limit - verdict->base);
}

/* The rule that holds with the least to spare; NULL: none holds. */
static const struct ets_budget_verdict *find_worst(const struct ets_budget_report *report)
{
    const struct ets_budget_verdict *worst = NULL;
    for (uint32_t i = 0; i < ets_budget_count(report->verdicts); i++) {
        const struct ets_budget_verdict *each = ets_budget_verdict(report->verdicts, i);
        if (each->result != ETS_BUDGET_PASS) continue;
        if (worst == NULL || used_part(report, each) > used_part(report, worst)) worst = each;
    }
    return worst;
}

/* "budget.txt: 3 checks, 1 failed, 1 undecided", "…, 0 failed; worst: conv +3.1 % of 5 % allowed".
 */
static void add_heading(struct ets_table *table, const struct ets_budget_report *report)
{
    const uint32_t count = ets_budget_count(report->verdicts);
    const uint32_t undecided = ets_budget_undecided(report->verdicts);
    char heading[400 + ETS_BUDGET_REASON_BYTES], margin[ETS_BUDGET_REASON_BYTES];
    size_t size = ets_print_text(heading, 320, "%s: %u check%s, %u failed", report->budget_path,
                                 count, count == 1 ? "" : "s", ets_budget_failed(report->verdicts));
    if (undecided > 0) {
        size += ets_print_text(heading + size, sizeof heading - size, ", %u undecided%s", undecided,
                               report->undecided_passes ? " (passes)" : "");
    }
    const struct ets_budget_verdict *worst = find_worst(report);
    if (worst != NULL && ets_budget_failed(report->verdicts) + undecided == 0) {
        ets_budget_margin(report, worst, margin);
        size += ets_print_text(heading + size, sizeof heading - size, "; worst: %s", margin);
    }
    ets_table_add_section(table, (struct ets_text){heading, size});
}

/* What failed stands first, then what is undecided. */
static int rank_of(enum ets_budget_result result)
{
    return ets_budget_is_failure(result) ? 0 : result == ETS_BUDGET_UNDECIDED ? 1 : 2;
}

/* Whether of two verdicts of one rule `left` takes more to be decided. */
static bool is_farther(const struct ets_budget_verdict *left,
                       const struct ets_budget_verdict *right)
{
    const bool is_countable = left->doubt == ETS_DOUBT_RUNS && left->runs_needed > 0;
    if (right->doubt != ETS_DOUBT_RUNS || right->runs_needed == 0) return false;
    return !is_countable || left->runs_needed > right->runs_needed;
}

/* Of each rule what would decide it, as told of its most doubtful line. */
static void add_doubts(struct ets_table *table, const struct ets_budget_report *report)
{
    const uint32_t count = ets_budget_count(report->verdicts);
    for (uint32_t i = 0, end; i < count; i = end) {
        const struct ets_budget_verdict *first = ets_budget_verdict(report->verdicts, i);
        const struct ets_budget_verdict *worst = NULL;
        for (end = i; end < count; end++) {
            const struct ets_budget_verdict *each = ets_budget_verdict(report->verdicts, end);
            if (each->rule != first->rule) break;
            if (each->result != ETS_BUDGET_UNDECIDED) continue;
            if (worst == NULL || is_farther(each, worst)) worst = each;
        }
        if (worst == NULL) continue;
        char reason[ETS_BUDGET_REASON_BYTES], text[ETS_BUDGET_REASON_BYTES + 160];
        const struct ets_text name = ets_budget_operator(report, worst)->name;
        ets_budget_doubt(report, worst, reason);
        const size_t size =
            ets_print_text(text, sizeof text, "undecided: %.*s (line %u): %s",
                           (int)(name.size < 96 ? name.size : 96), name.data,
                           ets_budget_rule(report->budget, worst->rule)->line, reason);
        ets_table_add_note(table, (struct ets_text){text, size});
    }
}

enum ets_status ets_budget_table_fill(struct ets_table *table,
                                      const struct ets_budget_report *report,
                                      struct ets_error *error)
{
    (void)error; /* what the table lacks memory for, it says when it is written */
    const uint32_t count = ets_budget_count(report->verdicts);
    const int ranks = report->hides_passes ? 2 : 3;
    add_columns(table, report);
    add_heading(table, report);
    for (int rank = 0; rank < ranks; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            const struct ets_budget_verdict *verdict = ets_budget_verdict(report->verdicts, i);
            if (rank_of(verdict->result) != rank) continue;
            ets_table_add_row(table, 0);
            for (int c = 0; c < CELL_COUNT; c++) put_cell(table, (enum cell)c, report, verdict);
        }
    }
    add_doubts(table, report);
    return ETS_OK;
}
