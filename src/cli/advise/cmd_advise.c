/* The command `advise`: says what to change in a model, and what that would save. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise/fail_on.h"
#include "cli/core/cli_text.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/files/trace_file.h"
#include "cli/traces/inspected.h"
#include "cli/traces/sql_sources.h"
#include "cli/values/captured_gaps.h"
#include "output/table/advice_table.h"
#include "output/text/advice_sarif.h"
#include "output/text/junit.h"
#include "study/study_advice.h"

static const struct cli_command_option option_list[] = {
    {"--program", .is_repeatable = true},
    {"--etrecord", .is_repeatable = true,
     .help = "The ETRecord of the export; adds why operators are outside of delegates, and source "
             "lines"},
    {"--debug-buffer", .is_repeatable = true,
     .help = "The captured tensors, which add the operator that is wrong; default: the .bin file "
             "beside the trace"},
    CLI_REFERENCE_RECORD_OPTION,
    {"--method"},
    {"--machine", .help = "A machine (etscope machine --save); adds operators far below its roofs"},
    {"--one-thread"},
    {"--threads", .help = "How many threads ran, for --machine; default: the most measured"},
    {"--engine", .help = "The engine plug-in, which evaluates what captured tensors are compared "
                         "with; default: search the usual places"},
    {"--no-siblings"},
    {"--all", .help = "Also show observations without advice"},
    {"--fail-on"},
    {"--format", .value = "text|json|jsonl|csv|tsv|markdown|sarif|junit",
     .help = "Output format; sarif shows findings at the model's lines on code hosts"},
    {"--color"},
    {"--width", .help = "Width of the text in characters; default: the terminal's, or no limit"},
    {"--output", .help = "Write to FILE instead of standard output"},
    {"--source-time-scale"},
    {"--subtract-overhead"},
    {"--partial", .help = "Read the intact parts of a damaged trace"},
    {"--allow-mismatch"},
    {NULL},
};

enum format { TEXT, JSON, JSONL, CSV, TSV, MARKDOWN, SARIF, JUNIT };

/* What was found, and how it is told. */
struct advice {
    const struct cli_arguments *arguments;
    const char *buffer; /* path of the debug buffer; NULL: none */
    struct ets_study study;
    struct cli_captured_gaps gaps;
    struct ets_file *one_file; /* of --one-thread */
    struct ets_inspection *one_thread;
    struct ets_study_advice of;
    const struct ets_findings *found;
    char missing[1024];
    const char *checks[ETS_CHECK_COUNT];
    bool is_short; /* of memory */
    struct ets_advice_page page;
};

static const char *first_trace(const struct advice *a)
{
    return a->study.sources.trace_count > 0 ? a->study.sources.traces[0].path : NULL;
}

/* Whether times of the trace are those of capturing, too. */
static bool is_captured(const struct advice *a)
{
    for (uint32_t i = 0; i < a->found->count; i++) {
        if (strcmp(a->found->items[i].kind, "captured") == 0) return true;
    }
    return false;
}

/* Words a check; returns false if memory runs out. */
static bool word_check(struct advice *a, enum ets_check check, const char *format, ...)
    ETS_PRINTF(3, 4);
static bool word_check(struct advice *a, enum ets_check check, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    char *text = size < 0 ? NULL : ets_arena_alloc(&a->study.arena, (size_t)size + 1);
    if (text != NULL) (void)vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    a->checks[check] = text;
    return text != NULL;
}

/* A file as a shell reads it back, or "" for none. */
static const char *quoted(struct advice *a, const char *path)
{
    const char *text = path == NULL ? "" : cli_shell_word(&a->study.arena, path);
    a->is_short |= text == NULL;
    return text == NULL ? "" : text;
}

/* The command that compares a trace of before with one of after. Of two programs only the files of
 * both tell which operator is which. */
static bool word_difference(struct advice *a, const char *trace, const char *program)
{
    char text[4096];
    struct ets_text_builder line = {text, sizeof text, 0};
    const struct ets_study_sources *sources = &a->study.sources;
    const bool has_record = sources->record_count > 0, has_program = sources->program_count > 0;
    const char *record = quoted(a, has_record ? sources->records[0].path : NULL);
    const char *after = strcmp(trace, "NEW.etdp") == 0 ? "NEWER.etdp" : "NEW.etdp";
    const char *inputs = has_record ? " --etrecord NEW.etrecord" : ""; /* representative ones */
    if (*trace == '\0' || is_captured(a)) {
        trace = "OLD.etdp";
        ets_add_text(&line, "etscope profile %s", program);
        if (has_record) ets_add_text(&line, " --etrecord %s", record);
        ets_add_text(&line, " -o %s && ", trace);
    }
    ets_add_text(&line, "etscope profile NEW.pte%s -o %s && etscope diff %s %s", inputs, after,
                 trace, after);
    if (has_record) ets_add_text(&line, " --etrecord %s --etrecord-b NEW.etrecord", record);
    if (has_program) ets_add_text(&line, " --program %s --program-b NEW.pte", program);
    return !a->is_short && word_check(a, ETS_CHECK_DIFFERENCE, "%s", text);
}

/* The commands that check, with the files at hand; what is not made yet has a name in capitals. */
static bool word_checks(struct advice *a)
{
    const struct ets_study_sources *sources = &a->study.sources;
    const char *trace = quoted(a, first_trace(a));
    const char *program =
        quoted(a, sources->program_count > 0 ? sources->programs[0].path : "MODEL.pte");
    const char *buffer = quoted(a, a->buffer);
    const char *record = quoted(a, cli_value(a->arguments, "--etrecord"));
    const char *reference = quoted(a, cli_value(a->arguments, "--reference-etrecord"));
    bool ok = !a->is_short;
#define WORD(check, ...) ok = ok && word_check(a, check, __VA_ARGS__)
    ok = ok && word_difference(a, trace, program);
    WORD(ETS_CHECK_DELEGATES, "etscope delegates NEW.pte");
    if (*trace != '\0' && *buffer != '\0') {
        WORD(ETS_CHECK_NUMBERS, "etscope gap %s --debug-buffer %s%s%s%s%s", trace, buffer,
             *record == '\0' ? "" : " --etrecord ", record,
             *reference == '\0' ? "" : " --reference-etrecord ", reference);
    } else {
        WORD(ETS_CHECK_NUMBERS,
             "etscope run %s --capture intermediates -o TRACE --debug-buffer BUFFER, then etscope "
             "gap TRACE --debug-buffer BUFFER",
             program);
    }
    WORD(ETS_CHECK_MEMORY, "etscope memory %s --what-if", program);
    WORD(ETS_CHECK_SIZE, "etscope size NEW.pte");
    WORD(ETS_CHECK_RUNS, "etscope profile %s --runs 50 -o NEW.etdp, then etscope advise NEW.etdp",
         program);
    WORD(ETS_CHECK_THREADS, "etscope profile %s --threads 1,2 --runs 50", program);
    WORD(ETS_CHECK_EXECUTION, "etscope run NEW.pte");
    WORD(ETS_CHECK_PROGRAM, "etscope advise --program NEW.pte");
#undef WORD
    a->page.checks = a->checks;
    return ok;
}

/* What captured values were compared with, and what that does not tell. */
static void word_compared(const struct advice *a, struct ets_text_builder *line)
{
    const struct ets_gap_report *report = a->gaps.reports[0];
    if (report == NULL) return;
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const char *reference = cli_value(a->arguments, "--reference-etrecord");
    uint32_t compared = 0, agreeing = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        compared += ets_gap_row(report, i)->has_total;
        agreeing += ets_gap_row(report, i)->finding == ETS_GAP_AGREES;
    }
    ets_add_text(line, ". %u of %u compared values agree with ", agreeing, compared);
    if (verdict->against == ETS_GAP_AGAINST_OTHER) {
        ets_add_text(line, "the model of %s", reference);
    } else if (verdict->is_quantized) {
        ets_add_text(line,
                     "the program's own quantized graph: this checks kernels and delegates, not "
                     "what quantization costs, which --reference-etrecord tells with the ETRecord "
                     "of the float model");
    } else {
        ets_add_text(line, "the program's own graph: this checks kernels and delegates");
    }
}

/* What was not looked at, and what would permit it. */
static void word_missing(struct advice *a)
{
    const struct ets_study_sources *sources = &a->study.sources;
    struct ets_text_builder line = {a->missing, sizeof a->missing, 0};
    const bool has_buffer = a->buffer != NULL;
#define MISSES(is_missing, ...)                                              \
    if (is_missing) {                                                        \
        ets_add_text(&line, "%s", line.used == 0 ? "Not examined: " : "; "); \
        ets_add_text(&line, __VA_ARGS__);                                    \
    }
    MISSES(sources->trace_count == 0,
           "times (needs a trace), whether numbers are right (needs captured tensors: etscope run "
           "--capture intermediates)")
    MISSES(sources->program_count == 0, "the program (--program)")
    MISSES(sources->record_count == 0, "why operators are not delegated (--etrecord)")
    MISSES(sources->trace_count > 0 && !has_buffer, "whether numbers are right (--debug-buffer)")
    MISSES(has_buffer && a->gaps.reason[0] != '\0', "%s", a->gaps.reason)
    MISSES(sources->trace_count > 0 && sources->machine == NULL,
           "how far operators are from the machine's limits (--machine)")
#undef MISSES
    if (line.used > 0) a->page.missing = a->missing;
}

/* The findings of the trace, or of the program. */
static int examine(struct advice *a)
{
    struct ets_error error;
    const enum ets_status status =
        ets_study_advise(&a->study, cli_has(a->arguments, "--all"), &a->of, &error);
    if (status == ETS_INVALID_ARGUMENT) return cli_complain(CLI_USAGE, "%s", error.message);
    if (status != ETS_OK) return cli_fail(NULL, &error);
    a->found = &a->of.of->found;
    a->page = (struct ets_advice_page){.headline = a->of.headline,
                                       .is_undecided = a->of.is_undecided,
                                       .findings = a->of.shown,
                                       .count = a->of.count,
                                       .hidden = a->found->count - a->of.count,
                                       .more = "--all shows them",
                                       .tick_ns = a->of.tick_ns};
    struct ets_text_builder line = {a->of.headline, sizeof a->of.headline, strlen(a->of.headline)};
    word_compared(a, &line);
    word_missing(a);
    return word_checks(a) ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for the findings");
}

static uint32_t count_failing(const struct advice *a)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->found->count; i++) {
        count += cli_fails(a->arguments, &a->found->items[i]);
    }
    /* What was not read is no pass. */
    return count + (a->page.is_undecided && cli_has(a->arguments, "--fail-on"));
}

static bool write_junit(const struct advice *a, struct ets_output *output)
{
    struct ets_junit_case *cases = calloc(a->page.count + 1, sizeof *cases);
    uint32_t count = a->page.count;
    if (cases == NULL) return false;
    for (uint32_t i = 0; i < a->page.count; i++) {
        const struct ets_finding *finding = a->page.findings[i];
        const struct ets_graph_frame *frame = finding->frame_count > 0 ? finding->frames[0] : NULL;
        cases[i] = (struct ets_junit_case){
            .class_name = "advice",
            .name = finding->kind,
            .file = frame == NULL ? NULL : frame->file.data,
            .line = frame == NULL ? 0 : frame->line,
            .result = cli_fails(a->arguments, finding) ? ETS_JUNIT_FAILURE : ETS_JUNIT_PASS,
            .type = ets_severity_name(finding->severity),
            .message = finding->sentence.data,
            .output = finding->action.data,
            .seconds = NAN};
    }
    if (a->page.is_undecided) {
        cases[count++] = (struct ets_junit_case){
            .class_name = "advice",
            .name = ETS_ADVICE_UNREAD,
            .result = cli_has(a->arguments, "--fail-on") ? ETS_JUNIT_ERROR : ETS_JUNIT_SKIPPED,
            .type = "undecided",
            .message = a->page.headline,
            .seconds = NAN};
    }
    ets_junit_write("etscope advise", cases, count, output);
    free(cases);
    return true;
}

static int write_text(const struct advice *a, enum format format, const char *path)
{
    struct ets_table_style style;
    struct ets_output *output;
    struct ets_error error;
    bool ok = true;
    cli_style(a->arguments, path, &style);
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (format == TEXT) ets_advice_write_text(&a->page, style.width, style.is_colored, output);
    if (format == MARKDOWN) ets_advice_write_markdown(&a->page, output);
    if (format == SARIF) ets_advice_write_sarif(&a->page, output);
    if (format == JUNIT) ok = write_junit(a, output);
    if (!ok) {
        ets_output_discard(output);
        return cli_complain(CLI_INTERNAL, "no memory for %u findings", a->page.count);
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

static int write_rows(struct advice *a)
{
    struct ets_table *table;
    struct ets_error error;
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_advice_table_fill(table, &a->study, &a->of);
    cli_headline("%s", a->of.headline);
    if (a->page.missing != NULL) cli_note("%s", a->page.missing);
    const int code = cli_write_styled(a->arguments, table);
    ets_table_close(table);
    return code;
}

static int show(struct advice *a)
{
    const enum format format = (enum format)cli_choice(a->arguments, "--format", TEXT);
    const char *path = cli_result_path(a->arguments);
    const bool is_text = format == TEXT || format == MARKDOWN || format == SARIF || format == JUNIT;
    return is_text ? write_text(a, format, path) : write_rows(a);
}

/* A record that was named must be the program's; one beside it is left out where it is not. */
static int read_coverage(struct advice *a)
{
    const struct ets_study_sources *sources = &a->study.sources;
    struct ets_error error;
    const enum ets_status status = ets_study_coverage(
        &a->study, cli_has(a->arguments, "--allow-mismatch"), &a->of.coverage, &error);
    if (status == ETS_OK) return CLI_OK;
    return cli_fail(sources->record_count > 0 ? sources->records[0].path : NULL, &error);
}

/* Opens the trace of --one-thread with the files of the other. */
static int open_one_thread(struct advice *a, const struct ets_study_sources *sources)
{
    const char *path = cli_value(a->arguments, "--one-thread");
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (cli_trace_open(path, &a->one_file, &error) != ETS_OK) return cli_fail(path, &error);
    struct cli_subject subject = {
        .path = path,
        .dump = ets_file_bytes(a->one_file),
        .file = a->one_file,
        .record = sources->record_count > 0 ? sources->records[0].record : NULL,
        .program = sources->program_count > 0 ? sources->programs[0].program : NULL};
    const struct ets_inspect_options options = cli_inspection_options(a->arguments, &subject);
    const int code = cli_open_inspection(&subject, &options, &a->one_thread);
    return code;
}

static int advise(const struct cli_arguments *arguments, const struct ets_study_sources *given,
                  const char *buffer)
{
    struct ets_study_sources sources = *given;
    struct ets_error error;
    struct advice *a = calloc(1, sizeof *a);
    if (a == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    a->arguments = arguments;
    a->buffer = buffer;
    int code = cli_captured_gaps_open(arguments, &sources, &a->gaps);
    if (code == CLI_OK) code = open_one_thread(a, &sources);
    sources.gaps = (const struct ets_gap_report *const *)a->gaps.reports;
    sources.one_thread = a->one_thread;
    sources.checks = a->checks;
    if (code == CLI_OK && ets_study_init(&a->study, &sources, NULL, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    }
    if (code == CLI_OK) code = read_coverage(a);
    if (code == CLI_OK) code = examine(a);
    if (code == CLI_OK) code = show(a);
    if (code == CLI_OK && count_failing(a) > 0) code = CLI_NEGATIVE;
    ets_study_reset(&a->study);
    ets_inspection_close(a->one_thread);
    ets_file_close(a->one_file);
    cli_captured_gaps_close(&a->gaps);
    free(a);
    return code;
}

static int check(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0 && !cli_has(arguments, "--program")) {
        return cli_complain(CLI_USAGE,
                            "advise needs a trace or a program: etscope advise trace.etdp "
                            "--program model.pte");
    }
    if (cli_has(arguments, "--one-thread") && arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "--one-thread needs a trace with more threads to compare");
    }
    const int code = cli_check_fail_on(arguments);
    return code == CLI_OK ? cli_check_machine_threads(arguments) : code;
}

static int cmd_advise(const struct cli_arguments *arguments)
{
    int code = check(arguments);
    if (code != CLI_OK) return code;
    struct cli_sql_sources *sources = calloc(1, sizeof *sources);
    if (sources == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    sources->wants_record = sources->wants_values = true;
    struct ets_arena arena;
    struct ets_machine machine;
    ets_arena_init(&arena, NULL, 0);
    code = cli_sql_sources_open(sources, arguments, 0);
    if (code == CLI_OK) {
        code = cli_machine_option(arguments, &arena, &machine, &sources->all.threads);
    }
    if (sources->all.threads > 0) sources->all.machine = &machine;
    if (code == CLI_OK && sources->all.trace_count > 1) {
        code =
            cli_complain(CLI_USAGE, "advise examines one trace; summary and diff compare several");
    }
    if (code == CLI_OK && sources->all.trace_count == 0 && cli_has(arguments, "--method")) {
        code = cli_complain(CLI_USAGE,
                            "--method chooses a method of a trace; without one, advise examines "
                            "all methods of the program: leave it out");
    }
    const char *given = cli_value(arguments, "--debug-buffer");
    const char *found = sources->all.trace_count > 0 ? sources->trace_files[0].debug_path : NULL;
    if (code == CLI_OK) code = advise(arguments, &sources->all, given != NULL ? given : found);
    cli_sql_sources_close(sources);
    ets_arena_reset(&arena);
    free(sources);
    return code;
}

const struct cli_command cli_advise_command = {
    .name = "advise",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "say what to change in a model, and what that would save",
    .arguments = "[TRACE]",
    .description =
        "Examines TRACE with its program and ETRecord, given or found beside it, and with captured "
        "tensors if --debug-buffer gives them, and lists what to change: operators outside of "
        "delegates and why, partitions that a kernel splits, layout changes, work that is the same "
        "in every run, operators that XNNPACK computes wrongly, weights that are there twice, and "
        "more. Each finding says what to do, where, what it rests on, what it saves of a run (a "
        "range, or at most so much), and how to check it. The first line adds up what all changes "
        "save together. With --program alone, says what can be said before anything runs. "
        "docs/advice.md lists the kinds of findings.",
    .options = option_list,
    .examples =
        "etscope advise profile.etdp --program model.pte --etrecord model.etrecord\n"
        "etscope advise --program model.pte --format sarif -o advice.sarif\n"
        "etscope advise profile.etdp --fail-on wrong --fail-on 5%",
    .guide = "advice.md",
    .run = cmd_advise,
};
