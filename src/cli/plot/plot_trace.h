/* The pictures of a trace. Each function returns an exit code. */
#ifndef ETSCOPE_CLI_PLOT_PLOT_TRACE_H
#define ETSCOPE_CLI_PLOT_PLOT_TRACE_H

#include "cli/core/command.h"

int cli_plot_icicle(const struct cli_arguments *arguments);
int cli_plot_runs(const struct cli_arguments *arguments);
int cli_plot_timeline(const struct cli_arguments *arguments);

#endif
