/* Files of a tensor's bytes and nothing else, as ExecuTorch's executor_runner reads and writes. */
#ifndef ETSCOPE_CLI_OPEN_RAW_FILES_H
#define ETSCOPE_CLI_OPEN_RAW_FILES_H

#include "cli/core/command.h"
#include "etscope/engine.h"

/* "float32 [2, 16]" into `buffer`. */
void cli_describe_tensor(char *buffer, size_t capacity, const struct ets_tensor *tensor);

/* Whether a file of this name and content is one: ends in .bin, or is none of NumPy's. */
bool cli_is_raw(const char *path, struct ets_bytes bytes);

/*
 * The bytes as input `index` of `method`, of which `info` has type and shape. They are borrowed.
 * Says what is wrong; returns an exit code.
 */
int cli_raw_read(const char *path, struct ets_bytes bytes, const char *method, size_t index,
                 const struct ets_engine_value_info *info, struct ets_value *value_out);

#endif
