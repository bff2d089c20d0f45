/*
 * Which instructions of a chain one execution runs, as far as the program alone tells: of two
 * branches the one that computes more, of a loop one turn.
 *
 *     struct ets_chain_path path;
 *     if (!ets_chain_path_find(&arena, &chain, flops, &path)) return no_memory;
 *     for (uint32_t i = 0; i < chain.instruction_count; i++) {
 *         if (path.is_taken[i]) add(i);
 *     }
 */
#ifndef ETSCOPE_COST_CHAIN_PATH_H
#define ETSCOPE_COST_CHAIN_PATH_H

#include <stdbool.h>

#include "etscope/program.h"
#include "host/arena.h"

struct ets_chain_path {
    const bool *is_taken; /* [instruction] */
    uint32_t choices;     /* jumps that a run decides: branches */
    uint32_t loops;       /* jumps back */
};

/* `flops`: [instruction] what each costs. false: no memory. */
bool ets_chain_path_find(struct ets_arena *arena, const struct ets_chain *chain,
                         const uint64_t *flops, struct ets_chain_path *path_out);

#endif
