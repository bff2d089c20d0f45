/*
 * The verdicts of a gate as lines, with what each is about, in display order.
 *
 *     struct ets_budget_lines lines;
 *     if (ets_budget_lines_collect(&arena, &report, &lines)) {
 *         for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *     }
 *
 * Times are in the unit of the report's difference. Everything is in the arena or borrowed from the
 * report, which must live as long.
 */
#ifndef ETSCOPE_VIEWS_BUDGET_LINES_H
#define ETSCOPE_VIEWS_BUDGET_LINES_H

#include <stdbool.h>

#include "host/arena.h"
#include "views/budget_words.h"

struct ets_budget_line {
    const struct ets_budget_verdict *verdict;
    const struct ets_budget_rule *rule;
    const struct ets_pool_operator *op; /* NULL: none */
    const struct ets_pool_block *block; /* of the new trace; NULL: none */
    int32_t instruction;                /* of the operator; -1: none */
    bool is_share;                      /* the rule is about a share, not about a time */
    bool is_rate;                       /* about tokens/s */
};

struct ets_budget_lines {
    struct ets_budget_line
        *items;     /* failed, then undecided, then passed; each in the order of the rules */
    uint32_t count; /* without passed verdicts if the report hides them */
    bool has_shares, has_rates, has_times, has_methods; /* of all verdicts, including hidden ones */
    /*
     * The passed rule with the smallest margin; NULL: a rule failed or is undecided, or none
     * passed.
     */
    const struct ets_budget_verdict *tightest;
    /* [doubt_count] For each undecided rule, the verdict that is hardest to decide. */
    const struct ets_budget_verdict **doubts;
    uint32_t doubt_count;
};

/* Returns false if memory runs out. */
bool ets_budget_lines_collect(struct ets_arena *arena, const struct ets_budget_report *report,
                              struct ets_budget_lines *lines_out);

/* One verdict. */
struct ets_budget_line ets_budget_line_of(const struct ets_budget_report *report,
                                          const struct ets_budget_verdict *verdict);

/* Whether the verdict needs a reason: it failed or is undecided. */
bool ets_budget_has_reason(const struct ets_budget_verdict *verdict);

#endif
