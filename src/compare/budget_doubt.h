/* What the runs of two traces tell about a rule over the base: that it holds, is broken, or
 * neither. */
#ifndef ETSCOPE_COMPARE_BUDGET_DOUBT_H
#define ETSCOPE_COMPARE_BUDGET_DOUBT_H

#include "etscope/experimental/budget.h"

/*
 * Fills result, doubt, room, spread and runs_needed of a verdict that has base, value, limit and
 * noise. `lines`: of the difference, for whose number p values are adjusted. `scratch`: room for
 * the runs of either side.
 */
void ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      uint32_t lines, double *scratch, struct ets_budget_verdict *verdict);

#endif
