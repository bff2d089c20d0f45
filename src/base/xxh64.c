/* The hash XXH64, stripe by stripe. */
#include "base/xxh64.h"

#include "base/load.h"

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotate_left(lane + input * PRIME_2, 31) * PRIME_1;
}

void ets_xxh64_init(struct ets_xxh64 *hash)
{
    *hash = (struct ets_xxh64){.lanes = {PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1}};
}

void ets_xxh64_add_stripes(struct ets_xxh64 *hash, const uint8_t *bytes, size_t stripe_count)
{
    uint64_t a = hash->lanes[0], b = hash->lanes[1], c = hash->lanes[2], d = hash->lanes[3];
    for (size_t i = 0; i < stripe_count; i++, bytes += ETS_XXH64_STRIPE_BYTES) {
        a = round_of(a, ets_load_u64(bytes));
        b = round_of(b, ets_load_u64(bytes + 8));
        c = round_of(c, ets_load_u64(bytes + 16));
        d = round_of(d, ets_load_u64(bytes + 24));
    }
    hash->lanes[0] = a;
    hash->lanes[1] = b;
    hash->lanes[2] = c;
    hash->lanes[3] = d;
    hash->total_bytes += (uint64_t)stripe_count * ETS_XXH64_STRIPE_BYTES;
}

static uint64_t merge_lanes(const uint64_t *lanes)
{
    uint64_t value = rotate_left(lanes[0], 1) + rotate_left(lanes[1], 7) +
                     rotate_left(lanes[2], 12) + rotate_left(lanes[3], 18);
    for (int i = 0; i < 4; i++) value = (value ^ round_of(0, lanes[i])) * PRIME_1 + PRIME_4;
    return value;
}

uint64_t ets_xxh64_finish(const struct ets_xxh64 *hash, const uint8_t *bytes, size_t size)
{
    uint64_t value = hash->total_bytes > 0 ? merge_lanes(hash->lanes) : PRIME_5;
    value += hash->total_bytes + size;
    for (; size >= 8; size -= 8, bytes += 8) {
        value = rotate_left(value ^ round_of(0, ets_load_u64(bytes)), 27) * PRIME_1 + PRIME_4;
    }
    if (size >= 4) {
        value = rotate_left(value ^ ets_load_u32(bytes) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        size -= 4;
        bytes += 4;
    }
    for (; size > 0; size--, bytes++) value = rotate_left(value ^ *bytes * PRIME_5, 11) * PRIME_1;
    value = (value ^ value >> 33) * PRIME_2;
    value = (value ^ value >> 29) * PRIME_3;
    return value ^ value >> 32;
}

uint64_t ets_xxh64_of(struct ets_bytes bytes)
{
    struct ets_xxh64 hash;
    const size_t stripes = bytes.size / ETS_XXH64_STRIPE_BYTES;
    const size_t rest = bytes.size % ETS_XXH64_STRIPE_BYTES;
    ets_xxh64_init(&hash);
    if (stripes > 0) ets_xxh64_add_stripes(&hash, bytes.data, stripes);
    return ets_xxh64_finish(&hash, rest > 0 ? bytes.data + (bytes.size - rest) : bytes.data, rest);
}
