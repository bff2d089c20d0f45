/* inspect --compare-results: recorded outputs against the record's reference outputs. */
#ifndef ETSCOPE_CLI_COMPARE_COMPARE_H
#define ETSCOPE_CLI_COMPARE_COMPARE_H

#include "cli/open/inspected.h"

/* What a comparison needs must be there: CLI_OK, or a complaint. */
int cli_check_compare(const struct cli_subject *subject);

int cli_compare_results(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection);

#endif
