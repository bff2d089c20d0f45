/* Opens and compares two sets of traces, for `diff` and `gate`. */
#ifndef ETSCOPE_CLI_SIDES_SIDES_H
#define ETSCOPE_CLI_SIDES_SIDES_H

#include "cli/traces/traces.h"
#include "etscope/experimental/difference.h"

struct cli_sides {
    struct cli_model models[2];
    struct cli_traces traces[2];
    struct ets_difference *difference;
};

/* The traces of a side. */
struct cli_side_paths {
    const char *items[2 * CLI_MAX_VALUES];
    unsigned count;
    const char *record, *program; /* NULL: those of the options, or beside the traces */
};

/*
 * Opens all traces and models that arguments and options name, and compares them. Returns an exit
 * code; close it even after a failure.
 */
int cli_sides_open(const struct cli_arguments *arguments, const struct cli_side_paths *before,
                   const struct cli_side_paths *after, const struct ets_difference_options *options,
                   struct cli_sides *sides);
void cli_sides_close(struct cli_sides *sides);

/* The words from `first` to before `end`, then the values of `option`. */
void cli_side_list(const struct cli_arguments *arguments, unsigned first, unsigned end,
                   const char *option, struct cli_side_paths *paths_out);

/* The programs of both sides. */
struct cli_side_programs {
    const char *before, *after; /* NULL: not known, or one program */
};
void cli_sides_programs(const struct cli_arguments *arguments, const struct cli_sides *sides,
                        struct cli_side_programs *programs_out);

/* clang-format off */
#define CLI_RECORDINGS_OPTIONS                                                                    \
    {"--before", .help = "Another recording of the first side: a file, folder or @LIST"},         \
    {"--after", .help = "Another recording of the second side: a file, folder or @LIST"}

#define CLI_ALLOW_MISMATCH_OPTION                                                                 \
    {"--allow-mismatch",                                                                          \
     .help = "Compare traces even if most operators do not match, or only one captured "          \
             "tensors"}
/* clang-format on */

/*
 * Times of two different programs cannot be compared, nor those of runs with and without capture:
 * CLI_MISMATCH unless --allow-mismatch is given.
 */
int cli_sides_check(const struct cli_arguments *arguments, const char *before, const char *after,
                    const struct ets_difference *difference);

#endif
