/* The commands, or the options of one, as a table: for documents, tests and scripts. */
#ifndef ETSCOPE_CLI_CORE_HELP_TABLE_H
#define ETSCOPE_CLI_CORE_HELP_TABLE_H

#include "cli/core/command.h"

/* "measure", "understand", ...; NULL past the end. */
const char *cli_task_name(unsigned task);

/* Writes the table in the format of --format. `command` NULL: the commands. Returns an exit code.
 */
int cli_write_help_table(const struct cli_arguments *arguments, const struct cli_command *command);

/* Likewise: the columns of tables, with their meanings. */
int cli_write_columns_table(const struct cli_arguments *arguments);

#endif
