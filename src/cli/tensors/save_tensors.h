/* Captured tensors as NumPy's files. */
#ifndef ETSCOPE_CLI_TENSORS_SAVE_TENSORS_H
#define ETSCOPE_CLI_TENSORS_SAVE_TENSORS_H

#include "cli/open/captured.h"

/*
 * Writes each captured value that has bytes: to FILE.npz, to FILE.npy, which takes one alone, or
 * else as NAME.npy to the folder `path` (made if missing). Returns an exit code.
 */
int cli_save_tensors(const char *path, const struct cli_captured *captured);

#endif
