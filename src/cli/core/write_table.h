/* Writing a table: where it goes and how it looks, by the options of the command. */
#ifndef ETSCOPE_CLI_CORE_WRITE_TABLE_H
#define ETSCOPE_CLI_CORE_WRITE_TABLE_H

#include "cli/core/command.h"
#include "output/table/table.h"

/* How tables go to standard output: width, bold, ASCII or not, from the terminal. */
void cli_style(const struct cli_arguments *arguments, const char *output_path,
               struct ets_table_style *style_out);

/* Writes `table` where --output says. Returns an exit code. */
int cli_write_table(const struct cli_arguments *arguments, const struct ets_table *table,
                    const struct ets_table_style *style);
int cli_write_table_to(const char *path, const struct ets_table *table,
                       const struct ets_table_style *style);
/* The same in the style that the options and the terminal ask for. */
int cli_write_styled(const struct cli_arguments *arguments, const struct ets_table *table);

#endif
