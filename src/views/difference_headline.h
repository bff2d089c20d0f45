/*
 * The answer of a difference in sentences: one for each method, the longest first.
 *
 *     struct ets_sentences headline;
 *     if (!ets_difference_headline(&arena, difference, NULL, &headline)) return no_memory;
 */
#ifndef ETSCOPE_VIEWS_DIFFERENCE_HEADLINE_H
#define ETSCOPE_VIEWS_DIFFERENCE_HEADLINE_H

#include "etscope/experimental/difference.h"
#include "views/headline.h"

/* What would decide; NULL: said without a command. */
struct ets_recording_advice {
    const char *more;    /* how to record more of each side */
    const char *in_turn; /* how to record the sides in turn */
};

/*
 * "forward: 10 times faster (1960 us -> 197 us): XnnpackBackend took 50 of 106 kernels; load +2210
 * us". Faster, slower and the same are verdicts of the test; else the sentence says why there is
 * none and what would decide. If the sides are identical, or other programs, that alone.
 * `advice` NULL: no commands are named. Returns false if memory runs out.
 */
bool ets_difference_headline(struct ets_arena *arena, const struct ets_difference *difference,
                             const struct ets_recording_advice *advice,
                             struct ets_sentences *headline_out);

/* The line of the whole execution of a block; NULL where not both sides have its time. */
const struct ets_difference_line *ets_difference_execution(
    const struct ets_difference *difference, const struct ets_difference_block *block);

#endif
