/* Shows an inspection, for `inspect` and `profile`. */
#ifndef ETSCOPE_CLI_INSPECT_SHOW_H
#define ETSCOPE_CLI_INSPECT_SHOW_H

#include "cli/core/columns.h"
#include "cli/core/command.h"
#include "cli/traces/filters.h"
#include "cli/traces/inspected.h"
#include "etscope/base.h"
#include "etscope/inspect.h"
#include "output/table/table.h"

/* Options of the table. */
/* clang-format off */
#define CLI_SHOW_OPTIONS                                                                          \
    {"--format", .value = CLI_FORMATS_AND("|upstream"),                                           \
     .help = "Output format; upstream: the complete TSV table of ExecuTorch's Inspector"},        \
    {"--group-by",                                                                                \
     .value = "none|op|module|source|backend|file|handle|category|part|layer|method|run",         \
     .help = "Add up the operators of each group; shares add up to the whole run"},               \
    {"--depth"}, {"--parts"}, {"--tokens"}, CLI_FILTER_OPTIONS,                                   \
    {"--sort", .value = "order|time|max|calls|name",                                              \
     .help = "Order of the rows: by execution, or largest first; default: order, grouped: "       \
             "time"},                                                                             \
    {"--top", .help = "Only the first N rows of each block, by time unless --sort is given"},     \
    {"--all", .help = "Also show OPERATOR_CALL wrapper events"},                                  \
    {"--tree"}, {"--cost"}, {"--machine"}, {"--steady"},                                          \
    {"--columns", .help = "Only these columns, in this order, such as operator,avg,p99"},         \
    {"--subtract-overhead"}, {"--unit"}, {"--bounds"}, {"--color"}, {"--width"}
/* clang-format on */

/* Writes the table of the subject. Returns an exit code. */
int cli_show(const struct cli_arguments *arguments, struct cli_subject *subject);

#endif
