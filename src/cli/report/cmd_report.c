/* The command `report`: writes traces and their models as one HTML file, or as JSON. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/pages/print_report.h"
#include "cli/report/follow.h"
#include "cli/report/report_differences.h"
#include "cli/traces/inspected.h"
#include "cli/traces/sql_sources.h"
#include "cli/values/captured_gaps.h"
#include "host/os/os_files.h"
#include "host/output.h"

static const struct cli_command_option option_list[] = {
    {"--before",
     .help = "A trace to compare with, as diff does: another version, program or "
             "backend; given again, each is compared on its own. Its ETRecord and program may "
             "be given likewise, in any order"},
    {"--etrecord", .is_repeatable = true,
     .help = "The ETRecord of the export; for several traces, those of --before last, one for all, "
             "or one for each"},
    {"--program", .is_repeatable = true,
     .help = "The .pte or .bpte that ran; for several traces, those of --before last, one for all, "
             "or one for each"},
    {"--debug-buffer", .is_repeatable = true,
     .help = "The captured tensors; for several traces one for each"},
    CLI_REFERENCE_RECORD_OPTION,
    {"--method", .help = "The method that ran, if a trace fits several"},
    {"--machine", .help = "A machine (etscope machine --save): judges operators by its roofs"},
    {"--threads", .help = "How many threads ran, for --machine; default: the most measured"},
    {"--engine", .help = "The engine plug-in, which evaluates what captured tensors are compared "
                         "with; default: search the usual places"},
    {"--no-siblings"},
    {"--format", .value = "html|json",
     .help = "html (default): one file for a browser; json: the document alone"},
    {"--output", .help = "Write FILE; - is standard output, the default of json"},
    {"--follow"},
    {"--port"},
    {"--no-source"},
    {"--no-tensors"},
    {"--max-size"},
    {"--prompt"},
    {"--source-time-scale"},
    {"--subtract-overhead"},
    {"--partial", .help = "Read the intact parts of damaged traces"},
    {"--allow-mismatch", .help = "Continue if the trace and the ETRecord or program disagree, or "
                                 "most operators of two compared traces do not match"},
    {NULL},
};

/* The files in the order of traces, records, programs, debug buffers, and the reference; the array
 * has room for all. */
static uint32_t list_inputs(const struct cli_arguments *arguments,
                            const struct cli_sql_sources *sources, struct ets_page_input *inputs)
{
    const struct ets_study_sources *all = &sources->all;
    const char *path;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->trace_count; i++) {
        const struct ets_bytes bytes = ets_file_bytes(sources->trace_files[i].file);
        const bool is_before = i >= all->trace_count - sources->before_count;
        inputs[count++] =
            cli_report_input(is_before ? "before" : "trace", all->traces[i].path, bytes);
    }
    for (uint32_t i = 0; i < all->record_count; i++) {
        inputs[count++] = cli_report_input_file("record", all->records[i].path);
    }
    for (uint32_t i = 0; i < all->program_count; i++) {
        inputs[count++] = cli_report_input_file("program", all->programs[i].path);
    }
    for (uint32_t i = 0; (path = cli_value_at(arguments, "--debug-buffer", i)) != NULL; i++) {
        inputs[count++] = cli_report_input_file("debug buffer", path);
    }
    path = cli_value(arguments, "--reference-etrecord");
    if (path != NULL) inputs[count++] = cli_report_input_file("reference", path);
    return count;
}

static bool is_json(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    return format != NULL && strcmp(format, "json") == 0;
}

/* "report.html: 214 kB; 1 trace, 1 ETRecord, 1 program" */
static void tell(const char *path, const struct ets_study_sources *all)
{
    const struct ets_os_place place = ets_os_look(path);
    if (strcmp(path, "-") == 0 || place.kind == ETS_OS_NOTHING) return;
    printf("%s: %.0f kB; traces: %u, ETRecords: %u, programs: %u\n", path,
           (double)place.size / 1000, all->trace_count, all->record_count, all->program_count);
}

static int write_compared(const struct cli_arguments *arguments,
                          const struct cli_sql_sources *sources,
                          const struct cli_report_differences *differences)
{
    const struct ets_study_sources *all = &sources->all;
    const size_t max_size = cli_bytes(arguments, "--max-size", 0);
    const size_t room =
        (size_t)all->trace_count + all->record_count + all->program_count + arguments->value_count;
    const char *path = cli_result_path(arguments);
    struct ets_page_input *inputs = calloc(room + 1, sizeof *inputs);
    struct ets_output *output;
    struct ets_error error;
    if (inputs == NULL) return cli_complain(CLI_INTERNAL, "no memory for %zu files", room);
    const struct cli_report report = {
        .sources = all,
        .inputs = inputs,
        .input_count = list_inputs(arguments, sources, inputs),
        .before_count = differences->count,
        .differences = (const struct ets_difference *const *)differences->items,
        .is_json = is_json(arguments),
        .has_no_source = cli_has(arguments, "--no-source"),
        .has_no_tensors = cli_has(arguments, "--no-tensors"),
        .max_size = max_size};
    int code = CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    } else if ((code = cli_report_print(arguments, &report, output)) != CLI_OK) {
        ets_output_discard(output);
    } else if (ets_output_commit(output, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    }
    free(inputs);
    if (code == CLI_OK) tell(path, all);
    return code;
}

static int write_report(const struct cli_arguments *arguments,
                        const struct cli_sql_sources *sources)
{
    struct cli_report_differences differences;
    int code = cli_report_differences_open(arguments, sources, &differences);
    if (code == CLI_OK) code = write_compared(arguments, sources, &differences);
    cli_report_differences_close(&differences);
    return code;
}

static int check(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    if (format != NULL && strcmp(format, "html") != 0 && strcmp(format, "json") != 0) {
        return cli_complain(CLI_USAGE, "--format must be html or json, not '%s'", format);
    }
    if (cli_has(arguments, "--follow")) return CLI_OK; /* it checks its own */
    if (cli_has(arguments, "--port")) return cli_complain(CLI_USAGE, "--port needs --follow");
    if (!cli_has(arguments, "--output") && !is_json(arguments)) {
        return cli_complain(CLI_USAGE, "report needs a file to write: --output report.html");
    }
    if (arguments->word_count == 0 && !cli_has(arguments, "--program") &&
        !cli_has(arguments, "--etrecord")) {
        return cli_complain(CLI_USAGE,
                            "report needs a trace, program or ETRecord: etscope report "
                            "trace.etdp --output report.html");
    }
    return cli_check_machine_threads(arguments);
}

static int cmd_report(const struct cli_arguments *arguments)
{
    int code = check(arguments);
    if (code != CLI_OK) return code;
    if (cli_has(arguments, "--follow")) return cli_report_follow(arguments);
    struct cli_sql_sources *sources = calloc(1, sizeof *sources);
    if (sources == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    struct ets_arena arena;
    struct ets_machine machine;
    ets_arena_init(&arena, NULL, 0);
    code = cli_sql_sources_open(sources, arguments, 0);
    if (code == CLI_OK) {
        code = cli_machine_option(arguments, &arena, &machine, &sources->all.threads);
    }
    if (sources->all.threads > 0) sources->all.machine = &machine;
    if (code == CLI_OK) code = write_report(arguments, sources);
    cli_sql_sources_close(sources);
    ets_arena_reset(&arena);
    free(sources);
    return code;
}

const struct cli_command cli_report_command = {
    .name = "report",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "write a report for a browser",
    .arguments = "FILE...",
    .description =
        "Writes one HTML file that shows what the FILEs (traces, ETRecords and programs, "
        "recognized by their contents) tell: what was found, operators, source lines, runs. It "
        "opens in a browser without network, and its first screen is readable without script. "
        "--format json writes the document alone, as docs/report-format.md describes it. The file "
        "contains names and source lines of the model, but no paths of folders. --follow serves "
        "the report of a device's stream to a browser on this machine until the stream ends.",
    .options = option_list,
    .examples =
        "etscope report trace.etdp --etrecord model.etrecord --output report.html\n"
        "etscope report trace.etdp --format json --output report.json\n"
        "etscope report --follow - --program model.pte --output report.html < uart.log",
    .guide = "report.md",
    .run = cmd_report,
};
