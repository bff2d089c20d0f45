/* The command `sql`: queries traces, ETRecords and programs, or writes them to an SQLite file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/open/inspected.h"
#include "cli/open/machine_option.h"
#include "cli/open/sql_sources.h"

/* clang-format off */
const struct cli_option cli_sql_options[] = {
    {"--etrecord", "--etrecord_path", "FILE",
     "The ETRecord of the export; for several traces one for all, or one for each", NULL,
     true},
    {"--program", NULL, "FILE",
     "The .pte or .bpte that ran; for several traces one for all, or one for each", NULL, true},
    {"--debug-buffer", "--debug_buffer_path", "FILE",
     "The captured tensors; for several traces one for each", NULL, true},
    {"--method", "-m", "NAME", "The method that ran, if a trace fits several", NULL, false},
    {"--machine", NULL, "FILE", "A machine (etscope machine --save): fills operator_roofs", NULL,
     false},
    {"--threads", NULL, "N", "How many threads ran, for --machine; default: the most measured", NULL,
     false},
    CLI_SIBLINGS_OPTION,
    {"--to", NULL, "FILE", "Write all tables and views to the SQLite database FILE", NULL, false},
    {"--schema", NULL, NULL, "Print the tables and views with their columns", NULL, false},
    {"--format", "-f", CLI_FORMATS, "Output format", NULL, false},
    CLI_COLOR_OPTION,
    {"--width", NULL, "N",
     "Width of the table in characters; default: the terminal's, or no limit", NULL,
     false},
    {"--output", "-o", "FILE", "Write the result to FILE instead of standard output", NULL, false},
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",
     "Clock unit of traces that do not state one; default ns", NULL, false},
    {"--subtract-overhead", NULL, NULL,
     "Subtract the measured cost of recording from each event", NULL, false},
    {"--partial", NULL, NULL, "Read the intact parts of damaged traces", NULL, false},
    {"--allow-mismatch", NULL, NULL,
     "Continue if the trace and the ETRecord or program disagree", NULL,
     false},
    {NULL, NULL, NULL, NULL, NULL, false},
};
/* clang-format on */

static int print_table(const struct cli_arguments *arguments, const struct ets_table *table)
{
    const char *path = cli_has(arguments, "--output") ? cli_value(arguments, "--output") : "-";
    struct ets_table_style style;
    cli_style(arguments, path, &style);
    return cli_write_table(arguments, table, &style);
}

static int print_schema(const struct cli_arguments *arguments)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_sql_schema(table);
    const int code = print_table(arguments, table);
    ets_table_close(table);
    return code;
}

/* Prints the line of the query that contains `offset`, and a mark below the place. */
static void show_place(const char *query, uint64_t offset)
{
    size_t begin = (size_t)offset, end = (size_t)offset;
    while (begin > 0 && query[begin - 1] != '\n') begin--;
    while (query[end] != '\0' && query[end] != '\n') end++;
    char *line = calloc(1, end - begin + 1);
    if (line == NULL) return;
    memcpy(line, query + begin, end - begin);
    fputs("  ", stderr);
    cli_print_text(stderr, line);
    fputs("\n  ", stderr);
    for (size_t i = begin; i < offset; i++) {
        if (((unsigned char)query[i] & 0xc0) != 0x80) fputc(query[i] == '\t' ? '\t' : ' ', stderr);
    }
    fputs("^\n", stderr);
    free(line);
}

static int complain_query(const char *query, const struct ets_error *error)
{
    char reason[CLI_REASON_CHARS];
    if (error->status != ETS_INVALID_ARGUMENT) return cli_fail(NULL, error);
    cli_complain(CLI_USAGE, "%s", cli_reason(error, reason));
    if (error->offset <= strlen(query)) show_place(query, error->offset);
    return CLI_USAGE;
}

static int run_query(const struct cli_arguments *arguments, struct ets_sql *sql, const char *query)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    const int code = ets_sql_query(sql, query, table, &error) == ETS_OK
                         ? print_table(arguments, table)
                         : complain_query(query, &error);
    ets_table_close(table);
    return code;
}

static int run_over(const struct cli_arguments *arguments, const struct cli_sql_sources *sources,
                    const char *query)
{
    struct ets_sql *sql;
    struct ets_error error;
    const char *path = cli_value(arguments, "--to");
    if (ets_sql_open(&sources->all, NULL, &sql, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = query == NULL ? CLI_OK : run_query(arguments, sql, query);
    if (code == CLI_OK && path != NULL && ets_sql_save(sql, path, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    }
    ets_sql_close(sql);
    return code;
}

/* Whether the word names a file, a folder or "@LIST". */
static bool names_files(const char *word)
{
    return access(word, F_OK) == 0 || (word[0] == '@' && access(word + 1, F_OK) == 0);
}

/* The query is the first argument; with --to it may be left out, and all arguments are files. */
static int find_query(const struct cli_arguments *arguments, const char **query_out)
{
    bool ok = true;
    const unsigned words = arguments->word_count;
    const bool has_query =
        words > 0 && (!cli_has(arguments, "--to") || !names_files(arguments->words[0]));
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* read by cli_style */
    if (!ok) return CLI_USAGE;
    *query_out = has_query ? arguments->words[0] : NULL;
    if (words > has_query || cli_has(arguments, "--etrecord") || cli_has(arguments, "--program")) {
        return words > 0 ? CLI_OK : cli_complain(CLI_USAGE, "sql needs a query, or --to FILE");
    }
    if (has_query && names_files(arguments->words[0])) {
        return cli_complain(CLI_USAGE,
                            "sql needs a query before its files: etscope sql "
                            "'select * from op_times' trace.etdp");
    }
    return cli_complain(CLI_USAGE,
                        "sql needs files: etscope sql 'select * from op_times' "
                        "trace.etdp");
}

int cmd_sql(const struct cli_arguments *arguments)
{
    const char *query = NULL;
    if (cli_has(arguments, "--schema")) {
        if (arguments->word_count == 0) return print_schema(arguments);
        return cli_complain(CLI_USAGE, "--schema is the same for all files; leave out the files");
    }
    int code = find_query(arguments, &query);
    if (code != CLI_OK) return code;
    struct cli_sql_sources *sources = calloc(1, sizeof *sources);
    if (sources == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    struct ets_arena arena;
    struct ets_machine machine;
    ets_arena_init(&arena, NULL, 0);
    code = cli_check_machine_threads(arguments);
    if (code == CLI_OK) code = cli_sql_sources_open(sources, arguments, query != NULL);
    if (code == CLI_OK) {
        code = cli_machine_option(arguments, &arena, &machine, &sources->all.threads);
    }
    if (sources->all.threads > 0) sources->all.machine = &machine;
    if (code == CLI_OK) code = run_over(arguments, sources, query);
    cli_sql_sources_close(sources);
    ets_arena_reset(&arena);
    free(sources);
    return code;
}
