/* Whether the runs of two traces confirm a rule relative to the base, refute it, or neither. */
#ifndef ETSCOPE_COMPARE_BUDGET_DOUBT_H
#define ETSCOPE_COMPARE_BUDGET_DOUBT_H

#include "etscope/experimental/budget.h"

/*
 * Fills result, doubt, room, spread and runs_needed of a verdict that has base, value, limit and
 * noise. `lines` is the number of lines of the difference, for which p values are adjusted.
 * `scratch` must have room for the runs of either side.
 */
void ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      uint32_t lines, double *scratch, struct ets_budget_verdict *verdict);

#endif
