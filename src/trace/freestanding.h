/* Declares the two library functions that compilers call anyway, without a C library header. */
#ifndef ETSCOPE_TRACE_FREESTANDING_H
#define ETSCOPE_TRACE_FREESTANDING_H

#include <stddef.h>

static inline void ets_copy(void *to, const void *from, size_t size)
{
    __builtin_memcpy(to, from, size);
}

static inline void ets_clear(void *to, size_t size)
{
    __builtin_memset(to, 0, size);
}

#endif
