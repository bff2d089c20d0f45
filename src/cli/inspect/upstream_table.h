/* The options --format upstream and --tsv-path: the complete table of ExecuTorch's Inspector. */
#ifndef ETSCOPE_CLI_INSPECT_UPSTREAM_TABLE_H
#define ETSCOPE_CLI_INSPECT_UPSTREAM_TABLE_H

#include "cli/core/command.h"
#include "etscope/inspect.h"

bool cli_wants_upstream(const struct cli_arguments *arguments);

/* Reports options that --format upstream excludes. Returns an exit code. */
int cli_check_upstream(const struct cli_arguments *arguments);

/* Writes it to `path`, with times in `target`. Returns an exit code. */
int cli_write_upstream(struct ets_inspection *inspection, enum ets_time_unit target,
                       const char *path);

#endif
