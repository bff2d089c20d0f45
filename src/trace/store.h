/* Little-endian stores and loads of unaligned bytes, without a C library header. */
#ifndef ETSCOPE_TRACE_STORE_H
#define ETSCOPE_TRACE_STORE_H

#include <stdint.h>

#include "trace/freestanding.h"

static inline uint8_t *ets_store_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

/* On little-endian machines, a single store. */
static inline uint8_t *ets_store_u32(uint8_t *at, uint32_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    ets_copy(at, &value, sizeof value);
#else
    ets_store_u16(ets_store_u16(at, value & 0xffff), value >> 16);
#endif
    return at + 4;
}

static inline uint8_t *ets_store_u64(uint8_t *at, uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    ets_copy(at, &value, sizeof value);
#else
    ets_store_u32(ets_store_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
#endif
    return at + 8;
}

static inline uint16_t ets_fetch_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t ets_fetch_u32(const uint8_t *at)
{
    return ets_fetch_u16(at) | (uint32_t)ets_fetch_u16(at + 2) << 16;
}

static inline uint64_t ets_fetch_u64(const uint8_t *at)
{
    return ets_fetch_u32(at) | (uint64_t)ets_fetch_u32(at + 4) << 32;
}

/* Converts 64-bit words, integers or doubles, between this machine's order and little-endian. */
static inline void ets_copy_words(void *to, const void *from, size_t count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    ets_copy(to, from, count * 8);
#else
    for (size_t i = 0; i < count * 8; i++) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i ^ 7];
#endif
}

#endif
