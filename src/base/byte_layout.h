/* Little-endian numbers of any width, and positions, for what writes files. */
#ifndef ETSCOPE_BASE_BYTE_LAYOUT_H
#define ETSCOPE_BASE_BYTE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Stores the lowest `bytes` bytes of `value`. */
static inline void ets_store_bytes(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* The next multiple of `alignment`, which is not 0. */
static inline uint64_t ets_align(uint64_t position, uint64_t alignment)
{
    return (position + alignment - 1) / alignment * alignment;
}

#endif
