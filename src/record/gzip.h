/* Files that gzip packed, such as the traces that PyTorch's profiler writes. */
#ifndef ETSCOPE_RECORD_GZIP_H
#define ETSCOPE_RECORD_GZIP_H

#include <stdbool.h>

#include "etscope/base.h"

/* The most that is unpacked, whatever memory there is. */
enum { ETS_GZIP_MOST_MIB = 1024 };

/* By its first three bytes. */
static inline bool ets_is_gzip(struct ets_bytes bytes)
{
    return bytes.size >= 3 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b && bytes.data[2] == 8;
}

/*
 * Unpacks all members. `data_out` is from the C library's allocator; free it. Statuses: TRUNCATED,
 * MALFORMED, LIMIT (more than the above), NO_MEMORY (or the budget of memory_budget.h), UNAVAILABLE
 * (built without zlib).
 */
enum ets_status ets_gzip_unpack(struct ets_bytes bytes, struct ets_bytes *data_out,
                                struct ets_error *error);

#endif
