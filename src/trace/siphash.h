/*
 * SipHash-2-4: a hash of 64 bits with a secret key of 128. Without the key, neither the bytes nor
 * the key can be computed from hashes (Aumasson and Bernstein, "SipHash: a fast short-input PRF").
 */
#ifndef ETSCOPE_TRACE_SIPHASH_H
#define ETSCOPE_TRACE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { ETS_SIPHASH_KEY_BYTES = 16 };

uint64_t ets_siphash(const uint8_t *key, const void *data, size_t size);

#endif
