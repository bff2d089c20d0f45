/* Opens input files: maps them if possible, reads pipes and standard input into memory. */
#define _DEFAULT_SOURCE /* madvise; POSIX has it without effect */
#include "etscope/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "host/arena.h"
#include "host/file_access.h"

struct ets_file {
    char *path;
    struct ets_bytes bytes;
    bool mapped;   /* else bytes.data is malloc'ed, */
    bool replaced; /* or of ets_libc_allocator */
};

static enum ets_status fail_errno(struct ets_error *error, const char *what)
{
    const int code = errno;
    if (code == ENOENT || code == ENOTDIR) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no such file");
    }
    return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "%s: %s", what, strerror(code));
}

static enum ets_status read_stream(int descriptor, struct ets_file *file, struct ets_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0;
    for (;;) {
        if (size == capacity) {
            capacity = capacity == 0 ? 1 << 16 : capacity * 2;
            if (capacity > ETS_FILE_STREAM_LIMIT) {
                free(data);
                return ets_fail(error, ETS_LIMIT, size, "stream is longer than %zu bytes",
                                ETS_FILE_STREAM_LIMIT);
            }
            uint8_t *grown = realloc(data, capacity); /* an input: not of the memory budget */
            if (grown == NULL) {
                free(data);
                return ets_fail(error, ETS_NO_MEMORY, size, "no memory to read the stream");
            }
            data = grown;
        }
        const ssize_t got = read(descriptor, data + size, capacity - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const enum ets_status status = fail_errno(error, "cannot read");
            free(data);
            return status;
        }
        if (got == 0) break;
        size += (size_t)got;
    }
    file->bytes = (struct ets_bytes){data, size};
    return ETS_OK;
}

static enum ets_status load(int descriptor, struct ets_file *file, struct ets_error *error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) return fail_errno(error, "cannot stat");
    if (S_ISDIR(info.st_mode)) return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "is a directory");
    if (!S_ISREG(info.st_mode)) return read_stream(descriptor, file, error);
    if (info.st_size == 0) return ETS_OK;
    if ((uintmax_t)info.st_size > SIZE_MAX) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the file has %ju bytes, more than this %zu-bit program can map",
                        (uintmax_t)info.st_size, sizeof(size_t) * 8);
    }
    void *mapping = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) return fail_errno(error, "cannot map");
    file->bytes = (struct ets_bytes){mapping, (size_t)info.st_size};
    file->mapped = true;
    return ETS_OK;
}

enum ets_status ets_file_open(const char *path, struct ets_file **file_out, struct ets_error *error)
{
    const bool from_stdin = strcmp(path, "-") == 0;
    const int descriptor = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail_errno(error, "cannot open");
    struct ets_file *file = calloc(1, sizeof *file);
    enum ets_status status = ETS_OK;
    if (file == NULL || (file->path = strdup(path)) == NULL) {
        status = ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to open the file");
    } else {
        status = load(descriptor, file, error);
    }
    if (!from_stdin) close(descriptor);
    if (status != ETS_OK) {
        ets_file_close(file);
        return status;
    }
    *file_out = file;
    return ETS_OK;
}

struct ets_bytes ets_file_bytes(const struct ets_file *file)
{
    return file->bytes;
}

void ets_file_release(const struct ets_file *file, const void *data, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)data + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)data + size) / page * page;
    if (file->mapped && end > first) madvise((void *)first, end - first, MADV_DONTNEED);
}

void ets_file_expect_samples(const struct ets_file *file, bool in_samples)
{
    if (!file->mapped) return;
    madvise((void *)(uintptr_t)file->bytes.data, file->bytes.size,
            in_samples ? MADV_RANDOM : MADV_NORMAL);
}

static void drop_bytes(struct ets_file *file)
{
    if (file->mapped) munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
    else if (file->replaced) ets_libc_allocator.release(NULL, (void *)(uintptr_t)file->bytes.data);
    else free((void *)(uintptr_t)file->bytes.data);
}

void ets_file_replace(struct ets_file *file, struct ets_bytes bytes)
{
    drop_bytes(file);
    file->bytes = bytes;
    file->mapped = false;
    file->replaced = true;
}

void ets_file_close(struct ets_file *file)
{
    if (file == NULL) return;
    drop_bytes(file);
    free(file->path);
    free(file);
}
