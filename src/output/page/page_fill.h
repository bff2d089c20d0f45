/* Fills the tables that only a report has. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_FILL_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_FILL_H

#include "output/page/page_parts.h"

/* After the tables of sql and the matrices of events. Status: NO_MEMORY. */
enum ets_status ets_page_add_views(struct ets_page *page, struct ets_error *error);

#endif
