/* The option --only of `tap`. */
#ifndef ETSCOPE_CLI_TAP_CHOSEN_VALUES_H
#define ETSCOPE_CLI_TAP_CHOSEN_VALUES_H

#include "cli/core/command.h"
#include "views/inside_values.h"

/* Marks the chosen values, and counts them. Returns an exit code. */
int cli_choose_values(const struct cli_arguments *arguments, const struct ets_inside_values *values,
                      uint32_t *count_out);

#endif
