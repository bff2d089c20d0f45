/*
 * Descriptors by WASI. It maps no files: a mapping is a copy in memory, which the program asks for
 * as a whole before it reads, so that what has no room fails at once.
 */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 1 << 26 };

int ets_os_open(const char *path)
{
    const int descriptor = open(path, O_RDONLY);
    if (descriptor < 0 || ets_os_look_open(descriptor).kind != ETS_OS_FOLDER) return descriptor;
    close(descriptor);
    errno = EISDIR;
    return -1;
}

int ets_os_open_arriving(const char *path)
{
    return open(path, O_RDONLY | O_NONBLOCK);
}

void ets_os_close(int descriptor)
{
    close(descriptor);
}

int64_t ets_os_read(int descriptor, void *data, size_t size)
{
    return read(descriptor, data, size);
}

void *ets_os_map(int descriptor, size_t size)
{
    unsigned char *copy = malloc(size);
    size_t done = 0;
    while (copy != NULL && done < size) {
        const size_t part = size - done < MOST_AT_ONCE ? size - done : MOST_AT_ONCE;
        const ssize_t got = pread(descriptor, copy + done, part, (off_t)done);
        if (got > 0) {
            done += (size_t)got;
            continue;
        }
        if (got == 0) errno = EIO; /* it became shorter */
        const int code = errno;
        free(copy);
        errno = code;
        return NULL;
    }
    return copy;
}

void ets_os_unmap(void *mapping, size_t size)
{
    (void)size;
    free(mapping);
}

void ets_os_forget_pages(const void *data, size_t size)
{
    (void)data;
    (void)size;
}

void ets_os_expect_samples(const void *mapping, size_t size, bool in_samples)
{
    (void)mapping;
    (void)size;
    (void)in_samples;
}
