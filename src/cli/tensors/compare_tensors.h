/* Captured tensors against those of a .npy or .npz file. */
#ifndef ETSCOPE_CLI_TENSORS_COMPARE_TENSORS_H
#define ETSCOPE_CLI_TENSORS_COMPARE_TENSORS_H

#include "cli/files/arrays.h"
#include "cli/tensors/captured.h"

/*
 * Writes the table of all selected tensors, compared with their arrays. Returns an exit code:
 * CLI_NEGATIVE if --rtol or --atol was given and a tensor exceeds it, has another shape, or has no
 * array.
 */
int cli_compare_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured,
                        struct cli_arrays *arrays);

/* The array of the single selected tensor. Returns an exit code. */
int cli_find_reference(const struct cli_captured *captured, struct cli_arrays *arrays,
                       struct ets_tensor *reference_out);

#endif
