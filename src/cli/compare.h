/* inspect --compare-results: recorded outputs against the record's reference outputs. */
#ifndef ETSCOPE_CLI_COMPARE_H
#define ETSCOPE_CLI_COMPARE_H

#include "show.h"

int cli_compare_results(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection);

#endif
