/* Opens and evaluates the gap report of a run, for `gap` and `annotate`. */
#include "cli/values/gap_report.h"
#include "inspect/given_inputs.h"
#include "inspect/patterns.h"

#include <stdio.h>
#include <string.h>

#include "cli/beside/debug_buffer.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/progress.h"
#include "cli/session/session.h"
#include "cli/values/gap_inputs.h"
#include "cli/values/gap_references.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/gap.h"
#include "etscope/experimental/row_filter.h"
#include "etscope/inspect.h"
#include "host/os/os_system.h"
#include "views/gap_headline.h"

/* With which values of buffers the reference starts that earlier runs may have changed. */
static void note_buffers(const struct cli_gap *gap)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(gap->report);
    const struct ets_graph *graph = ets_gap_reference(gap->report);
    const uint32_t number = ets_gap_run(gap->report);
    const struct ets_run *run = ets_inspection_run(gap->inspection, number);
    const struct ets_block *block = ets_inspection_block(gap->inspection, run->block);
    const bool is_told = run->method.data != NULL;
    if (verdict->followed_runs > 0) {
        cli_note("the reference starts with the buffers that %u earlier %s left%s%s",
                 verdict->followed_runs, verdict->followed_runs == 1 ? "run" : "runs",
                 verdict->state_reason != NULL ? "; " : "",
                 verdict->state_reason != NULL ? verdict->state_reason : "");
        return;
    }
    if (is_told ? run->invocation == 0 : number == block->first_run) return;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role != ETS_OUTPUT_BUFFER_MUTATION) continue;
        cli_note(
            "the model changes buffers, and the reference starts with those of the ETRecord, but "
            "run %u is not the first%s%s: compare the first run",
            number,
            verdict->state_reason != NULL ? ", and what earlier ones left is not known: " : "",
            verdict->state_reason != NULL ? verdict->state_reason : "");
        return;
    }
}

/* Captured values that no node of the reference computes. */
static void note_left_out(const struct cli_gap *gap)
{
    const struct ets_gap_value *first = NULL;
    uint32_t count = 0;
    bool is_one_reason = true;
    for (uint32_t i = 0; i < ets_gap_value_count(gap->report); i++) {
        const struct ets_gap_value *value = ets_gap_value(gap->report, i);
        if (value->is_argument || value->node != NULL || value->reason == NULL) continue;
        if (first == NULL) first = value;
        is_one_reason = is_one_reason && strcmp(first->reason, value->reason) == 0;
        count++;
    }
    if (count == 0) return;
    const struct ets_text name = ets_captured_value_operator(gap->inspection, &first->captured);
    cli_note("%u captured %s not compared (%s%s; %.*s); --alignment lists %s", count,
             count == 1 ? "value was" : "values were",
             is_one_reason ? "" : "first: ", first->reason, ETS_TEXT(name),
             count == 1 ? "it" : "them");
}

/* Notes what the reference could not evaluate, or evaluated in another way than requested. */
static void print_notes(const struct cli_gap *gap)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(gap->report);
    const char *reason = ets_gap_reference_reason(gap->report);
    char tolerances[1024];
    if (reason != NULL) cli_note("compared with the edge program: %s", reason);
    if (verdict->other_input != ETS_NO_INDEX) {
        cli_note(
            "input %u of the run differs from that of the reference; give the run's inputs with "
            "--input or --case",
            verdict->other_input);
    }
    note_buffers(gap);
    if (verdict->unpaired > 0) {
        cli_note("%u %s of the reference %s no counterpart in the model that ran",
                 verdict->unpaired, verdict->unpaired == 1 ? "operator" : "operators",
                 verdict->unpaired == 1 ? "has" : "have");
    }
    if (verdict->fallbacks > 0) {
        cli_note(
            "%u %s could not be evaluated in the exported graph; used the edge graph; the first: "
            "%s",
            verdict->fallbacks, verdict->fallbacks == 1 ? "node" : "nodes",
            verdict->fallback_reason);
    }
    if (verdict->in_double && verdict->single > 0) {
        cli_note(
            "%u %s no kernel that computes in float64; the reference uses the types of the "
            "ETRecord there",
            verdict->single, verdict->single == 1 ? "node has" : "nodes have");
    }
    note_left_out(gap);
    if (ets_gap_describe_tolerances(gap->report, tolerances, sizeof tolerances) > 0) {
        cli_note("tolerance: %s", tolerances);
    }
    for (size_t i = 0; i < gap->comparators.count; i++) {
        const char *refusal = ets_gap_comparator_reason(gap->report, (uint32_t)i);
        if (refusal == NULL) continue;
        cli_note("comparator %s: %s", gap->comparators.comparators[i]->name, refusal);
    }
    if (verdict->uncovered > 0) {
        cli_note("%u %s could not be evaluated; the first: %s", verdict->uncovered,
                 verdict->uncovered == 1 ? "node" : "nodes", verdict->uncovered_reason);
    }
}

int cli_gap_check(const struct cli_arguments *arguments)
{
    const bool has_trace = cli_has(arguments, "--reference-trace");
    if (cli_has(arguments, "--reference-npy") &&
        (has_trace || cli_has(arguments, "--reference-etrecord"))) {
        return cli_complain(CLI_USAGE, "--reference-npy excludes other references");
    }
    if (cli_has(arguments, "--reference-debug-buffer") && !has_trace) {
        return cli_complain(CLI_USAGE, "--reference-debug-buffer needs --reference-trace");
    }
    if (cli_has(arguments, "--reference-dtype") &&
        (has_trace || cli_has(arguments, "--reference-npy"))) {
        return cli_complain(CLI_USAGE, "--reference-dtype needs a reference that is computed");
    }
    return CLI_OK;
}

static int start_engine(struct cli_gap *gap)
{
    struct cli_session session = {.arguments = gap->arguments};
    const int code = cli_session_engine(&session);
    gap->library = session.library;
    gap->engine = session.engine;
    return code;
}

/* Names the file at fault: inputs that do not fit are not the ETRecord's fault. */
static int complain_of_evaluation(const struct cli_gap *gap, enum ets_status status,
                                  const struct ets_error *error)
{
    const char *other = cli_value(gap->arguments, "--reference-etrecord");
    const char *record = other != NULL ? other : cli_value(gap->arguments, "--etrecord");
    const bool is_given = cli_has(gap->arguments, "--input") || cli_has(gap->arguments, "--case");
    const int code = cli_fail(status == ETS_INVALID_ARGUMENT && is_given ? NULL : record, error);
    if (status == ETS_NOT_FOUND || status == ETS_UNSUPPORTED) {
        cli_note("--alignment, --reference-trace and --reference-npy need no evaluation");
    }
    return code;
}

static void show_progress(void *context, uint64_t done, uint64_t all)
{
    cli_progress_count(context, "value", (double)done, (double)all);
}

/* Whether the trace keeps what the run was given. */
static bool keeps_inputs(const struct cli_gap *gap, int32_t test_case)
{
    struct ets_arena arena;
    struct ets_value *kept;
    size_t count = 0;
    ets_arena_init(&arena, NULL, 0);
    (void)ets_given_inputs_read(&arena, gap->inspection, ets_gap_method(gap->report), test_case,
                                &kept, &count, NULL); /* no memory: the gap says so */
    ets_arena_reset(&arena);
    return count > 0;
}

static int compute(struct cli_gap *gap)
{
    struct cli_progress progress = cli_progress_start();
    static const struct ets_value nothing;
    struct cli_gap_inputs inputs = {.count = 0};
    struct ets_error error;
    const struct ets_run *run = ets_inspection_run(gap->inspection, ets_gap_run(gap->report));
    const char *other = cli_value(gap->arguments, "--reference-etrecord");
    int code = other == NULL ? CLI_OK : cli_record_open(other, &gap->other);
    if (code != CLI_OK) return code;
    const bool takes_any = ets_gap_input_count(gap->report) > 0;
    const bool is_kept = keeps_inputs(gap, run->bundled_input_index);
    if (takes_any) {
        code = cli_gap_inputs_open(gap->arguments, gap->program, ets_gap_method(gap->report),
                                   run->bundled_input_index, is_kept, &inputs);
    }
    if (code == CLI_OK && takes_any && inputs.count == 0 && !is_kept) {
        code =
            cli_check_record_inputs(cli_value(gap->arguments, "--etrecord"), gap->subject->record);
    }
    if (code == CLI_OK) {
        ets_os_keep_released_memory();
        const struct ets_gap_evaluation how = {
            .engine = gap->engine,
            .inputs = takes_any ? inputs.values : &nothing,
            .input_count = inputs.count,
            .use_double = cli_choice(gap->arguments, "--reference-dtype", 0) == 0,
            .memory_limit = cli_evaluation_bytes(),
            .progress = show_progress,
            .progress_context = &progress};
        const enum ets_status status =
            other != NULL ? ets_gap_evaluate_other(gap->report, gap->other.record, &how, &error)
                          : ets_gap_evaluate(gap->report, &how, &error);
        cli_progress_end(&progress);
        if (status != ETS_OK) code = complain_of_evaluation(gap, status, &error);
    }
    cli_gap_inputs_close(&inputs);
    return code;
}

/* The first run of --method (if several ran) with captured values; ETS_NO_INDEX: none. */
static uint32_t run_of_method(const struct cli_gap *gap)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_row_filter method = {.method = gap->subject->method};
    ets_captured_values_init(&values, gap->inspection, gap->subject->debug_buffer, NULL);
    while (method.method != NULL && ets_captured_values_next(&values, &value)) {
        const uint32_t block = ets_inspection_run(gap->inspection, value.run)->block;
        if (ets_row_filter_has_block(&method, ets_inspection_block(gap->inspection, block))) {
            return value.run;
        }
    }
    return ETS_NO_INDEX;
}

/* Reports an unknown --reference, and lists the graphs of the ETRecord. */
static int complain_reference(const struct cli_gap *gap, const struct ets_error *error)
{
    char names[512] = "";
    size_t used = 0;
    const char *name;
    for (size_t i = 0; (name = ets_etrecord_graph_name(gap->subject->record, i)) != NULL; i++) {
        if (used + strlen(name) + 3 > sizeof names) break;
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", name);
    }
    return cli_complain(CLI_INPUT, "%s: %s; --reference takes aten, edge%s",
                        cli_value(gap->arguments, "--etrecord"), error->message, names);
}

int cli_gap_open(struct cli_gap *gap, uint32_t block, uint32_t run)
{
    struct ets_error error;
    struct ets_gap_options options = {.inspection = gap->inspection,
                                      .record = gap->subject->record,
                                      .debug_buffer = gap->subject->debug_buffer,
                                      .run = run,
                                      .reference = cli_value(gap->arguments, "--reference"),
                                      .comparators = gap->comparators.comparators,
                                      .comparator_count = (uint32_t)gap->comparators.count,
                                      .tolerances = gap->tolerances.rules,
                                      .tolerance_count = gap->tolerances.count};
    if (run == ETS_NO_INDEX) {
        options.run = block == ETS_NO_INDEX
                          ? run_of_method(gap)
                          : ets_inspection_block(gap->inspection, block)->first_run;
    }
    if (ets_gap_open(&options, &gap->report, &error) == ETS_OK) return CLI_OK;
    return options.reference != NULL && error.status == ETS_NOT_FOUND
               ? complain_reference(gap, &error)
               : cli_fail(gap->subject->path, &error);
}

static int refer(struct cli_gap *gap)
{
    if (cli_has(gap->arguments, "--reference-trace")) {
        return cli_gap_compare_trace(gap->arguments, gap->subject->record, gap->report);
    }
    if (cli_has(gap->arguments, "--reference-npy")) {
        return cli_gap_compare_files(cli_value(gap->arguments, "--reference-npy"), gap->report);
    }
    const int code = start_engine(gap);
    return code == CLI_OK ? compute(gap) : code;
}

int cli_gap_evaluate(struct cli_gap *gap)
{
    cli_note_debug_buffer(gap->inspection, gap->subject->debug_buffer_path,
                          gap->subject->debug_buffer);
    const int code = refer(gap);
    if (code == CLI_OK) print_notes(gap);
    return code;
}

int cli_gap_check_buffer(const struct cli_gap *gap)
{
    const struct ets_captured_value *first = NULL;
    uint32_t outside = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(gap->report); i++) {
        const struct ets_captured_value *value = &ets_gap_row(gap->report, i)->value->captured;
        if (value->status == ETS_TRUNCATED && outside++ == 0) first = value;
    }
    if (outside == 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: %u of the values to compare are missing: %s",
                        cli_path_name(gap->subject->debug_buffer_path), outside,
                        first->reason.message);
}

void cli_gap_close(struct cli_gap *gap)
{
    ets_gap_close(gap->report);
    cli_record_close(&gap->other);
    ets_engine_close(gap->library);
    cli_comparators_close(&gap->comparators);
    cli_tolerances_close(&gap->tolerances);
}
