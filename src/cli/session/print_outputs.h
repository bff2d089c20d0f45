/* The option --print-outputs: prints the outputs of a run as text. */
#ifndef ETSCOPE_CLI_SESSION_PRINT_OUTPUTS_H
#define ETSCOPE_CLI_SESSION_PRINT_OUTPUTS_H

#include "cli/core/command.h"
#include "etscope/engine.h"

/* Whether the option requests any. */
bool cli_wants_outputs_printed(const struct cli_arguments *arguments);

/*
 * Prints output `index` of a run of `method` on `test_case` (negative: none), tensors as NumPy
 * does. Returns an exit code.
 */
int cli_print_output(const struct cli_arguments *arguments, const char *method, long long test_case,
                     size_t index, const struct ets_value *value);

#endif
