#define _POSIX_C_SOURCE 200809L
#include "posix/posix_trace.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

uint64_t ets_posix_monotonic_ns(void *context)
{
    struct timespec now;
    (void)context;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t ets_posix_cycles_hz(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return 0;
#elif defined(__aarch64__)
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
#else
    return 1000000000;
#endif
}

/* 0, or -1 where not all could be written. */
static int write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size != 0) {
        const ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

static int write_stream(void *context, const void *data, size_t size)
{
    return write_all(*(const int *)context, data, size);
}

struct ets_etdump_sink ets_posix_stream(const int *fd)
{
    return (struct ets_etdump_sink){(void *)(uintptr_t)fd, write_stream};
}

static enum ets_status write_data(void *context, const void *data, size_t size,
                                  uint64_t *offset_out)
{
    struct ets_posix_file *file = context;
    const uint64_t at = file->bytes;
    if (file->max_bytes != 0 && (at > file->max_bytes || size > file->max_bytes - at)) {
        return ETS_NO_SPACE;
    }
    /* After a short write offsets would be wrong: nothing more is taken then. */
    if (file->fd < 0 || write_all(file->fd, data, size) != 0) {
        file->fd = -1;
        return ETS_IO;
    }
    file->bytes = at + size;
    *offset_out = at;
    return ETS_OK;
}

struct ets_trace_data_sink ets_posix_data_sink(struct ets_posix_file *file)
{
    return (struct ets_trace_data_sink){file, write_data};
}
