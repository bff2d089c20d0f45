/* Opens debug buffers, and checks whether they may belong to the trace. */
#ifndef ETSCOPE_CLI_BESIDE_DEBUG_BUFFER_H
#define ETSCOPE_CLI_BESIDE_DEBUG_BUFFER_H

#include <stdbool.h>

#include "cli/beside/siblings.h"
#include "etscope/file.h"
#include "etscope/inspect.h"

/*
 * Opens the file of --debug-buffer; NULL path: nothing. Refuses an ETDump, a program, an ETRecord,
 * another zip or a .npy file. Accepts bytes that look like text: they may belong to a tensor. An
 * empty file has non-NULL data. Returns an exit code; the caller closes `*file_out`.
 */
int cli_debug_buffer_open(const char *path, struct ets_file **file_out,
                          struct ets_bytes *bytes_out);

/*
 * Whether the bytes can be those that a whole trace captured: as many as it uses, and what follows
 * is zeros. False for a trace without captured tensors, and for an incomplete one.
 */
bool cli_is_debug_buffer_of(const struct ets_inspection *inspection, struct ets_bytes bytes);

/*
 * Finds the debug buffer "a.bin" beside the trace "a.etdp", unless --debug-buffer or --no-siblings
 * is given. A note tells that it is used, or that another file of that name is ignored.
 */
bool cli_sibling_debug_buffer(const struct cli_arguments *arguments, const char *trace_path,
                              const struct ets_inspection *inspection,
                              char found[CLI_SIBLING_BYTES]);

/*
 * Says that `needing` needs the tensors' bytes and where they are, or that the trace captured none;
 * `more` (NULL: nothing) is said of the first. Returns an exit code.
 */
int cli_complain_debug_buffer(const struct ets_inspection *inspection, const char *needing,
                              const char *more);

/* Notes if the file has more bytes than the trace uses, and they are not zeros. */
void cli_note_debug_buffer(const struct ets_inspection *inspection, const char *path,
                           struct ets_bytes bytes);

#endif
