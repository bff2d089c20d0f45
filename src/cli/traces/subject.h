/*
 * The files that `inspect`, `gap` and `tensors` read: a trace with its ETRecord, program and debug
 * buffer.
 */
#ifndef ETSCOPE_CLI_TRACES_SUBJECT_H
#define ETSCOPE_CLI_TRACES_SUBJECT_H

#include "cli/beside/siblings.h"
#include "cli/files/inputs.h"
#include "cli/traces/inspected.h"

struct cli_subject_files {
    struct ets_file *trace, *debug_buffer;
    struct cli_model given; /* by options */
    struct cli_siblings siblings;
    const struct cli_model *model;      /* the trace's model: given, or beside it */
    char debug_path[CLI_SIBLING_BYTES]; /* of a debug buffer that was found beside it */
};

/*
 * Opens the trace at `path`, and the files of --etrecord, --program and --debug-buffer, or the
 * siblings. Returns an exit code; close it even after a failure.
 */
int cli_subject_open(const struct cli_arguments *arguments, const char *path,
                     struct cli_subject_files *files_out, struct cli_subject *subject_out);
void cli_subject_close(struct cli_subject_files *files, struct cli_subject *subject);

/*
 * Opens the trace named by the first argument with its model, inspects it according to --partial
 * and --allow-mismatch, and calls `use`. Returns an exit code, that of `use` on success.
 */
typedef int cli_inspection_user(const struct cli_arguments *arguments,
                                const struct cli_subject *subject,
                                const struct cli_program *program,
                                struct ets_inspection *inspection);
int cli_subject_inspect(const struct cli_arguments *arguments, cli_inspection_user *use);

/*
 * The same for commands that read captured tensors: without --debug-buffer and --no-siblings, uses
 * "a.bin" beside "a.etdp" if it holds what the trace captured and no more; a note names it.
 */
int cli_subject_inspect_values(const struct cli_arguments *arguments, cli_inspection_user *use);

#endif
