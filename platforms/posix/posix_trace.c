#define _POSIX_C_SOURCE 200809L
#include "posix/posix_trace.h"

#include <errno.h>
#include <fcntl.h>
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
#elif defined(ETS_TRACE_HAS_CYCLES)
    return 0; /* RISC-V's timer has a rate that only the board knows */
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
    if (file->fd < 0 || file->has_failed || write_all(file->fd, data, size) != 0) {
        file->has_failed = 1;
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

enum ets_status ets_posix_open(struct ets_posix_file *file, const char *path)
{
    file->bytes = 0;
    file->has_failed = 0;
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return file->fd < 0 ? ETS_IO : ETS_OK;
}

enum ets_status ets_posix_close(struct ets_posix_file *file)
{
    const int fd = file->fd;
    file->fd = -1;
    return fd >= 0 && close(fd) == 0 && !file->has_failed ? ETS_OK : ETS_IO;
}
