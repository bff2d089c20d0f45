/*
 * The answer to "where does the time go", in sentences: what a table, a document and a report begin
 * with.
 *
 *     const struct ets_headline_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
 *     struct ets_sentences headline;
 *     if (!ets_headline_make(&arena, inspection, &options, &headline)) return no_memory;
 *     for (uint32_t i = 0; i < headline.count; i++) print(headline.items[i]);
 *
 * Numbers are those of the tables: medians of the chosen runs, shares of `mid` (chosen_runs.h).
 * Times of a coarse clock are ranges. Sentences are in the arena, without a full stop.
 */
#ifndef ETSCOPE_VIEWS_HEADLINE_H
#define ETSCOPE_VIEWS_HEADLINE_H

#include <stdbool.h>

#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "host/arena.h"
#include "views/advice_words.h"

struct ets_memory_plan; /* memory/memory_plan.h */

struct ets_headline_options {
    uint32_t block;                     /* only this block; ETS_NO_INDEX: all */
    uint32_t run;                       /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;                         /* 1: without warm-up */
    const struct ets_memory_plan *plan; /* of the method; NULL: that in `program` */
    const struct ets_program *program;  /* NULL: not known */
    const struct ets_gap_report *gap;   /* of captured values; NULL: none */
    const struct ets_advice_words *words;
};

struct ets_sentences {
    struct ets_text *items;
    uint32_t count;
};

/*
 * Of one method: its time, what delegates take of it, and the most expensive places. Of several:
 * its time and delegates for each, largest first. Then the planned memory, and what is wrong with
 * captured values. Returns false if memory runs out.
 */
ETS_API bool ets_headline_make(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_headline_options *options,
                               struct ets_sentences *headline_out);

#endif
