/* The kernels of executorch's libcustom_ops_aot_lib.so, loaded without PyTorch. */
#ifndef ETSCOPE_ENGINE_LLAMA_STAND_INS_H
#define ETSCOPE_ENGINE_LLAMA_STAND_INS_H

#include <executorch/runtime/kernel/operator_registry.h>

#include <cstddef>

/*
 * The kernels that the loaded copy handed over, valid for the life of the process; the engine asks
 * for the function by ETS_LLAMA_KERNELS_SYMBOL.
 */
typedef const executorch::runtime::Kernel *ets_llama_kernels_function(size_t *count_out);
extern "C" __attribute__((visibility("default"))) ets_llama_kernels_function ets_llama_kernels;
#define ETS_LLAMA_KERNELS_SYMBOL "ets_llama_kernels"

/* Files beside the engine's: the copy, which needs the stand-ins; and, in its place, why not. */
#define ETS_LLAMA_LIBRARY "libetscope_llama.so"
#define ETS_LLAMA_REASON "libetscope_llama.txt"

#endif
