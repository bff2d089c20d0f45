/* The table of a page that holds how far captured values are from their reference. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_GAP_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_GAP_H

#include "output/page/page_table.h"
#include "study/study.h"

/* Adds `gap_values`, and pictures of these; without compared values, nothing. Statuses: NO_MEMORY.
 */
enum ets_status ets_page_add_gaps(struct ets_page_document *document, const struct ets_study *study,
                                  struct ets_error *error);

#endif
