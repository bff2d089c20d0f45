/* What the reference of a gap is evaluated on. */
#ifndef ETSCOPE_CLI_GAP_GAP_INPUTS_H
#define ETSCOPE_CLI_GAP_GAP_INPUTS_H

#include "cli/open/inputs.h"

struct cli_gap_inputs {
    struct ets_value *values; /* NULL: the record's representative inputs */
    size_t count;
    struct ets_file **files; /* of --input */
    size_t file_count;
};

/*
 * --input's files; else --case, or the case that the trace tells (`told`, -1: none), of the bundle;
 * else the record's own. Returns an exit code; close in any case.
 */
int cli_gap_inputs_open(const struct cli_arguments *arguments, const struct cli_program *program,
                        const char *method, int told, struct cli_gap_inputs *inputs_out);
void cli_gap_inputs_close(struct cli_gap_inputs *inputs);

#endif
