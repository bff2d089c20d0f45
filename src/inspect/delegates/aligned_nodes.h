/* Finds by their order which nodes of the record those of a payload are of. */
#ifndef ETSCOPE_INSPECT_DELEGATES_ALIGNED_NODES_H
#define ETSCOPE_INSPECT_DELEGATES_ALIGNED_NODES_H

#include "inspect/delegates/delegate_units.h"
#include "payload/payload.h"

/*
 * Finds handles for nodes that have none (owned[i] < 0): the third convolution of the payload is
 * the third of the call, if both have equally many, their outputs equally many elements, and no
 * known handle contradicts. Statuses: NO_MEMORY.
 */
enum ets_status ets_align_nodes(struct ets_arena *arena, const struct ets_delegate_call *call,
                                const struct ets_payload_graph *graph, int64_t *owned,
                                struct ets_error *error);

#endif
