/* Hash tables of a graph's names, for ets_graph_find_value and ets_graph_find_node. */
#ifndef ETSCOPE_RECORD_GRAPH_INDEX_H
#define ETSCOPE_RECORD_GRAPH_INDEX_H

#include "etscope/etrecord.h"

/* Open addressing; a slot holds an index + 1, 0 is free; tables are at most half full. */
struct ets_graph_index {
    uint32_t value_mask, node_mask;
    uint32_t *value_slots, *node_slots;
};

uint32_t ets_graph_hash(struct ets_text text);

#endif
