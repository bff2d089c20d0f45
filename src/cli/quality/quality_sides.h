/* The two sides of `quality`: a program, and a program or an ETRecord that it is compared with. */
#ifndef ETSCOPE_CLI_QUALITY_QUALITY_SIDES_H
#define ETSCOPE_CLI_QUALITY_QUALITY_SIDES_H

#include "cli/core/progress.h"
#include "cli/session/session.h"
#include "generate/generation.h"
#include "generate/quality.h"
#include "generate/recognize.h"

enum { CLI_QUALITY_MODEL = 0, CLI_QUALITY_REFERENCE = 1, CLI_QUALITY_SIDES = 2 };

struct cli_quality_side {
    struct cli_session session;
    struct ets_token_model model;
    bool is_record; /* its graphs are evaluated, on the interface of the other side */
};

struct cli_quality {
    const struct cli_arguments *arguments;
    struct ets_arena arena;
    struct cli_quality_side sides[CLI_QUALITY_SIDES];
    struct cli_record own; /* of the model: --etrecord */
    int64_t *tokens;
    uint32_t count;
    uint64_t memory_limit; /* of evaluations */
    struct ets_quality_runs runs;
    struct cli_progress progress;
    uint32_t before; /* tokens of the runs that ended */
};

/* The file that the model is compared with; NULL: none is given. */
const char *cli_quality_reference(const struct cli_arguments *arguments);

/* Opens both sides and the tokens. Reports errors; returns an exit code. Close even then. */
int cli_quality_open(const struct cli_arguments *arguments, struct cli_quality *quality);
/* Runs both over the tokens; the engine stays open. Likewise. */
int cli_quality_run(struct cli_quality *quality);
void cli_quality_close(struct cli_quality *quality);

#endif
