/* Columns that a report adds to `operators`: why a kernel is outside of delegates. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_OUTSIDES_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_OUTSIDES_H

#include "output/page/page_parts.h"

/* Nulls where the record and the program do not decide it. Status: NO_MEMORY. */
enum ets_status ets_page_add_outsides(struct ets_page *page, struct ets_error *error);

#endif
