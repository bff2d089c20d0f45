/* tensors: what a trace captured, one line for each tensor; and as .npy files. */
#include "cli_text.h"
#include "debug_buffer.h"
#include "save_tensors.h"
#include "subject.h"

/* clang-format off */
const struct cli_option cli_tensors_options[] = {
    {"--debug-buffer", "--debug_buffer_path", "FILE",
     "The captured tensors; without it they are listed without numbers", NULL, false},
    {"--etrecord", "--etrecord_path", "FILE", "The ETRecord that the export wrote", NULL, false},
    {"--program", NULL, "FILE", "The .pte or .bpte that ran", NULL, false},
    {"--method", NULL, "NAME", "The method that ran, where the trace fits several", NULL, false},
    {"--block", NULL, "NAME", "Only this block, by name or number", NULL, false},
    {"--run", NULL, "N", "Only this run of the trace, from 0", NULL, false},
    {"--event", NULL, "N", "Only the tensors of this event, by its number in the table", NULL,
     false},
    {"--only-outputs", NULL, NULL, "Only outputs of the whole method", NULL, false},
    {"--columns", "-c", "NAMES", "Only these columns, in this order, as operator,shape,mean", NULL,
     false},
    {"--save", NULL, "FOLDER", "Also write each tensor to FOLDER as .npy", NULL, false},
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

/* Why the table is empty: nothing was captured, or the filters fit nothing of it. */
static void report_nothing(const struct ets_inspection *inspection)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    uint32_t count = 0;
    ets_captured_values_init(&values, inspection, (struct ets_bytes){NULL, 0}, NULL);
    while (ets_captured_values_next(&values, &value)) count++;
    if (count == 0) {
        cli_note("no captured tensors; `etscope run --capture intermediates` records them");
    } else {
        cli_note(
            "none of the %u captured tensors fits what was asked for; without --block, --run, "
            "--event and --only-outputs all are listed",
            count);
    }
}

/* Says what the table has no numbers for. Returns the exit code that it makes. */
static int report_gaps(const struct cli_subject *subject, const struct ets_inspection *inspection,
                       uint32_t rows, const struct ets_tensor_table_gaps *gaps)
{
    if (rows == 0) {
        report_nothing(inspection);
    } else if (gaps->without_buffer > 0) {
        cli_note("without --debug-buffer, tensors are listed without their numbers");
    }
    if (gaps->unrecorded > 0) {
        cli_note("%u tensors were recorded without their bytes", gaps->unrecorded);
    }
    if (gaps->unreadable > 0) {
        cli_note("%u values have no numbers: %s", gaps->unreadable,
                 gaps->unreadable_reason.message);
    }
    if (gaps->outside == 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: %u tensors are not in it: %s",
                        cli_path_name(subject->debug_buffer_path), gaps->outside,
                        gaps->outside_reason.message);
}

static int list_tensors(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection,
                        const struct ets_tensor_table_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    struct ets_tensor_table_gaps gaps;
    const char *path = cli_has(arguments, "--output") ? cli_value(arguments, "--output") : "-";
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code;
    if (ets_tensor_table_fill(table, inspection, options, &gaps, &error) != ETS_OK) {
        code = error.status == ETS_NOT_FOUND ? cli_complain_columns(arguments, table, &error)
                                             : cli_fail(NULL, &error);
    } else {
        struct ets_table_style style;
        cli_style(arguments, path, &style);
        code = cli_write_table(arguments, table, &style);
        if (code == CLI_OK)
            code = report_gaps(subject, inspection, ets_table_row_count(table), &gaps);
    }
    ets_table_close(table);
    return code;
}

static int show_tensors(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection)
{
    bool ok = true;
    struct ets_tensor_table_options options = {
        .debug_buffer = subject->debug_buffer,
        .columns = cli_value(arguments, "--columns"),
        .filter = {.event = (uint32_t)cli_number(arguments, "--event", ETS_NO_INDEX, 0,
                                                 UINT32_MAX - 1, &ok),
                   .outputs_only = cli_has(arguments, "--only-outputs")},
    };
    int code = cli_choose_rows(arguments, inspection, &options.filter.block, &options.filter.run);
    if (!ok || code != CLI_OK) return CLI_USAGE;
    cli_print_notes(inspection);
    cli_note_debug_buffer(inspection, subject->debug_buffer_path, subject->debug_buffer);
    code = list_tensors(arguments, subject, inspection, &options);
    const char *folder = cli_value(arguments, "--save");
    if (folder == NULL || (code != CLI_OK && code != CLI_INPUT)) return code;
    const int saved = cli_save_tensors(folder, inspection, subject->debug_buffer, &options.filter);
    return saved != CLI_OK ? saved : code;
}

static int check_words(const struct cli_arguments *arguments)
{
    bool ok = true;
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "tensors needs a trace: etscope tensors debug.etdp "
                            "--debug-buffer debug.bin");
    }
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "tensors reads one trace; \"%s\" is too much",
                            arguments->words[1]);
    }
    if (cli_has(arguments, "--save") && !cli_has(arguments, "--debug-buffer")) {
        return cli_complain(CLI_USAGE, "--save needs --debug-buffer, which holds the tensors");
    }
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* used by cli_style */
    return ok ? CLI_OK : CLI_USAGE;
}

int cmd_tensors(const struct cli_arguments *arguments)
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
            code = show_tensors(arguments, &subject, inspection);
            ets_inspection_close(inspection);
        }
    }
    cli_subject_close(&files);
    return code;
}
