/*
 * The work of nodes of XNNPACK's payload, from the sizes and types of its values: what the backend
 * was given, with batch norms folded into weights and integers where the model was quantized.
 *
 *     struct ets_payload_costs costs;
 *     if (!ets_payload_costs_open(&arena, &payload, &costs)) return no_memory;
 *     struct ets_cost work = ets_payload_cost(&costs, nodes, count);
 *
 * All memory is the arena's; the payload is borrowed. The struct must stay where it was opened.
 */
#ifndef ETSCOPE_COST_PAYLOAD_COSTS_H
#define ETSCOPE_COST_PAYLOAD_COSTS_H

#include "cost/cost.h"
#include "format/xnnpack.h"
#include "host/arena.h"
#include "host/key_table.h"

struct ets_payload_value; /* payload_costs.c */

struct ets_payload_costs {
    const struct ets_xnnpack *payload;
    struct ets_key_table ids;         /* of values, to their numbers */
    struct ets_payload_value *values; /* [payload->value_count] */
    uint32_t *node_marks;             /* [payload->node_count] the set that the node is in */
    uint32_t set;                     /* number of the set at hand */
};

/* false: no memory. */
bool ets_payload_costs_open(struct ets_arena *arena, const struct ets_xnnpack *payload,
                            struct ets_payload_costs *costs_out);

/* The arithmetic of one node, without bytes. */
struct ets_cost ets_payload_node_work(const struct ets_payload_costs *costs, uint32_t node);

/*
 * Of a set of nodes, which run one after the other: their arithmetic, and the bytes that cross the
 * border of the set: values made and used within it alone count nothing. `nodes` NULL: all.
 */
struct ets_cost ets_payload_cost(struct ets_payload_costs *costs, const uint32_t *nodes,
                                 uint32_t count);

#endif
