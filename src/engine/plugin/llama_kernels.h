/*
 * Kernels that the engine has beside the runtime's registry: those of executorch's
 * libcustom_ops_aot_lib, such as llama::custom_sdpa.out. Their library lies beside the engine
 * (src/engine/llama) and is loaded when the first of them is needed.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_LLAMA_KERNELS_H
#define ETSCOPE_ENGINE_PLUGIN_LLAMA_KERNELS_H

#include <executorch/runtime/kernel/operator_registry.h>

#include <string>
#include <vector>

#include "etscope/engine.h"

namespace ets
{
/* Whether `name` is in a namespace of that library, by payload/providers.h. */
bool is_llama(const char *name);

/* The function of a kernel for tensors of all types; NULL: there is none. */
executorch::runtime::OpFunction registered_kernel(const char *name);
executorch::runtime::OpFunction llama_kernel(const char *name);

/* Why there are no such kernels, in words; "": there are. */
const std::string &why_no_llama();

/* The kernels in namespaces of that library that methods of the program name. */
std::vector<std::string> llama_kernels_of(struct ets_bytes program);

/*
 * For a method that names these kernels: all registered ones and behind them the library's;
 * empty: the registry has each of them, or the library is not there.
 */
std::vector<executorch::runtime::Kernel> kernels_with_llama(const std::vector<std::string> &names);

/* The interface's kernels_on_demand. */
void kernels_on_demand(struct ets_engine_kernels_on_demand *found_out);
}  // namespace ets

#endif
