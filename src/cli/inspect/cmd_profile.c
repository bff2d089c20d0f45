/* The command `profile`: runs a program and shows its operator table. */
#include <string.h>

#include "cli/inspect/profile_recordings.h"
#include "cli/inspect/profile_report.h"
#include "cli/inspect/profile_threads.h"
#include "cli/inspect/show.h"
#include "cli/inspect/show_memory.h"
#include "cli/open/session.h"
#include "cli/open/siblings.h"
#include "etscope/experimental/delegates.h"

const struct cli_option cli_profile_options[] = {
    {"--etrecord", NULL, "FILE", "The ETRecord of the export; adds source lines and modules", NULL,
     false},
    {"--no-siblings", NULL, NULL, "Ignore the ETRecord found beside the program", NULL, false},
    {"--runs", "-r", "N", "Number of runs; default 10", NULL, false},
    {"--trace", "-o", "FILE", "Also keep the trace (ETDump) in FILE", NULL, false},
    {"--report", NULL, "FILE", "Also write a report for a browser, as `report` does, to FILE", NULL,
     false},
    CLI_SHOW_OPTIONS,
    CLI_SHOW_OUTPUT_OPTION(NULL),
    CLI_MEMORY_OPTIONS,
    CLI_SESSION_OPTIONS,
    {"--threads", NULL, "N[,N...]",
     "Number of threads of the runtime; default: the runtime decides. A list such as 1,2,4: "
     "measure each in turns, and show what more threads gain; with -o, one trace for each",
     NULL, false},
    {"--recordings", NULL, "N",
     "Record the program N times, each time in a new process, and summarize the recordings; with "
     "--before: N times each, default 5",
     NULL, false},
    {"--before", NULL, "PROGRAM",
     "Compare with this program: record both in turn, in random order, each time in a new process; "
     "with -o, the traces are kept",
     NULL, false},
    {"--before-etrecord", NULL, "FILE",
     "The ETRecord of the program before; default: the one beside it", NULL, false},
    {"--block", NULL, "NAME", "Only this block, by name or number", NULL, false},
    {"--run", NULL, "N", "Only this run of the trace; runs count from 0", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Continue if the ETRecord and the program disagree", NULL,
     false},
    {NULL, NULL, NULL, NULL, NULL, false},
};

/* The method that ran, if there is only one. */
static const char *known_method(const struct cli_session *session)
{
    const struct cli_arguments *arguments = session->arguments;
    if (cli_value_at(arguments, "--method", 1) != NULL) return NULL;
    if (cli_has(arguments, "--method")) return cli_value(arguments, "--method");
    return session->engine->method_count(session->program) == 1
               ? session->engine->method_name(session->program, 0)
               : "forward"; /* what cli_session_execute ran then */
}

/* Checks before running that ETRecord and program belong together, as far as they show it. */
static int check_record(const struct cli_session *session)
{
    struct ets_delegation *delegations;
    struct ets_error error;
    const struct ets_delegation_options options = {.program = &session->model.program,
                                                   .record = session->record.record,
                                                   .method = known_method(session)};
    if (options.record == NULL || cli_has(session->arguments, "--allow-mismatch")) return CLI_OK;
    if (ets_delegation_open(&options, &delegations, &error) != ETS_OK) {
        return error.status == ETS_MISMATCH ? cli_fail(session->path, &error) : CLI_OK;
    }
    ets_delegation_close(delegations);
    return CLI_OK;
}

static bool explains_trace(void *context, const struct cli_record *record)
{
    const struct cli_session *session = context;
    return cli_trace_agrees(session->trace, record->record, &session->model.program);
}

/* Shows the trace, with the ETRecord that was given or lies beside the program. */
static int show(struct cli_session *session)
{
    struct cli_record found = {.file = NULL};
    struct cli_subject subject = {
        .path = session->path,
        .dump = session->trace,
        .debug_buffer = session->debug,
        .record = session->record.record,
        .program = &session->model.program,
        .method = known_method(session),
    };
    if (subject.record == NULL && !cli_wants_memory(session->arguments) &&
        cli_sibling_record(session->arguments, session->path, explains_trace, session, &found)) {
        subject.record = found.record;
    }
    const char *given = cli_value(session->arguments, "--etrecord");
    int code = cli_show(session->arguments, &subject);
    if (code == CLI_OK) {
        code = cli_profile_report(session, &subject, given != NULL ? given : found.path);
    }
    cli_record_close(&found);
    return code;
}

int cmd_profile(const struct cli_arguments *arguments)
{
    const char *tracer = cli_value(arguments, "--tracer");
    if (tracer != NULL && strcmp(tracer, "none") == 0) {
        return cli_complain(CLI_USAGE,
                            "profile needs a trace; use `run --tracer none` to run without one");
    }
    const char *trace_path = cli_value(arguments, "--trace");
    if (trace_path != NULL && strcmp(trace_path, "-") == 0) {
        return cli_complain(CLI_USAGE, "the table goes to standard output; -o needs a file");
    }
    const char *report_path = cli_value(arguments, "--report");
    if (report_path != NULL && strcmp(report_path, "-") == 0) {
        return cli_complain(CLI_USAGE, "the table goes to standard output; --report needs a file");
    }
    const char *debug_path = cli_value(arguments, "--debug-buffer");
    if (debug_path != NULL && strcmp(debug_path, "-") == 0) {
        return cli_complain(CLI_USAGE,
                            "the table goes to standard output; --debug-buffer needs a file");
    }
    if (cli_wants_recordings(arguments)) return cli_profile_recordings(arguments);
    if (cli_wants_thread_counts(arguments)) return cli_profile_threads(arguments);
    struct cli_session session;
    int code = cli_session_open(arguments, true, 10, 1, &session);
    if (code == CLI_OK) code = check_record(&session);
    session.measures_tracing = true;
    if (code == CLI_OK) code = cli_session_execute(&session);
    if (code == CLI_OK && trace_path != NULL) {
        code = cli_session_keep(&session, trace_path, &session.trace, 1);
    }
    /* What was measured is kept, even if whoever reads the table goes away. */
    if (code == CLI_OK) code = cli_session_commit(&session);
    if (code == CLI_OK) code = show(&session);
    if (code == CLI_OK) code = cli_session_commit(&session); /* the report */
    code = cli_session_end(&session, code);
    cli_session_close(&session);
    return code;
}
