/* The default allocator: the C library's. */
#include <stdlib.h>

#include "host/arena.h"

static void *libc_reallocate(void *context, void *pointer, size_t bytes)
{
    (void)context;
    return realloc(pointer, bytes);
}

static void libc_release(void *context, void *pointer)
{
    (void)context;
    free(pointer);
}

const struct ets_allocator ets_libc_allocator = {libc_reallocate, libc_release, NULL};
