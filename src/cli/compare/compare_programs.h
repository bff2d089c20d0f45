/* `diff` of two programs. */
#ifndef ETSCOPE_CLI_COMPARE_COMPARE_PROGRAMS_H
#define ETSCOPE_CLI_COMPARE_COMPARE_PROGRAMS_H

#include "cli/core/command.h"

/* How many of the two words name programs (.pte or .bpte); one that cannot be read is none, and
 * standard input is what the other word names. */
int cli_count_programs(const struct cli_arguments *arguments);

/* Compares the programs that the two words name. Returns an exit code: CLI_NEGATIVE where they
 * differ. */
int cli_compare_programs(const struct cli_arguments *arguments);

#endif
