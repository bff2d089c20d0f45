/* What `generate` is to do, from its options and the program; and what one recording of it gave. */
#ifndef ETSCOPE_CLI_GENERATE_GENERATE_PLAN_H
#define ETSCOPE_CLI_GENERATE_GENERATE_PLAN_H

#include "cli/session/session.h"
#include "cli/tokens/token_options.h"
#include "generate/generation_report.h"
#include "host/processor.h"

enum { CLI_MOST_ARRAYS = 16 };

struct cli_generate_plan {
    const struct cli_arguments *arguments;
    struct ets_arena arena;
    struct cli_session session; /* its model is open */
    struct ets_token_model model;
    struct cli_depths depths;
    int64_t *prompt;
    uint32_t prompt_count, new_count;
    bool warms_up; /* what begins at position 0 */
    uint64_t seed;
    struct cli_arrays arrays[CLI_MOST_ARRAYS]; /* of --input; open while a generation runs */
    unsigned array_count;
    int code; /* of opening them, which reported an error */
    struct ets_processor processor;
    char time[32];
    struct ets_generation_report report;
};

/* Makes room for the tests of `recordings`. Returns an exit code. */
int cli_generate_make_tests(struct cli_generate_plan *plan, uint32_t recordings);

/* One recording in this process: runs and fills the report. Returns an exit code. */
int cli_generate_once(struct cli_generate_plan *plan);

/* Several, each in a new process. Likewise. */
int cli_generate_recordings(struct cli_generate_plan *plan, uint32_t recordings);

#endif
