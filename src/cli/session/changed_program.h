/*
 * Writes a program that was rewritten to take less, after both programs ran on the same inputs and
 * gave the same outputs, bit for bit. Where they cannot run, it says so.
 */
#ifndef ETSCOPE_CLI_SESSION_CHANGED_PROGRAM_H
#define ETSCOPE_CLI_SESSION_CHANGED_PROGRAM_H

#include "cli/session/session.h"

/* clang-format off */
#define CLI_CHANGED_PROGRAM_OPTIONS                                                               \
    {"--write"}, {"--input", .help = "With --write: an input of the runs that compare; default "  \
     "random"}, {"--case", .is_repeatable = true,                                                 \
     .help = "With --write: compare on the inputs of this test case of the .bpte"},               \
    {"--seed"}, {"--range"}, {"--int-range"}, {"--shape"}, CLI_RUNTIME_OPTIONS
/* clang-format on */

/* Options that only serve --write, and whether the output is no input. Returns an exit code. */
int cli_changed_program_check(const struct cli_arguments *arguments);

/*
 * Runs both where an engine is there, and writes `changed` to the file that --write names. `saved`
 * begins the sentence that tells it: "20.0 KiB planned instead of 28.0 KiB". `method`: only this
 * one runs; NULL: all do. Returns an exit code; INTERNAL: outputs differ, and nothing is written.
 */
int cli_changed_program_write(const struct cli_arguments *arguments, const char *path,
                              const struct cli_program *model, const char *method,
                              struct ets_bytes changed, const char *saved);

#endif
