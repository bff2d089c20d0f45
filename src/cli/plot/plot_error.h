/* The picture of numeric errors. */
#ifndef ETSCOPE_CLI_PLOT_PLOT_ERROR_H
#define ETSCOPE_CLI_PLOT_PLOT_ERROR_H

#include "cli/core/command.h"

/* Of the trace that is the argument, with --etrecord and --debug-buffer. Returns an exit code. */
int cli_plot_error(const struct cli_arguments *arguments);

#endif
