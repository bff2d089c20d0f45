/*
 * The work of nodes of a delegate's payload, from the sizes and types of its values: what the
 * backend was given, with batch norms folded into weights and integers where the model was
 * quantized.
 *
 *     struct ets_payload_costs costs;
 *     if (!ets_payload_costs_open(&arena, graph, &costs)) return no_memory;
 *     struct ets_cost work = ets_payload_cost(&costs, nodes, count);
 *
 * All memory is the arena's; the graph is borrowed.
 */
#ifndef ETSCOPE_COST_PAYLOAD_COSTS_H
#define ETSCOPE_COST_PAYLOAD_COSTS_H

#include "cost/cost.h"
#include "cost/cost_call.h"
#include "cost/token_sizes.h"
#include "host/arena.h"
#include "payload/payload.h"

struct ets_payload_use; /* payload_costs.c */

struct ets_payload_costs {
    const struct ets_payload_graph *graph;
    struct ets_arena *arena;
    const struct ets_token_sizes *sizes; /* of the run at hand; NULL: as the payload has them */
    const bool *is_constant_argument; /* [argument_count] of the call: weights that it is given */
    uint32_t argument_count;
    bool is_bounded;              /* some of what was counted has bounds all the same */
    struct ets_payload_use *uses; /* [value_count] */
    uint32_t *node_marks;         /* [node_count] the set that the node is in */
    uint32_t set;                 /* number of the set at hand */
    struct ets_cost_marks marks;  /* [value_count] of calls */
};

/* false: no memory. */
bool ets_payload_costs_open(struct ets_arena *arena, const struct ets_payload_graph *graph,
                            struct ets_payload_costs *costs_out);

/* payload_sizes.c: a constant of the payload, or one of the program that the call is given. */
bool ets_payload_costs_is_weight(const struct ets_payload_costs *c,
                                 const struct ets_payload_value *value);
/* The sizes of a value, of the run at hand where they are dynamic. false: it has too many, or they
 * are not known. */
bool ets_payload_costs_sizes(struct ets_payload_costs *c, const struct ets_payload_value *value,
                             int64_t sizes[ETS_TENSOR_MAX_RANK]);

/* The arithmetic of one node, without bytes. */
struct ets_cost ets_payload_node_work(struct ets_payload_costs *costs, uint32_t node);

/* payload_calls.c: the same by the rule of its operator, where parameters are those of the schema.
 */
struct ets_cost ets_payload_call_work(struct ets_payload_costs *costs,
                                      const struct ets_payload_node *node);

/*
 * Of a set of nodes, which run one after the other: their arithmetic, and the bytes that cross the
 * border of the set: values made and used within it alone count nothing. `nodes` NULL: all.
 */
struct ets_cost ets_payload_cost(struct ets_payload_costs *costs, const uint32_t *nodes,
                                 uint32_t count);

#endif
