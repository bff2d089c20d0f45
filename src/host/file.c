/* Opens input files: maps them if possible, reads pipes and standard input into memory. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "etscope/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/arena.h"
#include "host/file_access.h"
#include "host/memory_budget.h"
#include "host/os/os_files.h"
#include "host/os/os_input.h"

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
    if (code == EISDIR) return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "is a directory");
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
        const int64_t got = ets_os_read(descriptor, data + size, capacity - size);
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
    const struct ets_os_place place = ets_os_look_open(descriptor);
    if (place.kind == ETS_OS_NOTHING) return fail_errno(error, "cannot stat");
    if (place.kind == ETS_OS_FOLDER) {
        return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "is a directory");
    }
    if (place.kind != ETS_OS_FILE) return read_stream(descriptor, file, error);
    if (place.size == 0) return ETS_OK;
    if (place.size > SIZE_MAX) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the file has %" PRIu64 " bytes, more than this %zu-bit program can map",
                        place.size, sizeof(size_t) * 8);
    }
    void *mapping = ets_os_map(descriptor, (size_t)place.size);
    if (mapping == NULL) return fail_errno(error, "cannot map");
    file->bytes = (struct ets_bytes){mapping, (size_t)place.size};
    file->mapped = true;
    return ETS_OK;
}

enum ets_status ets_file_open(const char *path, struct ets_file **file_out, struct ets_error *error)
{
    const bool from_stdin = strcmp(path, "-") == 0;
    const int descriptor = from_stdin ? ETS_OS_STANDARD_INPUT : ets_os_open(path);
    if (descriptor < 0) return fail_errno(error, "cannot open");
    struct ets_file *file = calloc(1, sizeof *file);
    enum ets_status status = ETS_OK;
    if (file == NULL || (file->path = strdup(path)) == NULL) {
        ets_memory_note_refusal();
        status = ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to open the file");
    } else {
        status = load(descriptor, file, error);
    }
    if (!from_stdin) ets_os_close(descriptor);
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
    const uint8_t *from = data, *all = file->bytes.data;
    const bool is_inside = from >= all && from <= all + file->bytes.size &&
                           size <= (size_t)(all + file->bytes.size - from);
    if (file->mapped && is_inside) ets_os_forget_pages(data, size);
}

void ets_file_expect_samples(const struct ets_file *file, bool in_samples)
{
    if (file->mapped) ets_os_expect_samples(file->bytes.data, file->bytes.size, in_samples);
}

static void drop_bytes(struct ets_file *file)
{
    if (file->mapped) ets_os_unmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
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
