/* The table of a page that holds the roofs of a machine. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_ROOFS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_ROOFS_H

#include "output/page/page_table.h"
#include "study/study.h"

/* Adds `roofs`; without a machine, nothing. Status: NO_MEMORY. */
enum ets_status ets_page_add_roofs(struct ets_page_document *document,
                                   const struct ets_study *study, struct ets_error *error);

#endif
