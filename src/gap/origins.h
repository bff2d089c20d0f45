/*
 * Finds the node of the reference that each node of the edge program was made from: its from_node
 * chain leads to nodes of the exported program. Debug handles are propagated backwards, as in
 * ExecuTorch (executorch/devtools/inspector/_inspector_utils.py 1.5.1).
 */
#ifndef ETSCOPE_GAP_ORIGINS_H
#define ETSCOPE_GAP_ORIGINS_H

#include "gap/gap_graph.h"

struct gap_origins {
    int64_t *handle;     /* [reference node] propagated handle; 0: none */
    uint32_t *made_from; /* [edge node] the reference's node, or GAP_NONE */
    bool is_complete;    /* every handle of the edge program was propagated */
    uint32_t lost;       /* edge nodes without a node of the reference */
};

/* `reference` and `edge` may be the same graph: each node is then its own origin. Statuses:
 * NO_MEMORY. */
enum ets_status ets_gap_origins_find(struct gap_origins *origins, struct ets_arena *arena,
                                     const struct gap_graph *reference,
                                     const struct gap_graph *edge, uint64_t export_graph_id,
                                     struct ets_error *error);

#endif
