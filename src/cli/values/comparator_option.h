/*
 * The option --comparator: the user's own comparators, as columns of a table of pairs.
 *
 *     struct cli_comparators comparators;                        // --comparator's options
 *     struct cli_compared compared;                              // of one pair
 *     int code = cli_comparators_open(arguments, &comparators);
 *     cli_comparators_run(&comparators, &reference, &other, &compared);
 *     if (cli_comparators_add_columns(&comparators, table, &error) != ETS_OK) ...
 *     cli_comparators_put(&comparators, &compared, table);       // in each row
 *     cli_comparators_close(&comparators);
 */
#ifndef ETSCOPE_CLI_VALUES_COMPARATOR_OPTION_H
#define ETSCOPE_CLI_VALUES_COMPARATOR_OPTION_H

#include "cli/core/command.h"
#include "etscope/experimental/comparator_plugin.h"
#include "output/table/table.h"

enum { CLI_MAX_COMPARATORS = 16 };

struct cli_comparators {
    size_t count;
    struct ets_comparator_library *libraries[CLI_MAX_COMPARATORS];
    const struct ets_comparator *comparators[CLI_MAX_COMPARATORS];
    bool has_refused[CLI_MAX_COMPARATORS]; /* and that was said */
};

/* The results for a pair; NaN: none. Empty for pairs that were not compared. */
struct cli_compared {
    double values[CLI_MAX_COMPARATORS];
};

/* Opens all comparators. Returns an exit code; close it even after a failure. */
int cli_comparators_open(const struct cli_arguments *arguments, struct cli_comparators *out);
void cli_comparators_close(struct cli_comparators *comparators);

/* Compares a pair. Reports the first pair that a comparator refuses on standard error. */
void cli_comparators_run(struct cli_comparators *comparators, const struct ets_tensor *reference,
                         const struct ets_tensor *other, struct cli_compared *out);

/*
 * Adds the columns after all others. INVALID_ARGUMENT: a column with a comparator's name already
 * exists.
 */
enum ets_status cli_comparators_add_columns(const struct cli_comparators *comparators,
                                            struct ets_table *table, struct ets_error *error);
/* Puts their cells in the last row; `compared` NULL: there was no pair to compare. */
void cli_comparators_put(const struct cli_comparators *comparators,
                         const struct cli_compared *compared, struct ets_table *table);

#endif
