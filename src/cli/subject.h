/* The files that `inspect` and `tensors` read: a trace and what explains it. */
#ifndef ETSCOPE_CLI_SUBJECT_H
#define ETSCOPE_CLI_SUBJECT_H

#include "inputs.h"
#include "show.h"

struct cli_subject_files {
    struct ets_file *trace, *debug_buffer;
    struct cli_record record;
    struct cli_program program;
};

/*
 * Opens the trace at `path` and what --etrecord, --program and --debug-buffer name. Returns an exit
 * code; close in any case.
 */
int cli_subject_open(const struct cli_arguments *arguments, const char *path,
                     struct cli_subject_files *files_out, struct cli_subject *subject_out);
void cli_subject_close(struct cli_subject_files *files);

#endif
