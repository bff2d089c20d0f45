/* The names that a command derives from the name of an output. */
#ifndef ETSCOPE_CLI_TARGET_DERIVED_NAMES_H
#define ETSCOPE_CLI_TARGET_DERIVED_NAMES_H

#include <stdbool.h>

#include "cli/core/command.h"

/*
 * Whether `rest`, what follows the base in a name, is that of a file of --outputs or --output-file:
 * ".0.npy", "-0.bin"; of several methods or cases ".forward.1.0.npy". Methods are those of the
 * command line.
 */
bool cli_derived_is_of_prefix(const struct cli_arguments *arguments, const char *base,
                              const char *rest);

/*
 * Whether `rest`, what follows the base without its ending, is that of a recording of several, or
 * of a number of threads: ".recording-1.etdp" of the ending ".etdp".
 */
bool cli_derived_is_of_recording(const char *rest, const char *ending);

#endif
