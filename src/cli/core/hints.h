/* What to do about an error of an input, which only the command line knows. */
#ifndef ETSCOPE_CLI_CORE_HINTS_H
#define ETSCOPE_CLI_CORE_HINTS_H

#include "cli/core/command.h"
#include "host/text_builder.h"

/* main, before the command runs. */
void cli_hints_start(const struct cli_arguments *arguments);

/*
 * Adds "; did you mean FILE?" for a file or method that does not exist, and for an argument of the
 * wrong kind the commands for files of its kind. `path` NULL: no file.
 */
void cli_add_hint(struct ets_text_builder *text, const char *path, const struct ets_error *error);

/* Whether the error is of a name that --method gave. */
bool cli_is_missing_method(const struct ets_error *error);

#endif
