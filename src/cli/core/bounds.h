/* Limits the memory and the output of a command in proportion to the size of its input files. */
#ifndef ETSCOPE_CLI_CORE_BOUNDS_H
#define ETSCOPE_CLI_CORE_BOUNDS_H

#include "etscope/base.h"
#include "output/table/table.h"

/* Begins to count the memory of this command (host/memory_budget.h). */
void cli_bounds_start(void);

/* Adds the size of an input, as it is stored, to the limits. */
void cli_count_input(struct ets_bytes bytes);

/*
 * Whether the inputs asked for more memory than they may; `text` says so: "needs more than 442 MiB
 * of memory, the limit for ...".
 */
enum { CLI_BOUND_CHARS = 192 };
bool cli_bounds_were_exceeded(char text[CLI_BOUND_CHARS]);

/*
 * Opens a table whose notes advise options (what_to_type.h), and whose cells are limited to half of
 * the bound (SECURITY.md).
 */
enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error);

/*
 * Extends the budget by what an evaluation may take, and returns the limit for its values: 2 GiB
 * plus 256 times the size of the inputs.
 */
uint64_t cli_evaluation_bytes(void);

#endif
