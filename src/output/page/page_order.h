/* Columns that a report adds: phases of `runs`, positions of `operators`. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_ORDER_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_ORDER_H

#include "output/page/page_parts.h"

/* False: no memory. */
bool ets_page_add_phases(struct ets_page *page);
bool ets_page_add_roles(struct ets_page *page);
bool ets_page_add_positions(struct ets_page *page);

#endif
