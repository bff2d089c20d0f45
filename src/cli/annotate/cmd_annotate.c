/* The command `annotate`: prints the model's source with the cost of each line. */
#include <string.h>

#include "cli/annotate/source_files.h"
#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/traces/filters.h"
#include "cli/traces/trace_notes.h"
#include "cli/values/gap_report.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "inspect/patterns.h"
#include "output/table/annotate_table.h"
#include "output/table/table.h"
#include "views/gap_headline.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--program", .help = "The .pte or .bpte that ran; needed for source lines inside delegates"},
    {"--debug-buffer",
     .help = "The captured tensors; adds the numeric error of each line, as gap computes it"},
    {"--source-root"},
    {"--frames"},
    {"--context"},
    {"--whole"},
    {"--method", .help = "Only this method; or the method that ran, if the trace fits several"},
    {"--block"},
    {"--run"},
    {"--cost", .help = "Also show the work of each line: operations, bytes, and both per second"},
    CLI_MACHINE_OPTIONS,
    {"--steady"},
    CLI_FILTER_OPTIONS,
    CLI_REFERENCE_OPTIONS,
    {"--format", .help = "Output format; machine formats contain only lines with data"},
    {"--unit", .help = "Show all times in this unit; default: the best"},
    {"--bounds"},
    {"--color"},
    {"--width", .help = "Width of the page in characters; default: the terminal's, or no limit"},
    {"--output", .help = "Write to FILE instead of standard output"},
    {"--subtract-overhead"},
    {"--source-time-scale"},
    {"--no-siblings"},
    {"--partial"},
    {"--allow-mismatch"},
    {NULL},
};

/* Options that have no effect without captured tensors. */
static const char *const reference_options[] = {"--reference",       "--reference-etrecord",
                                                "--reference-trace", "--reference-debug-buffer",
                                                "--reference-npy",   "--reference-dtype",
                                                "--input",           "--case",
                                                "--load-library",    "--python",
                                                "--engine",          NULL};

struct request {
    struct ets_inspect_options inspect;
    struct ets_annotate_options annotate;
    struct ets_table_style style;
    struct cli_filter filter;
    struct ets_arena arena; /* of the machine */
    struct ets_machine machine;
};

static enum ets_annotate_lines lines_of(const struct cli_arguments *arguments,
                                        enum ets_format format)
{
    if (format != ETS_FORMAT_TABLE && format != ETS_FORMAT_MARKDOWN) return ETS_LINES_COUNTED;
    if (cli_has(arguments, "--whole")) return ETS_LINES_ALL;
    return cli_has(arguments, "--context") ? ETS_LINES_CONTEXT : ETS_LINES_FUNCTIONS;
}

static bool parse(const struct cli_arguments *arguments, const struct cli_subject *subject,
                  struct request *request)
{
    bool ok = true;
    const char *output = cli_result_path(arguments);
    *request = (struct request){
        .inspect = cli_inspection_options(arguments, subject),
        .annotate =
            {
                .context = (uint32_t)cli_number(arguments, "--context", 0),
                .file = arguments->word_count > 1 ? arguments->words[1] : NULL,
                .steady = cli_has(arguments, "--steady"),
                .has_costs = cli_has(arguments, "--cost") || cli_has(arguments, "--machine"),
                .all_frames = cli_choice(arguments, "--frames", 0),
            },
    };
    if (cli_has(arguments, "--whole") && cli_has(arguments, "--context")) {
        cli_complain(CLI_USAGE, "--whole and --context exclude each other");
        ok = false;
    }
    if (cli_check_steady(arguments) != CLI_OK) ok = false;
    if (!ok || cli_filter_parse(arguments, &request->filter) != CLI_OK) return false;
    cli_style(arguments, output, &request->style);
    request->annotate.lines = lines_of(arguments, request->style.format);
    return true;
}

/* Notes files of which only the lines in the ETRecord are shown, and why. */
static void note_gaps(const struct ets_annotate_gaps *gaps, const struct cli_source_files *sources)
{
    if (gaps->changed > 0 && gaps->is_unknown) {
        cli_note(
            "%.*s: the ETRecord has no text of line %u, so the file is not shown; showing the "
            "lines stored in the ETRecord",
            ETS_TEXT(gaps->first_changed), gaps->changed_line);
    } else if (gaps->changed > 0) {
        cli_note(
            "%.*s: line %u is not as in the ETRecord; showing the lines stored in the ETRecord",
            ETS_TEXT(gaps->first_changed), gaps->changed_line);
    }
    cli_source_note(sources);
}

/* Explains an empty page: the file is not part of the model, or nothing was joined. */
static int complain_nothing(const struct ets_inspection *inspection, const char *file)
{
    bool is_known = false;
    struct cli_near near = {.word = file == NULL ? "" : file};
    char line[CLI_NEAR_COUNT * (CLI_NEAR_BYTES + 2) + 16];
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        for (size_t k = 0; k < row->node_count; k++) {
            const struct ets_graph_frame *frame = ets_graph_user_frame(row->nodes[k].node);
            if (frame == NULL) continue;
            cli_near_offer(&near, frame->file);
            is_known |= file != NULL && ets_path_ends_with(frame->file, file);
        }
    }
    if (file == NULL || near.count == 0) {
        return cli_complain(CLI_MISMATCH,
                            "no operator of the trace has a source line in the ETRecord");
    }
    if (is_known) {
        return cli_complain(CLI_MISMATCH,
                            "%s only runs inside delegate calls; --program shows its lines there",
                            file);
    }
    cli_near_print(&near, line, sizeof line);
    return cli_complain(CLI_USAGE, "no operator of the trace comes from a file %s%s", file, line);
}

/* Opens the program's instructions, for their bytes. */
static int open_delegations(const struct cli_subject *subject, struct request *request,
                            struct ets_delegation **delegations_out)
{
    struct ets_error error;
    const struct ets_delegation_options options = {.program = subject->program,
                                                   .record = subject->record};
    if (subject->program == NULL) return CLI_OK;
    const enum ets_status status = ets_delegation_open(&options, delegations_out, &error);
    if (status == ETS_MISMATCH && request->inspect.allow_mismatch) return CLI_OK;
    if (status != ETS_OK) return cli_fail(subject->path, &error);
    request->annotate.delegations = *delegations_out;
    return CLI_OK;
}

/* "run 3: all 40 values agree", above everything. */
static void lead_with_finding(struct ets_table *table, const struct ets_inspection *inspection,
                              const struct ets_gap_report *report)
{
    char text[1024] = "";
    if (ets_inspection_run_count(inspection) > 1) {
        snprintf(text, sizeof text, "run %u: ", ets_gap_run(report));
    }
    const size_t used = strlen(text);
    ets_gap_headline(report, &cli_advice, text + used, sizeof text - used);
    cli_headline("%s", text);
    ets_table_add_lead(table, cli_text(text));
}

static int write_table(const struct cli_arguments *arguments,
                       const struct ets_inspection *inspection, struct request *request)
{
    struct ets_table *table;
    struct ets_error error;
    struct ets_annotate_gaps gaps;
    struct cli_source_files sources = {.arguments = arguments};
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    request->annotate.filter = request->filter.filter;
    request->annotate.source = cli_source_find;
    request->annotate.source_context = &sources;
    int code = CLI_OK;
    if (request->annotate.gap != NULL) lead_with_finding(table, inspection, request->annotate.gap);
    if (ets_annotate_table_fill(table, inspection, &request->annotate, &gaps, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else if (ets_table_row_count(table) == 0) {
        code = complain_nothing(inspection, request->annotate.file);
    } else {
        if (request->annotate.lines != ETS_LINES_COUNTED) note_gaps(&gaps, &sources);
        const struct ets_text headline = ets_table_headline(table);
        if (headline.data != NULL && request->annotate.gap == NULL)
            cli_headline("%.*s", ETS_TEXT(headline));
        code = cli_write_table(arguments, table, &request->style);
    }
    cli_source_close(&sources);
    ets_table_close(table);
    return code;
}

/* The errors of the shown run, or of the first shown run with captured tensors. */
static int find_errors(struct cli_gap *gap, struct request *request)
{
    if (gap->subject->debug_buffer.data == NULL) return CLI_OK;
    int code = cli_gap_open(gap, request->annotate.block, request->annotate.run);
    if (code == CLI_OK) code = cli_gap_evaluate(gap);
    if (code == CLI_OK) code = cli_gap_check_buffer(gap);
    request->annotate.gap = gap->report;
    return code;
}

static int annotate(const struct cli_arguments *arguments, struct cli_subject *subject,
                    const struct cli_program *program)
{
    struct request request;
    struct ets_inspection *inspection = NULL;
    struct ets_delegation *delegations = NULL;
    struct cli_gap gap = {.arguments = arguments, .subject = subject, .program = program};
    if (!parse(arguments, subject, &request)) return CLI_USAGE;
    ets_arena_init(&request.arena, NULL, 0);
    int code =
        cli_machine_option(arguments, &request.arena, &request.machine, &request.annotate.threads);
    if (request.annotate.threads > 0) request.annotate.machine = &request.machine;
    if (code == CLI_OK) code = cli_open_inspection(subject, &request.inspect, &inspection);
    if (code == CLI_OK)
        code =
            cli_choose_rows(arguments, inspection, &request.annotate.block, &request.annotate.run);
    if (code == CLI_OK) {
        code = cli_filter_settle(&request.filter, inspection, subject->method,
                                 request.annotate.block, request.annotate.run);
    }
    if (code == CLI_OK) code = open_delegations(subject, &request, &delegations);
    if (code == CLI_OK) {
        cli_print_notes(inspection);
        if (subject->program == NULL) cli_note_whole_calls(inspection);
        gap.inspection = inspection;
        code = find_errors(&gap, &request);
    }
    if (code == CLI_OK) code = write_table(arguments, inspection, &request);
    cli_gap_close(&gap);
    ets_delegation_close(delegations);
    ets_inspection_close(inspection);
    ets_arena_reset(&request.arena);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    const char *reference = cli_first_given(arguments, reference_options);
    if (arguments->word_count == 0 || arguments->word_count > 2) {
        return cli_complain(CLI_USAGE,
                            "annotate needs a trace and optionally a source file: etscope annotate "
                            "profile.etdp --etrecord model.etrecord");
    }
    if (reference != NULL && !cli_has(arguments, "--debug-buffer")) {
        return cli_complain(CLI_USAGE, "%s needs --debug-buffer", reference);
    }
    const int code = cli_check_machine_threads(arguments);
    return code == CLI_OK ? cli_gap_check(arguments) : code;
}

static int cmd_annotate(const struct cli_arguments *arguments)
{
    struct cli_subject subject;
    struct cli_subject_files files;
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    code = cli_subject_open(arguments, arguments->words[0], &files, &subject);
    if (code == CLI_OK && subject.record == NULL) {
        code =
            cli_complain(CLI_USAGE, "annotate needs --etrecord, which contains the source lines");
    }
    if (code == CLI_OK) code = annotate(arguments, &subject, &files.model->program);
    cli_subject_close(&files, &subject);
    return code;
}

const struct cli_command cli_annotate_command = {
    .name = "annotate",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "print the model's source with the time and numeric error of each line",
    .arguments = "TRACE [FILE]",
    .description =
        "Reads an ETDump and the ETRecord of its program, and prints the functions of the model "
        "that took time, or only FILE. A margin shows for each line its time per run (mid: the "
        "mean over the middle half of the runs), its share of the run, how many operators it ran, "
        "and how many bytes they wrote. The time of a line is that of the operators whose "
        "innermost line it is; --frames all also adds the time of what the line called. If a "
        "delegate fused several lines into one operator, its time counts at the first line, which "
        "is marked +N. Source files are searched where the ETRecord names them, if that is below "
        "this folder, and below --source-root. A file is shown if it has every line that the "
        "ETRecord has of it; otherwise a note says why not, and the lines stored in the ETRecord "
        "are shown. With --debug-buffer, each line also shows the own and the total numeric error "
        "of its captured values against the reference of gap, and the guilty line is marked.",
    .options = option_list,
    .examples =
        "etscope annotate profile.etdp --etrecord model.etrecord --program model.pte\n"
        "etscope annotate profile.etdp --etrecord model.etrecord --source-root src zoo.py\n"
        "etscope annotate debug.etdp --etrecord model.etrecord --debug-buffer debug.bin\n"
        "etscope annotate profile.etdp --etrecord model.etrecord --frames all --format json",
    .guide = "inspect.md#annotate",
    .run = cmd_annotate,
};
