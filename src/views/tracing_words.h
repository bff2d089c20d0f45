/* Words what tracing costs a run, and what is not in that number. */
#ifndef ETSCOPE_VIEWS_TRACING_WORDS_H
#define ETSCOPE_VIEWS_TRACING_WORDS_H

#include "host/text_builder.h"
#include "inspect/time_details.h"

/*
 * "about 0.3 us per run", "about 0.3 us per run (without the delegate's own profiler)" or
 * "6.9..7.6 us per run (measured)". A cost that is known.
 */
void ets_add_tracing_cost(struct ets_text_builder *text, const struct ets_tracing_cost *cost);
/* What was subtracted, and what was not: "about 0.3 us per run of 6.9..7.6 us measured". */
void ets_add_subtracted_cost(struct ets_text_builder *text, const struct ets_tracing_cost *cost);

#endif
