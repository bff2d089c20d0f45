/* The command `export`: writes files for other tools. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/export/export_formats.h"
#include "output/export/export_files.h"
#include "output/graph/graph_files.h"

/* A format, the ending of its files, and what writes them. */
struct format {
    const char *name, *ending;
    cli_export_writer *write; /* NULL: an SQLite database, which is no stream of bytes */
    int number;               /* for `write` */
};

/* In the order of --to. */
#define TRACE_ROW(id, name, ending, ...) {name, ending, cli_export_trace, ETS_EXPORT_##id},
#define GRAPH_ROW(id, name, ending) {name, ending, cli_export_graph, ETS_GRAPH_##id},
static const struct format formats[] = {ETS_EXPORT_FORMATS(TRACE_ROW){"sqlite", ".db", NULL, 0},
                                        ETS_GRAPH_FORMATS(GRAPH_ROW)};

#define CHOICE(id, name, ...) "|" name
#define CHOICES (&(ETS_EXPORT_FORMATS(CHOICE) "|sqlite" ETS_GRAPH_FORMATS(CHOICE))[1])

static const struct cli_command_option option_list[] = {
    {"--to", .value = CHOICES},
    {"--output", .help = "The file to write; - is standard output"},
    {"--etrecord", .is_repeatable = true,
     .help = "The ETRecord of the export; for several traces one for all, or one for each"},
    {"--program", .is_repeatable = true,
     .help = "The .pte or .bpte that ran; for several traces one for all, or one for each"},
    {"--method", .help = "The method that ran, if a trace fits several"},
    {"--no-siblings"},
    {"--partial", .help = "Read the intact parts of damaged traces"},
    {"--allow-mismatch", .help = "Continue if the files disagree"},
    {"--source-time-scale"},
    {NULL},
};

static int check(const struct cli_arguments *arguments, const struct format **format_out)
{
    if (!cli_has(arguments, "--to")) {
        return cli_complain(
            CLI_USAGE, "export needs a format: --to FORMAT; `etscope export --help` lists them");
    }
    *format_out = &formats[cli_choice(arguments, "--to", 0)];
    if (!cli_has(arguments, "--output")) {
        return cli_complain(CLI_USAGE, "export needs a file to write: --output FILE%s",
                            (*format_out)->ending);
    }
    if (arguments->word_count == 0 && !cli_has(arguments, "--program") &&
        !cli_has(arguments, "--etrecord")) {
        return cli_complain(CLI_USAGE, "export needs a file: etscope export %s --to %s -o out%s",
                            "profile.etdp", (*format_out)->name, (*format_out)->ending);
    }
    return CLI_OK;
}

static int save_database(const struct cli_sql_sources *sources, const char *path)
{
    struct ets_sql *sql;
    struct ets_error error;
    if (ets_sql_open(&sources->all, NULL, &sql, &error) != ETS_OK) return cli_fail(NULL, &error);
    const int code =
        ets_sql_save(sql, path, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
    ets_sql_close(sql);
    return code;
}

static int write_file(const struct cli_arguments *arguments, const struct format *format,
                      const struct cli_sql_sources *sources)
{
    struct ets_output *output;
    struct ets_error error;
    const char *target = cli_value(arguments, "--output");
    if (format->write == NULL) return save_database(sources, target);
    if (ets_output_open(target, &output, &error) != ETS_OK) return cli_fail_output(target, &error);
    const int code = format->write(sources, format->number, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(target, &error);
}

static int cmd_export(const struct cli_arguments *arguments)
{
    const struct format *format = NULL;
    int code = check(arguments, &format);
    if (code != CLI_OK) return code;
    struct cli_sql_sources *sources = calloc(1, sizeof *sources);
    if (sources == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    sources->wants_record = true;
    code = cli_sql_sources_open(sources, arguments, 0);
    if (code == CLI_OK) code = write_file(arguments, format, sources);
    cli_sql_sources_close(sources);
    free(sources);
    return code;
}

const struct cli_command cli_export_command = {
    .name = "export",
    .task = CLI_TASK_DATA,
    .summary = "write files for other tools",
    .arguments = "FILE...",
    .description =
        "Writes what FILEs (traces, ETRecords and programs, recognized by their contents) hold to "
        "a file that another tool opens. Traces: chrome and perfetto show events on a time line, "
        "speedscope, pprof and folded add them up by call, jsonl and csv list them, sqlite has all "
        "tables of `etscope sql`. dot: graphs for Graphviz, with a cluster for each module, and "
        "with a trace the time of each node. model-explorer: graphs for Model Explorer, with what "
        "is inside of delegates as graphs of their own. model-explorer-data: the times of these "
        "nodes, which Model Explorer shows on them. docs/exchange.md tells what each format holds "
        "and how to open it.",
    .options = option_list,
    .examples =
        "etscope export profile.etdp --etrecord model.etrecord --to perfetto -o profile.pftrace\n"
        "etscope export profile.etdp --to speedscope -o profile.speedscope.json\n"
        "etscope export model.pte --etrecord model.etrecord --to dot -o model.dot\n"
        "etscope export model.pte --to model-explorer -o model.json\n"
        "etscope export profile.etdp --program model.pte --to model-explorer-data -o times.json",
    .guide = "exchange.md",
    .run = cmd_export,
};
