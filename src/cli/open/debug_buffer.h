/* The file of the captured tensors: whether it can be one, and this trace's. */
#ifndef ETSCOPE_CLI_OPEN_DEBUG_BUFFER_H
#define ETSCOPE_CLI_OPEN_DEBUG_BUFFER_H

#include "etscope/file.h"
#include "etscope/inspect.h"

/*
 * Opens what --debug-buffer names; NULL path: nothing. An ETDump, a program, an ETRecord, another
 * zip or a .npy is refused. Bytes that look like text are not: they may be a tensor's. An empty
 * file has data that is not NULL. Returns an exit code; `*file_out` is the caller's to close.
 */
int cli_debug_buffer_open(const char *path, struct ets_file **file_out,
                          struct ets_bytes *bytes_out);

/* A note where the file has more bytes than the trace refers to, and they are not zeros. */
void cli_note_debug_buffer(const struct ets_inspection *inspection, const char *path,
                           struct ets_bytes bytes);

#endif
