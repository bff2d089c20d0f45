/* The files that `sql` reads, told apart by what is in them, and joined. */
#ifndef ETSCOPE_CLI_SQL_SOURCES_H
#define ETSCOPE_CLI_SQL_SOURCES_H

#include "inputs.h"

#include "etscope/sql.h"

struct sql_trace_file {
    const char *path;
    struct ets_file *file, *debug_buffer;
    struct ets_inspection *inspection;
};

/* Everything opened; zeroed before it is filled, closed in any case. */
struct sql_sources {
    struct sql_trace_file trace_files[CLI_MAX_VALUES];
    struct cli_record record_files[CLI_MAX_VALUES];
    struct cli_program program_files[CLI_MAX_VALUES];
    struct ets_sql_trace traces[CLI_MAX_VALUES];
    struct ets_sql_record records[CLI_MAX_VALUES];
    struct ets_sql_program programs[CLI_MAX_VALUES];
    struct ets_sql_sources all;
};

/* The words from number `first_word` on, and what --etrecord, --program and --debug-buffer name. */
int sql_sources_open(struct sql_sources *sources, const struct cli_arguments *arguments,
                     unsigned first_word);
void sql_sources_close(struct sql_sources *sources);

#endif
