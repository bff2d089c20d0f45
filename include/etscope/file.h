/*
 * file.h - files on a host: their bytes, and what kind of file one is.
 *
 * Reading maps a regular file (or reads a pipe, or "-" for standard input, into
 * memory) and hands out its bytes:
 *
 *     struct ets_file *file;
 *     if (ets_file_open("profile.etdp", &file, &error) == ETS_OK) {
 *         struct ets_bytes bytes = ets_file_bytes(file);
 *         ...
 *         ets_file_close(file);
 *     }
 *
 * Objects are not shared between threads without the caller's own lock.
 */
#ifndef ETSCOPE_FILE_H
#define ETSCOPE_FILE_H

#include "etscope/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_file;

/* What a pipe or standard input may hold at most, 4 GiB or, on 32-bit machines, 1 GiB; a mapped
 * file has no such limit. */
#define ETS_FILE_STREAM_LIMIT ((size_t)1 << (sizeof(size_t) > 4 ? 32 : 30))

/*
 * Opens `path` ("-": standard input). Statuses: NOT_FOUND, IO (a directory, no
 * permission, a read error), LIMIT (a stream over the limit), NO_MEMORY. An empty file opens as
 * zero bytes. `*file_out` is the caller's to close.
 */
ETS_API enum ets_status ets_file_open(const char *path, struct ets_file **file_out,
                                      struct ets_error *error);

/* All bytes of the file, borrowed until close; page aligned where the file is mapped. */
ETS_API struct ets_bytes ets_file_bytes(const struct ets_file *file);

/*
 * Gives back the memory of `size` bytes of the file from `data` on, for whoever goes through a
 * large file once. They can still be read: a mapped file is loaded again then, and what was read
 * from a stream just stays.
 */
ETS_API void ets_file_release(const struct ets_file *file, const void *data, size_t size);

/* Ends the mapping; NULL is allowed. */
ETS_API void ets_file_close(struct ets_file *file);

/*
 * What a file is, told from its bytes alone.
 */

enum ets_kind {
    ETS_KIND_UNKNOWN = 0,
    ETS_KIND_EMPTY = 1,
    ETS_KIND_ETDUMP = 2,    /* ED00, size-prefixed or bare */
    ETS_KIND_PROGRAM = 3,   /* .pte, ET12 */
    ETS_KIND_BUNDLE = 4,    /* .bpte, BP08 */
    ETS_KIND_DATA_FILE = 5, /* .ptd, FT01 */
    ETS_KIND_ETRECORD = 6,  /* a zip that holds the ETRecord marker */
    ETS_KIND_ZIP = 7,       /* any other zip, torch.save files included */
    ETS_KIND_NPY = 8,
    ETS_KIND_JSON = 9,
    ETS_KIND_TEXT = 10,
    ETS_KIND_DEVICE_LOG = 11 /* frames of a stream or lines of one in its first 4 KiB */
};

/* Looks at the first bytes only (ETS_KIND_DEVICE_LOG: 4 KiB; ETS_KIND_ETRECORD: at the first
 * entries' names). */
ETS_API enum ets_kind ets_kind_sniff(struct ets_bytes bytes);

/* "an ETDump", "an ExecuTorch program (.pte)", "a text file"... Static storage. */
ETS_API const char *ets_kind_name(enum ets_kind kind);

#ifdef __cplusplus
}
#endif

#endif
