/* The picture of a difference. */
#ifndef ETSCOPE_CLI_PLOT_PLOT_WATERFALL_H
#define ETSCOPE_CLI_PLOT_PLOT_WATERFALL_H

#include "cli/core/command.h"

/* Of the traces before and after, the two arguments. Returns an exit code. */
int cli_plot_waterfall(const struct cli_arguments *arguments);

#endif
