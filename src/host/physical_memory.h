/* How much memory the host has. */
#ifndef ETSCOPE_HOST_PHYSICAL_MEMORY_H
#define ETSCOPE_HOST_PHYSICAL_MEMORY_H

#include <stdint.h>

/* Bytes; UINT64_MAX where the system does not tell. */
uint64_t ets_physical_memory(void);

#endif
