/* The column `stack` of the operators, which the table `stacks` fills (page_views.h). */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_STACKS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_STACKS_H

#include "output/page/page_table.h"

/* False: no memory. */
bool ets_page_add_stack_column(struct ets_page_document *document);

#endif
