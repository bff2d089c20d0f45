/* The option --columns. */
#ifndef ETSCOPE_CLI_CORE_COLUMNS_H
#define ETSCOPE_CLI_CORE_COLUMNS_H

#include "cli/core/command.h"
#include "output/table/table.h"

/* Keeps the columns that --columns names, if it is given. Returns an exit code. */
int cli_choose_columns(const struct cli_arguments *arguments, struct ets_table *table);
/* Reports `error` of --columns with a suggestion and all names. Returns CLI_USAGE. */
int cli_complain_columns(const struct cli_arguments *arguments, const struct ets_table *table,
                         const struct ets_error *error);

#endif
