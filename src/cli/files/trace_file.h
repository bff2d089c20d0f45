/* Opens a trace: an ETDump, or a log that holds one. */
#ifndef ETSCOPE_CLI_FILES_TRACE_FILE_H
#define ETSCOPE_CLI_FILES_TRACE_FILE_H

#include "cli/core/command.h"
#include "etscope/file.h"

/* As cli_file_open; a device's log is read as the trace in it, with a note that says so. */
enum ets_status cli_trace_open(const char *path, struct ets_file **file_out,
                               struct ets_error *error);

#endif
