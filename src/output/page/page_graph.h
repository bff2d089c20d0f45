/* Tables of a page that hold its graphs: what flows between nodes, and between instructions. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_GRAPH_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_GRAPH_H

#include "output/page/page_table.h"
#include "study/study.h"

/* Adds `edges`, `graph_ends`, `node_arguments` and `value_uses`. Statuses: LIMIT, NO_MEMORY. */
enum ets_status ets_page_add_graphs(struct ets_page_document *document,
                                    const struct ets_study *study, struct ets_error *error);

#endif
