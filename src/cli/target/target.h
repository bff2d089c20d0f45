/*
 * Runs a command on another machine: --target ssh:USER@HOST[:PORT] or adb[:SERIAL].
 *
 *     if (cli_has(arguments, "--target")) return cli_target_run(arguments);
 *
 * The same program runs there, from a bundle that is pushed once, on files that are pushed if they
 * are not there yet; both are named by their digest. Outputs come back as if the command had run
 * here. If the connection is lost or this process ends, what runs there ends, too.
 */
#ifndef ETSCOPE_CLI_TARGET_TARGET_H
#define ETSCOPE_CLI_TARGET_TARGET_H

#include "cli/core/command.h"

/* Options of commands that can run on a target. */
#define CLI_TARGET_OPTIONS \
    {"--target"},          \
    {                      \
        "--target-runtime" \
    }

/* Returns an exit code: the command's, or one of this side after a message. */
int cli_target_run(const struct cli_arguments *arguments);

#endif
