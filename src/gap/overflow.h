/*
 * Values that a type cannot hold: of the reference, evaluated in float64, the first that is beyond
 * the largest number of the type in which the program computes it.
 */
#ifndef ETSCOPE_GAP_OVERFLOW_H
#define ETSCOPE_GAP_OVERFLOW_H

#include "etscope/experimental/gap.h"
#include "gap/gap_graph.h"

/* The largest number of a floating-point type; INFINITY: of a type without such a limit. */
double ets_gap_largest_number(int scalar_type);

/*
 * Sees a value that the reference computed, in the order of the evaluation; keeps the first beyond
 * its type in `overflow`. `statistics` are the value's, or NULL: not known yet.
 */
void ets_gap_overflow_see(struct ets_gap_overflow *overflow, const struct gap_graph *graph,
                          uint32_t node, uint32_t output, const struct ets_tensor *value,
                          const struct ets_tensor_statistics *statistics);

#endif
