/* Descriptors and mapped files by POSIX. */
#define _DEFAULT_SOURCE /* madvise; POSIX has it without effect */
#define _DARWIN_C_SOURCE
#include "host/os/os_input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int ets_os_open(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || ets_os_look_open(descriptor).kind != ETS_OS_FOLDER) return descriptor;
    close(descriptor);
    errno = EISDIR;
    return -1;
}

int ets_os_open_arriving(const char *path)
{
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
    void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    return mapping == MAP_FAILED ? NULL : mapping;
}

void ets_os_unmap(void *mapping, size_t size)
{
    munmap(mapping, size);
}

void ets_os_forget_pages(const void *data, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)data + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)data + size) / page * page;
    if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
}

void ets_os_expect_samples(const void *mapping, size_t size, bool in_samples)
{
    madvise((void *)(uintptr_t)mapping, size, in_samples ? MADV_RANDOM : MADV_NORMAL);
}
