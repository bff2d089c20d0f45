/* What WebAssembly shows of a machine: one core, and a memory of 32-bit addresses. */
#include "host/os/os_system.h"

#include <malloc.h>
#include <stdio.h>

size_t ets_os_block_bytes(void *block)
{
    return block != NULL ? malloc_usable_size(block) : 0;
}

void ets_os_keep_released_memory(void) {}

uint32_t ets_os_cores(void)
{
    return 1;
}

uint64_t ets_os_physical_memory(void)
{
    return (uint64_t)UINT32_MAX + 1;
}

bool ets_os_busy_seconds(double *seconds_out)
{
    (void)seconds_out;
    return false;
}

bool ets_os_name_system(char *text, size_t room)
{
    snprintf(text, room, "WebAssembly, WASI preview 1");
    return true;
}

void ets_os_read_processor(struct ets_os_processor *processor_out)
{
    *processor_out = (struct ets_os_processor){.name = ""};
}
