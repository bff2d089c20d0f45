/*
 * Decides which blocks of several traces are merged: those of one shape, and the loads of one
 * program.
 */
#include "compare/joined.h"
#include "compare/pool_parts.h"

/* Traces that share an executing shape belong to one program. [inspection]: the program's first
 * trace. */
static uint32_t *find_programs(struct ets_pool *pool)
{
    struct ets_key_table seen;
    struct ets_arena *scratch = &pool->scratch;
    uint32_t *above = ets_arena_alloc_array(scratch, pool->inspection_count, sizeof *above);
    uint32_t *first = ets_arena_alloc_array(scratch, pool->found_count, sizeof *first);
    ets_key_table_init(&seen, scratch, 1);
    if (above == NULL || first == NULL) return NULL;
    for (uint32_t i = 0; i < pool->inspection_count; i++) above[i] = i;
    for (uint32_t i = 0; i < pool->found_count; i++) {
        const struct ets_pool_found *found = &pool->found[i];
        if (!found->has_work) continue;
        const uint64_t shape = found->shape;
        const uint32_t known = seen.count, number = ets_key_table_add(&seen, &shape);
        if (number == ETS_KEY_NONE) return NULL;
        const uint32_t inspection = ets_joined_root(above, found->part.inspection);
        if (number == known) first[number] = inspection;
        else above[inspection] = ets_joined_root(above, first[number]);
    }
    for (uint32_t i = 0; i < pool->inspection_count; i++) above[i] = ets_joined_root(above, i);
    return above;
}

bool ets_pool_assign(struct ets_pool *pool)
{
    struct ets_key_table numbers;
    const uint32_t *program = ets_pool_find_variants(pool) ? find_programs(pool) : NULL;
    if (program == NULL) return false;
    ets_key_table_init(&numbers, &pool->scratch, 2);
    for (uint32_t i = 0; i < pool->found_count; i++) {
        struct ets_pool_found *found = &pool->found[i];
        const uint64_t key[2] = {found->shape,
                                 found->has_work ? UINT64_MAX : program[found->part.inspection]};
        found->target = ets_key_table_add(&numbers, key);
        if (found->target == ETS_KEY_NONE) return false;
    }
    pool->block_count = numbers.count;
    return true;
}
