/* The verdicts of a gate as JUnit XML. */
#ifndef ETSCOPE_OUTPUT_TEXT_BUDGET_JUNIT_H
#define ETSCOPE_OUTPUT_TEXT_BUDGET_JUNIT_H

#include "etscope/file.h"
#include "host/output.h"
#include "views/budget_words.h"

/*
 * Writes a test case for each verdict (junit.h); "fail" and "missing" are failures, "undecided" is
 * an error. `allocator` is for scratch memory; NULL: the C library's. Status: NO_MEMORY, with
 * nothing written; write errors are reported by the output's commit.
 */
ETS_API enum ets_status ets_budget_write_junit(const struct ets_budget_report *report,
                                               const struct ets_allocator *allocator,
                                               struct ets_output *output, struct ets_error *error);

#endif
