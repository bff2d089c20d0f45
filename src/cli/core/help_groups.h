/* How help is divided: commands by task, options by what they are about. */
#ifndef ETSCOPE_CLI_CORE_HELP_GROUPS_H
#define ETSCOPE_CLI_CORE_HELP_GROUPS_H

#include "cli/core/command.h"

enum cli_option_group {
    CLI_GROUP_INPUT = 0,
    CLI_GROUP_WORK = 1, /* what is particular to the command */
    CLI_GROUP_FILTER = 2,
    CLI_GROUP_OUTPUT = 3,
    CLI_GROUP_ADVANCED = 4,
    CLI_GROUP_COUNT
};

/* "input", "options", ...; NULL past the end. */
const char *cli_group_name(unsigned group);
enum cli_option_group cli_group_of(const struct cli_option *option);
/* Whether the command has an option of a group. */
bool cli_group_is_used(const struct cli_command *command, unsigned group);

/* "measure", "understand", ...; NULL past the end. */
const char *cli_task_name(unsigned task);
/* The commands of a task in order: NULL in *at begins, NULL ends. */
const struct cli_command *cli_task_next(const struct cli_command *commands, unsigned task,
                                        const char **at);

#endif
