/* Saves captured tensors as NumPy files. */
#ifndef ETSCOPE_CLI_TENSORS_SAVE_TENSORS_H
#define ETSCOPE_CLI_TENSORS_SAVE_TENSORS_H

#include "cli/tensors/captured.h"

/*
 * Writes each captured value with bytes: all to FILE.npz, a single one to FILE.npy, or each as
 * NAME.npy to the folder `path` (created if missing). Returns an exit code.
 */
int cli_save_tensors(const char *path, const struct cli_captured *captured);

#endif
