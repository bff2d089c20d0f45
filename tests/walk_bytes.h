/*
 * What the walkers of readers share: bytes are touched at both ends, so that a sanitizer sees a
 * text or blob that leaves the file. For tests and fuzzing.
 */
#ifndef ETSCOPE_TESTS_WALK_BYTES_H
#define ETSCOPE_TESTS_WALK_BYTES_H

#include "etscope/base.h"

/* The sum of what was touched; also, no compiler leaves the reading out. */
static volatile uint64_t walk_sink;

static inline void walk_bytes(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    if (size == 0) return;
    walk_sink += bytes[0];
    walk_sink += bytes[size - 1];
}

static inline void walk_text(struct ets_text text)
{
    walk_bytes(text.data, text.size);
}

#endif
