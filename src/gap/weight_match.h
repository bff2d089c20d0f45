/*
 * Decides whether a program and another model belong together, from their weights (the program's
 * after dequantization by its graph) and operators. Rows of a weight are compared by cosine,
 * because a folded batch norm scales them.
 */
#ifndef ETSCOPE_GAP_WEIGHT_MATCH_H
#define ETSCOPE_GAP_WEIGHT_MATCH_H

#include "gap/gap_parts.h"

struct gap_weight; /* a part of one */

struct gap_weights {
    struct ets_arena *arena;
    struct gap_weight *items;
    uint32_t count, capacity;
};

/* Adds the weights that a graph takes from its record. Statuses: NO_MEMORY. */
enum ets_status ets_gap_weights_read(struct gap_weights *weights, struct ets_etrecord *record,
                                     const struct ets_graph *graph, struct ets_error *error);
/* Adds the value of a node that dequantizes a weight. Statuses: NO_MEMORY. */
enum ets_status ets_gap_weights_see(struct gap_weights *weights, const struct gap_graph *graph,
                                    uint32_t node, const struct ets_tensor *value,
                                    struct ets_error *error);
/* Fills the verdict's counts, and `mismatch` if they show one. */
void ets_gap_weights_judge(const struct gap_weights *own, const struct gap_weights *other,
                           uint32_t paired, struct ets_gap_conclusion *verdict);

#endif
