/* Options that select rows of an inspection, and messages if none match. */
#ifndef ETSCOPE_CLI_TRACES_FILTERS_H
#define ETSCOPE_CLI_TRACES_FILTERS_H

#include "cli/core/command.h"
#include "etscope/experimental/row_filter.h"

/* Options of the commands that show rows. */
/* clang-format off */
#define CLI_FILTER_OPTIONS                                                                        \
    {"--name"}, {"--module"}, {"--handle"}, {"--source"}, {"--backend"}
/* clang-format on */

struct cli_filter {
    struct ets_row_filter filter;
    int64_t handles[64];
    char source[4096]; /* without the line */
};

/* Reads the options. Returns an exit code. */
int cli_filter_parse(const struct cli_arguments *arguments, struct cli_filter *filter_out);

/*
 * If any block ran `method` (NULL: any), leaves out the other blocks. Reports an error if no row of
 * `block` and `run` (ETS_NO_INDEX: all) is left. Returns an exit code.
 */
int cli_filter_settle(struct cli_filter *filter, const struct ets_inspection *inspection,
                      const char *method, uint32_t block, uint32_t run);

/* Collects the texts nearest to a word, for a message: offer all, then print. */
enum { CLI_NEAR_COUNT = 3, CLI_NEAR_BYTES = 80 };
struct cli_near {
    const char *word;
    unsigned count;
    unsigned distances[CLI_NEAR_COUNT]; /* ascending */
    char texts[CLI_NEAR_COUNT][CLI_NEAR_BYTES];
};
void cli_near_offer(struct cli_near *near, struct ets_text text);
/* "; nearest: a, b, c", or "". */
void cli_near_print(const struct cli_near *near, char *line, size_t room);

#endif
