/* The command `inspect`: shows the operator table of a trace. */
#include "cli/inspect/show.h"
#include "cli/inspect/show_memory.h"
#include "cli/open/machine_option.h"
#include "cli/open/siblings.h"
#include "cli/open/subject.h"

const struct cli_option cli_inspect_options[] = {
    {"--etrecord", "--etrecord_path", "FILE", "The ETRecord of the export", NULL, false},
    {"--program", NULL, "FILE",
     "The .pte or .bpte that ran; needed for source lines inside delegates", NULL, false},
    {"--debug-buffer", "--debug_buffer_path", "FILE",
     "The captured tensors; checked for completeness", NULL, false},
    {"--method", "-m", "NAME", "The method that ran, if the trace fits several", NULL, false},
    {"--block", NULL, "NAME", "Only this block, by name or number", NULL, false},
    {"--run", NULL, "N", "Only this run of the trace; runs count from 0", NULL, false},
    CLI_SHOW_OPTIONS,
    CLI_SHOW_OUTPUT_OPTION("-o"),
    CLI_MEMORY_OPTIONS,
    {"--threads", NULL, "N",
     "How many threads ran, for --machine; default: the most that were measured", NULL, false},
    CLI_SIBLINGS_OPTION,
    {"--partial", NULL, NULL, "Read the intact part of a damaged trace", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Continue if the trace and the ETRecord or program disagree",
     NULL, false},
    {"--etdump", "--etdump_path", "FILE", "The trace, instead of the first argument", NULL, false},
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",
     "Clock unit of traces that do not state one; default ns", NULL, false},
    {"--target-time-scale", "--target_time_scale", "ns|us|ms|s|cycles",
     "Time unit of this table and of upstream's (default ms)", NULL, false},
    {"--tsv-path", "--tsv_path", "FILE",
     "Also write the complete table of ExecuTorch's Inspector to FILE", NULL, false},
    {"--compare-results", "--compare_results", NULL,
     "Also compare the recorded outputs with the ETRecord's reference outputs", NULL, false},
    {"--case", NULL, "N", "The reference case, if the trace does not name it; default: the nearest",
     NULL, false},
    {NULL, NULL, NULL, NULL, NULL, false},
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

int cmd_inspect(const struct cli_arguments *arguments)
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
