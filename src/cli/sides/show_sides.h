/* The tables of `diff` and `summary`, of traces that were given or just recorded. */
#ifndef ETSCOPE_CLI_SIDES_SHOW_SIDES_H
#define ETSCOPE_CLI_SIDES_SHOW_SIDES_H

#include "cli/sides/sides.h"
#include "output/table/pool_table.h"

/* Compares two sides. `programs` NULL: those beside the traces. Returns an exit code. */
int cli_show_sides(const struct cli_arguments *arguments, const struct cli_side_paths *before,
                   const struct cli_side_paths *after, const struct cli_side_programs *programs);

/* Merges the traces of one side, whose program and record are given. Returns an exit code. */
int cli_show_summary(const struct cli_arguments *arguments, const struct cli_side_paths *paths);
int cli_write_summary(const struct cli_arguments *arguments, const struct ets_pool *pool,
                      const struct ets_pool_table_options *options);

#endif
