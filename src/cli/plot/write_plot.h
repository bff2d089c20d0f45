/* Writes the pictures that `plot` makes itself. */
#ifndef ETSCOPE_CLI_PLOT_WRITE_PLOT_H
#define ETSCOPE_CLI_PLOT_WRITE_PLOT_H

#include "cli/core/command.h"
#include "output/picture/drawing.h"

/* --width and the ending of --output, which were checked. */
struct ets_picture_options cli_plot_look(const struct cli_arguments *arguments);

/*
 * Opens --output, lets `draw` write the picture of `subject`, and keeps the file only if it is
 * whole. `path`: of the input, for messages. Returns an exit code.
 */
typedef enum ets_status cli_plot_drawer(const struct cli_arguments *arguments, const void *subject,
                                        struct ets_output *output, struct ets_error *error);
int cli_plot_write(const struct cli_arguments *arguments, const char *path, cli_plot_drawer *draw,
                   const void *subject);

#endif
