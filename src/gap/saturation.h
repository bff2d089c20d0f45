/*
 * What the scales of a program's activations cut off: quantized with a fixed scale, a number beyond
 * the scale's range becomes the largest or smallest of the range.
 *
 *     struct gap_saturations saturations;
 *     status = ets_gap_saturations_find(&saturations, &arena, graph, &error);
 *     ets_gap_saturations_see(&saturations, node, &value); // each value that is computed
 */
#ifndef ETSCOPE_GAP_SATURATION_H
#define ETSCOPE_GAP_SATURATION_H

#include "gap/gap_parts.h"

struct gap_saturation {
    uint32_t quantize, maker; /* nodes: that quantizes, and whose value it takes; GAP_NONE: input */
    double step;
    struct ets_gap_saturation seen; /* count 0: no value was seen */
};

struct gap_saturations {
    const struct gap_graph *graph;
    struct gap_saturation *items;
    uint32_t count;
};

/* Finds the nodes of the graph that quantize with one scale from the export. Status: NO_MEMORY. */
enum ets_status ets_gap_saturations_find(struct gap_saturations *saturations,
                                         struct ets_arena *arena, const struct gap_graph *graph,
                                         struct ets_error *error);

/* Measures the inputs of the model that they take. */
void ets_gap_saturations_see_inputs(struct gap_saturations *saturations,
                                    const struct ets_value *inputs, size_t count);

/* Measures the value of a node, if one of them takes it. */
void ets_gap_saturations_see(struct gap_saturations *saturations, uint32_t node,
                             const struct ets_tensor *value);

/* What was cut off of the value of a node, where it is quantized, or of that which the node
 * dequantizes; NULL: nothing. GAP_NONE is allowed. */
const struct ets_gap_saturation *ets_gap_saturation_of(const struct gap_saturations *saturations,
                                                       uint32_t node);

/* The node whose value a node quantizes or dequantizes, or itself if it does neither; GAP_NONE:
 * there is none. */
uint32_t ets_gap_quantized_node(const struct gap_graph *graph, uint32_t node);

/* Tells whether the value of a node reaches only few steps of its scale, and what shares it. */
void ets_gap_saturations_find_coarse(const struct gap_saturations *saturations, uint32_t node,
                                     struct ets_gap_coarse_scale *coarse_out);

/* Takes back that numbers were cut off: the right ones are within the scale. */
void ets_gap_saturations_clear(struct gap_saturations *saturations,
                               const struct ets_gap_saturation *seen);

/* Counts those of which more was cut off than int8 may be wrong, and tells the first. */
void ets_gap_saturations_judge(const struct gap_saturations *saturations,
                               struct ets_gap_conclusion *verdict);

#endif
