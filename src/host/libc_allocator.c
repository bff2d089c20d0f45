/* The default allocator: the C library's, within the budget of this process. */
#include <stdlib.h>

#include "host/arena.h"
#include "host/memory_budget.h"
#include "host/os/os_system.h"

static void *libc_reallocate(void *context, void *pointer, size_t bytes)
{
    (void)context;
    const size_t before = ets_os_block_bytes(pointer);
    if (bytes > before && !ets_memory_budget_allows(bytes - before)) return NULL;
    void *moved = realloc(pointer, bytes);
    if (moved == NULL) ets_memory_note_refusal();
    else ets_memory_budget_count((int64_t)ets_os_block_bytes(moved) - (int64_t)before);
    return moved;
}

static void libc_release(void *context, void *pointer)
{
    (void)context;
    ets_memory_budget_count(-(int64_t)ets_os_block_bytes(pointer));
    free(pointer);
}

const struct ets_allocator ets_libc_allocator = {libc_reallocate, libc_release, NULL};
