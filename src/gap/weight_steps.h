/*
 * How a program's quantized weights use their steps: why an operator is wrong, where its weights
 * are. Weights are seen as they are dequantized, and found by the node that takes them.
 */
#ifndef ETSCOPE_GAP_WEIGHT_STEPS_H
#define ETSCOPE_GAP_WEIGHT_STEPS_H

#include "gap/gap_parts.h"

struct gap_weight_steps {
    struct ets_arena *arena;
    struct ets_gap_weight_use *items;
    uint32_t *nodes; /* [count] that dequantize */
    uint32_t count, capacity, node_capacity;
};

/*
 * Adds the value of a node of the program's graph, if it dequantizes a weight with one scale.
 * Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_weight_steps_see(struct gap_weight_steps *steps,
                                         const struct gap_graph *graph, uint32_t node,
                                         const struct ets_tensor *value, struct ets_error *error);

/* The weight that a node takes, or if it quantizes the operator before it. NULL: none was seen. It
 * lives as long as the arena. */
const struct ets_gap_weight_use *ets_gap_weight_steps_of(const struct gap_weight_steps *steps,
                                                         const struct gap_graph *graph,
                                                         uint32_t node);

/* The operator that takes weight `index`; NULL: none. */
const struct ets_graph_node *ets_gap_weight_steps_user(const struct gap_weight_steps *steps,
                                                       const struct gap_graph *graph,
                                                       uint32_t index);
/* The number of the first that is a cause of errors; GAP_NONE: none is. */
uint32_t ets_gap_weight_steps_cause(const struct gap_weight_steps *steps);

#endif
