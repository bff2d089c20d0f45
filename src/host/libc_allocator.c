/* The default allocator: the C library's, within the budget of this process. */
#include <stdlib.h>
#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
#include <malloc.h>
#endif

#include "host/arena.h"
#include "host/memory_budget.h"

/* Of a block, as the C library knows it. 0 where it does not tell: the budget then has no effect.
 */
static size_t size_of(void *pointer)
{
#if defined(__APPLE__)
    return pointer != NULL ? malloc_size(pointer) : 0;
#elif defined(__linux__)
    return malloc_usable_size(pointer);
#else
    (void)pointer;
    return 0;
#endif
}

static void *libc_reallocate(void *context, void *pointer, size_t bytes)
{
    (void)context;
    const size_t before = size_of(pointer);
    if (bytes > before && !ets_memory_budget_allows(bytes - before)) return NULL;
    void *moved = realloc(pointer, bytes);
    if (moved != NULL) ets_memory_budget_count((int64_t)size_of(moved) - (int64_t)before);
    return moved;
}

static void libc_release(void *context, void *pointer)
{
    (void)context;
    ets_memory_budget_count(-(int64_t)size_of(pointer));
    free(pointer);
}

const struct ets_allocator ets_libc_allocator = {libc_reallocate, libc_release, NULL};
