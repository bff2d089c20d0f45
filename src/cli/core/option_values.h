/* What kinds of values options take: which are numbers, sizes, times, and which are files. */
#ifndef ETSCOPE_CLI_CORE_OPTION_VALUES_H
#define ETSCOPE_CLI_CORE_OPTION_VALUES_H

#include "cli/core/options.h"

/*
 * Checks a value before anything runs: one of the choices, a number in its range, a size, a time.
 * Returns CLI_OK, or CLI_USAGE after reporting an error.
 */
int cli_check_value(const struct cli_command *command, const struct cli_option *option,
                    const char *value);
/* The value of a word; false: it is none, or out of range. */
bool cli_read_number(const char *word, long long *number_out);
bool cli_read_bytes(const char *word, size_t *bytes_out);
bool cli_read_percent(const char *word, double *percent_out);
bool cli_read_duration(const char *word, double *ns_out);
/* Index of a word among "a|b|c"; -1: it is none of these. */
int cli_find_choice(const char *choices, const char *word);
/* "a|b|c" */
bool cli_option_has_choices(const struct cli_option *option);
/* Whether the value is a file that the command reads, which may be standard input. */
bool cli_option_is_input(const struct cli_option *option);
/* Whether a shell offers names of files. */
bool cli_option_takes_file(const struct cli_option *option);

#endif
