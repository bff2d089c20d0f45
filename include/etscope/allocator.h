/*
 * allocator.h - where host-side objects get their memory.
 *
 * Every `ets_..._open` takes an optional allocator; NULL means the C library's.
 * The allocator must outlive all that was opened with it. Device-capable parts
 * (trace, format, numerics) never allocate.
 */
#ifndef ETSCOPE_ALLOCATOR_H
#define ETSCOPE_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ets_allocator {
    /* realloc's contract: `pointer` NULL allocates; NULL on failure leaves `pointer` valid. */
    void *(*reallocate)(void *context, void *pointer, size_t bytes);
    /* free's contract: NULL is allowed. */
    void (*release)(void *context, void *pointer);
    void *context; /* handed to both, may be NULL */
};

#ifdef __cplusplus
}
#endif

#endif
