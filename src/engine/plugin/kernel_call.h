/* Calls one registered kernel, without a program. */
#ifndef ETSCOPE_ENGINE_PLUGIN_KERNEL_CALL_H
#define ETSCOPE_ENGINE_PLUGIN_KERNEL_CALL_H

#include <cstddef>

#include "etscope/engine.h"

namespace ets
{
/* The interface's kernel_exists and kernel_call. */
int kernel_exists(const char *name);
enum ets_status kernel_call(const char *name, struct ets_kernel_argument *arguments,
                            size_t argument_count, struct ets_error *error);
}  // namespace ets

#endif
