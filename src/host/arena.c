/* Allocates memory in blocks, which are freed together. */
#include "host/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/load.h"

enum { BLOCK_BYTES = 32 * 1024 };

struct ets_arena_block {
    struct ets_arena_block *next;
    size_t size; /* of the payload */
    size_t used;
    alignas(max_align_t) unsigned char payload[];
};

void ets_arena_init(struct ets_arena *arena, const struct ets_allocator *allocator,
                    size_t limit_bytes)
{
    *arena = (struct ets_arena){
        .allocator = allocator != NULL ? allocator : &ets_libc_allocator,
        .limit_bytes = limit_bytes != 0 ? limit_bytes : SIZE_MAX,
    };
}

static struct ets_arena_block *add_block(struct ets_arena *arena, size_t bytes)
{
    const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct ets_arena_block *block = arena->allocator->reallocate(
        arena->allocator->context, NULL, offsetof(struct ets_arena_block, payload) + size);
    if (block == NULL) return NULL;
    block->size = size;
    block->used = 0;
    /* A large piece gets its own block, behind the head, which still has room. */
    if (bytes > BLOCK_BYTES && arena->blocks != NULL) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

static void *take(struct ets_arena *arena, size_t bytes)
{
    const size_t mask = alignof(max_align_t) - 1;
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + mask) & ~mask;
    if (bytes > arena->limit_bytes - arena->used_bytes) {
        arena->was_limited = true;
        return NULL;
    }
    struct ets_arena_block *block = arena->blocks;
    if (block == NULL || bytes > block->size - block->used) block = add_block(arena, bytes);
    if (block == NULL) return NULL;
    void *piece = block->payload + block->used;
    block->used += bytes;
    arena->used_bytes += bytes;
    return piece;
}

void *ets_arena_alloc(struct ets_arena *arena, size_t bytes)
{
    void *piece = take(arena, bytes);
    return piece == NULL ? NULL : memset(piece, 0, bytes);
}

void *ets_arena_alloc_array(struct ets_arena *arena, size_t count, size_t size)
{
    uint64_t bytes;
    if (!ets_mul_u64(count, size, &bytes) || bytes > SIZE_MAX) return NULL;
    return ets_arena_alloc(arena, (size_t)bytes);
}

void *ets_arena_alloc_unset(struct ets_arena *arena, size_t count, size_t size)
{
    uint64_t bytes;
    if (!ets_mul_u64(count, size, &bytes) || bytes > SIZE_MAX) return NULL;
    return take(arena, (size_t)bytes);
}

void *ets_arena_grow(struct ets_arena *arena, void *array, uint32_t index, uint32_t *capacity,
                     size_t size)
{
    enum { FIRST = 8 }; /* most lists of things stay short */
    uint32_t wanted = *capacity == 0 ? FIRST : *capacity;
    if (index < *capacity) return array;
    while (wanted <= index) {
        if (wanted > UINT32_MAX / 2) return NULL;
        wanted *= 2;
    }
    void *grown = ets_arena_alloc_array(arena, wanted, size);
    if (grown == NULL) return NULL;
    if (*capacity > 0) memcpy(grown, array, *capacity * size);
    *capacity = wanted;
    return grown;
}

char *ets_arena_copy_text(struct ets_arena *arena, const char *data, size_t size)
{
    if (size == SIZE_MAX) return NULL;
    char *copy = ets_arena_alloc(arena, size + 1);
    if (copy != NULL && size > 0) memcpy(copy, data, size);
    return copy;
}

void ets_arena_reset(struct ets_arena *arena)
{
    for (struct ets_arena_block *block = arena->blocks; block != NULL;) {
        struct ets_arena_block *next = block->next;
        arena->allocator->release(arena->allocator->context, block);
        block = next;
    }
    arena->blocks = NULL;
    arena->used_bytes = 0;
}
