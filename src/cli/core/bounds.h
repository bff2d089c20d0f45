/* Limits the output of a command in proportion to the size of its input files. */
#ifndef ETSCOPE_CLI_CORE_BOUNDS_H
#define ETSCOPE_CLI_CORE_BOUNDS_H

#include "etscope/base.h"
#include "output/table/table.h"

/* Adds the size of an opened input to the limit of tables. */
void cli_count_input(struct ets_bytes bytes);

/*
 * Opens a table whose notes advise options (what_to_type.h), and whose cells are limited to 256 MiB
 * plus 256 times the size of the open inputs (SECURITY.md).
 */
enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error);

/* The limit for the values of an evaluation: 2 GiB plus 256 times these sizes. */
uint64_t cli_evaluation_bytes(void);

#endif
