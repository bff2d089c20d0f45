/*
 * token_sizes.h - what the dynamic sizes of a language model's program were in a run, from the
 * number of its tokens.
 *
 *     struct ets_token_sizes sizes = {.tokens = 1, .has_position = true, .position = 17};
 *     ets_token_sizes_find(&method, &sizes);
 *     if (ets_token_sizes_bind(&sizes, tensor.sizes, tensor.rank)) use(tensor.sizes);
 *
 * A program has upper bounds alone. Where all dynamic inputs are integers [N] or [1, N] with one
 * bound, that is the most tokens of a call, and a dynamic value has it for each dimension that
 * counts tokens. Plain values; any thread may use them.
 */
#ifndef ETSCOPE_COST_TOKEN_SIZES_H
#define ETSCOPE_COST_TOKEN_SIZES_H

#include <stdbool.h>

#include "etscope/program.h"

struct ets_token_sizes {
    uint32_t tokens; /* that the run computed; 0: not known */
    bool has_position;
    uint64_t position; /* of the first of them: as many are in the cache before */
    int64_t bound;     /* the most tokens of a call; 0: not known, or all sizes are fixed */
    /* No weight has a dimension as long as that: values may have it several times. */
    bool is_distinct;
    bool is_complete; /* each dynamic value has it: there is no other dynamic size */
};

/* Finds the bound in a method's inputs, and what its other values say of it. */
void ets_token_sizes_find(const struct ets_method *method, struct ets_token_sizes *sizes);

/* Whether a call may have one token: its integer inputs are rows that are dynamic, or of one. */
bool ets_token_sizes_take_one(const struct ets_method *method);

/* Whether a constant's dimension may be mistaken for one of tokens. */
bool ets_token_sizes_are_in(const struct ets_token_sizes *sizes, const int64_t *dimensions,
                            uint32_t rank);

/* Replaces the bounds among the sizes of a dynamic value; false: it stays, as it is not sure which
 * of them count tokens. */
bool ets_token_sizes_bind(const struct ets_token_sizes *sizes, int64_t *dimensions, uint32_t rank);

#endif
