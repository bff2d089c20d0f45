/*
 * block_tokens.h - which tokens the runs of a block computed, where the trace tells it.
 *
 *     struct ets_block_tokens tokens;
 *     ets_block_tokens_read(inspection, block, ETS_NO_INDEX, &tokens);
 *     for (uint32_t i = 0; i < tokens.group_count; i++) cost_of(&tokens.groups[i]);
 *
 * Work is linear in the position, so that runs of one number of tokens are at their mean position.
 */
#ifndef ETSCOPE_COST_BLOCK_TOKENS_H
#define ETSCOPE_COST_BLOCK_TOKENS_H

#include <stdbool.h>

#include "etscope/inspect.h"

enum { ETS_BLOCK_TOKEN_GROUPS = 8 };

/* Runs of one number of tokens. */
struct ets_token_group {
    uint32_t tokens, runs;
    uint64_t position; /* of their first tokens, the mean, rounded */
};

struct ets_block_tokens {
    struct ets_token_group groups[ETS_BLOCK_TOKEN_GROUPS];
    uint32_t group_count; /* 0: not all runs tell, or they are of more numbers than there is room */
    uint32_t runs;
    uint64_t tokens;                        /* of all runs */
    uint32_t kernel_calls, delegate_calls;  /* of a run; row_costs.h counts them */
    uint64_t first_position, last_position; /* at which a run begins: the least and the most */
};

/* Of one run of the block alone, unless ETS_NO_INDEX. */
void ets_block_tokens_read(const struct ets_inspection *inspection, uint32_t block, uint32_t only,
                           struct ets_block_tokens *tokens_out);

#endif
