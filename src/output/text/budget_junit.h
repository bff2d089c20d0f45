/* The verdicts of a gate as JUnit's XML. */
#ifndef ETSCOPE_OUTPUT_TEXT_BUDGET_JUNIT_H
#define ETSCOPE_OUTPUT_TEXT_BUDGET_JUNIT_H

#include "etscope/file.h"
#include "views/budget_words.h"

/*
 * The same as JUnit's XML (junit.h): a test case for each verdict; "fail" and "missing" are
 * failures, "undecided" is an error. `allocator` (of scratch memory) NULL: the C library's. Status:
 * NO_MEMORY, with nothing written; writing errors appear at the output's commit.
 */
ETS_API enum ets_status ets_budget_write_junit(const struct ets_budget_report *report,
                                               const struct ets_allocator *allocator,
                                               struct ets_output *output, struct ets_error *error);

#endif
