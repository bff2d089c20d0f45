/*
 * The answer of several traces of one program: the time per run over all files, and how far the
 * files differ.
 *
 *     struct ets_sentences headline;
 *     if (!ets_pool_headline(&arena, pool, &headline)) return no_memory;
 */
#ifndef ETSCOPE_VIEWS_POOL_HEADLINE_H
#define ETSCOPE_VIEWS_POOL_HEADLINE_H

#include "etscope/experimental/pool.h"
#include "views/headline.h"

/*
 * "forward: 197 us per run (median of 20 runs of 4 files, p10 to p90 190..210 us); medians of the
 * files 195..199 us". One sentence for each method, in the order of the pool. Returns false if
 * memory runs out.
 */
bool ets_pool_headline(struct ets_arena *arena, const struct ets_pool *pool,
                       struct ets_sentences *headline_out);

#endif
