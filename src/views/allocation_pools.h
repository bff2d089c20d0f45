/*
 * The pools that an application needs to run a method as it was counted: one for each planned
 * buffer, one for the method allocator, one for the temporary allocator, and memory for inputs and
 * outputs that are not planned.
 *
 *     struct ets_allocation_pools pools;
 *     if (!ets_allocation_pools_collect(&arena, &owners, &pools)) return no_memory();
 *     for (uint32_t i = 0; i < pools.count; i++) show(&pools.items[i]);
 *
 * What takes heap or stack by itself is in no pool.
 */
#ifndef ETSCOPE_VIEWS_ALLOCATION_POOLS_H
#define ETSCOPE_VIEWS_ALLOCATION_POOLS_H

#include "views/allocation_owners.h"

enum { ETS_POOL_LEAST_ALIGNMENT = 16 };

struct ets_allocation_pool {
    uint32_t method; /* of the owners */
    enum ets_memory_owner owner;
    uint32_t index;     /* PLANNED: of the planned buffer, from 0 */
    uint64_t bytes;     /* ETS_MEMORY_UNKNOWN: not known */
    uint64_t alignment; /* that its begin needs for `bytes` to suffice; a power of two */
    uint64_t count;     /* METHOD, TEMPORARY: allocations; INPUTS, OUTPUTS: values */
    bool is_shared;     /* one for all methods of the program */
};

struct ets_allocation_pools {
    struct ets_allocation_pool *items; /* by method; those that nobody needs are left out */
    uint32_t count;
};

/* Returns false where memory ran out. */
ETS_API bool ets_allocation_pools_collect(struct ets_arena *arena,
                                          const struct ets_allocation_owners *owners,
                                          struct ets_allocation_pools *pools_out);

#endif
