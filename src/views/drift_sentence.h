/*
 * Says that runs became slower or faster over time. A median describes no such runs, so it is what
 * a command says first.
 */
#ifndef ETSCOPE_VIEWS_DRIFT_SENTENCE_H
#define ETSCOPE_VIEWS_DRIFT_SENTENCE_H

#include "etscope/experimental/difference.h"
#include "etscope/experimental/pool.h"
#include "host/text_builder.h"
#include "views/timed_blocks.h"

/*
 * Appends "forward: runs get slower over time: the last third takes 25.1 times the first (40
 * runs)"; nothing if they do not, by a tenth or more. False: no memory.
 */
bool ets_add_trace_drift(struct ets_arena *arena, const struct ets_timed_blocks *blocks,
                         const struct ets_timed_block *block, struct ets_text_builder *text);
/*
 * The same of several recordings, without the name: "runs drift over time in 2 of 5 recordings, at
 * most so that the last third takes 25.1 times the first (40 runs)". `when`: " before" or "".
 * False: they do not drift.
 */
bool ets_add_pool_drift(struct ets_text_builder *text, const char *when,
                        const struct ets_pool_block *block);
/*
 * Of both sides of a difference, behind `separator`: "runs before get slower over time: ...; runs
 * after get slower ...". False: neither drifts.
 */
bool ets_add_difference_drift(struct ets_text_builder *text, const char *separator,
                              const struct ets_difference_block *block);

#endif
