/* Files with the raw bytes of a tensor, as ExecuTorch's executor_runner reads and writes them. */
#ifndef ETSCOPE_CLI_FILES_RAW_FILES_H
#define ETSCOPE_CLI_FILES_RAW_FILES_H

#include "cli/core/command.h"
#include "etscope/engine.h"

/* "float32 [2, 16]" into `buffer`. */
void cli_describe_tensor(char *buffer, size_t capacity, const struct ets_tensor *tensor);

/* Whether this is such a file: its name ends in .bin, or it is not a NumPy file. */
bool cli_is_raw(const char *path, struct ets_bytes bytes);

/*
 * Takes the bytes as input `index` of `method`, with type and shape from `info`. They are borrowed.
 * Reports errors; returns an exit code.
 */
int cli_raw_read(const char *path, struct ets_bytes bytes, const char *method, size_t index,
                 const struct ets_engine_value_info *info, struct ets_value *value_out);

#endif
