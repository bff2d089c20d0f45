/*
 * file.h - opens files on a host and detects what kind of file they are.
 *
 * A regular file is mapped. A pipe or standard input ("-") is read into memory. Either way you get
 * its bytes:
 *
 *     struct ets_file *file;
 *     if (ets_file_open("profile.etdp", &file, &error) == ETS_OK) {
 *         struct ets_bytes bytes = ets_file_bytes(file);
 *         ...
 *         ets_file_close(file);
 *     }
 *
 * Threads that share an object must lock it themselves.
 */
#ifndef ETSCOPE_FILE_H
#define ETSCOPE_FILE_H

#include "etscope/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_file;

/*
 * The most bytes that are read from a pipe or standard input: 4 GiB, or 1 GiB on 32-bit machines.
 * Mapped files have no limit.
 */
#define ETS_FILE_STREAM_LIMIT ((size_t)1 << (sizeof(size_t) > 4 ? 32 : 30))

/*
 * Opens `path` ("-": standard input). Statuses: NOT_FOUND, IO (a directory, no permission, a read
 * error), LIMIT (a stream over the limit), NO_MEMORY. An empty file opens as zero bytes. Close
 * `*file_out` with ets_file_close.
 */
ETS_API enum ets_status ets_file_open(const char *path, struct ets_file **file_out,
                                      struct ets_error *error);

/* All bytes of the file, valid until close. Page aligned if the file is mapped. */
ETS_API struct ets_bytes ets_file_bytes(const struct ets_file *file);

/*
 * Gives back the memory of `size` bytes from `data` on, for callers that read a large file once,
 * front to back. The bytes stay readable: a mapped file is loaded again, and bytes read from a
 * stream are kept. What is not in the file is left alone.
 */
ETS_API void ets_file_release(const struct ets_file *file, const void *data, size_t size);

/* Closes the file and ends the mapping. NULL is allowed. */
ETS_API void ets_file_close(struct ets_file *file);

/* The kind of a file, detected from its bytes alone. */

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
    ETS_KIND_DEVICE_LOG = 11, /* stream frames, or log lines of a stream, in the first 4 KiB */
    ETS_KIND_SUMMARY = 12     /* what ets_trace_summary_write writes */
};

/*
 * Reads only the first bytes (4 KiB for ETS_KIND_DEVICE_LOG, the names of the first entries for
 * ETS_KIND_ETRECORD).
 */
ETS_API enum ets_kind ets_kind_sniff(struct ets_bytes bytes);

/* "an ETDump", "an ExecuTorch program (.pte)", "a text file"... Static storage. */
ETS_API const char *ets_kind_name(enum ets_kind kind);

#ifdef __cplusplus
}
#endif

#endif
