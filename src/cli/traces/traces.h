/* Several traces that are compared or pooled, each with its ETRecord and program. */
#ifndef ETSCOPE_CLI_TRACES_TRACES_H
#define ETSCOPE_CLI_TRACES_TRACES_H

#include "cli/beside/siblings.h"
#include "cli/files/inputs.h"
#include "cli/files/trace_paths.h"
#include "etscope/experimental/pool.h"
#include "etscope/inspect.h"

/* Options of all commands with several traces. */
/* clang-format off */
#define CLI_TRACES_OPTIONS                                                                        \
    {"--no-siblings"}, {"--source-time-scale"}, {"--prompt"}, {"--subtract-overhead"},                          \
    {"--steady", .help = "Leave out the warm-up runs of each trace"},                             \
    {"--format"}, {"--unit"}, {"--bounds"}, {"--color"}, {"--width"}, {"--output"}
/* clang-format on */
/* Options for the models of two traces; the second of each is for the new side. */
/* clang-format off */
#define CLI_SIDES_OPTIONS                                                                         \
    {"--etrecord",                                                                                \
     .help = "The ETRecord of the first trace, and of the second without --etrecord-b"},          \
    {"--etrecord-b"},                                                                             \
    {"--program",                                                                                 \
     .help = "The .pte or .bpte of the first trace, and of the second without --program-b"},      \
    {"--program-b"},                                                                              \
    {"--method", .help = "The method that ran, if the traces fit several"}
/* clang-format on */

/* A trace that the pool needs as long as it exists: the first of its kind. */
struct cli_kept_trace {
    struct ets_file *file;
    struct ets_inspection *inspection;
};

/* The traces to open, and their models. */
struct cli_traces_request {
    const char *const *words; /* trace_paths.h */
    unsigned word_count;
    const struct cli_model *models; /* each trace is joined with the first that agrees */
    unsigned model_count;
    bool without_siblings;
    const char *other; /* a trace whose siblings are used if these have none; NULL: none */
};

/* Traces of one side, as a pool. */
struct cli_traces {
    struct cli_traces_request request;
    struct cli_paths paths;       /* in the order of the pool's parts */
    struct cli_siblings siblings; /* siblings of the traces that the pool needs */
    const char
        *first_with_siblings; /* the path of a trace with siblings; NULL: none, or not searched */
    bool has_looked;
    struct cli_kept_trace *kept;
    unsigned kept_count, kept_room;
    struct ets_pool *pool;
};

/*
 * Opens one trace after the other. Without a given model, each trace is joined with its siblings
 * (siblings.h), or otherwise with those of the first trace that has any, if they agree, so that
 * runs of one program stay together. Reports the faulty file. Returns an exit code; close it even
 * after a failure.
 */
int cli_traces_open(const struct cli_arguments *arguments, const struct cli_traces_request *request,
                    struct cli_traces *traces_out);
void cli_traces_close(struct cli_traces *traces);

/* The first trace with siblings, or the request's other. */
const char *cli_traces_with_siblings(struct cli_traces *traces);

/* Reports two traces that cannot be combined: one counts cycles, the other time. */
int cli_traces_check_units(const char *left, const struct ets_inspection *left_inspection,
                           const char *right, const struct ets_inspection *right_inspection);

#endif
