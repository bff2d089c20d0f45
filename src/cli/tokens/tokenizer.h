/* Text to tokens and back, by the pytorch-tokenizers of a Python. */
#ifndef ETSCOPE_CLI_TOKENS_TOKENIZER_H
#define ETSCOPE_CLI_TOKENS_TOKENIZER_H

#include "cli/core/command.h"
#include "host/arena.h"

/*
 * The tokens of --text by the file of --tokenizer, with the token that begins a text where the
 * tokenizer has one. Each must be in the vocabulary. Reports errors; returns an exit code.
 */
int cli_text_tokens(const struct cli_arguments *arguments, uint32_t vocabulary,
                    struct ets_arena *arena, int64_t **tokens_out, uint32_t *count_out);

/* Tokens whose text is wanted. */
struct cli_token_list {
    const int64_t *tokens;
    uint32_t count;
    const char *text; /* out, of the arena */
};

/* Sets the text of each list, by the same file. Likewise. */
int cli_tokens_text(const struct cli_arguments *arguments, struct ets_arena *arena,
                    struct cli_token_list *lists, uint32_t list_count);

#endif
