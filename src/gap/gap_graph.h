/* A graph with all its subgraphs as one list of nodes, and the source of each value. */
#ifndef ETSCOPE_GAP_GAP_GRAPH_H
#define ETSCOPE_GAP_GAP_GRAPH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/etrecord.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"

#define GAP_NONE UINT32_MAX

/* A value: an output of a node (items of lists are counted, too), or an input of a graph. */
struct gap_place {
    uint32_t node;   /* GAP_NONE: an input */
    uint32_t output; /* of the node; for an input its index in the graph */
};

struct gap_graph {
    const struct ets_graph *graph;
    struct ets_arena *arena;
    uint32_t node_count;
    const struct ets_graph_node **nodes; /* top graph first, then the subgraphs, breadth first */
    uint32_t *level;                     /* [node] 0: the graph itself; n: subgraph n - 1 */
    struct ets_strings names;
    struct ets_key_table values; /* level, number of the name */
    struct gap_place *places;    /* [values.count] */
    uint32_t place_capacity;
};

/* Statuses: NO_MEMORY. */
enum ets_status ets_gap_graph_build(struct gap_graph *flat, struct ets_arena *arena,
                                    const struct ets_graph *graph, struct ets_error *error);

/* The graph of a level. */
const struct ets_graph *ets_gap_graph_level(const struct gap_graph *flat, uint32_t level);

/* The number of a node of the graph or its subgraphs, or GAP_NONE. */
uint32_t ets_gap_graph_number(const struct gap_graph *flat, const struct ets_graph_node *node);

/* The number of a value, or GAP_NONE. */
uint32_t ets_gap_graph_value(const struct gap_graph *flat, uint32_t level, struct ets_text name);

/* Whether a value is a user input of the graph. */
bool ets_gap_graph_is_user(const struct gap_graph *flat, uint32_t value);

/* The number of outputs of a node, items of lists included. */
uint32_t ets_gap_output_count(const struct ets_graph_node *node);
/* Output `index`; NULL: out of range. */
const struct ets_graph_argument *ets_gap_output(const struct ets_graph_node *node, uint32_t index);
/* What the graph knows of output `output` of node `node`; NULL: nothing. */
const struct ets_graph_value *ets_gap_output_value(const struct gap_graph *flat, uint32_t node,
                                                   uint32_t output);

/*
 * Finds the values that leave the part that computes them: used by a node of another part or of
 * none, or an output of a graph. `part[node]`: a number, or GAP_NONE. Fills `leaves[value]`.
 */
void ets_gap_graph_leaving(const struct gap_graph *flat, const uint32_t *part, bool *leaves);

/* Whether a node gives the same numbers in the same order, in another shape. */
bool ets_gap_is_view(const struct ets_graph_node *node);

/* Calls `see(context, value)` for every input value of `node`, in order. */
void ets_gap_graph_inputs(const struct gap_graph *flat, uint32_t node,
                          void (*see)(void *context, uint32_t value), void *context);

/* Whether all inputs of a node are of the record: none is given by the user, none computed. */
bool ets_gap_graph_is_of_record(const struct gap_graph *flat, uint32_t node);

static inline enum ets_status gap_fail_memory(struct ets_error *error)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to compare with the record");
}

#endif
