/* The colours of cells on a terminal. */
#ifndef ETSCOPE_OUTPUT_TABLE_CELL_COLOR_H
#define ETSCOPE_OUTPUT_TABLE_CELL_COLOR_H

#include "output/table/cell_text.h"

/* Ends each of the sequences below. */
#define ETS_COLOR_END "\033[22;39;49m"
/* Of the filled part of a share: readable on light and dark terminals. */
#define ETS_COLOR_BAR "\033[30;46m"

/* The escape sequence before a cell's text; NULL: none. */
const char *ets_cell_color(const struct ets_shown_column *shown, const struct ets_cell *cell);

/* How many columns of a share's cell are filled. */
uint32_t ets_cell_bar(const struct ets_shown_column *shown, const struct ets_cell *cell);

#endif
