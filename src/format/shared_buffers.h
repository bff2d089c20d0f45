/* Whether methods share their mutable buffers. */
#ifndef ETSCOPE_FORMAT_SHARED_BUFFERS_H
#define ETSCOPE_FORMAT_SHARED_BUFFERS_H

#include <stdbool.h>

#include "etscope/program.h"

/*
 * Whether two methods can share them, which no program says: each then has two planned arenas, the
 * second of one size for both (ExecuTorch's share_mutable_buffers).
 */
bool ets_methods_share_buffers(const struct ets_method *first, const struct ets_method *second);

#endif
