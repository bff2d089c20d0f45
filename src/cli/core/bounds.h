/* What a command may make of its files: output in proportion to what they hold. */
#ifndef ETSCOPE_CLI_CORE_BOUNDS_H
#define ETSCOPE_CLI_CORE_BOUNDS_H

#include "etscope/base.h"
#include "output/table/table.h"

/* The size of an input that was opened counts towards what tables may hold. */
void cli_count_input(struct ets_bytes bytes);

/*
 * ets_table_open of a table about the inputs that are open, with the options that its notes advise
 * (advice.h), and with a ceiling for its cells, 256 MiB
 * and 256 times their sizes (SECURITY.md).
 */
enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error);

/* Bytes that the values of an evaluation may take at once: 2 GiB and 256 times those sizes. */
uint64_t cli_evaluation_bytes(void);

#endif
