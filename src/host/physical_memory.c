/* The amount of physical memory of the host. */
#include "host/physical_memory.h"

#include <unistd.h>

uint64_t ets_physical_memory(void)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (uint64_t)pages * (uint64_t)bytes;
#endif
    return UINT64_MAX;
}
