/* SipHash-2-4, as its authors describe it. */
#include "trace/siphash.h"

#include "base/load.h"

enum { ROUNDS = 2, FINAL_ROUNDS = 4, WORD_BYTES = 8 };

static uint64_t rotate_left(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static void mix(uint64_t *v, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate_left(v[1], 13) ^ v[0];
        v[3] = rotate_left(v[3], 16) ^ v[2];
        v[0] = rotate_left(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate_left(v[1], 17) ^ v[2];
        v[3] = rotate_left(v[3], 21) ^ v[0];
        v[2] = rotate_left(v[2], 32);
    }
}

static void add(uint64_t *v, uint64_t word)
{
    v[3] ^= word;
    mix(v, ROUNDS);
    v[0] ^= word;
}

uint64_t ets_siphash(const uint8_t *key, const void *data, size_t size)
{
    const uint64_t low = ets_load_u64(key), high = ets_load_u64(key + WORD_BYTES);
    /* "somepseudorandomlygeneratedbytes" */
    uint64_t v[] = {low ^ UINT64_C(0x736f6d6570736575), high ^ UINT64_C(0x646f72616e646f6d),
                    low ^ UINT64_C(0x6c7967656e657261), high ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)size << 56; /* the size modulo 256, above what is left */
    const uint8_t *at = data;
    for (; size >= WORD_BYTES; size -= WORD_BYTES, at += WORD_BYTES) add(v, ets_load_u64(at));
    for (size_t i = 0; i < size; i++) last |= (uint64_t)at[i] << 8 * i;
    add(v, last);
    v[2] ^= 0xff;
    mix(v, FINAL_ROUNDS);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
