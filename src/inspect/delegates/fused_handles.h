/*
 * The debug handles behind each node of a payload. A backend keeps the handle of one operator where
 * it fused several, or folded a weight; the call's list has them all. Those without a node of their
 * own belong to the node whose result they work on (a clamp, a batch norm), or else to the one that
 * reads theirs (a dequantised weight). The record's graph tells; without it, the list's order does,
 * which is right where the graph has no branches.
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_FUSED_HANDLES_H
#define ETSCOPE_INSPECT_DELEGATES_FUSED_HANDLES_H

#include "host/key_table.h"
#include "inspect/delegates/delegate_units.h"

struct ets_fused_handles {
    struct ets_key_table known; /* handles of the call, in the order of its list */
    uint32_t *owner;            /* [known] the handle whose node does this one's work, or none */
    uint32_t *first;            /* [known + 1] members of an owner, */
    int64_t *members;           /* in the order of the list */
    int64_t *rest;              /* [rest_count] handles without an owner, likewise */
    uint32_t rest_count;
    bool is_exact; /* told by the graph */
};

/* `owned[count]`: handles that nodes have; -1 among them is passed over. Statuses: NO_MEMORY. */
enum ets_status ets_fused_handles_build(struct ets_arena *arena,
                                        const struct ets_delegate_call *call, const int64_t *owned,
                                        size_t count, struct ets_fused_handles *fused_out,
                                        struct ets_error *error);

/* The handles of the node with `handle`; NULL where the call's list does not have it. */
const int64_t *ets_fused_handles_of(const struct ets_fused_handles *fused, int64_t handle,
                                    size_t *count_out);

/* The handles that no node has and none took over. */
static inline const int64_t *ets_fused_handles_rest(const struct ets_fused_handles *fused,
                                                    size_t *count_out)
{
    *count_out = fused->rest_count;
    return fused->rest;
}

#endif
