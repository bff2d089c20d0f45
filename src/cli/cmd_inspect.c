#include "inputs.h"
#include "show.h"

const struct cli_option cli_inspect_options[] = {
    {"--etrecord", "--etrecord_path", "FILE", "The ETRecord that the export wrote", NULL, false},
    {"--program", NULL, "FILE", "The .pte or .bpte that ran", NULL, false},
    {"--debug-buffer", "--debug_buffer_path", "FILE",
     "The captured tensors; checked to hold all that the trace names", NULL, false},
    {"--method", NULL, "NAME", "The method that ran, where the trace fits several", NULL, false},
    {"--block", NULL, "NAME", "Only this block, by name or number", NULL, false},
    {"--run", NULL, "N", "Only this run of the trace, from 0", NULL, false},
    CLI_SHOW_OPTIONS,
    {"--partial", NULL, NULL, "Read a damaged trace as far as whole parts remain", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Go on where trace and ETRecord or program disagree", NULL,
     false},
    {"--etdump", "--etdump_path", "FILE", "The trace, instead of the first word", NULL, false},
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",
     "What the trace counts its times in; default ns", NULL, false},
    {"--target-time-scale", "--target_time_scale", "ns|us|ms|s|cycles",
     "Unit of upstream's table (default ms) and of this one", NULL, false},
    {"--tsv-path", "--tsv_path", "FILE", "Also write upstream's table to FILE", NULL, false},
    {"--compare-results", "--compare_results", NULL,
     "Also compare the recorded outputs with the ETRecord's reference outputs", NULL, false},
    {"--case", NULL, "N",
     "The reference case, where the trace does not name it; default the nearest", NULL, false},
    {NULL, NULL, NULL, NULL, NULL, false},
};

/* The trace is the first word, or --etdump as upstream calls it. */
static int find_trace(const struct cli_arguments *arguments, const char **path_out)
{
    const char *named = cli_value(arguments, "--etdump");
    const unsigned words = arguments->word_count + (named != NULL);
    if (words == 0) {
        return cli_complain(CLI_USAGE, "inspect needs a trace: etscope inspect profile.etdp");
    }
    if (words > 1) {
        return cli_complain(CLI_USAGE, "inspect reads one trace; \"%s\" is too much",
                            arguments->words[arguments->word_count - 1]);
    }
    *path_out = named != NULL ? named : arguments->words[0];
    return CLI_OK;
}

static int inspect(const struct cli_arguments *arguments, struct cli_subject *subject)
{
    struct cli_record record;
    struct cli_program program;
    struct ets_file *debug_file = NULL;
    struct ets_error error;
    subject->debug_buffer_path = cli_value(arguments, "--debug-buffer");
    int code = cli_record_open(cli_value(arguments, "--etrecord"), &record);
    if (code == CLI_OK) {
        code = cli_program_open(cli_value(arguments, "--program"), &program);
        subject->program = program.is_open ? &program.program : NULL;
        if (code == CLI_OK && subject->debug_buffer_path != NULL) {
            if (ets_file_open(subject->debug_buffer_path, &debug_file, &error) == ETS_OK) {
                subject->debug_buffer = ets_file_bytes(debug_file);
            } else {
                code = cli_fail(subject->debug_buffer_path, &error);
            }
        }
        subject->record = record.record;
        if (code == CLI_OK) code = cli_show(arguments, subject);
        ets_file_close(debug_file);
        cli_program_close(&program);
    }
    cli_record_close(&record);
    return code;
}

int cmd_inspect(const struct cli_arguments *arguments)
{
    struct cli_subject subject = {.method = cli_value(arguments, "--method")};
    static const char *const inputs[] = {"--etdump", "--etrecord", "--program", "--debug-buffer",
                                         NULL};
    int code = find_trace(arguments, &subject.path);
    if (code == CLI_OK) code = cli_check_stdin(arguments, inputs);
    if (code != CLI_OK) return code;
    struct ets_file *file;
    struct ets_error error;
    if (ets_file_open(subject.path, &file, &error) != ETS_OK) return cli_fail(subject.path, &error);
    subject.dump = ets_file_bytes(file);
    const int result = inspect(arguments, &subject);
    ets_file_close(file);
    return result;
}
