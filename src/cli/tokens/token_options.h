/* The options that say how a program takes tokens: --map, --feed; and the list of --depth. */
#ifndef ETSCOPE_CLI_TOKENS_TOKEN_OPTIONS_H
#define ETSCOPE_CLI_TOKENS_TOKEN_OPTIONS_H

#include "cli/core/command.h"
#include "generate/recognize.h"

enum { CLI_MOST_DEPTHS = 32 };

struct cli_depths {
    uint32_t items[CLI_MOST_DEPTHS];
    uint32_t count; /* at least 1 */
};

/* Both report errors and return an exit code. */
int cli_token_choice(const struct cli_arguments *arguments, struct ets_token_choice *choice_out);
int cli_depths(const struct cli_arguments *arguments, struct cli_depths *depths_out);

#endif
