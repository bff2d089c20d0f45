/* gap: what a device captured against a reference evaluation of the record's graph. */
#include "cli_text.h"
#include "debug_buffer.h"
#include "etscope/gap_table.h"
#include "subject.h"

/* clang-format off */
const struct cli_option cli_gap_options[] = {
    {"--etrecord", "--etrecord_path", "FILE", "The ETRecord that the export wrote", NULL, false},
    {"--debug-buffer", "--debug_buffer_path", "FILE", "The captured tensors", NULL, false},
    {"--program", NULL, "FILE", "The .pte or .bpte that ran", NULL, false},
    {"--method", "-m", "NAME", "The method that ran, where the trace fits several", NULL, false},
    {"--block", NULL, "NAME", "The first run of this block, by name or number", NULL, false},
    {"--run", NULL, "N", "This run of the trace, from 0; default: the first that captured", NULL,
     false},
    {"--reference", NULL, "aten|edge|NAME",
     "The graph to compare with: the exported program (default), the edge program, or another of "
     "the record", NULL, false},
    {"--alignment", NULL, NULL,
     "Only which value of the graph each captured one is; evaluates nothing", NULL, false},
    {"--columns", "-c", "NAMES", "Only these columns, in this order, as aot_ops,own,total", NULL,
     false},
    {"--format", "-f", "table|tsv|csv|json|jsonl|markdown", "How to print the table", NULL, false},
    {"--width", NULL, "N", "Columns of the table; default: the terminal's, or no limit", NULL,
     false},
    {"--output", NULL, "FILE", "Write the table to FILE instead of standard output", NULL, false},
    {"--partial", NULL, NULL, "Read a damaged trace as far as whole parts remain", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Go on where trace and ETRecord or program disagree", NULL,
     false},
    {NULL, NULL, NULL, NULL, NULL, false},
};
/* clang-format on */

static int show_alignment(const struct cli_arguments *arguments,
                          const struct ets_inspection *inspection,
                          const struct ets_gap_report *report)
{
    struct ets_table *table;
    struct ets_error error;
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code;
    if (ets_alignment_table_fill(table, inspection, report, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else {
        code = cli_choose_columns(arguments, table);
    }
    if (code == CLI_OK) code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}

static int compare(const struct cli_arguments *arguments, const struct cli_subject *subject,
                   struct ets_inspection *inspection)
{
    struct ets_gap_report *report;
    struct ets_error error;
    struct ets_gap_options options = {.inspection = inspection,
                                      .record = subject->record,
                                      .debug_buffer = subject->debug_buffer,
                                      .reference = cli_value(arguments, "--reference")};
    uint32_t block;
    int code = cli_choose_rows(arguments, inspection, &block, &options.run);
    if (code != CLI_OK) return code;
    if (block != ETS_NO_INDEX && options.run == ETS_NO_INDEX) {
        options.run = ets_inspection_block(inspection, block)->first_run;
    }
    cli_print_notes(inspection);
    if (ets_gap_open(&options, &report, &error) != ETS_OK) return cli_fail(subject->path, &error);
    code = show_alignment(arguments, inspection, report);
    ets_gap_close(report);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    bool ok = true;
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "gap needs a trace: etscope gap debug.etdp --etrecord model.etrecord "
                            "--debug-buffer debug.bin");
    }
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "gap reads one trace; \"%s\" is too much",
                            arguments->words[1]);
    }
    if (!cli_has(arguments, "--etrecord")) {
        return cli_complain(CLI_USAGE,
                            "gap needs --etrecord, whose graph the trace is compared with");
    }
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* used by cli_style */
    return ok ? CLI_OK : CLI_USAGE;
}

int cmd_gap(const struct cli_arguments *arguments)
{
    struct cli_subject subject;
    struct cli_subject_files files;
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    code = cli_subject_open(arguments, arguments->words[0], &files, &subject);
    if (code == CLI_OK) {
        struct ets_inspection *inspection;
        const struct ets_inspect_options options = {
            .record = subject.record,
            .program = subject.program,
            .method = subject.method,
            .partial = cli_has(arguments, "--partial"),
            .allow_mismatch = cli_has(arguments, "--allow-mismatch"),
        };
        code = cli_open_inspection(&subject, &options, &inspection);
        if (code == CLI_OK) {
            code = compare(arguments, &subject, inspection);
            ets_inspection_close(inspection);
        }
    }
    cli_subject_close(&files);
    return code;
}
