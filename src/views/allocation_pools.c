/* The pools that an application needs to run a method. */
#include "views/allocation_pools.h"

static uint64_t larger(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* Of a hostile file an alignment may be anything. */
static uint64_t alignment_of(const struct ets_held_memory *held)
{
    const uint64_t asked = held->alignment;
    const bool is_power = asked != 0 && (asked & (asked - 1)) == 0;
    return is_power ? larger(asked, ETS_POOL_LEAST_ALIGNMENT) : ETS_POOL_LEAST_ALIGNMENT;
}

static bool has_pool(enum ets_memory_owner owner)
{
    return owner == ETS_MEMORY_METHOD || owner == ETS_MEMORY_PLANNED ||
           owner == ETS_MEMORY_TEMPORARY || owner == ETS_MEMORY_INPUTS ||
           owner == ETS_MEMORY_OUTPUTS;
}

/* Pools of a method that all takers of an allocator share; ETS_NO_INDEX: there is none yet. */
struct shared {
    uint32_t method, temporary;
};

/* The pool that `held` is in: a new one, or that of its allocator. */
static struct ets_allocation_pool *pool_of(struct ets_allocation_pools *pools, uint32_t method,
                                           struct shared *shared,
                                           const struct ets_held_memory *held)
{
    uint32_t own = ETS_NO_INDEX;
    uint32_t *place = held->owner == ETS_MEMORY_METHOD      ? &shared->method
                      : held->owner == ETS_MEMORY_TEMPORARY ? &shared->temporary
                                                            : &own;
    if (*place == ETS_NO_INDEX) {
        *place = pools->count++;
        pools->items[*place] = (struct ets_allocation_pool){.method = method,
                                                            .owner = held->owner,
                                                            .index = held->index,
                                                            .is_shared = held->is_shared};
    }
    return &pools->items[*place];
}

static void add(struct ets_allocation_pool *pool, const struct ets_held_memory *held)
{
    pool->bytes = larger(pool->bytes, held->pool_bytes);
    pool->alignment = larger(pool->alignment, alignment_of(held));
    if (held->count != ETS_MEMORY_UNKNOWN && pool->count <= INT64_MAX - held->count) {
        pool->count += held->count;
    }
}

bool ets_allocation_pools_collect(struct ets_arena *arena,
                                  const struct ets_allocation_owners *owners,
                                  struct ets_allocation_pools *pools)
{
    *pools = (struct ets_allocation_pools){
        .items = ets_arena_alloc_array(arena, owners->count, sizeof *pools->items)};
    if (pools->items == NULL) return false;
    for (uint32_t m = 0; m < owners->method_count; m++) {
        const struct ets_allocation_method *method = &owners->methods[m];
        struct shared shared = {ETS_NO_INDEX, ETS_NO_INDEX};
        for (uint32_t i = 0; i < method->count; i++) {
            const struct ets_held_memory *held = owners->items[method->first + i].held;
            if (!has_pool(held->owner) || held->pool_bytes == 0) continue;
            add(pool_of(pools, m, &shared, held), held);
        }
    }
    return true;
}
