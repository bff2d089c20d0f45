#include <stdlib.h>
#include <string.h>

#include "etscope/inspect.h"
#include "session.h"

const struct cli_option cli_run_options[] = {
    {"--trace", "-o", "FILE", "Write the trace (ETDump) to FILE", NULL, false},
    {"--runs", "-r", "N", "How often to run; default 1", NULL, false},
    {"--etrecord", NULL, "FILE", "The ETRecord, for --inputs etrecord", NULL, false},
    CLI_SESSION_OPTIONS,
    {NULL, NULL, NULL, NULL, NULL, false},
};

/* One line: what ran, how long it took on the wall clock, tracing included. */
static void print_summary(const struct cli_session *session)
{
    double *times = malloc((session->run_ns_count + 1) * sizeof *times);
    if (times == NULL) return;
    struct ets_statistics s;
    for (size_t i = 0; i < session->run_ns_count; i++) times[i] = (double)session->run_ns[i];
    ets_statistics_compute(times, (uint32_t)session->run_ns_count, &s);
    printf("%s: %zu run%s, wall time p50 %.3f us, min %.3f us, max %.3f us%s\n", session->path,
           session->run_ns_count, session->run_ns_count == 1 ? "" : "s", s.p50 / 1e3, s.min / 1e3,
           s.max / 1e3, session->wants_trace ? " (traced)" : "");
    free(times);
}

int cmd_run(const struct cli_arguments *arguments)
{
    const char *trace_path = cli_value(arguments, "--trace");
    const char *tracer = cli_value(arguments, "--tracer");
    const bool is_untraced = tracer != NULL && strcmp(tracer, "none") == 0;
    if (is_untraced && trace_path != NULL) {
        return cli_complain(CLI_USAGE, "--tracer none writes no trace: leave out -o");
    }
    struct cli_session session;
    int code = cli_session_open(arguments, trace_path != NULL, 1, 0, &session);
    if (code == CLI_OK) code = cli_session_execute(&session);
    if (code == CLI_OK && trace_path != NULL) {
        code = cli_session_keep(&session, trace_path, &session.trace, 1);
    }
    if (code == CLI_OK) code = cli_session_commit(&session);
    const char *debug_path = cli_value(arguments, "--debug-buffer");
    const bool has_stdout = (trace_path != NULL && strcmp(trace_path, "-") == 0) ||
                            (debug_path != NULL && strcmp(debug_path, "-") == 0);
    if (code == CLI_OK && !has_stdout) print_summary(&session);
    cli_session_close(&session);
    return code;
}
