/* The command `inspect`: shows the operator table of a trace. */
#include "cli/beside/siblings.h"
#include "cli/files/machine_option.h"
#include "cli/inspect/show.h"
#include "cli/inspect/show_memory.h"
#include "cli/traces/subject.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--program", .help = "The .pte or .bpte that ran; needed for source lines inside delegates"},
    {"--debug-buffer", .help = "The captured tensors; checked for completeness"},
    {"--method"},
    {"--block"},
    {"--run"},
    CLI_SHOW_OPTIONS,
    {"--output", .help = "Write the table to FILE instead of standard output; FILE.svg with "
                         "--machine: a roofline chart"},
    CLI_MEMORY_OPTIONS,
    {"--threads",
     .help = "How many threads ran, for --machine; default: the most that were measured"},
    {"--no-siblings"},
    {"--partial"},
    {"--allow-mismatch"},
    {"--etdump", .is_hidden = true},
    {"--prompt"},
    {"--source-time-scale"},
    {"--target-time-scale"},
    {"--tsv-path"},
    {"--compare-results"},
    {"--case", .is_hidden = true,
     .help = "The reference case, if the trace does not name it; default: the nearest"},
    {NULL},
};

/* The trace is the first argument, or that of upstream's option --etdump. */
static int find_trace(const struct cli_arguments *arguments, const char **path_out)
{
    const char *named = cli_value(arguments, "--etdump");
    const unsigned words = arguments->word_count + (named != NULL);
    if (words == 0) {
        return cli_complain(CLI_USAGE, "inspect needs a trace: etscope inspect profile.etdp");
    }
    if (words > 1) {
        return cli_complain(CLI_USAGE, "inspect reads one trace; unexpected argument \"%s\"",
                            arguments->words[arguments->word_count - 1]);
    }
    *path_out = named != NULL ? named : arguments->words[0];
    return CLI_OK;
}

static int cmd_inspect(const struct cli_arguments *arguments)
{
    struct cli_subject subject;
    struct cli_subject_files files;
    const char *path = NULL;
    int code = cli_check_machine_threads(arguments);
    if (code == CLI_OK) code = find_trace(arguments, &path);
    if (code != CLI_OK) return code;
    code = cli_subject_open(arguments, path, &files, &subject);
    if (code == CLI_OK) code = cli_show(arguments, &subject);
    cli_subject_close(&files, &subject);
    return code;
}

const struct cli_command cli_inspect_command = {
    .name = "inspect",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show the operators of a trace with their times and source lines",
    .arguments = "TRACE",
    .description =
        "Reads an ETDump, or a device's log that holds one, and prints its operator table: how "
        "long each operator took, how often it ran, its share of the run, and the source line "
        "that it comes from. Source lines and "
        "modules need the ETRecord of the export. The names of prim ops and of events inside "
        "delegates need the program. If a delegate reports whole microseconds, its times are "
        "ranges, or ~520 where the range is narrow. Without --etrecord and --program, the files "
        "beside the trace are used if they agree with it. --format upstream prints the TSV table "
        "of ExecuTorch's Inspector, byte for byte.",
    .options = option_list,
    .examples =
        "etscope inspect profile.etdp --etrecord model.etrecord\n"
        "etscope inspect profile.etdp --etrecord model.etrecord --group-by source --sort time\n"
        "etscope inspect profile.etdp --tree --steady\n"
        "etscope inspect profile.etdp --format jsonl | head -3",
    .guide = "inspect.md",
    .tells_columns = true,
    .run = cmd_inspect,
};
