/* The command `sql`: queries traces, ETRecords and programs, or writes them to an SQLite file. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/traces/inspected.h"
#include "cli/traces/sql_sources.h"
#include "host/os/os_files.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord", .is_repeatable = true,
     .help = "The ETRecord of the export; for several traces one for all, or one for each"},
    {"--program", .is_repeatable = true,
     .help = "The .pte or .bpte that ran; for several traces one for all, or one for each"},
    {"--debug-buffer", .is_repeatable = true,
     .help = "The captured tensors; for several traces one for each"},
    {"--method", .help = "The method that ran, if a trace fits several"},
    {"--machine", .help = "A machine (etscope machine --save): fills operator_roofs"},
    {"--threads", .help = "How many threads ran, for --machine; default: the most measured"},
    {"--no-siblings"},
    {"--database", .aliases = {"--to"}},
    {"--schema"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output", .help = "Write the result to FILE instead of standard output"},
    {"--prompt"},
    {"--source-time-scale"},
    {"--subtract-overhead"},
    {"--partial", .help = "Read the intact parts of damaged traces"},
    {"--allow-mismatch"},
    {NULL},
};

static int print_table(const struct cli_arguments *arguments, const struct ets_table *table)
{
    const char *path = cli_result_path(arguments);
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
    const char *path = cli_value(arguments, "--database");
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
    return ets_os_look(word).kind != ETS_OS_NOTHING ||
           (word[0] == '@' && ets_os_look(word + 1).kind != ETS_OS_NOTHING);
}

static int complain_of_order(const char *query, const char *file)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    query = cli_shell_word(&arena, query);
    file = cli_shell_word(&arena, file);
    const int code =
        cli_complain(CLI_USAGE, "sql takes its query before its files: etscope sql %s %s",
                     query == NULL ? "QUERY" : query, file == NULL ? "FILE" : file);
    ets_arena_reset(&arena);
    return code;
}

/* The query is the first argument; with --to it may be left out, and all arguments are files. */
static int find_query(const struct cli_arguments *arguments, const char **query_out)
{
    const unsigned words = arguments->word_count;
    const bool has_query =
        words > 0 && (!cli_has(arguments, "--database") || !names_files(arguments->words[0]));
    *query_out = has_query ? arguments->words[0] : NULL;
    if (has_query && words > 1 && names_files(arguments->words[0]) &&
        !names_files(arguments->words[1]) && strchr(arguments->words[1], ' ') != NULL) {
        return complain_of_order(arguments->words[1], arguments->words[0]);
    }
    if (words > has_query || cli_has(arguments, "--etrecord") || cli_has(arguments, "--program")) {
        return words > 0 ? CLI_OK
                         : cli_complain(CLI_USAGE, "sql needs a query, or --database FILE");
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

static int cmd_sql(const struct cli_arguments *arguments)
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

const struct cli_command cli_sql_command = {
    .name = "sql",
    .task = CLI_TASK_DATA,
    .summary = "query traces, ETRecords and programs with SQL",
    .arguments = "QUERY FILE...",
    .description =
        "Presents the FILEs (traces, ETRecords and programs, recognized by their contents) as "
        "tables of an SQLite database, and prints the result of QUERY. A folder stands for the "
        "ETDumps in it, @LIST for the files that LIST names, one per line. There are tables of "
        "runs, events, operators with their statistics, allocations, captured tensors, nodes, "
        "delegates and more, and views for common questions; --schema lists them. Ids count from 0 "
        "and continue from one trace to the next. Times are in nanoseconds, or in cycles if the "
        "clock of a trace has no unit. percentile(x, p) and median(x) are available as aggregates. "
        "Queries can only read. --database writes everything to an SQLite file; QUERY may then be "
        "left "
        "out.",
    .options = option_list,
    .examples =
        "etscope sql 'select name, p50, source from operators where children = 0 order by p50 desc "
        "limit 5' trace.etdp\n"
        "etscope sql 'select * from module_times' trace.etdp --etrecord model.etrecord\n"
        "etscope sql trace.etdp model.etrecord --database trace.db",
    .guide = "sql.md",
    .run = cmd_sql,
};
