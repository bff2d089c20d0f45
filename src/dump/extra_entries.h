/* Iterates over the entries of the extra block. */
#ifndef ETSCOPE_DUMP_EXTRA_ENTRIES_H
#define ETSCOPE_DUMP_EXTRA_ENTRIES_H

#include "etscope/trace_extra.h"

/* The next entry from `*at`, which starts at 0. Returns 1, or 0 at the end. */
int ets_trace_extra_next(const struct ets_trace_extra *extra, size_t *at, uint32_t *key_out,
                         struct ets_bytes *value_out);
#endif
