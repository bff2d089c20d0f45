/* Executes a program, for `run` and `profile`. */
#ifndef ETSCOPE_CLI_SESSION_SESSION_H
#define ETSCOPE_CLI_SESSION_SESSION_H

#include "cli/files/arrays.h"
#include "cli/files/inputs.h"
#include "cli/session/timed_runs.h"
#include "dump/extra_inputs.h"
#include "etscope/engine.h"
#include "host/device.h"
#include "host/output.h"

/* clang-format off */
#define CLI_RUNTIME_OPTIONS                                                                       \
    {"--data"}, {"--load-library"}, {"--python"}, {"--engine"}
/* clang-format on */

#define CLI_ENGINE_OPTIONS {"--threads"}, CLI_RUNTIME_OPTIONS

/* clang-format off */
#define CLI_SESSION_OPTIONS                                                                       \
    {"--method", .is_repeatable = true,                                                           \
     .help = "The method to run; may be repeated: all run in turn into one trace"},               \
    {"--input"},                                                                                  \
    {"--case", .is_repeatable = true,                                                             \
     .help = "Take the inputs from this test case of the .bpte; may be repeated: all run in "     \
             "turn"},                                                                             \
    {"--inputs"}, {"--seed"}, {"--range"}, {"--int-range"}, {"--shape"}, CLI_LIMIT_OPTIONS,       \
    {"--warmup"}, CLI_RUNTIME_OPTIONS, {"--capture"},                                             \
    {"--debug-buffer", .is_output = true, .help = "Write the captured tensors to FILE"},          \
    {"--debug-buffer-size"}, {"--strict"}, {"--tracer"}, {"--outputs"}, {"--output-file"}
/* clang-format on */

struct cli_tapped;           /* tapped_session.h */
struct cli_compared_outputs; /* compared_outputs.h */

enum { CLI_PATH_BYTES = 4096, CLI_MOST_THREADS = 1024 };

/* An output file that is committed with all others at the end. */
struct cli_kept_file {
    struct ets_output *output; /* NULL: committed */
    bool is_written;           /* otherwise only the name is reserved */
    char path[CLI_PATH_BYTES]; /* for an error message */
};

/* Wall times of the recorded runs of one method on one set of inputs. */
struct cli_summary {
    const char *method;
    long long test_case; /* of the bundle; -1: not from a test case */
    long long runs;
    double p50_ns, min_ns, max_ns;
};

struct cli_session {
    const struct cli_arguments *arguments;
    const char *path;        /* of the model */
    const char *data_option; /* that gives its .ptd files; NULL: --data */
    struct cli_program model;
    struct cli_record record; /* for representative inputs and, in `profile`, the join */
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct ets_engine_program *program;
    struct ets_file **data_files;
    size_t data_file_count;
    struct cli_run_limits limits;
    uint32_t warmup;
    enum ets_engine_capture capture;
    struct cli_tapped *tapped; /* of --capture delegates; NULL: the program runs as it is */
    bool is_plain;             /* with it: this is the run of the program as it is, to compare */
    struct ets_bytes changed;  /* of `model`, that runs instead of it; size 0: none */
    struct cli_compared_outputs *outputs; /* that sees those of the last run; NULL: nobody does */
    bool wants_trace;
    bool counts_memory;                                 /* and the trace tells it */
    bool measures_tracing;                              /* what it costs; likewise */
    unsigned threads;                                   /* of the program; 0: the runtime decides */
    bool is_next_turn;                                  /* where inputs come from was told */
    uint8_t fingerprint[ETS_PROGRAM_FINGERPRINT_BYTES]; /* of the model, for the trace */
    struct ets_extra_growth told;                       /* to be added to the trace */
    struct ets_device_moment before;                    /* how the device was when runs began */
    uint8_t *grown_trace;                               /* that has them; NULL: none */
    struct ets_bytes trace, debug;                      /* after cli_session_execute; borrowed */
    const char *default_method;                         /* if --method names none */
    struct cli_summary *summaries;                      /* in the order of execution */
    size_t summary_count;
    size_t debug_buffer_bytes; /* 0: the engine's ceiling */
    bool is_incomplete;        /* the debug buffer was too small */
    bool is_changed;           /* --strict, and the values within changed what the program does */
    bool is_unsure;            /* the runs did not become sure */
    struct cli_kept_file *kept;
    size_t kept_count;
};

/*
 * Opens everything. Returns an exit code; close it even after a failure. `runs`, `warmup`: the
 * defaults.
 */
int cli_session_open(const struct cli_arguments *arguments, bool wants_trace, uint32_t runs,
                     uint32_t warmup, struct cli_session *session);
/*
 * The parts of cli_session_open, for several programs of one session. `prepare` opens all but the
 * engine and the program. A copy of a session with an engine takes a program of its own, to be
 * closed before the session: `program` opens it, `turn` loads its method (--method or the default)
 * anew with this number of threads, warms it up and records runs, `finish` ends the trace.
 */
int cli_session_prepare(const struct cli_arguments *arguments, bool wants_trace, uint32_t runs,
                        uint32_t warmup, struct cli_session *session);
int cli_session_program(struct cli_session *session, unsigned threads);
int cli_session_turn(struct cli_session *session, unsigned threads);
/* The same for any method, with the number of threads that the program has. */
int cli_session_method(struct cli_session *session, const char *name);
int cli_session_finish(struct cli_session *session);
void cli_session_close_program(struct cli_session *session);
/*
 * Opens only the engine and the program, for commands with other options; arguments, path and model
 * of the session are set. `threads` 0: the runtime decides. Returns an exit code.
 */
int cli_session_engine(struct cli_session *session); /* without a program */
int cli_session_start(struct cli_session *session, unsigned threads);
/*
 * Reserves the names of outputs, runs, keeps the outputs and the debug buffer, and ends the trace.
 * Ctrl-C ends the runs, and what was recorded remains.
 */
int cli_session_execute(struct cli_session *session);
/* The exit code of a command that showed the runs: `code` unless it is CLI_OK. */
int cli_session_end(const struct cli_session *session, int code);
/*
 * Writes `parts` to a file that replaces `path` at the commit, so that a failing command leaves
 * nothing. Returns an exit code.
 */
int cli_session_keep(struct cli_session *session, const char *path, const struct ets_bytes *parts,
                     size_t part_count);
int cli_session_commit(struct cli_session *session);
void cli_session_close(struct cli_session *session);

/* inputs of a method: model_inputs.c */
struct cli_model_inputs {
    struct ets_value *values;
    size_t count;
    struct cli_arrays *files; /* of --input */
    size_t file_count;
    void **buffers; /* of generated tensors */
    size_t buffer_count;
    long long test_case; /* of the bundle; -1: not from a test case */
};
/* Checks for input options that contradict each other. Returns an exit code. */
int cli_model_inputs_check(const struct cli_arguments *arguments);
/* Whether --inputs etrecord is given. */
bool cli_wants_record_inputs(const struct cli_arguments *arguments);
/* Reports representative inputs that are not values. Returns an exit code. */
int cli_check_record_inputs(const char *path, struct ets_etrecord *record);
/* Reads the representative inputs that --inputs etrecord asks for. Returns an exit code. */
int cli_record_inputs_read(const char *path, struct ets_etrecord *record,
                           const struct ets_value **values_out, size_t *count_out);
/* Makes the inputs of `method`; `test_case` < 0: none requested. Notes where they come from. */
int cli_model_inputs_open(const struct cli_session *session, const char *method,
                          long long test_case, struct cli_model_inputs *inputs_out);
void cli_model_inputs_close(struct cli_model_inputs *inputs);

#endif
