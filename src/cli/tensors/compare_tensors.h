/* Captured tensors against those of a .npy or .npz file. */
#ifndef ETSCOPE_CLI_TENSORS_COMPARE_TENSORS_H
#define ETSCOPE_CLI_TENSORS_COMPARE_TENSORS_H

#include "cli/open/arrays.h"
#include "cli/open/captured.h"

/*
 * Writes the table of all tensors that were chosen, compared with the arrays that are theirs.
 * Returns an exit code: CLI_NEGATIVE where --rtol or --atol was given and a tensor is outside of
 * it, of another shape, or has no array.
 */
int cli_compare_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured,
                        struct cli_arrays *arrays);

/* The array of the one tensor that was chosen. Returns an exit code. */
int cli_find_reference(const struct cli_captured *captured, struct cli_arrays *arrays,
                       struct ets_tensor *reference_out);

#endif
