/* The line above the table of a block: "Execute - method forward - 10 runs". */
#ifndef ETSCOPE_VIEWS_BLOCK_HEADING_H
#define ETSCOPE_VIEWS_BLOCK_HEADING_H

#include "etscope/inspect.h"
#include "views/advice_words.h"

/*
 * Prints the heading, cut to `room`; returns its length. `words`: how to choose a method; NULL: no
 * advice.
 */
size_t ets_block_heading(const struct ets_inspection *inspection, const struct ets_block *block,
                         const struct ets_advice_words *words, char *text, size_t room);

#endif
