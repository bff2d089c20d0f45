/*
 * Finds a source line that takes about half of a run or more and belongs to several modules: a
 * block that the model repeats, or a container such as nn.Sequential that calls its parts from one
 * line. Only modules distinguish these.
 */
#ifndef ETSCOPE_VIEWS_REPEATED_LINE_H
#define ETSCOPE_VIEWS_REPEATED_LINE_H

#include <stdbool.h>

#include "views/advice_words.h"
#include "views/places.h"
#include "views/work.h"

struct ets_repeated_line {
    const struct ets_graph_frame *frame; /* the line; NULL: there is none */
    struct ets_span share;               /* NaN: not known */
    uint32_t module_count;
    uint32_t tried; /* number of lines examined */
};

/*
 * Keeps the offered line, whose work is `rows`, if it is such a line. Of several it keeps the one
 * with the smallest share, which the others call. Returns false if memory runs out.
 */
bool ets_repeated_line_offer(struct ets_arena *arena, const struct ets_inspection *inspection,
                             struct ets_places *places, const struct ets_repeated_line *offered,
                             const uint32_t *rows, uint32_t row_count,
                             struct ets_repeated_line *line);

/*
 * Prints "models/blocks.py:18 takes 95.7 % of the run, in 7 modules" and how to show these; the
 * share is a range if the clock is coarse. `advice`, worded by `words`: how to show modules.
 * Returns the length, 0 without such a line; cut to `room`.
 */
size_t ets_repeated_line_print(const struct ets_repeated_line *line,
                               const struct ets_advice_words *words, enum ets_advice advice,
                               char *text, size_t room);

#endif
