/* Judges rules relative to the base by the recordings of both sides. */
#ifndef ETSCOPE_COMPARE_BUDGET_RECORDINGS_H
#define ETSCOPE_COMPARE_BUDGET_RECORDINGS_H

#include "compare/difference_parts.h"
#include "etscope/experimental/budget.h"

/*
 * Fills base, value, limit, noise, p, result and doubt of verdicts of one rule on lines of one
 * block. Lines of one rule are tested together; `blocks` is the number of blocks that the rule is
 * judged in. False: no memory.
 */
bool ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference *difference,
                      struct ets_budget_verdict *verdicts, uint32_t count, uint32_t blocks);

/* The widest of the rule's limits. */
double ets_budget_limit_of(const struct ets_budget_rule *rule, double base);

#endif
