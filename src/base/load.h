/*
 * Little-endian loads from unaligned bytes, and arithmetic that detects overflow. Included by
 * device code, so it needs no C library and none of its headers.
 */
#ifndef ETSCOPE_BASE_LOAD_H
#define ETSCOPE_BASE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t ets_load_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | (uint16_t)(at[1] << 8));
}

static inline uint32_t ets_load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t ets_load_u64(const uint8_t *at)
{
    return (uint64_t)ets_load_u32(at) | (uint64_t)ets_load_u32(at + 4) << 32;
}

static inline float ets_load_f32(const uint8_t *at)
{
    const uint32_t bits = ets_load_u32(at);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double ets_load_f64(const uint8_t *at)
{
    const uint64_t bits = ets_load_u64(at);
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* true and *out = a + b, or false on overflow. */
static inline bool ets_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a + b;
    return *out >= a;
}

/* a + b, or UINT64_MAX on overflow: for sums that are shown, of sizes from files. */
static inline uint64_t ets_add_saturated_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return ets_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* true and *out = a * b, or false on overflow. */
static inline bool ets_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a * b;
    return a == 0 || *out / a == b;
}

/* true if [offset, offset + size) fits in `limit` bytes. */
static inline bool ets_range_fits(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

#endif
