/*
 * The work of an ETRecord's graph nodes, from the metadata of their tensors.
 *
 *     struct ets_graph_costs *costs = ets_graph_costs_open(&arena, graph);
 *     struct ets_cost cost;
 *     if (costs == NULL || !ets_graph_costs_node(costs, node, &cost)) return no_memory;
 *     ets_graph_costs_close(costs);
 *
 * Sizes that are expressions have the value of the export's example inputs: such costs say
 * `is_example`. Views give nothing that moves; what a graph knows as views, a program may have to
 * copy.
 */
#ifndef ETSCOPE_COST_GRAPH_COSTS_H
#define ETSCOPE_COST_GRAPH_COSTS_H

#include "cost/cost_call.h"
#include "etscope/etrecord.h"
#include "etscope/tensor.h"
#include "host/arena.h"

struct ets_graph_costs;  /* graph_costs.c */
struct ets_size_symbols; /* record/size_expression.h */

/* The graph with its subgraphs; borrowed. All but scratch is the arena's. NULL: no memory. */
struct ets_graph_costs *ets_graph_costs_open(struct ets_arena *arena,
                                             const struct ets_graph *graph);
void ets_graph_costs_close(struct ets_graph_costs *costs); /* NULL is allowed */

/*
 * Finds what the graph's symbols are for these inputs, in order; the data of tensors is not read.
 * `*sizes_out` NULL: they are not inputs of the graph. false: no memory.
 */
bool ets_graph_costs_bind(struct ets_graph_costs *costs, const struct ets_value *inputs,
                          size_t count, const struct ets_size_symbols **sizes_out);
/* From now on sizes that are expressions have their values for `sizes`; NULL: those of the example,
 * as do sizes that the inputs did not determine. */
void ets_graph_costs_use(struct ets_graph_costs *costs, const struct ets_size_symbols *sizes);

/* `node` is of the graph, or of a subgraph. false: no memory. */
bool ets_graph_costs_node(struct ets_graph_costs *costs, const struct ets_graph_node *node,
                          struct ets_cost *cost_out);

/*
 * Of a set of nodes that a backend runs as one: their arithmetic, and the bytes that cross the
 * border of the set. With `folds`, as XNNPACK does it: batch norms behind a convolution of the set
 * are in its weights (`folded`), and constants are dequantized ahead of time. false: no memory.
 */
bool ets_graph_costs_set(struct ets_graph_costs *costs, const struct ets_graph_node *const *nodes,
                         size_t count, bool folds, struct ets_cost *cost_out);

/* The same for one node within a set at hand: its work alone, no bytes. */
bool ets_graph_costs_work(struct ets_graph_costs *costs, const struct ets_graph_node *node,
                          bool folds, struct ets_cost *cost_out);

#endif
