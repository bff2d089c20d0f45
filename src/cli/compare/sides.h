/* Opens and compares two sets of traces, for `diff` and `gate`. */
#ifndef ETSCOPE_CLI_COMPARE_SIDES_H
#define ETSCOPE_CLI_COMPARE_SIDES_H

#include "cli/open/traces.h"
#include "etscope/experimental/difference.h"

struct cli_sides {
    struct cli_model models[2];
    struct cli_traces traces[2];
    struct ets_difference *difference;
};

/*
 * Opens all traces and models that arguments and options name, and compares them. Returns an exit
 * code; close it even after a failure.
 */
int cli_sides_open(const struct cli_arguments *arguments, const char *const *before,
                   unsigned before_count, const char *const *after, unsigned after_count,
                   const struct ets_difference_options *options, struct cli_sides *sides);
void cli_sides_close(struct cli_sides *sides);

#define CLI_ALLOW_MISMATCH_OPTION                                                               \
    {                                                                                           \
        "--allow-mismatch", NULL, NULL,                                                         \
            "Compare traces even if most operators do not match, or only one captured tensors", \
            NULL, false                                                                         \
    }

/*
 * Times of two different programs cannot be compared, nor those of runs with and without capture:
 * CLI_MISMATCH unless --allow-mismatch is given.
 */
int cli_sides_check(const struct cli_arguments *arguments, const char *before, const char *after,
                    const struct ets_difference *difference);

#endif
