/* Which nodes draw random numbers. */
#ifndef ETSCOPE_RECORD_RANDOM_OPERATORS_H
#define ETSCOPE_RECORD_RANDOM_OPERATORS_H

#include <stdbool.h>

#include "etscope/etrecord.h"

/*
 * Whether a node draws numbers that differ in each run. Dropouts do in training only. From
 * PyTorch's schemas with a generator (native_functions.yaml), and those that decompose into them.
 */
bool ets_node_is_random(const struct ets_graph_node *node);

#endif
