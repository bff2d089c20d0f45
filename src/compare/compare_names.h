/* Names of changes, verdicts, results and metrics. */
#ifndef ETSCOPE_COMPARE_COMPARE_NAMES_H
#define ETSCOPE_COMPARE_COMPARE_NAMES_H

#include "etscope/experimental/budget.h"
#include "etscope/experimental/difference.h"

/* "added", "removed", "replaced", "delegated", "undelegated", "repartitioned"; "" for NONE. */
const char *ets_change_name(enum ets_change change);
/* "same", "faster", "slower", "undecided", "unclear", "differs"; "" for NONE. */
const char *ets_verdict_name(enum ets_verdict verdict);

/* "order", "handles", "types", "operator", "module", "in_modules", "lines". */
const char *ets_matched_by_name(enum ets_matched_by by);
/* "names in order of execution", "debug handles"... */
const char *ets_matched_by_words(enum ets_matched_by by);

/* 1: FAIL and MISSING. */
int ets_budget_is_failure(enum ets_budget_result result);
/* "pass", "undecided", "new", "fail", "missing". */
const char *ets_budget_result_name(enum ets_budget_result result);
/* "min", "p10", "p50", "p90", "max", "avg", "share". */
const char *ets_budget_metric_name(enum ets_budget_metric metric);

#endif
