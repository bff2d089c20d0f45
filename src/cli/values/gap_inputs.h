/* The inputs on which the reference of a gap is evaluated. */
#ifndef ETSCOPE_CLI_VALUES_GAP_INPUTS_H
#define ETSCOPE_CLI_VALUES_GAP_INPUTS_H

#include "cli/files/arrays.h"
#include "cli/files/inputs.h"

struct cli_gap_inputs {
    struct ets_value *values; /* NULL: those that the trace keeps, or the ETRecord's */
    size_t count;
    struct cli_arrays *files; /* of --input */
    size_t file_count;
};

/*
 * Opens the files of --input; otherwise the case of the bundle given by --case; otherwise what the
 * trace keeps (`is_kept`); otherwise the case that it names (`told`, -1: none); otherwise uses the
 * ETRecord's inputs. Returns an exit code; close it
 * even after a failure.
 */
int cli_gap_inputs_open(const struct cli_arguments *arguments, const struct cli_program *program,
                        const char *method, int told, bool is_kept,
                        struct cli_gap_inputs *inputs_out);
void cli_gap_inputs_close(struct cli_gap_inputs *inputs);

#endif
