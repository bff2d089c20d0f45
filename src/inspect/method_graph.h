/* Whether the graph of a block's method is there to name its operators and lines. */
#ifndef ETSCOPE_INSPECT_METHOD_GRAPH_H
#define ETSCOPE_INSPECT_METHOD_GRAPH_H

#include <stdbool.h>

#include "etscope/inspect.h"

/* Whether the record has the handles of the block's method, and no graph that they are of: records
 * of ExecuTorch 1.0 and 1.1 keep the graph of one method. */
bool ets_inspection_lacks_graph(const struct ets_inspection *inspection, uint32_t block);

#endif
