/* The verdicts of a gate as lines, in display order. */
#include "views/budget_lines.h"

#include <math.h>

#include "compare/compare_names.h"

struct ets_budget_line ets_budget_line_of(const struct ets_budget_report *report,
                                          const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const struct ets_pool_operator *op = ets_budget_operator(report, verdict);
    return (struct ets_budget_line){
        .verdict = verdict,
        .rule = rule,
        .op = op,
        .block = ets_budget_block(report, verdict),
        .instruction = ets_difference_instruction(op),
        .is_share = rule->metric == ETS_METRIC_SHARE,
        .is_rate = rule->metric == ETS_METRIC_RATE,
    };
}

bool ets_budget_has_reason(const struct ets_budget_verdict *verdict)
{
    return verdict->result == ETS_BUDGET_UNDECIDED || ets_budget_is_failure(verdict->result);
}

/* What failed stands first, then what is undecided. */
static int rank_of(const struct ets_budget_verdict *verdict)
{
    if (ets_budget_is_failure(verdict->result)) return 0;
    return verdict->result == ETS_BUDGET_UNDECIDED ? 1 : 2;
}

/* How much of what a rule allows is used: 1 is all of it. */
static double used_part(const struct ets_budget_report *report,
                        const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const bool is_over_base = !isnan(verdict->p) && verdict->limit > verdict->base;
    if (rule->metric == ETS_METRIC_SHARE) return verdict->limit / verdict->value;
    if (!is_over_base) return verdict->value / verdict->limit;
    return (verdict->value - verdict->base) / (verdict->limit - verdict->base);
}

static const struct ets_budget_verdict *find_tightest(const struct ets_budget_report *report)
{
    const struct ets_budget_verdict *tightest = NULL;
    for (uint32_t i = 0; i < ets_budget_count(report->verdicts); i++) {
        const struct ets_budget_verdict *each = ets_budget_verdict(report->verdicts, i);
        if (ets_budget_has_reason(each)) return NULL;
        if (each->result != ETS_BUDGET_PASS) continue;
        if (tightest == NULL || used_part(report, each) > used_part(report, tightest)) {
            tightest = each;
        }
    }
    return tightest;
}

/* Whether of two verdicts of one rule `left` takes more to be decided. */
static bool is_farther(const struct ets_budget_verdict *left,
                       const struct ets_budget_verdict *right)
{
    const bool is_countable = left->doubt == ETS_DOUBT_RECORDINGS && left->recordings_needed > 0;
    if (right->doubt != ETS_DOUBT_RECORDINGS || right->recordings_needed == 0) return false;
    return !is_countable || left->recordings_needed > right->recordings_needed;
}

/* Verdicts of one rule stand together. */
static void find_doubts(const struct ets_budget_report *report, struct ets_budget_lines *lines)
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
        if (worst != NULL) lines->doubts[lines->doubt_count++] = worst;
    }
}

bool ets_budget_lines_collect(struct ets_arena *arena, const struct ets_budget_report *report,
                              struct ets_budget_lines *lines_out)
{
    const uint32_t count = ets_budget_count(report->verdicts);
    struct ets_budget_lines lines = {.count = 0};
    lines.items = ets_arena_alloc_array(arena, count, sizeof *lines.items);
    lines.doubts = ets_arena_alloc_array(arena, count, sizeof *lines.doubts);
    if (lines.items == NULL || lines.doubts == NULL) return false;
    for (int rank = 0; rank <= 2; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            const struct ets_budget_verdict *verdict = ets_budget_verdict(report->verdicts, i);
            if (rank_of(verdict) != rank) continue;
            const struct ets_budget_line line = ets_budget_line_of(report, verdict);
            lines.has_shares |= line.is_share;
            lines.has_rates |= line.is_rate;
            lines.has_times |= !line.is_share && !line.is_rate;
            lines.has_methods |= line.block != NULL && line.block->method != NULL;
            if (rank < 2 || !report->hides_passes) lines.items[lines.count++] = line;
        }
    }
    lines.tightest = find_tightest(report);
    find_doubts(report, &lines);
    *lines_out = lines;
    return true;
}
