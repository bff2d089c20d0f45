/*
 * providers.h - what has the backends and kernels that a runtime may lack. One list, for the error
 * of a program that needs one and for what the engine says of itself.
 *
 * Source: ExecuTorch 1.5, identifiers of backends/, options of tools/cmake/preset/default.cmake,
 * libraries of PyPI's wheel.
 */
#ifndef ETSCOPE_PAYLOAD_PROVIDERS_H
#define ETSCOPE_PAYLOAD_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ets_provider {
    const char *part;    /* of a backend's identifier or a kernel's name: "QnnBackend", "llama::" */
    const char *library; /* of PyPI's wheel for this system that has it; NULL: none */
    const char *needs;   /* beside that library: "Qualcomm's QNN SDK"; NULL: nothing */
    const char *builds;  /* of ExecuTorch that have it, where `library` is NULL */
    bool is_backend;
};

/* NULL from `index` on that is beyond the last. */
const struct ets_provider *ets_provider_at(size_t index);

/* The provider of what `name` names, such as "aten::foo.out, llama::sdpa.out"; NULL: not known. */
const struct ets_provider *ets_provider_of(const char *name);

#ifdef __cplusplus
}
#endif

#endif
