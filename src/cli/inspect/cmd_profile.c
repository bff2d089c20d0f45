/* The command `profile`: runs a program and shows its operator table. */
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/cli_text.h"
#include "cli/inspect/profile_recordings.h"
#include "cli/inspect/profile_report.h"
#include "cli/inspect/profile_threads.h"
#include "cli/inspect/show.h"
#include "cli/inspect/show_memory.h"
#include "cli/session/session.h"
#include "cli/target/target.h"
#include "etscope/experimental/delegates.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program"},
    {"--runs", .help = "Number of runs; default 10"},
    {"--output", .aliases = {"--trace"}, .help = "Also keep the trace (ETDump) in FILE"},
    {"--report"},
    CLI_SHOW_OPTIONS,
    {"--table", .help = "Write the table to FILE instead of standard output; FILE.svg with "
                        "--machine: a roofline chart"},
    CLI_MEMORY_OPTIONS,
    CLI_SESSION_OPTIONS,
    {"--threads", .value = "N[,N...]",
     .help =
         "Number of threads of the runtime; default: the runtime decides. A list such as 1,2,4: "
         "measure each in turns, and show what more threads gain; with -o, one trace for each"},
    {"--recordings"},
    {"--before", .value = "PROGRAM",
     .help = "Compare with this program: record both in turn, in random order, each time in a new "
             "process; with -o, the traces are kept"},
    {"--before-etrecord"},
    {"--block"},
    {"--run"},
    {"--allow-mismatch", .help = "Continue if the ETRecord and the program disagree"},
    CLI_TARGET_OPTIONS,
    {NULL},
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

/* Whether a file is named as a table or picture, which --output wrote in an earlier version. */
static bool names_table(const char *path)
{
    static const char *const endings[] = {".txt",   ".tsv", ".csv", ".json",
                                          ".jsonl", ".md",  ".svg", ".html"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (cli_ends_with(path, endings[i])) return true;
    }
    return false;
}

static int cmd_profile(const struct cli_arguments *arguments)
{
    const char *tracer = cli_value(arguments, "--tracer");
    if (tracer != NULL && strcmp(tracer, "none") == 0) {
        return cli_complain(CLI_USAGE,
                            "profile needs a trace; use `run --tracer none` to run without one");
    }
    const char *trace_path = cli_value(arguments, "--output");
    if (trace_path != NULL && names_table(trace_path)) {
        return cli_complain(CLI_USAGE,
                            "--output of profile is the trace: --table %s writes the table there",
                            trace_path);
    }
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
    if (cli_has(arguments, "--run") && !cli_has(arguments, "--runs")) {
        const char *run = cli_value(arguments, "--run");
        cli_note("--run %s shows only run %s of all; --runs %s runs the program that often", run,
                 run, run);
    }
    if (cli_wants_recordings(arguments)) return cli_profile_recordings(arguments);
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
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

const struct cli_command cli_profile_command = {
    .name = "profile",
    .task = CLI_TASK_MEASURE,
    .summary = "run a program and show what each operator costs",
    .arguments = "MODEL",
    .description =
        "Runs MODEL (a .pte or .bpte) on the ExecuTorch runtime, records a trace, and prints the "
        "operator table of `inspect`. The default is 10 runs after 1 warm-up run.",
    .options = option_list,
    .examples =
        "etscope profile model.pte --etrecord model.etrecord\n"
        "etscope profile model.bpte --runs 100 --group-by module",
    .guide = "profile.md",
    .run = cmd_profile,
};
