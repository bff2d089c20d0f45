/* The number that tells equal bytes: XXH64 with seed 0, as `xxhsum -H64` prints it. */
#ifndef ETSCOPE_FORMAT_FINGERPRINT_H
#define ETSCOPE_FORMAT_FINGERPRINT_H

#include "etscope/base.h"

/* Reads every byte. Not a protection against forgery: compare the bytes where that matters. */
uint64_t ets_fingerprint(struct ets_bytes bytes);

#endif
