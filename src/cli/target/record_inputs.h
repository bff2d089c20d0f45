/*
 * The inputs that a record gives a program, as a file of arrays: they are pushed instead of the
 * record, which has the weights, too.
 */
#ifndef ETSCOPE_CLI_TARGET_RECORD_INPUTS_H
#define ETSCOPE_CLI_TARGET_RECORD_INPUTS_H

#include "cli/core/command.h"

/*
 * If the command would take the representative inputs of the record at `record_path`, writes them
 * to the new file `path`, a .npz, and sets `*is_written_out`. Otherwise, or where they are no
 * arrays, the record itself is to be pushed if the command needs it. Returns an exit code.
 */
int cli_record_inputs_write(const struct cli_arguments *arguments, const char *record_path,
                            const char *path, bool *is_written_out);

#endif
