/* Compares the traces of a report with each trace before them, for `report`. */
#ifndef ETSCOPE_CLI_REPORT_REPORT_DIFFERENCES_H
#define ETSCOPE_CLI_REPORT_REPORT_DIFFERENCES_H

#include "cli/traces/sql_sources.h"
#include "etscope/experimental/difference.h"

struct cli_report_differences {
    struct ets_pool *after;
    struct ets_pool **before; /* [count] */
    struct ets_difference **items;
    uint32_t count;
};

/*
 * Compares as `diff` does: times of two different programs only with --allow-mismatch. Returns an
 * exit code; close it even after a failure, and before the sources.
 */
int cli_report_differences_open(const struct cli_arguments *arguments,
                                const struct cli_sql_sources *sources,
                                struct cli_report_differences *differences);
void cli_report_differences_close(struct cli_report_differences *differences);

#endif
