/*
 * Which node of the reference each node of the edge program was made from, by from_node: an edge
 * node's chain of ancestors leads through the nodes of the exported program. Debug handles go the
 * way back, as upstream lets them (docs: executorch/devtools/inspector/_inspector_utils.py 1.5.1).
 */
#ifndef ETSCOPE_GAP_ORIGINS_H
#define ETSCOPE_GAP_ORIGINS_H

#include "gap/gap_graph.h"

struct gap_origins {
    int64_t *handle;     /* [reference node] that came back; 0: none */
    uint32_t *made_from; /* [edge node] the reference's node, or GAP_NONE */
    bool is_complete;    /* every handle of the edge program came back */
    uint32_t lost;       /* edge nodes that were made from no node of the reference */
};

/* `reference` and `edge` may be one: every node is then made from itself. Statuses: NO_MEMORY. */
enum ets_status ets_gap_origins_find(struct gap_origins *origins, struct ets_arena *arena,
                                     const struct gap_graph *reference,
                                     const struct gap_graph *edge, uint64_t export_graph_id,
                                     struct ets_error *error);

#endif
