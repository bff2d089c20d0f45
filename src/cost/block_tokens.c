/* Groups the runs of a block by their tokens. */
#include "cost/block_tokens.h"

/* Positions beyond are no honest file's; sums of them stay in 64 bits. */
#define MOST_POSITION (UINT64_C(1) << 31)

/* False: there is no room for another number of tokens. */
static bool add_run(struct ets_block_tokens *tokens, const struct ets_run *run)
{
    uint32_t i = 0;
    while (i < tokens->group_count && tokens->groups[i].tokens != run->tokens) i++;
    if (i == ETS_BLOCK_TOKEN_GROUPS) return false;
    struct ets_token_group *group = &tokens->groups[i];
    if (i == tokens->group_count) {
        *group = (struct ets_token_group){.tokens = run->tokens};
        tokens->group_count++;
    }
    group->runs++;
    group->position += run->position;
    if (tokens->runs == 0 || run->position < tokens->first_position) {
        tokens->first_position = run->position;
    }
    if (run->position > tokens->last_position) tokens->last_position = run->position;
    tokens->runs++;
    tokens->tokens += run->tokens;
    return true;
}

void ets_block_tokens_read(const struct ets_inspection *inspection, uint32_t block, uint32_t only,
                           struct ets_block_tokens *tokens_out)
{
    *tokens_out = (struct ets_block_tokens){.group_count = 0};
    const struct ets_block *of = ets_inspection_block(inspection, block);
    for (uint32_t i = of->first_run, seen = 0; seen < of->run_count; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->block != block) continue;
        seen++;
        if (only != ETS_NO_INDEX && only != i) continue;
        if (run->tokens == 0 || run->position > MOST_POSITION || !add_run(tokens_out, run)) {
            tokens_out->group_count = 0;
            return;
        }
    }
    for (uint32_t i = 0; i < tokens_out->group_count; i++) {
        struct ets_token_group *group = &tokens_out->groups[i];
        group->position = (group->position + group->runs / 2) / group->runs;
    }
}
