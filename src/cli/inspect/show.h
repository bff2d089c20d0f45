/* Shows an inspection, for `inspect` and `profile`. */
#ifndef ETSCOPE_CLI_INSPECT_SHOW_H
#define ETSCOPE_CLI_INSPECT_SHOW_H

#include "cli/core/columns.h"
#include "cli/core/command.h"
#include "cli/open/filters.h"
#include "cli/open/inspected.h"
#include "etscope/base.h"
#include "etscope/inspect.h"
#include "output/table/table.h"

/* Options of the table. */
/* clang-format off */
#define CLI_SHOW_OPTIONS                                                                          \
    {"--format", "-f", CLI_FORMATS "|upstream",                                                   \
     "Output format; upstream: the complete TSV table of ExecuTorch's Inspector", NULL, false},   \
    {"--group-by", "-g", "none|op|module|source|backend|file|handle|method|run",                  \
     "Add up the operators of each group; shares add up to the whole run", NULL, false},          \
    {"--depth", NULL, "N", "With --group-by module: show only N levels of modules", NULL,         \
     false},                                                                                      \
    {"--tokens", NULL, "METHOD=N",                                                                \
     "With --group-by method or run: N tokens per run of METHOD; adds tokens per second", NULL,   \
     true},                                                                                       \
    CLI_FILTER_OPTIONS,                                                                           \
    {"--sort", "-s", "order|time|max|calls|name",                                                 \
     "Order of the rows: by execution, or largest first; default: order, grouped: time",          \
     NULL, false},                                                                                \
    {"--top", "-n", "N", "Only the first N rows of each block, by time unless --sort is given",   \
     NULL, false},                                                                                \
    {"--all", "-a", NULL, "Also show OPERATOR_CALL wrapper events",                               \
     NULL, false},                                                                                \
    {"--tree", NULL, NULL,                                                                        \
     "Show the self time of every part of a run, including unaccounted time; adds up exactly",    \
     NULL, false},                                                                                \
    {"--cost", NULL, NULL,                                                                        \
     "Also show the work of operators: operations, bytes, and both per second", NULL, false},     \
    {"--machine", NULL, "FILE",                                                                   \
     "Also how far operators are from what a machine can do (etscope machine --save)", NULL,      \
     false},                                                                                      \
    {"--steady", NULL, NULL, "Leave out warm-up runs", NULL, false},                              \
    {"--columns", "-c", "NAMES",                                                                  \
     "Only these columns, in this order, such as operator,avg,p99", NULL,                         \
     false},                                                                                      \
    {"--subtract-overhead", NULL, NULL,                                                           \
     "Subtract the measured cost of recording from each event", NULL, false},                     \
    {"--unit", NULL, "ns|us|ms|s",                                                                \
     "Show all times in this unit; default: the best unit for each column",                       \
     NULL, false},                                                                                \
    CLI_BOUNDS_OPTION, \
    CLI_COLOR_OPTION, \
    {"--width", NULL, "N",                                                                        \
     "Width of the table in characters; default: the terminal's, or no limit", NULL,              \
     false}
/* `short` names it, where a command has no other -o. */
#define CLI_SHOW_OUTPUT_OPTION(short)                                                             \
    {"--output", short, "FILE",                                                                   \
     "Write the table to FILE instead of standard output; FILE.svg with --machine: a roofline "   \
     "chart",                                                                                     \
     NULL, false}
/* clang-format on */

/* Writes the table of the subject. Returns an exit code. */
int cli_show(const struct cli_arguments *arguments, struct cli_subject *subject);

#endif
