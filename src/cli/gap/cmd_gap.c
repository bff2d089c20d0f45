/*
 * The command `gap`: compares captured values with a reference evaluation of the ETRecord's graph.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/beside/debug_buffer.h"
#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/notes.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/target/target.h"
#include "cli/values/gap_report.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "host/os/os_files.h"
#include "host/output.h"
#include "output/picture/gap_picture.h"
#include "output/table/gap_table.h"
#include "output/table/table.h"
#include "views/gap_headline.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord", .help = "The ETRecord of the export; default: the one beside the trace"},
    {"--debug-buffer"},
    {"--program"},
    {"--method"},
    {"--block", .help = "The first run of this block, by name or number"},
    {"--run",
     .help = "This run of the trace, counted from 0; default: the first with captured tensors"},
    CLI_REFERENCE_OPTIONS,
    {"--metric"},
    {"--fail-below"},
    {"--allow-uncompared"},
    {"--rms", .is_hidden = true},
    {"--tolerance"},
    {"--tolerances", .is_hidden = true},
    {"--comparator"},
    {"--only-mismatches"},
    {"--values", .is_hidden = true},
    {"--alignment"},
    {"--picture"},
    {"--columns", .help = "Only these columns, in this order, such as aot_ops,own_error,snr"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--no-siblings"},
    {"--partial"},
    {"--allow-mismatch"},
    CLI_TARGET_OPTIONS,
    {NULL},
};

static int write_table(const struct cli_gap *gap, struct ets_table *table)
{
    char text[4096];
    const struct ets_text headline = ets_table_heading(table);
    const int code = cli_choose_columns(gap->arguments, table);
    cli_headline("%.*s", (int)headline.size, headline.data);
    if (code != CLI_OK) return code;
    const size_t size =
        ets_gap_describe_guilty(gap->inspection, gap->report, &cli_advice, text, sizeof text);
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && text[end] != '\n';) end++;
        ets_table_add_note(table, (struct ets_text){text + at, end - at});
    }
    const size_t legend_size = ets_gap_describe_findings(gap->report, text, sizeof text);
    if (legend_size > 0) ets_table_add_note(table, (struct ets_text){text, legend_size});
    return cli_write_styled(gap->arguments, table);
}

static int show(const struct cli_gap *gap, bool is_alignment)
{
    struct ets_table *table;
    struct ets_error error;
    const struct ets_gap_table_options options = {
        .metric = (enum ets_gap_metric)cli_choice(gap->arguments, "--metric", ETS_GAP_METRIC_SNR),
        .only_off = cli_has(gap->arguments, "--only-mismatches"),
        .values = cli_has(gap->arguments, "--values") || cli_has(gap->arguments, "--columns")};
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    const enum ets_status status =
        is_alignment ? ets_alignment_table_fill(table, gap->inspection, gap->report, &error)
                     : ets_gap_table_fill(table, gap->inspection, gap->report, &options, &error);
    int code = CLI_OK;
    if (status != ETS_OK) code = cli_fail(NULL, &error);
    else if (!is_alignment) code = write_table(gap, table);
    else if ((code = cli_choose_columns(gap->arguments, table)) == CLI_OK)
        code = cli_write_styled(gap->arguments, table);
    ets_table_close(table);
    return code;
}

static int draw(const struct cli_gap *gap)
{
    const char *path = cli_value(gap->arguments, "--picture");
    struct ets_output *output;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_gap_picture_write(gap->report, &cli_advice, output);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

/* CLI_NEGATIVE if nothing could be compared, with the first reason. */
static int check_compared(const struct cli_gap *gap)
{
    const uint32_t values = ets_gap_value_count(gap->report);
    const char *reason = NULL;
    for (uint32_t i = 0; i < ets_gap_row_count(gap->report); i++) {
        const struct ets_gap_row *row = ets_gap_row(gap->report, i);
        if (row->has_total) return CLI_OK;
        if (reason == NULL) reason = row->reason;
    }
    for (uint32_t i = 0; reason == NULL && i < values; i++) {
        reason = ets_gap_value(gap->report, i)->reason;
    }
    return cli_complain(CLI_NEGATIVE, "could not compare any of %u captured %s%s%s", values,
                        values == 1 ? "value" : "values", reason != NULL ? ": " : "",
                        reason != NULL ? reason : "");
}

/* CLI_NEGATIVE if an output was not compared, which is no pass. */
static int check_outputs(const struct cli_gap *gap)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(gap->report);
    const uint32_t missing = verdict->output_count - verdict->outputs_compared;
    if (missing == 0 || cli_has(gap->arguments, "--allow-uncompared")) return CLI_OK;
    return cli_complain(
        CLI_NEGATIVE, "%u of %u outputs %s not compared: %.*s: %s; --allow-uncompared accepts this",
        missing, verdict->output_count, missing == 1 ? "was" : "were",
        ETS_TEXT(verdict->uncompared_output->name), verdict->uncompared_reason);
}

/* CLI_NEGATIVE if a value is worse than --fail-below. */
static int check_limit(const struct cli_gap *gap, double limit)
{
    uint32_t compared = 0, below = 0;
    double worst = INFINITY;
    if (!cli_has(gap->arguments, "--fail-below")) return CLI_OK;
    for (uint32_t i = 0; i < ets_gap_row_count(gap->report); i++) {
        const struct ets_gap_row *row = ets_gap_row(gap->report, i);
        if (!row->has_total) continue;
        const bool is_same = row->total.unequal_count == 0;
        const double snr = row->total.broken_count > 0 ? -INFINITY
                           : is_same                   ? INFINITY
                                                       : ets_comparison_snr(&row->total);
        compared++;
        below += snr < limit;
        worst = fmin(worst, snr);
    }
    if (below == 0) return CLI_OK;
    return cli_complain(CLI_NEGATIVE,
                        "%u of %u values have an SNR below %g dB; the worst has %g dB", below,
                        compared, limit, worst);
}

static int compare(struct cli_gap *gap, double limit)
{
    int code = cli_gap_evaluate(gap);
    if (code == CLI_OK) code = show(gap, false);
    if (code == CLI_OK) code = draw(gap);
    if (code == CLI_OK) code = cli_gap_check_buffer(gap);
    if (code == CLI_OK) code = check_compared(gap);
    if (code == CLI_OK) code = check_limit(gap, limit);
    if (code == CLI_OK) code = check_outputs(gap);
    return code;
}

static int parse_limit(const struct cli_arguments *arguments, double *limit_out)
{
    const char *value = cli_value(arguments, "--fail-below");
    char *end;
    if (value == NULL) return CLI_OK;
    *limit_out = strtod(value, &end);
    if (end != value && *end == '\0' && !isnan(*limit_out)) return CLI_OK;
    return cli_complain(CLI_USAGE, "--fail-below takes a number in dB, not \"%s\"", value);
}

/* Values are judged as a whole, not element by element as `verify` does. */
static int open_tolerances(struct cli_gap *gap)
{
    const int code = cli_tolerances_open(gap->arguments, &gap->tolerances);
    for (size_t i = 0; code == CLI_OK && i < gap->tolerances.count; i++) {
        const struct ets_tolerance_rule *rule = &gap->tolerances.rules[i];
        const bool is_of_verify =
            rule->relative >= 0 || rule->absolute >= 0 || rule->test_case >= 0 || rule->output >= 0;
        if (!is_of_verify) continue;
        return cli_complain(CLI_USAGE,
                            "a tolerance of gap has the fields method, dtype and rms; only verify "
                            "has case, output, rtol and atol");
    }
    return code;
}

static int check_record(const struct cli_arguments *arguments, const struct cli_subject *subject)
{
    if (subject->record != NULL) return CLI_OK;
    const char *more = "";
    if (cli_has(arguments, "--reference-trace")) {
        more = "; `etscope tensors --save` and --compare compare two traces without an ETRecord";
    } else if (cli_has(arguments, "--program")) {
        more = "; with --program, none is searched beside the trace";
    }
    return cli_complain(CLI_USAGE,
                        "gap needs --etrecord, which contains the graph to compare with%s", more);
}

static int compare_run(const struct cli_arguments *arguments, const struct cli_subject *subject,
                       const struct cli_program *program, struct ets_inspection *inspection)
{
    struct cli_gap gap = {
        .arguments = arguments, .subject = subject, .program = program, .inspection = inspection};
    const bool is_alignment = cli_has(arguments, "--alignment");
    uint32_t block, run;
    double limit = 0;
    int code = check_record(arguments, subject);
    if (code == CLI_OK) code = parse_limit(arguments, &limit);
    if (code == CLI_OK) code = cli_choose_rows(arguments, inspection, &block, &run);
    if (code != CLI_OK) return code;
    if (!is_alignment && subject->debug_buffer.data == NULL) {
        return cli_complain_debug_buffer(inspection, "gap",
                                         "; --alignment shows without it what would be compared");
    }
    cli_print_notes(inspection);
    code = cli_comparators_open(arguments, &gap.comparators);
    if (code == CLI_OK) code = open_tolerances(&gap);
    if (code == CLI_OK) code = cli_gap_open(&gap, block, run);
    if (code == CLI_OK) code = is_alignment ? show(&gap, true) : compare(&gap, limit);
    cli_gap_close(&gap);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "gap needs a trace: etscope gap debug.etdp --etrecord model.etrecord "
                            "--debug-buffer debug.bin");
    }
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "gap reads one trace; unexpected argument \"%s\"",
                            arguments->words[1]);
    }
    return cli_gap_check(arguments);
}

/* Whether a record keeps the inputs of the export, which `run --inputs etrecord` needs. */
static bool has_inputs(const char *path)
{
    struct cli_record record;
    const struct ets_value *values;
    size_t count;
    if (cli_record_read(path, &record, NULL) != ETS_OK) return false;
    const bool has =
        ets_etrecord_representative_inputs(record.record, &values, &count, NULL) == ETS_OK;
    cli_record_close(&record);
    return has;
}

/* A program has no values yet: tells how to make a trace of it. */
static int check_kind(const struct cli_arguments *arguments)
{
    const char *path = arguments->words[0], *record = cli_value(arguments, "--etrecord");
    struct ets_file *file = NULL;
    /* Pipes are read once. */
    if (strcmp(path, "-") == 0 || ets_os_look(path).kind != ETS_OS_FILE) return CLI_OK;
    if (ets_file_open(path, &file, NULL) != ETS_OK) return CLI_OK; /* told when it is read */
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
    ets_file_close(file);
    if (kind != ETS_KIND_PROGRAM && kind != ETS_KIND_BUNDLE) return CLI_OK;
    const bool takes_record = kind == ETS_KIND_PROGRAM || record != NULL;
    const bool takes_inputs =
        kind == ETS_KIND_PROGRAM && (record == NULL || has_inputs(record)); /* else random ones */
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    const char *program = cli_shell_word(&arena, path);
    if (record != NULL) record = cli_shell_word(&arena, record);
    const int code = cli_complain(
        CLI_INPUT,
        "%s: byte 0: not an ETDump but %s; gap reads a trace with captured tensors: etscope run "
        "%s%s%s%s --capture intermediates -o debug.etdp --debug-buffer debug.bin (--capture "
        "delegates: also those within calls of XNNPACK)",
        path, ets_kind_name(kind), program == NULL ? "MODEL" : program,
        takes_record ? " --etrecord " : "",
        !takes_record    ? ""
        : record != NULL ? record
                         : "FILE",
        takes_inputs ? " --inputs etrecord" : "");
    ets_arena_reset(&arena);
    return code;
}

static int cmd_gap(const struct cli_arguments *arguments)
{
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
    int code = check_words(arguments);
    if (code == CLI_OK) code = check_kind(arguments);
    cli_hold_notes(); /* the answer comes first */
    return code != CLI_OK ? code : cli_subject_inspect_values(arguments, compare_run);
}

const struct cli_command cli_gap_command = {
    .name = "gap",
    .task = CLI_TASK_CHECK,
    .summary = "find the operator that makes the outputs wrong",
    .arguments = "TRACE",
    .description =
        "Evaluates the graph of the ETRecord on its representative inputs with the runtime's own "
        "kernels, and compares each node with the captured value. Each operator has two errors: "
        "the total error, and its own error, which it makes when computed from the inputs that the "
        "device had. The first operator whose own error stands out caused the difference. A "
        "delegate's partition counts as one operator, unless values within it were captured. "
        "--alignment shows which captured value "
        "belongs to which node. TRACE is a trace with captured tensors; to make it: etscope run "
        "model.pte --etrecord model.etrecord --inputs etrecord --capture intermediates -o "
        "debug.etdp --debug-buffer debug.bin. With --capture delegates, operators within calls of "
        "XNNPACK have rows of their own. With --target, the argument is a program: it runs "
        "there with captures, and the comparison is made here.",
    .options = option_list,
    .examples =
        "etscope gap debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
        "etscope gap debug.etdp --etrecord model.etrecord --alignment\n"
        "etscope gap model.pte --etrecord model.etrecord --target ssh:me@board",
    .guide = "numerics.md",
    .run = cmd_gap,
};
