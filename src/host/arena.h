/*
 * An arena: memory that is allocated piece by piece and freed all at once, with a limit. A
 * host-side object opened from a file keeps all its memory in one arena.
 */
#ifndef ETSCOPE_HOST_ARENA_H
#define ETSCOPE_HOST_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etscope/base.h"

struct ets_arena_block;

struct ets_arena {
    const struct ets_allocator *allocator; /* never NULL after init */
    struct ets_arena_block *blocks;
    size_t used_bytes;
    size_t limit_bytes; /* requests beyond it fail like an allocation failure, */
    bool was_limited;   /* and this says so */
};

/* The C library's malloc family; defined in libc_allocator.c. */
extern const struct ets_allocator ets_libc_allocator;

/* `allocator` NULL: the C library's. `limit_bytes` 0: no limit. */
ETS_API void ets_arena_init(struct ets_arena *arena, const struct ets_allocator *allocator,
                            size_t limit_bytes);

/* Zeroed bytes aligned for any type, or NULL. A size of 0 returns a valid pointer. */
void *ets_arena_alloc(struct ets_arena *arena, size_t bytes);

/* Zeroed room for `count` elements of `size` bytes, or NULL (overflow included). */
void *ets_arena_alloc_array(struct ets_arena *arena, size_t count, size_t size);

/* The same without zeros, for large arrays that are filled as a whole. */
void *ets_arena_alloc_unset(struct ets_arena *arena, size_t count, size_t size);

/*
 * Makes room for element `index` of a growing array. Returns the array, or a copy twice as large
 * with zeroed new elements. Start with NULL and `*capacity` 0. NULL: no memory.
 */
void *ets_arena_grow(struct ets_arena *arena, void *array, uint32_t index, uint32_t *capacity,
                     size_t size);

/* A terminated copy, or NULL. */
char *ets_arena_copy_text(struct ets_arena *arena, const char *data, size_t size);

/* Frees everything; the arena may be used again. */
ETS_API void ets_arena_reset(struct ets_arena *arena);

#endif
