/* Showing an inspection: what `inspect` and `profile` have in common. */
#ifndef ETSCOPE_CLI_INSPECT_SHOW_H
#define ETSCOPE_CLI_INSPECT_SHOW_H

#include "cli/core/command.h"
#include "cli/open/filters.h"
#include "etscope/base.h"
#include "etscope/inspect.h"
#include "output/table/table.h"

/* Options of the table, for the two commands' option tables. */
/* clang-format off */
#define CLI_SHOW_OPTIONS                                                                          \
    {"--format", "-f", "table|tsv|csv|json|jsonl|markdown|upstream",                              \
     "How to print the table; upstream: the whole TSV of upstream's Inspector", NULL, false},     \
    {"--group-by", "-g", "none|op|module|source|backend|file|handle|method|run",                  \
     "Add up what belongs together; with the rest, shares are the whole run", NULL, false},       \
    {"--depth", NULL, "N", "With --group-by module: only this many levels of modules", NULL,      \
     false},                                                                                      \
    {"--tokens", NULL, "METHOD=N",                                                                \
     "With --group-by method or run: tokens in a run of METHOD, for tokens per second", NULL,     \
     true},                                                                                       \
    CLI_FILTER_OPTIONS,                                                                           \
    {"--sort", "-s", "order|time|max|calls|name",                                                 \
     "Order of the lines: of execution, or the largest first; default: order, grouped: time",     \
     NULL, false},                                                                                \
    {"--top", "-n", "N", "Only the first N lines of each block, by time unless --sort is given",  \
     NULL, false},                                                                                \
    {"--all", NULL, NULL, "Also show OPERATOR_CALL wrapper events",                               \
     NULL, false},                                                                                \
    {"--tree", NULL, NULL,                                                                        \
     "The own time of every part of a run, unaccounted time included: adds up exactly",           \
     NULL, false},                                                                                \
    {"--steady", NULL, NULL, "Leave out the first runs where they are warm-up", NULL, false},     \
    {"--columns", "-c", "NAMES", "Only these columns, in this order, as operator,avg,p99", NULL,  \
     false},                                                                                      \
    {"--subtract-overhead", NULL, NULL,                                                           \
     "Subtract the measured cost of recording from each event", NULL, false},                     \
    {"--unit", NULL, "ns|us|ms|s", "One unit for all times instead of the best for each column",  \
     NULL, false},                                                                                \
    {"--width", NULL, "N", "Columns of the table; default: the terminal's, or no limit", NULL,    \
     false},                                                                                      \
    {"--output", NULL, "FILE", "Write the table to FILE instead of standard output", NULL, false}
/* clang-format on */

/* The table of `dump`, joined to `record` and `program` (both may be NULL). Returns an exit code.
 */
struct cli_subject {
    const char *path; /* for messages */
    struct ets_bytes dump;
    struct ets_bytes debug_buffer; /* data NULL: none given */
    const char *debug_buffer_path;
    struct ets_etrecord *record;
    const struct ets_program *program;
    const char *method;
    struct ets_inspection *inspection; /* made already, as cli_inspection_options has it; or NULL */
};
int cli_show(const struct cli_arguments *arguments, struct cli_subject *subject);

/*
 * Opens the inspection, or takes the subject's, saying what is wrong. `inspection_out` is the
 * caller's to close where CLI_OK comes back.
 */
int cli_open_inspection(struct cli_subject *subject, const struct ets_inspect_options *options,
                        struct ets_inspection **inspection_out);

/* What --block (by name or number) and --run ask for; ETS_NO_INDEX: all. */
int cli_choose_rows(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    uint32_t *block_out, uint32_t *run_out);

/* --run names one run, --steady several. Returns an exit code. */
int cli_check_steady(const struct cli_arguments *arguments);

/* What was skipped, odd or not joined, as notes. */
void cli_print_notes(const struct ets_inspection *inspection);

/* Keeps the columns that --columns names, if it is given. Returns an exit code. */
int cli_choose_columns(const struct cli_arguments *arguments, struct ets_table *table);
/* Says what `error` is of --columns, which name may be meant and which there are: CLI_USAGE. */
int cli_complain_columns(const struct cli_arguments *arguments, const struct ets_table *table,
                         const struct ets_error *error);

/* How the subject is read and joined, by the options that `inspect` and `annotate` share. */
struct ets_inspect_options cli_inspection_options(const struct cli_arguments *arguments,
                                                  const struct cli_subject *subject);

#endif
