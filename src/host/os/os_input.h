/* Reads files and streams by descriptor, and maps files. `errno` holds the reason of what fails. */
#ifndef ETSCOPE_HOST_OS_INPUT_H
#define ETSCOPE_HOST_OS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/os/os_files.h"

enum { ETS_OS_STANDARD_INPUT = 0 };

/* A descriptor that no child inherits; -1: errno, EISDIR for a folder. */
int ets_os_open(const char *path);
/* The same of what may arrive later: neither this nor a read waits for it. */
int ets_os_open_arriving(const char *path);
void ets_os_close(int descriptor);
/* ets_os_look, of what is open. */
struct ets_os_place ets_os_look_open(int descriptor);
/* The bytes that were read; 0: the end; -1: errno. */
int64_t ets_os_read(int descriptor, void *data, size_t size);

/* Maps `size` > 0 bytes of a file for reading; NULL: errno. */
void *ets_os_map(int descriptor, size_t size);
void ets_os_unmap(void *mapping, size_t size);
/* Pages of a mapping will not be needed soon. */
void ets_os_forget_pages(const void *data, size_t size);
/* Samples of a mapping are read rather than all of it. */
void ets_os_expect_samples(const void *mapping, size_t size, bool in_samples);

#endif
