/* Finds by their order which nodes of the record those of a payload are of. */
#ifndef ETSCOPE_INSPECT_DELEGATES_ALIGNED_NODES_H
#define ETSCOPE_INSPECT_DELEGATES_ALIGNED_NODES_H

#include "inspect/delegates/delegate_units.h"
#include "payload/payload.h"

/*
 * The third convolution of the payload is the third of the call, if both have equally many and
 * their outputs equally many elements, and if no handle that is known otherwise contradicts
 * (`owned[i]` >= 0). Writes handles into aligned_out[node_count], -1: not found.
 * Statuses: NO_MEMORY.
 */
enum ets_status ets_align_nodes(struct ets_arena *arena, const struct ets_delegate_call *call,
                                const struct ets_payload_graph *graph, const int64_t *owned,
                                int64_t *aligned_out, struct ets_error *error);

#endif
