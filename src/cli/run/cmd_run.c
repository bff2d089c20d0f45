/* The command `run`: runs a program and records its trace. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/session/print_outputs.h"
#include "cli/session/session.h"
#include "cli/session/tapped_session.h"
#include "cli/target/target.h"
#include "cli/traces/trace_notes.h"

static const struct cli_command_option option_list[] = {
    {"--output", .aliases = {"--trace"}, .help = "Write the trace (ETDump) to FILE"},
    {"--runs", .help = "Number of runs; default 1"},
    {"--etrecord", .help = "The ETRecord, for --inputs etrecord"},
    {"--print-outputs"},
    {"--memory",
     .help =
         "Also count what allocates how much memory; `inspect --memory` shows it from the trace"},
    CLI_SESSION_OPTIONS,
    {"--threads"},
    CLI_TARGET_OPTIONS,
    {NULL},
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
        if (session->tapped != NULL) {
            printf(": %lld run%s, which %s %u values within delegates\n", each->runs,
                   each->runs == 1 ? "" : "s", each->runs == 1 ? "hands out" : "hand out",
                   cli_tapped_count(session->tapped));
            continue;
        }
        if (each->runs == 1) {
            printf(": 1 run, wall time %.3f us", each->p50_ns / 1e3);
        } else {
            printf(": %lld runs, wall time p50 %.3f us, min %.3f us, max %.3f us", each->runs,
                   each->p50_ns / 1e3, each->min_ns / 1e3, each->max_ns / 1e3);
        }
        puts(session->wants_trace ? " (traced)" : "");
    }
}

static int cmd_run(const struct cli_arguments *arguments)
{
    const char *trace_path = cli_value(arguments, "--output");
    const char *tracer = cli_value(arguments, "--tracer");
    const bool is_untraced = tracer != NULL && strcmp(tracer, "none") == 0;
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
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

const struct cli_command cli_run_command = {
    .name = "run",
    .task = CLI_TASK_MEASURE,
    .summary = "run a program on the ExecuTorch runtime and record its trace",
    .arguments = "MODEL",
    .description =
        "Loads MODEL (a .pte or .bpte), runs it, and writes the files that the options name: the "
        "trace (-o), the captured tensors (--debug-buffer), the outputs (--outputs). Inputs come "
        "from .npy files, from .npz files (whose arrays are inputs in the order of the file), from "
        "a bundled test case, from an ETRecord's representative inputs, or are generated. A file "
        "that is neither .npy nor .npz, or whose name ends in .bin, contains the raw bytes of a "
        "tensor, as executor_runner reads it; the program states type and shape. --output-file "
        "writes such files. The program's kernels and delegates are native code: run only programs "
        "and libraries that you trust.",
    .options = option_list,
    .examples =
        "etscope run model.pte -o profile.etdp --runs 100 --warmup 5\n"
        "etscope run model.bpte --case 0 --capture intermediates -o debug.etdp --debug-buffer "
        "debug.bin\n"
        "etscope run model.pte --input x.npy --outputs result",
    .guide = "profile.md#run",
    .run = cmd_run,
};
