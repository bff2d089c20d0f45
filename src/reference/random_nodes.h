/* random_nodes.h - nodes whose numbers cannot be computed, and what needs no numbers. */
#ifndef ETSCOPE_REFERENCE_RANDOM_NODES_H
#define ETSCOPE_REFERENCE_RANDOM_NODES_H

#include <stdbool.h>

#include "etscope/etrecord.h"

/* True where the node draws random numbers: no other run has them. */
bool ets_reference_is_random(const struct ets_graph_node *node);

/* True where the node computes with complex numbers. */
bool ets_reference_is_complex(const struct ets_graph_node *node);

/* True where the node takes the type and shape of its first argument alone. */
bool ets_reference_needs_shape_only(const struct ets_graph_node *node);

#endif
