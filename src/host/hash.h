/* Hashing for tables with keys from untrusted files. */
#ifndef ETSCOPE_HOST_HASH_H
#define ETSCOPE_HOST_HASH_H

#include <stdint.h>

/* Every bit of the result depends on every bit of `value` (the finalizer of MurmurHash3). */
static inline uint64_t ets_hash_mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

/*
 * A seed that the author of a file cannot predict: the address of the table (address
 * randomisation). Keys that collide in one table do not collide in the next. No output depends on
 * it.
 */
static inline uint64_t ets_hash_seed(const void *table)
{
    return ets_hash_mix((uint64_t)(uintptr_t)table);
}

#endif
