/* The files that `sql` and `report` read, recognized by their contents, and joined. */
#ifndef ETSCOPE_CLI_TRACES_SQL_SOURCES_H
#define ETSCOPE_CLI_TRACES_SQL_SOURCES_H

#include "cli/beside/siblings.h"
#include "cli/files/inputs.h"
#include "cli/files/trace_paths.h"
#include "output/sql/sql.h"

struct cli_sql_trace_file {
    const char *path;
    struct ets_file *file, *debug_buffer;
    struct ets_inspection *inspection;
    char *debug_path; /* of the debug buffer that was found beside it; NULL: none */
};

/* All open files. Zero it before use; close it even after a failure. */
struct cli_sql_sources {
    struct cli_paths paths;                 /* files that the arguments name */
    struct cli_sql_trace_file *trace_files; /* each of these has room for all paths and options */
    struct cli_record *record_files;
    struct cli_program *program_files;
    struct cli_siblings siblings; /* if none were given */
    struct ets_study_trace *traces;
    struct ets_study_record *records;
    struct ets_study_program *programs;
    struct ets_study_sources all;
    bool wants_record;     /* set before: also take the ETRecord beside a program */
    bool wants_values;     /* set before: also take the debug buffer beside a trace */
    uint32_t before_count; /* the last of the traces: those of --before */
};

/*
 * Opens the files that the arguments from `first_word` on name (trace_paths.h), and those of
 * --before, --etrecord, --program and --debug-buffer.
 */
int cli_sql_sources_open(struct cli_sql_sources *sources, const struct cli_arguments *arguments,
                         unsigned first_word);
void cli_sql_sources_close(struct cli_sql_sources *sources);

#endif
