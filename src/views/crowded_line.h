/*
 * A line of source that takes about half of a run or more, for several modules: a block of a model
 * that is there several times, or a container such as nn.Sequential, whose parts are called from
 * one line. Source lines cannot tell these apart, modules can.
 */
#ifndef ETSCOPE_VIEWS_CROWDED_LINE_H
#define ETSCOPE_VIEWS_CROWDED_LINE_H

#include <stdbool.h>

#include "views/advice_words.h"
#include "views/places.h"
#include "views/work.h"

struct ets_crowded_line {
    const struct ets_graph_frame *frame; /* the line; NULL: there is none */
    struct ets_span share;               /* NaN: not known */
    uint32_t module_count;
    uint32_t tried; /* lines that were looked at for it */
};

/*
 * Keeps what is offered where it is such a line, whose work is `rows`. Of several the one of the
 * smallest share is kept, which the others call. Returns false where memory ran out.
 */
bool ets_crowded_line_offer(struct ets_arena *arena, const struct ets_inspection *inspection,
                            struct ets_places *places, const struct ets_crowded_line *offered,
                            const uint32_t *rows, uint32_t row_count,
                            struct ets_crowded_line *line);

/*
 * "models/blocks.py:18 takes 95.7 % of the run, in 7 modules", and how these are told apart; the
 * share as a range where steps of a clock make it one. `advice`, of `words`: how modules are shown.
 * Returns the length, 0 where there is no such line; cut to `room`.
 */
size_t ets_crowded_line_print(const struct ets_crowded_line *line,
                              const struct ets_advice_words *words, enum ets_advice advice,
                              char *text, size_t room);

#endif
