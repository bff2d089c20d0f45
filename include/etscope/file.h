/*
 * file.h - files on a host: opening and writing them, and what kind of file one is.
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
 * Writing goes to a temporary name beside the target, which takes the target's
 * place only when everything has been written, so that a reader never meets half
 * a file:
 *
 *     struct ets_output *output;
 *     if (ets_output_open("table.tsv", &output, &error) == ETS_OK) {
 *         ets_output_write(output, text, length);
 *         status = ets_output_commit(output, &error);
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
struct ets_output;

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

/* The path it was opened with, borrowed until close. */
ETS_API const char *ets_file_path(const struct ets_file *file);

/*
 * Gives back the memory of `size` bytes of the file from `data` on, for whoever goes through a
 * large file once. They can still be read: a mapped file is loaded again then, and what was read
 * from a stream just stays.
 */
ETS_API void ets_file_release(const struct ets_file *file, const void *data, size_t size);

/* Ends the mapping; NULL is allowed. */
ETS_API void ets_file_close(struct ets_file *file);

/*
 * Starts writing `path` ("-": standard output, written through). Behind a symbolic link the file
 * that it leads to is written and the link stays; a link that leads to nothing is replaced itself.
 * A device or pipe is written straight. The temporary file is new (never one that was put there)
 * and has the permissions of any new file. Statuses: IO, NO_MEMORY.
 */
ETS_API enum ets_status ets_output_open(const char *path, struct ets_output **output_out,
                                        struct ets_error *error);

/*
 * Appends; a failure is kept and reported by commit. `data` may be NULL where `size` is 0. Where
 * standard output is a terminal, of the bytes only text passes, with tabs and line feeds; what is
 * not plain (base.h) is written as \x1b.
 */
ETS_API void ets_output_write(struct ets_output *output, const void *data, size_t size);

/* Appends a sequence of the caller's own for the terminal, "\033[1m", as it is. */
ETS_API void ets_output_control(struct ets_output *output, const char *sequence);

/*
 * Appends a text as a JSON string with its quotes: U+FFFD for bytes that are no UTF-8, escapes for
 * what is not plain (base.h), from which parsers make the same text again.
 */
ETS_API void ets_output_write_json(struct ets_output *output, const char *text, size_t size);

/* Finishes, puts the file in its place and frees `output` in any case. Status: IO. */
ETS_API enum ets_status ets_output_commit(struct ets_output *output, struct ets_error *error);

/* Drops what was written and frees `output`; the target stays as it was. NULL is allowed. */
ETS_API void ets_output_discard(struct ets_output *output);

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
    ETS_KIND_CAPTURE = 11 /* frames of a stream or lines of one in its first 4 KiB */
};

/* Looks at the first bytes only (ETS_KIND_CAPTURE: 4 KiB; ETS_KIND_ETRECORD: at the first entries'
 * names). */
ETS_API enum ets_kind ets_kind_sniff(struct ets_bytes bytes);

/* "an ETDump", "an ExecuTorch program (.pte)", "a text file"... Static storage. */
ETS_API const char *ets_kind_name(enum ets_kind kind);

#ifdef __cplusplus
}
#endif

#endif
