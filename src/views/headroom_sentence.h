/* How far a run is from what a machine can do, in a sentence. */
#ifndef ETSCOPE_VIEWS_HEADROOM_SENTENCE_H
#define ETSCOPE_VIEWS_HEADROOM_SENTENCE_H

#include "views/headroom.h"
#include "views/operator_options.h"

enum { ETS_HEADROOM_SENTENCE = 512 };

/*
 * "8.1 ms a run; 3.0 ms at the roof of AMD EPYC with 2 threads; 60 % of the difference is in
 * layers.3; 12 operators, 5 % of the run, are overhead-bound". Where: the innermost module that has
 * half of it or more, or else the kind of operators with the largest part. Nothing where nothing
 * stands for a run. `tick_ns` above 0; `headroom` is of that block. Returns false where memory ran
 * out.
 */
bool ets_headroom_sentence(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_headroom *headroom, const struct ets_chosen_runs *runs,
                           uint32_t block, double tick_ns, struct ets_text_builder *text);

#endif
