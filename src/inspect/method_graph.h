/* Whether the graph of a block's method is there to name its operators and lines. */
#ifndef ETSCOPE_INSPECT_METHOD_GRAPH_H
#define ETSCOPE_INSPECT_METHOD_GRAPH_H

#include "etscope/inspect.h"

/*
 * NULL, unless the record has the handles of the block's method but not the graph that they belong
 * to: then ets_etrecord_why_no_graph.
 */
const char *ets_inspection_why_no_graph(const struct ets_inspection *inspection, uint32_t block);

#endif
