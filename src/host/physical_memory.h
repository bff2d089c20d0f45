/* The amount of physical memory of the host. */
#ifndef ETSCOPE_HOST_PHYSICAL_MEMORY_H
#define ETSCOPE_HOST_PHYSICAL_MEMORY_H

#include <stdint.h>

/* In bytes; UINT64_MAX if unknown. */
uint64_t ets_physical_memory(void);

#endif
