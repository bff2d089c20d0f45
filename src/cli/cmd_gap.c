/* gap: what a device captured against a reference evaluation of the record's graph. */
#include <math.h>
#include <stdlib.h>

#include "cli_text.h"
#include "debug_buffer.h"
#include "etscope/gap_table.h"
#include "gap_inputs.h"
#include "gap_references.h"
#include "session.h"
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
    {"--reference", NULL, "NAME",
     "The graph to compare with: aten (the exported program; default), edge, or another of the "
     "record", NULL, false},
    {"--reference-etrecord", NULL, "FILE",
     "The ETRecord of another model as the reference: of a quantized model its float original",
     NULL, false},
    {"--reference-trace", NULL, "FILE",
     "Another trace as the reference, device against device; of the same model, or of that of "
     "--reference-etrecord", NULL, false},
    {"--reference-debug-buffer", NULL, "FILE", "The captured tensors of --reference-trace", NULL,
     false},
    {"--reference-npy", NULL, "FOLDER",
     "Files NODE.npy as the reference, of several outputs NODE.N.npy", NULL, false},
    {"--reference-dtype", NULL, "record|f64",
     "Compute the reference in the record's types, or in double: a kernel's own error then shows",
     NULL, false},
    {"--input", "-i", "FILE", "An input as .npy file; several in the method's order", ".npy", true},
    {"--case", NULL, "N", "Take the inputs from this test case of the --program .bpte", NULL,
     false},
    {"--metric", NULL, "snr|mse|l1|cosine|max", "What the column gap shows; default snr", NULL,
     false},
    {"--fail-below", NULL, "DB",
     "End with 1 where a value's SNR is below this many dB, or nothing could be compared", NULL,
     false},
    {"--only-off", NULL, NULL, "Only values that do not agree", NULL, false},
    {"--alignment", NULL, NULL,
     "Only which value of the graph each captured one is; evaluates nothing", NULL, false},
    {"--picture", NULL, "FILE", "Also draw the errors of each operator, as SVG", NULL, false},
    {"--columns", "-c", "NAMES", "Only these columns, in this order, as aot_ops,own_error,snr",
     NULL, false},
    {"--format", "-f", "table|tsv|csv|json|jsonl|markdown", "How to print the table", NULL, false},
    {"--width", NULL, "N", "Columns of the table; default: the terminal's, or no limit", NULL,
     false},
    {"--output", NULL, "FILE", "Write the table to FILE instead of standard output", NULL, false},
    {"--load-library", NULL, "FILE", "A shared library with kernels of your own", NULL, true},
    {"--engine", NULL, "FILE", "The engine plug-in to use; default: found by itself", NULL, false},
    {"--partial", NULL, NULL, "Read a damaged trace as far as whole parts remain", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Go on where trace and ETRecord or program disagree", NULL,
     false},
    {NULL, NULL, NULL, NULL, NULL, false},
};
/* clang-format on */

struct gap_command {
    const struct cli_arguments *arguments;
    const struct cli_subject *subject;
    const struct cli_program *program;
    struct ets_inspection *inspection;
    struct ets_gap_report *report;
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct cli_record other; /* --reference-etrecord */
    double limit;            /* of --fail-below, dB */
};

/* Buffers that the model changes have the record's values in every evaluation. */
static void note_buffers(const struct gap_command *c)
{
    const struct ets_graph *graph = ets_gap_reference(c->report);
    const uint32_t number = ets_gap_run(c->report);
    const struct ets_run *run = ets_inspection_run(c->inspection, number);
    const struct ets_block *block = ets_inspection_block(c->inspection, run->block);
    const bool is_told = run->method.data != NULL;
    if (is_told ? run->invocation == 0 : number == block->first_run) return;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role != ETS_OUTPUT_BUFFER_MUTATION) continue;
        cli_note(
            "the model changes buffers; the reference starts with the record's, and run %u is "
            "not the first: compare that one",
            number);
        return;
    }
}

/* What the reference could not do, or did in another way than asked. */
static void print_gap_notes(const struct gap_command *c)
{
    const struct ets_gap_verdict *verdict = ets_gap_verdict(c->report);
    const char *reason = ets_gap_reference_reason(c->report);
    if (reason != NULL) cli_note("compared with the edge program: %s", reason);
    if (verdict->other_input != ETS_NO_INDEX) {
        cli_note(
            "the run had another input %u than the reference; --input or --case gives it the "
            "run's",
            verdict->other_input);
    }
    note_buffers(c);
    if (verdict->unpaired > 0) {
        cli_note("%u %s of the reference without a pair in the model that ran", verdict->unpaired,
                 verdict->unpaired == 1 ? "operator" : "operators");
    }
    if (verdict->fallbacks > 0) {
        cli_note("%u %s computed as the edge program has it", verdict->fallbacks,
                 verdict->fallbacks == 1 ? "node was" : "nodes were");
    }
    if (verdict->uncovered > 0) {
        cli_note("%u %s cannot be computed here: the column reason says why", verdict->uncovered,
                 verdict->uncovered == 1 ? "node" : "nodes");
    }
}

static int write_table(const struct gap_command *c, struct ets_table *table)
{
    char text[4096];
    const int code = cli_choose_columns(c->arguments, table);
    if (code != CLI_OK) return code;
    const size_t size = ets_gap_describe_guilty(c->inspection, c->report, text, sizeof text);
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && text[end] != '\n';) end++;
        ets_table_add_note(table, (struct ets_text){text + at, end - at});
    }
    return cli_write_styled(c->arguments, table);
}

static int show(const struct gap_command *c, bool is_alignment)
{
    struct ets_table *table;
    struct ets_error error;
    const struct ets_gap_table_options options = {
        .metric = (enum ets_gap_metric)cli_choice(c->arguments, "--metric", ETS_GAP_METRIC_SNR),
        .only_off = cli_has(c->arguments, "--only-off")};
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    const enum ets_status status =
        is_alignment ? ets_alignment_table_fill(table, c->inspection, c->report, &error)
                     : ets_gap_table_fill(table, c->inspection, c->report, &options, &error);
    int code = CLI_OK;
    if (status != ETS_OK) code = cli_fail(NULL, &error);
    else if (!is_alignment) code = write_table(c, table);
    else if ((code = cli_choose_columns(c->arguments, table)) == CLI_OK)
        code = cli_write_styled(c->arguments, table);
    ets_table_close(table);
    return code;
}

static int draw(const struct gap_command *c)
{
    const char *path = cli_value(c->arguments, "--picture");
    struct ets_output *output;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_gap_picture_write(c->report, output);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

static int start_engine(struct gap_command *c)
{
    struct cli_session session = {.arguments = c->arguments};
    const int code = cli_session_engine(&session);
    c->library = session.library;
    c->engine = session.engine;
    return code;
}

/* Evaluates, and says which file is at fault where that fails. */
static int evaluate(struct gap_command *c)
{
    struct cli_gap_inputs inputs;
    struct ets_error error;
    const struct ets_run *run = ets_inspection_run(c->inspection, ets_gap_run(c->report));
    const char *other = cli_value(c->arguments, "--reference-etrecord");
    int code = other == NULL ? CLI_OK : cli_record_open(other, &c->other);
    if (code != CLI_OK) return code;
    code = cli_gap_inputs_open(c->arguments, c->program, ets_gap_method(c->report),
                               run->bundled_input_index, &inputs);
    if (code == CLI_OK) {
        const struct ets_gap_evaluation how = {
            .engine = c->engine,
            .inputs = inputs.values,
            .input_count = inputs.count,
            .use_double = cli_choice(c->arguments, "--reference-dtype", 0) == 1};
        const enum ets_status status =
            other != NULL ? ets_gap_evaluate_other(c->report, c->other.record, &how, &error)
                          : ets_gap_evaluate(c->report, &how, &error);
        if (status != ETS_OK) {
            code = cli_fail(other != NULL ? other : cli_value(c->arguments, "--etrecord"), &error);
        }
    }
    cli_gap_inputs_close(&inputs);
    return code;
}

/* Fills the report's rows. */
static int refer(struct gap_command *c)
{
    if (cli_has(c->arguments, "--reference-trace")) {
        return cli_gap_compare_trace(c->arguments, c->subject->record, c->report);
    }
    if (cli_has(c->arguments, "--reference-npy")) {
        return cli_gap_compare_files(cli_value(c->arguments, "--reference-npy"), c->report);
    }
    const int code = start_engine(c);
    return code == CLI_OK ? evaluate(c) : code;
}

/* Values whose bytes are not in the debug buffer: cut off, or another trace's. */
static int check_buffer(const struct gap_command *c)
{
    const struct ets_captured_value *first = NULL;
    uint32_t outside = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(c->report); i++) {
        const struct ets_captured_value *value = &ets_gap_row(c->report, i)->value->captured;
        if (value->status == ETS_TRUNCATED && outside++ == 0) first = value;
    }
    if (outside == 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: %u of the values to compare are not in it: %s",
                        cli_path_name(c->subject->debug_buffer_path), outside,
                        first->reason.message);
}

/* CLI_NEGATIVE where a value is worse than --fail-below. */
static int check_limit(const struct gap_command *c)
{
    uint32_t compared = 0, below = 0;
    double worst = INFINITY;
    if (!cli_has(c->arguments, "--fail-below")) return CLI_OK;
    for (uint32_t i = 0; i < ets_gap_row_count(c->report); i++) {
        const struct ets_gap_row *row = ets_gap_row(c->report, i);
        if (!row->has_total) continue;
        const bool is_same = row->total.unequal_count == 0;
        const double snr = row->total.broken_count > 0 ? -INFINITY
                           : is_same                   ? INFINITY
                                                       : ets_comparison_snr(&row->total);
        compared++;
        below += snr < c->limit;
        worst = fmin(worst, snr);
    }
    if (compared > 0 && below == 0) return CLI_OK;
    if (compared == 0) return cli_complain(CLI_NEGATIVE, "nothing could be compared");
    return cli_complain(CLI_NEGATIVE, "%u of %u values have an SNR below %g dB, the worst %g dB",
                        below, compared, c->limit, worst);
}

static int compare(struct gap_command *c, uint32_t run)
{
    struct ets_error error;
    const bool is_alignment = cli_has(c->arguments, "--alignment");
    const struct ets_gap_options options = {.inspection = c->inspection,
                                            .record = c->subject->record,
                                            .debug_buffer = c->subject->debug_buffer,
                                            .run = run,
                                            .reference = cli_value(c->arguments, "--reference")};
    if (!is_alignment && c->subject->debug_buffer.data == NULL) {
        return cli_complain(CLI_USAGE,
                            "gap needs --debug-buffer, which holds the captured tensors; without "
                            "it --alignment shows what would be compared");
    }
    if (ets_gap_open(&options, &c->report, &error) != ETS_OK) {
        return cli_fail(c->subject->path, &error);
    }
    int code = CLI_OK;
    if (!is_alignment) {
        cli_note_debug_buffer(c->inspection, c->subject->debug_buffer_path,
                              c->subject->debug_buffer);
        code = refer(c);
        if (code == CLI_OK) print_gap_notes(c);
    }
    if (code == CLI_OK) code = show(c, is_alignment);
    if (code == CLI_OK && !is_alignment) code = draw(c);
    if (code == CLI_OK && !is_alignment) code = check_buffer(c);
    if (code == CLI_OK && !is_alignment) code = check_limit(c);
    return code;
}

static int parse_limit(const struct cli_arguments *arguments, double *limit_out)
{
    const char *value = cli_value(arguments, "--fail-below");
    char *end;
    if (value == NULL) return CLI_OK;
    *limit_out = strtod(value, &end);
    if (end != value && *end == '\0' && !isnan(*limit_out)) return CLI_OK;
    return cli_complain(CLI_USAGE, "--fail-below takes a number of dB, not \"%s\"", value);
}

static int compare_run(const struct cli_arguments *arguments, const struct cli_subject *subject,
                       const struct cli_program *program, struct ets_inspection *inspection)
{
    struct gap_command command = {
        .arguments = arguments, .subject = subject, .program = program, .inspection = inspection};
    uint32_t block, run;
    int code = parse_limit(arguments, &command.limit);
    if (code == CLI_OK) code = cli_choose_rows(arguments, inspection, &block, &run);
    if (code != CLI_OK) return code;
    if (block != ETS_NO_INDEX && run == ETS_NO_INDEX) {
        run = ets_inspection_block(inspection, block)->first_run;
    }
    cli_print_notes(inspection);
    code = compare(&command, run);
    ets_gap_close(command.report);
    cli_record_close(&command.other);
    ets_engine_close(command.library);
    return code;
}

/* Options that contradict each other. */
static int check_references(const struct cli_arguments *arguments)
{
    const bool has_trace = cli_has(arguments, "--reference-trace");
    if (cli_has(arguments, "--reference-npy") &&
        (has_trace || cli_has(arguments, "--reference-etrecord"))) {
        return cli_complain(CLI_USAGE, "the reference is --reference-npy or another, not both");
    }
    if (cli_has(arguments, "--reference-debug-buffer") && !has_trace) {
        return cli_complain(CLI_USAGE, "--reference-debug-buffer needs --reference-trace");
    }
    if (cli_has(arguments, "--reference-dtype") &&
        (has_trace || cli_has(arguments, "--reference-npy"))) {
        return cli_complain(CLI_USAGE, "--reference-dtype is for references that are computed");
    }
    return CLI_OK;
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
    return ok ? check_references(arguments) : CLI_USAGE;
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
            code = compare_run(arguments, &subject, &files.program, inspection);
            ets_inspection_close(inspection);
        }
    }
    cli_subject_close(&files);
    return code;
}
