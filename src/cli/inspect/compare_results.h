/*
 * The option --compare-results of `inspect`: compares recorded outputs with the ETRecord's
 * reference outputs.
 */
#ifndef ETSCOPE_CLI_INSPECT_COMPARE_RESULTS_H
#define ETSCOPE_CLI_INSPECT_COMPARE_RESULTS_H

#include "cli/traces/inspected.h"

/* Checks that everything needed is given: CLI_OK, or reports an error. */
int cli_check_compare(const struct cli_subject *subject);

int cli_compare_results(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection);

#endif
