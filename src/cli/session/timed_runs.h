/* Runs a method again and again, and decides when to stop: --runs, --time, --until-sure, Ctrl-C. */
#ifndef ETSCOPE_CLI_SESSION_TIMED_RUNS_H
#define ETSCOPE_CLI_SESSION_TIMED_RUNS_H

#include "cli/core/command.h"
#include "etscope/engine.h"

/* clang-format off */
#define CLI_LIMIT_OPTIONS                                                                         \
    {"--time"}, {"--until-sure"}
/* clang-format on */

struct cli_run_limits {
    uint32_t runs;       /* if is_runs_chosen; else any number */
    double time_ns;      /* INFINITY: none */
    double sure;         /* relative width of the interval; 0: do not look */
    bool is_runs_chosen; /* by an option, or as the command's default */
    const char *label;   /* "turn 2 of 6, 4 threads: ", before progress and notes; NULL: none */
};

/* Reads the options; `runs`: the default. Returns an exit code. */
int cli_run_limits_read(const struct cli_arguments *arguments, uint32_t runs,
                        struct cli_run_limits *limits_out);

/* The wall times of recorded runs, in order of execution. */
struct cli_timed_runs {
    double *ns;
    uint32_t count, room;
    uint64_t executed; /* recorded or not */
    bool is_unsure;    /* --until-sure did not end them */
};

void cli_timed_runs_reset(struct cli_timed_runs *runs);

/*
 * Runs until a limit is reached or a signal came, and notes what ended the runs if it was not their
 * number. A time may be long: of many runs some are recorded, spread evenly, and `program` does not
 * trace the others. `what`: "run", "warm-up run". Returns an exit code; a signal is none.
 */
int cli_timed_runs_execute(const struct ets_engine *engine, struct ets_engine_program *program,
                           struct ets_engine_method *method, const struct cli_run_limits *limits,
                           const char *path, const char *what, struct cli_timed_runs *runs_out);

#endif
