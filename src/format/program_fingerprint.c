/*
 * XXH64 (Yann Collet's xxHash specification, version 0.1.1): four lanes of 64 bits, limited only by
 * memory bandwidth, with the same result on all machines.
 */
#include "base/load.h"
#include "etscope/program.h"

static const uint64_t prime_1 = UINT64_C(0x9E3779B185EBCA87);
static const uint64_t prime_2 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t prime_3 = UINT64_C(0x165667B19E3779F9);
static const uint64_t prime_4 = UINT64_C(0x85EBCA77C2B2AE63);
static const uint64_t prime_5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * prime_2, 31) * prime_1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ round_of(0, lane)) * prime_1 + prime_4;
}

/* Hashes the 32-byte stripes; moves `*data` after them. */
static uint64_t hash_stripes(const uint8_t **data, const uint8_t *end)
{
    uint64_t lanes[4] = {prime_1 + prime_2, prime_2, 0, 0 - prime_1};
    const uint8_t *at = *data;
    for (; end - at >= 32; at += 32) {
        for (int i = 0; i < 4; i++) lanes[i] = round_of(lanes[i], ets_load_u64(at + 8 * i));
    }
    *data = at;
    uint64_t hash =
        rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < 4; i++) hash = merge(hash, lanes[i]);
    return hash;
}

uint64_t ets_program_fingerprint(const struct ets_program *program)
{
    const uint8_t *at = program->bytes.data;
    const uint8_t *end = at + program->bytes.size;
    /* A verified program has at least one stripe, so the short form never occurs. */
    uint64_t hash = hash_stripes(&at, end) + program->bytes.size;
    for (; end - at >= 8; at += 8) {
        hash = rotate(hash ^ round_of(0, ets_load_u64(at)), 27) * prime_1 + prime_4;
    }
    if (end - at >= 4) {
        hash = rotate(hash ^ ets_load_u32(at) * prime_1, 23) * prime_2 + prime_3;
        at += 4;
    }
    for (; at < end; at++) hash = rotate(hash ^ *at * prime_5, 11) * prime_1;
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}
