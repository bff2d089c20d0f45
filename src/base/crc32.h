/* CRC-32 as in zip and Ethernet (reflected, polynomial 0xedb88320). */
#ifndef ETSCOPE_BASE_CRC32_H
#define ETSCOPE_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`; start with 0. */
uint32_t ets_crc32(uint32_t crc, const void *data, size_t size);

#endif
