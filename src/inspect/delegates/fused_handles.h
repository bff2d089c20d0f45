/*
 * Finds the debug handles of each node of a payload. If a backend fused several operators or folded
 * a weight, the payload keeps only one handle; the call's list has them all. A handle without its
 * own node belongs to the node whose result it works on (a clamp, a batch norm), or else to the
 * node that reads its result (a dequantised weight). The record's graph decides. Without it the
 * order of the list decides, which is correct for graphs without branches.
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_FUSED_HANDLES_H
#define ETSCOPE_INSPECT_DELEGATES_FUSED_HANDLES_H

#include "host/key_table.h"
#include "inspect/delegates/delegate_units.h"

struct ets_fused_handles {
    struct ets_key_table known; /* handles of the call, in the order of its list */
    uint32_t *owner;            /* [known] the handle whose node computes this one, or none */
    uint32_t *first;            /* [known + 1] first member of each owner */
    int64_t *members;           /* in the order of the list */
    int64_t *rest;              /* [rest_count] handles without an owner, likewise */
    uint32_t rest_count;
    bool is_exact; /* from the graph */
};

/* `owned[count]`: handles of nodes; -1 is skipped. Statuses: NO_MEMORY. */
enum ets_status ets_fused_handles_build(struct ets_arena *arena,
                                        const struct ets_delegate_call *call, const int64_t *owned,
                                        size_t count, struct ets_fused_handles *fused_out,
                                        struct ets_error *error);

/* The handles of the node with `handle`; NULL if it is not in the call's list. */
const int64_t *ets_fused_handles_of(const struct ets_fused_handles *fused, int64_t handle,
                                    size_t *count_out);

/* The handles that belong to no node. */
static inline const int64_t *ets_fused_handles_rest(const struct ets_fused_handles *fused,
                                                    size_t *count_out)
{
    *count_out = fused->rest_count;
    return fused->rest;
}

#endif
