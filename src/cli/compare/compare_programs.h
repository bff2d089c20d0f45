/* `diff` of two programs. */
#ifndef ETSCOPE_CLI_COMPARE_COMPARE_PROGRAMS_H
#define ETSCOPE_CLI_COMPARE_COMPARE_PROGRAMS_H

#include "cli/core/command.h"

/* How many of the two words name programs (.pte or .bpte); what is no file is none, and standard
 * input is what the other word names. *code_out: an exit code, where a file cannot be opened. */
int cli_count_programs(const struct cli_arguments *arguments, int *code_out);

/* Compares the programs that the two words name. Returns an exit code: CLI_NEGATIVE where they
 * differ. */
int cli_compare_programs(const struct cli_arguments *arguments);

#endif
