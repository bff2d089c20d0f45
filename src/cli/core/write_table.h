/* Writes tables to the output in the style of the options, and checks the name of that output. */
#ifndef ETSCOPE_CLI_CORE_WRITE_TABLE_H
#define ETSCOPE_CLI_CORE_WRITE_TABLE_H

#include "cli/core/command.h"
#include "output/table/table.h"

/* The file that the result goes to, by --output, or by --table where --output is another; "-":
 * standard output. */
const char *cli_result_path(const struct cli_arguments *arguments);
/* Columns of the terminal that standard output is, or of COLUMNS; 0: no limit. */
uint32_t cli_output_width(void);
/* The style of tables: width, bold and ASCII depend on the terminal. */
void cli_style(const struct cli_arguments *arguments, const char *output_path,
               struct ets_table_style *style_out);

/* Writes `table` to the file of --output. Returns an exit code. */
int cli_write_table(const struct cli_arguments *arguments, const struct ets_table *table,
                    const struct ets_table_style *style);
int cli_write_table_to(const char *path, const struct ets_table *table,
                       const struct ets_table_style *style);
/* The same in the style of the options and the terminal. */
int cli_write_styled(const struct cli_arguments *arguments, const struct ets_table *table);

/*
 * Puts sentences above a filled table. They and the table's own headline are that of a document.
 */
void cli_put_headline(struct ets_table *table, const struct ets_text *sentences, uint32_t count);

/* Whether an output is an SVG picture by its name; NULL: no. */
bool cli_is_picture(const char *path);
/*
 * Checks the file of --output for a command that draws: no picture but .svg, and where it is one,
 * none of the options `ignored` (NULL-ended). Returns an exit code.
 */
int cli_check_picture(const struct cli_arguments *arguments, const char *const *ignored);

#endif
