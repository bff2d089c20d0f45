/* Prints values of captured tensors for people, and draws one as a picture. */
#ifndef ETSCOPE_CLI_TENSORS_SHOW_TENSORS_H
#define ETSCOPE_CLI_TENSORS_SHOW_TENSORS_H

#include "cli/tensors/captured.h"
#include "host/output.h"
#include "output/table/table.h"

/* For the option table of `tensors`. */
/* clang-format off */
#define CLI_TENSOR_TEXT_OPTIONS                                                                   \
    {"--show"}, {"--full"}, {"--edge-items"}, {"--precision"}
/* clang-format on */

/* Checks these options. Returns an exit code. */
int cli_check_tensor_text(const struct cli_arguments *arguments);

/* Prints a heading, the distribution and the values of each tensor. Returns an exit code. */
int cli_show_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured,
                     const struct ets_table_style *style, struct ets_output *output);

/*
 * Draws the single selected tensor, or its difference to `reference` (NULL: none), to the file
 * `path`, and notes the range of the colours. Returns an exit code.
 */
int cli_draw_tensor(const char *path, const struct cli_captured *captured,
                    const struct ets_tensor *reference);

#endif
