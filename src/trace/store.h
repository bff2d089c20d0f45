/* Little-endian stores to unaligned bytes. */
#ifndef ETSCOPE_TRACE_STORE_H
#define ETSCOPE_TRACE_STORE_H

#include <stdint.h>

static inline uint8_t *ets_store_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static inline uint8_t *ets_store_u32(uint8_t *at, uint32_t value)
{
    return ets_store_u16(ets_store_u16(at, value & 0xffff), value >> 16);
}

static inline uint8_t *ets_store_u64(uint8_t *at, uint64_t value)
{
    return ets_store_u32(ets_store_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

#endif
