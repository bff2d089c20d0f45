/* The most expensive operators as a table of the first screen. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_OPERATORS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_OPERATORS_H

#include "output/page/page_parts.h"

/* Of the method that ran longest, in each trace. False where memory ran out. */
bool ets_page_put_operators(struct ets_output *output, const struct ets_page *page);

#endif
