/*
 * XXH64 with seed 0: add whole stripes, then finish with the rest. Source: the specification,
 * doc/xxhash_spec.md of github.com/Cyan4973/xxHash.
 */
#ifndef ETSCOPE_BASE_XXH64_H
#define ETSCOPE_BASE_XXH64_H

#include "etscope/base.h"

enum { ETS_XXH64_STRIPE_BYTES = 32 };

struct ets_xxh64 {
    uint64_t lanes[4];
    uint64_t total_bytes; /* of the stripes */
};

void ets_xxh64_init(struct ets_xxh64 *hash);
void ets_xxh64_add_stripes(struct ets_xxh64 *hash, const uint8_t *bytes, size_t stripe_count);
/* The hash of all stripes and the last `size` bytes, fewer than a stripe. */
uint64_t ets_xxh64_finish(const struct ets_xxh64 *hash, const uint8_t *bytes, size_t size);
/* The hash of all bytes at once. */
uint64_t ets_xxh64_of(struct ets_bytes bytes);

#endif
