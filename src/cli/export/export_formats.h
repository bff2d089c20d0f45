/* What the formats of `export` share: a function that writes all open files to an output. */
#ifndef ETSCOPE_CLI_EXPORT_EXPORT_FORMATS_H
#define ETSCOPE_CLI_EXPORT_EXPORT_FORMATS_H

#include "cli/traces/sql_sources.h"
#include "host/output.h"

/*
 * Writes to `output`, which the caller commits, or discards after a failure. `format` is a number
 * of the writer's own. Returns an exit code.
 */
typedef int cli_export_writer(const struct cli_sql_sources *sources, int format,
                              struct ets_output *output);

cli_export_writer cli_export_graph; /* export_graph.c; enum ets_graph_format */
cli_export_writer cli_export_trace; /* export_trace.c; enum ets_export_format */

#endif
