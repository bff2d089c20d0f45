/*
 * What a graph does with the last of its tokens alone: where it takes it, and the nodes from there
 * to the logits, as a graph of its own. Evaluated for each token, it gives the logits that a call
 * of all tokens leaves out.
 */
#ifndef ETSCOPE_QUALITY_GRAPH_TAIL_H
#define ETSCOPE_QUALITY_GRAPH_TAIL_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "host/arena.h"

struct ets_graph_tail {
    const struct ets_graph_node *taken; /* from all tokens, the second dimension; NULL: nothing */
    struct ets_text tokens;             /* the value of all tokens, [1, tokens, ...] */
    bool keeps_dimension;               /* `taken` is a slice of one token instead of an item */
    const struct ets_graph_node **originals; /* [graph.node_count] of the whole graph */
    struct ets_graph graph; /* its only user input is what `taken` gives, its output the logits;
                               without nodes: that is the logits already */
};

/*
 * `output`: the logits among the user outputs. `taken` stays NULL if the logits have other inputs,
 * or if the graph does not take the last token so. Statuses: NO_MEMORY.
 */
enum ets_status ets_graph_tail_find(const struct ets_graph *graph, uint32_t output,
                                    struct ets_arena *arena, struct ets_graph_tail *tail_out,
                                    struct ets_error *error);

#endif
