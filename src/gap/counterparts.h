/*
 * Which node of one model's graph does what a node of another's does: a quantized program and its
 * float original. Nodes of one operator are paired in order where both graphs have as many, else by
 * name. A quantized node's value is what its quantize and dequantize nodes make of it, in both
 * graphs where both quantize it; a batch norm that was folded into the convolution before it has
 * the convolution's value.
 */
#ifndef ETSCOPE_GAP_COUNTERPARTS_H
#define ETSCOPE_GAP_COUNTERPARTS_H

#include "etscope/verify.h"
#include "gap/gap_graph.h"

struct gap_counterpart {
    uint32_t own;   /* node of the one graph whose value is compared; of one output */
    uint32_t other; /* node of the other */
};

/* Pairs in the order of the other graph. `unpaired_out`: its nodes without one. Status: NO_MEMORY.
 */
enum ets_status ets_gap_counterparts_find(struct ets_arena *arena, const struct gap_graph *own,
                                          const struct gap_graph *other,
                                          struct gap_counterpart **pairs_out, uint32_t *count_out,
                                          uint32_t *unpaired_out, struct ets_error *error);

/* Whether a node quantizes, dequantizes, or finds out how to. */
bool ets_gap_quantizes(const struct ets_graph_node *node);
bool ets_gap_graph_quantizes(const struct gap_graph *graph);
/* What quantizing by this node means for what is computed; EXACT: it does not quantize. */
enum ets_computes ets_gap_quantizes_to(const struct ets_graph_node *node);

#endif
