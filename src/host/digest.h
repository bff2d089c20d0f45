/* A digest of bytes, to know them again; not against who makes other bytes of the same digest. */
#ifndef ETSCOPE_HOST_DIGEST_H
#define ETSCOPE_HOST_DIGEST_H

#include "base/xxh64.h"

static inline uint64_t ets_digest_of(struct ets_bytes bytes)
{
    return ets_xxh64_of(bytes);
}

#endif
