/* Traces that are compared or added up: each with its record and program, as one inspection. */
#ifndef ETSCOPE_CLI_OPEN_TRACES_H
#define ETSCOPE_CLI_OPEN_TRACES_H

#include "cli/open/inputs.h"
#include "cli/open/siblings.h"
#include "cli/open/trace_paths.h"
#include "etscope/experimental/pool.h"
#include "etscope/inspect.h"

/* What all commands over several traces have in common, for their option tables. */
/* clang-format off */
#define CLI_TRACES_OPTIONS                                                                        \
    CLI_SIBLINGS_OPTION,                                                                          \
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",                           \
     "Clock unit of traces that do not state one; default ns", NULL, false},                      \
    {"--subtract-overhead", NULL, NULL,                                                           \
     "Subtract the measured cost of recording from each event", NULL, false},                     \
    {"--steady", NULL, NULL, "Leave out the warm-up runs of each trace", NULL,                    \
     false},                                                                                      \
    {"--format", "-f", CLI_FORMATS, "Output format", NULL,                                        \
     false},                                                                                      \
    {"--unit", NULL, "ns|us|ms|s",                                                                \
     "Show all times in this unit; default: the best unit for each column",                       \
     NULL, false},                                                                                \
    {"--width", NULL, "N",                                                                        \
     "Width of the table in characters; default: the terminal's, or no limit", NULL,              \
     false},                                                                                      \
    {"--output", NULL, "FILE", "Write the table to FILE instead of standard output", NULL, false}
/* Of what explains the traces: the second of each is for the new side. */
#define CLI_SIDES_OPTIONS                                                                         \
    {"--etrecord", NULL, "FILE",                                                                  \
     "The ETRecord of the first trace, and of the second without --etrecord-b",                   \
     NULL, false},                                                                                \
    {"--etrecord-b", NULL, "FILE", "The ETRecord of the second trace", NULL, false},              \
    {"--program", NULL, "FILE",                                                                   \
     "The .pte or .bpte of the first trace, and of the second without --program-b", NULL, false}, \
    {"--program-b", NULL, "FILE", "The .pte or .bpte of the second trace", NULL, false},          \
    {"--method", NULL, "NAME", "The method that ran, if the traces fit several", NULL, false}
/* clang-format on */

/* A trace that the pool needs as long as it lives: the first of its kind. */
struct cli_kept_trace {
    struct ets_file *file;
    struct ets_inspection *inspection;
};

/* Which traces to open, and what explains them. */
struct cli_traces_request {
    const char *const *words; /* trace_paths.h */
    unsigned word_count;
    const struct cli_model *models; /* each trace joins the first that it agrees with */
    unsigned model_count;
    bool without_siblings;
    const char *other; /* a trace whose siblings may serve where these have none; NULL: none */
};

/* Traces of one side, as a pool. */
struct cli_traces {
    struct cli_traces_request request;
    struct cli_paths paths;          /* in the order of the pool's parts */
    struct cli_siblings siblings;    /* what explains the traces that the pool needs */
    const char *first_with_siblings; /* the path of a trace; NULL: none, or not looked for */
    bool has_looked;
    struct cli_kept_trace *kept;
    unsigned kept_count, kept_room;
    struct ets_pool *pool;
};

/*
 * Opens one trace after the other. Where no model was given, each joins what lies beside it
 * (siblings.h), or else what lies beside the first that has anything, where it agrees, so that runs
 * of one program stay together. Says which file is wrong. Returns an exit code; close in any case.
 */
int cli_traces_open(const struct cli_arguments *arguments, const struct cli_traces_request *request,
                    struct cli_traces *traces_out);
void cli_traces_close(struct cli_traces *traces);

/* The first trace that has files of its name beside it, or the request's other. */
const char *cli_traces_with_siblings(struct cli_traces *traces);

/* Says what of two traces cannot be put together: one counts cycles, the other time. */
int cli_traces_check_units(const char *left, const struct ets_inspection *left_inspection,
                           const char *right, const struct ets_inspection *right_inspection);

#endif
