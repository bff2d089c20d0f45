/* The prompt of `generate`: random tokens, or those of a file. */
#ifndef ETSCOPE_CLI_TOKENS_PROMPT_TOKENS_H
#define ETSCOPE_CLI_TOKENS_PROMPT_TOKENS_H

#include "cli/core/command.h"
#include "host/arena.h"

/* Draws tokens from `seed` on. */
void cli_random_tokens(uint64_t seed, uint32_t vocabulary, int64_t *tokens, size_t count);

/*
 * The numbers of the file of --tokens: text with spaces, commas or line ends between them (a list
 * of JSON, too), or a .npy of integers. Each must be in the vocabulary. Reports errors; returns an
 * exit code.
 */
int cli_read_tokens(const char *path, uint32_t vocabulary, struct ets_arena *arena,
                    int64_t **tokens_out, uint32_t *count_out);

#endif
