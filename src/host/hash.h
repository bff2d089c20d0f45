/* Hashing for tables whose keys come from files that may be hostile. */
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
 * A number that who wrote a file cannot know, from where the table lies (address randomisation):
 * keys that collide in one table do not in the next. Nothing that is shown depends on it.
 */
static inline uint64_t ets_hash_seed(const void *table)
{
    return ets_hash_mix((uint64_t)(uintptr_t)table);
}

#endif
