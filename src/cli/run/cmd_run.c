/* The command `run`: runs a program and records its trace. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/open/session.h"
#include "cli/open/trace_notes.h"
#include "cli/run/print_outputs.h"

const struct cli_option cli_run_options[] = {
    {"--trace", "-o", "FILE", "Write the trace (ETDump) to FILE", NULL, false},
    {"--runs", "-r", "N", "Number of runs; default 1", NULL, false},
    {"--etrecord", NULL, "FILE", "The ETRecord, for --inputs etrecord", NULL, false},
    {"--print-outputs", "--print_output", "none|summary|all",
     "Print the outputs of each method's last run as NumPy does, large ones shortened or in full",
     NULL, false},
    {"--memory", NULL, NULL,
     "Also count what allocates how much memory; `inspect --memory` shows it from the trace", NULL,
     false},
    CLI_SESSION_OPTIONS,
    CLI_THREADS_OPTION,
    {NULL, NULL, NULL, NULL, NULL, false},
};

/* Prints for each method and case the wall time, including tracing. */
static void print_summaries(const struct cli_session *session)
{
    for (size_t i = 0; i < session->summary_count; i++) {
        const struct cli_summary *each = &session->summaries[i];
        cli_print_text(stdout, session->path);
        fputs(": ", stdout);
        cli_print_text(stdout, each->method);
        if (each->test_case >= 0) printf(", case %lld", each->test_case);
        if (each->runs == 1) {
            printf(": 1 run, wall time %.3f us", each->p50_ns / 1e3);
        } else {
            printf(": %lld runs, wall time p50 %.3f us, min %.3f us, max %.3f us", each->runs,
                   each->p50_ns / 1e3, each->min_ns / 1e3, each->max_ns / 1e3);
        }
        puts(session->wants_trace ? " (traced)" : "");
    }
}

int cmd_run(const struct cli_arguments *arguments)
{
    const char *trace_path = cli_value(arguments, "--trace");
    const char *tracer = cli_value(arguments, "--tracer");
    const bool is_untraced = tracer != NULL && strcmp(tracer, "none") == 0;
    if (is_untraced && trace_path != NULL) {
        return cli_complain(CLI_USAGE, "--tracer none and -o exclude each other");
    }
    const char *debug_path = cli_value(arguments, "--debug-buffer");
    const bool has_stdout = (trace_path != NULL && strcmp(trace_path, "-") == 0) ||
                            (debug_path != NULL && strcmp(debug_path, "-") == 0);
    if (has_stdout && cli_wants_outputs_printed(arguments)) {
        return cli_complain(CLI_USAGE, "--print-outputs uses standard output: name another file");
    }
    struct cli_session session;
    int code = cli_session_open(arguments, trace_path != NULL, 1, 0, &session);
    if (code == CLI_OK) code = cli_session_execute(&session);
    if (code == CLI_OK) cli_note_losses_of(session.trace);
    if (code == CLI_OK && trace_path != NULL) {
        code = cli_session_keep(&session, trace_path, &session.trace, 1);
    }
    if (code == CLI_OK) code = cli_session_commit(&session);
    if (code == CLI_OK && !has_stdout) print_summaries(&session);
    code = cli_session_end(&session, code);
    cli_session_close(&session);
    return code;
}
