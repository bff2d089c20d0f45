/* Loads libraries with the user's kernels and backends. */
#ifndef ETSCOPE_ENGINE_PLUGIN_LIBRARY_H
#define ETSCOPE_ENGINE_PLUGIN_LIBRARY_H

#include <cstddef>

#include "etscope/engine.h"

namespace ets
{
/* The interface's load_library. */
enum ets_status load_library(const char *path, size_t *kernels_added_out,
                             size_t *backends_added_out, struct ets_error *error);
}  // namespace ets

#endif
