/* Writes the report of a run with the model that ran. */
#include "cli/inspect/profile_report.h"

#include "cli/core/what_to_type.h"
#include "cli/files/machine_option.h"
#include "cli/pages/print_report.h"
#include "etscope/file.h"

/* Without a file for the trace, the program names the report. */
static uint32_t list_inputs(const struct cli_session *session, const struct cli_subject *subject,
                            const char *record_path, struct ets_page_input *inputs)
{
    const char *trace_path = cli_value(session->arguments, "--output");
    const bool is_kept = trace_path != NULL;
    uint32_t count = 0;
    if (!is_kept) inputs[count++] = cli_report_input_file("program", session->path);
    inputs[count++] = cli_report_input("trace", is_kept ? trace_path : "not kept", subject->dump);
    if (subject->record != NULL) inputs[count++] = cli_report_input_file("record", record_path);
    if (is_kept) inputs[count++] = cli_report_input_file("program", session->path);
    if (session->debug.data != NULL) {
        inputs[count++] = cli_report_input(
            "debug buffer", cli_value(session->arguments, "--debug-buffer"), session->debug);
    }
    return count;
}

static int keep(struct cli_session *session, const struct cli_report *report)
{
    struct ets_output *output;
    struct ets_error error;
    char *text = NULL;
    size_t size = 0;
    if (ets_output_open_memory(&output, &text, &size, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    int code = cli_report_print(session->arguments, report, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail(NULL, &error);
    const struct ets_bytes bytes = {(const uint8_t *)text, size};
    code = cli_session_keep(session, cli_value(session->arguments, "--report"), &bytes, 1);
    ets_output_free(text);
    return code;
}

static int report_of(struct cli_session *session, const struct cli_subject *subject,
                     const char *record_path, struct ets_inspection *inspection,
                     const struct ets_machine *machine, uint32_t threads)
{
    const struct ets_study_record record = {record_path, subject->record};
    const struct ets_study_program program = {session->path, subject->program};
    const bool has_record = subject->record != NULL;
    struct ets_page_input inputs[4];
    const uint32_t count = list_inputs(session, subject, record_path, inputs);
    const char *trace_path = cli_value(session->arguments, "--output");
    const struct ets_study_trace trace = {.path = trace_path != NULL ? trace_path : "not kept",
                                          .inspection = inspection,
                                          .debug_buffer = session->debug,
                                          .record = has_record ? 0 : ETS_NO_INDEX,
                                          .program = 0};
    const struct ets_study_sources sources = {.traces = &trace,
                                              .trace_count = 1,
                                              .records = &record,
                                              .record_count = has_record,
                                              .programs = &program,
                                              .program_count = 1,
                                              .machine = threads > 0 ? machine : NULL,
                                              .threads = threads,
                                              .words = &cli_advice};
    const struct cli_report report = {.sources = &sources, .inputs = inputs, .input_count = count};
    return keep(session, &report);
}

int cli_profile_report(struct cli_session *session, const struct cli_subject *subject,
                       const char *record_path)
{
    struct ets_inspection *inspection = NULL;
    struct ets_machine machine;
    struct ets_arena arena;
    uint32_t threads = 0;
    struct cli_subject again = *subject;
    if (!cli_has(session->arguments, "--report")) return CLI_OK;
    const struct ets_inspect_options options = cli_inspection_options(session->arguments, subject);
    ets_arena_init(&arena, NULL, 0);
    int code = cli_open_inspection(&again, &options, &inspection);
    if (code == CLI_OK) code = cli_machine_option(session->arguments, &arena, &machine, &threads);
    if (code == CLI_OK) {
        code = report_of(session, subject, record_path, inspection, &machine, threads);
    }
    ets_inspection_close(inspection);
    ets_arena_reset(&arena);
    return code;
}
