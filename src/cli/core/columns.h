/* The option --columns. */
#ifndef ETSCOPE_CLI_CORE_COLUMNS_H
#define ETSCOPE_CLI_CORE_COLUMNS_H

#include "cli/core/command.h"
#include "output/table/table.h"

/* Keeps the columns that --columns names, if it is given. Returns an exit code. */
int cli_choose_columns(const struct cli_arguments *arguments, struct ets_table *table);
/* Says what `error` is of --columns, which name may be meant and which there are: CLI_USAGE. */
int cli_complain_columns(const struct cli_arguments *arguments, const struct ets_table *table,
                         const struct ets_error *error);

#endif
