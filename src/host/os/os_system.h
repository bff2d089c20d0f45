/* What the machine is and has. */
#ifndef ETSCOPE_HOST_OS_SYSTEM_H
#define ETSCOPE_HOST_OS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t ets_os_cores(void);           /* that run; at least 1 */
uint64_t ets_os_physical_memory(void); /* bytes; UINT64_MAX: unknown */
/* Bytes of a block of the C library's heap, as it knows them; 0: NULL, or it does not tell. */
size_t ets_os_block_bytes(void *block);
/*
 * Keeps up to 64 MB of what the C library's heap releases, for work that takes and releases large
 * blocks: the system clears each page that it gives again. Only glibc has such a setting.
 */
void ets_os_keep_released_memory(void);
/* Seconds that all cores have been busy since a moment in the past; false: unknown. */
bool ets_os_busy_seconds(double *seconds_out);
/* "Linux 6.1.0 x86_64"; false: unknown. */
bool ets_os_name_system(char *text, size_t room);

/* What no file of the system tells: "" and 0 where it is unknown. */
struct ets_os_processor {
    char name[128];
    uint64_t cache_bytes[3]; /* of levels 1, 2 and 3 */
};
void ets_os_read_processor(struct ets_os_processor *processor_out);

#endif
