/*
 * Pairs equivalent nodes of two models: a quantized program and its float original. Nodes of one
 * operator are paired in order in each module of which both graphs have the same number, then in
 * all modules, then by name unless their modules are known to differ. The value of a quantized node
 * is that of its quantize and dequantize nodes, in both graphs if both quantize it. A batch norm
 * that was folded into the convolution before it has the convolution's value.
 */
#ifndef ETSCOPE_GAP_COUNTERPARTS_H
#define ETSCOPE_GAP_COUNTERPARTS_H

#include "etscope/verify.h"
#include "gap/gap_graph.h"

struct gap_counterpart {
    uint32_t own;   /* node of this graph whose value is compared; it has one output */
    uint32_t other; /* node of the other graph */
};

/* Pairs in the order of the other graph. `unpaired_out`: its nodes without a pair. Status:
 * NO_MEMORY.
 */
enum ets_status ets_gap_counterparts_find(struct ets_arena *arena, const struct gap_graph *own,
                                          const struct gap_graph *other,
                                          struct gap_counterpart **pairs_out, uint32_t *count_out,
                                          uint32_t *unpaired_out, uint32_t swapped_out[2],
                                          struct ets_error *error);

/* Whether a node quantizes, dequantizes, or computes quantization parameters. */
bool ets_gap_quantizes(const struct ets_graph_node *node);
bool ets_gap_graph_quantizes(const struct gap_graph *graph);
/* The arithmetic after quantization by this node; EXACT: it does not quantize. */
enum ets_computes ets_gap_quantizes_to(const struct ets_graph_node *node);

#endif
