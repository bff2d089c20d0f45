/*
 * Tolerances of `verify`, `gap` and `tensors --compare`: --rtol, --atol and --rms for all outputs,
 * --tolerance and --tolerances for some.
 */
#ifndef ETSCOPE_CLI_VALUES_TOLERANCES_H
#define ETSCOPE_CLI_VALUES_TOLERANCES_H

#include "cli/core/command.h"
#include "etscope/file.h"
#include "etscope/verify.h"

struct cli_tolerances {
    struct ets_tolerance_rule *rules; /* in the order in which they count */
    size_t count;
    char **texts; /* copies of the given texts, which the rules point into */
    size_t text_count;
};

/* Reads the options. Returns an exit code; close it even after a failure. */
int cli_tolerances_open(const struct cli_arguments *arguments, struct cli_tolerances *out);
void cli_tolerances_close(struct cli_tolerances *tolerances);

#endif
