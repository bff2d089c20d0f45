/* Options that select rows of an inspection, and messages if none match. */
#ifndef ETSCOPE_CLI_OPEN_FILTERS_H
#define ETSCOPE_CLI_OPEN_FILTERS_H

#include "cli/core/command.h"
#include "etscope/experimental/row_filter.h"

/* Options of the commands that show rows. */
/* clang-format off */
#define CLI_FILTER_OPTIONS                                                                        \
    {"--name", NULL, "PATTERN",                                                                   \
     "Only operators, events or kernels with this name, such as addmm; * matches anything",       \
     NULL, false},                                                                                \
    {"--module", NULL, "PATTERN", "Only this module and its submodules",                          \
     NULL, false},                                                                                \
    {"--handle", NULL, "N,N", "Only rows with one of these debug handles", NULL, true},           \
    {"--source", NULL, "FILE:LINE", "Only this source file of the model, or this line", NULL,     \
     false},                                                                                      \
    {"--backend", NULL, "PATTERN",                                                                \
     "Only this backend, by its name or the start of its name; portable: kernels", NULL,          \
     false}
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
