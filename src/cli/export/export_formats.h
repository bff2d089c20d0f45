/* What the formats of `export` share: a function that writes all open files to an output. */
#ifndef ETSCOPE_CLI_EXPORT_EXPORT_FORMATS_H
#define ETSCOPE_CLI_EXPORT_EXPORT_FORMATS_H

#include "cli/open/sql_sources.h"
#include "host/output.h"

/* Writes to `output`, which the caller commits, or discards after a failure. Returns an exit code.
 */
typedef int cli_export_writer(const struct cli_arguments *arguments,
                              const struct cli_sql_sources *sources, struct ets_output *output);

/* export_graph.c */
cli_export_writer cli_export_dot, cli_export_model_explorer, cli_export_model_explorer_data;

#endif
