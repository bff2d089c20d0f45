/* Captured tensors as .npy files. */
#ifndef ETSCOPE_CLI_SAVE_TENSORS_H
#define ETSCOPE_CLI_SAVE_TENSORS_H

#include "command.h"
#include "etscope/export.h"

/*
 * Writes each captured value that has bytes to `folder` (made if missing), named by run, event and
 * operator: run1-event00014-addmm.out.npy. Returns an exit code.
 */
int cli_save_tensors(const char *folder, const struct ets_inspection *inspection,
                     struct ets_bytes debug_buffer, const struct ets_captured_filter *filter);

#endif
