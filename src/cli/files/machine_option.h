/* A measured machine that a command takes, and how many threads ran. */
#ifndef ETSCOPE_CLI_FILES_MACHINE_OPTION_H
#define ETSCOPE_CLI_FILES_MACHINE_OPTION_H

#include "cli/core/command.h"
#include "cost/machine.h"

/* clang-format off */
#define CLI_MACHINE_OPTIONS                                                                       \
    {"--machine"},                                                                                \
    {"--threads",                                                                                 \
     .help = "How many threads ran, for --machine; default: the most that were measured"}
/* clang-format on */

/* Reads a file that `machine --save` wrote, into the arena. Returns an exit code. */
int cli_machine_read(const char *path, struct ets_arena *arena, struct ets_machine *machine_out);

/*
 * The file of --machine, and the threads of --threads or else the most that were measured, which is
 * noted where there is a choice. `*threads_out` 0: there is no --machine. Returns an exit code.
 */
int cli_machine_option(const struct cli_arguments *arguments, struct ets_arena *arena,
                       struct ets_machine *machine_out, uint32_t *threads_out);

/* That --threads is not given where only --machine makes use of it. Returns an exit code. */
int cli_check_machine_threads(const struct cli_arguments *arguments);

#endif
