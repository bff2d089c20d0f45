/* complex_nodes.h - nodes whose numbers cannot be computed, and nodes that need no numbers. */
#ifndef ETSCOPE_REFERENCE_COMPLEX_NODES_H
#define ETSCOPE_REFERENCE_COMPLEX_NODES_H

#include <stdbool.h>

#include "etscope/etrecord.h"

/* Whether the node computes with complex numbers. */
bool ets_reference_is_complex(const struct ets_graph_node *node);

/* Whether the node needs only the type and shape of its first argument. */
bool ets_reference_needs_shape_only(const struct ets_graph_node *node);

#endif
