/*
 * Merges blocks of one program that differ only because of the processor. If a processor has no
 * arithmetic for 16-bit floats, XNNPACK computes them as 32-bit floats and adds conversions. If the
 * payload is known, its nodes identify these rows, and the blocks are merged; a trace without a
 * conversion spent no time on it. Otherwise a note says that the blocks may be one.
 */
#include "compare/pool_parts.h"

/* A shape among the blocks that were found. */
struct variant {
    const struct ets_pool_found *first; /* whose inspection the pool keeps */
    uint32_t core, base;
    const uint32_t *rows; /* see struct ets_pool_found */
};

static const struct ets_block *block_of(const struct ets_pool_found *found)
{
    return ets_inspection_block(found->inspection, found->part.block);
}

static bool is_same(const struct ets_row *a, const struct ets_row *b)
{
    return ets_text_equal(a->operation, b->operation) && a->chain == b->chain &&
           a->instruction == b->instruction && a->is_delegated == b->is_delegated;
}

/*
 * Maps each row of `base` to the row of `other`, if `base` has all rows of `other`; else sets
 * *rows_out to NULL. False: no memory.
 */
static bool map_rows(struct ets_arena *arena, const struct ets_pool_found *base,
                     const struct ets_pool_found *other, const uint32_t **rows_out)
{
    const struct ets_block *all = block_of(base), *some = block_of(other);
    uint32_t *rows = ets_arena_alloc_array(arena, all->row_count, sizeof *rows), used = 0;
    *rows_out = NULL;
    if (rows == NULL) return false;
    for (uint32_t i = 0; i < all->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(base->inspection, all->first_row + i);
        const struct ets_row *next =
            used == some->row_count ? NULL
                                    : ets_inspection_row(other->inspection, some->first_row + used);
        if (next != NULL && is_same(row, next)) rows[i] = used++;
        else if (ets_pool_row_is_added(row)) rows[i] = ETS_NO_INDEX;
        else return true;
    }
    if (used == some->row_count) *rows_out = rows;
    return true;
}

/* Each shape joins the one with the most rows among those equal except for added rows. */
static bool join(struct ets_pool *pool, struct variant *variants, uint32_t count)
{
    struct ets_key_table cores;
    ets_key_table_init(&cores, &pool->scratch, 1);
    uint32_t *largest = ets_arena_alloc_array(&pool->scratch, count, sizeof *largest);
    if (largest == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key = variants[i].core;
        const uint32_t known = cores.count, number = ets_key_table_add(&cores, &key);
        if (number == ETS_KEY_NONE) return false;
        const bool is_larger =
            number == known || block_of(variants[largest[number]].first)->row_count <
                                   block_of(variants[i].first)->row_count;
        if (is_larger) largest[number] = i;
        variants[i].core = number;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t base = largest[variants[i].core];
        variants[i].base = i;
        if (base == i) continue;
        if (!map_rows(&pool->scratch, variants[base].first, variants[i].first, &variants[i].rows)) {
            return false;
        }
        if (variants[i].rows != NULL) variants[i].base = base;
    }
    return true;
}

bool ets_pool_find_variants(struct ets_pool *pool)
{
    struct ets_key_table shapes;
    ets_key_table_init(&shapes, &pool->scratch, 1);
    struct variant *variants =
        ets_arena_alloc_array(&pool->scratch, pool->found_count, sizeof *variants);
    uint32_t *number = ets_arena_alloc_array(&pool->scratch, pool->found_count, sizeof *number);
    if (variants == NULL || number == NULL) return false;
    for (uint32_t i = 0; i < pool->found_count; i++) {
        const struct ets_pool_found *found = &pool->found[i];
        const uint64_t key = found->shape;
        const uint32_t known = shapes.count;
        number[i] = ets_key_table_add(&shapes, &key);
        if (number[i] == ETS_KEY_NONE) return false;
        if (number[i] != known) continue;
        const uint32_t core = ets_pool_shape_of(&pool->shapes, found->inspection, block_of(found),
                                                ETS_POOL_WITHOUT_ADDED);
        if (core == ETS_KEY_NONE) return false;
        variants[number[i]] = (struct variant){.first = found, .core = core};
    }
    if (!join(pool, variants, shapes.count)) return false;
    for (uint32_t i = 0; i < pool->found_count; i++) {
        const struct variant *variant = &variants[number[i]];
        pool->found[i].rows = variant->rows;
        pool->found[i].shape = variants[variant->base].first->shape;
    }
    return true;
}

bool ets_pool_find_likeness(struct ets_pool *pool, const struct ets_pool_found *const *of_block)
{
    struct ets_key_table seen;
    uint32_t *block = ets_arena_alloc_array(&pool->scratch, pool->block_count, sizeof *block);
    ets_key_table_init(&seen, &pool->scratch, 1);
    if (block == NULL) return false;
    for (uint32_t b = 0; b < pool->block_count; b++) {
        const struct ets_pool_found *found = of_block[b];
        pool->blocks[b].may_be = ETS_NO_INDEX;
        if (!found->has_work) continue;
        const uint64_t key = ets_pool_shape_of(&pool->shapes, found->inspection, block_of(found),
                                               ETS_POOL_WITHOUT_WIDTHS);
        const uint32_t known = seen.count, number = ets_key_table_add(&seen, &key);
        if (key == ETS_KEY_NONE || number == ETS_KEY_NONE) return false;
        if (number == known) block[number] = b;
        else pool->blocks[b].may_be = block[number];
    }
    return true;
}
