/*
 * data_file.h - a tensor data file (.ptd): weights that programs refer to by name.
 *
 *     struct ets_data_file data;
 *     if (ets_data_file_init(&data, ets_file_bytes(file), &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < data.entry_count; i++) {
 *             struct ets_data_entry entry;
 *             ets_data_file_entry(&data, i, &entry);
 *             printf("%.*s: %zu bytes\n", (int)entry.key.size, entry.key.data, entry.bytes.size);
 *         }
 *     }
 *
 * Views over the caller's bytes: nothing is allocated or copied, and any number of threads may
 * read. Everything is verified once, by ets_data_file_init; accessors then cannot fail, their
 * `index` must be below the count that belongs to it. Schema: ExecuTorch
 * extension/flat_tensor/serialize/flat_tensor.fbs, identifier FT01, header FH01.
 */
#ifndef ETSCOPE_DATA_FILE_H
#define ETSCOPE_DATA_FILE_H

#include "etscope/bytes.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The schema version that this reader, like the runtime, accepts. */
#define ETS_DATA_FILE_VERSION 0

struct ets_data_file {
    struct ets_bytes bytes; /* the whole file */
    uint32_t version;
    uint32_t entry_count;
    uint32_t segment_count;
    uint64_t flatbuffer_bytes; /* from the file's start, the header included */
    uint64_t segment_base;     /* file offset that segments' offsets count from; 0: none */
    uint64_t segment_bytes;    /* from there to the end of the last segment */
    size_t root_at;            /* inner */
};

/* One named run of bytes. */
struct ets_data_entry {
    struct ets_text key;      /* fully qualified name of a tensor, or a backend's own key */
    uint32_t segment_index;   /* keys may share one */
    struct ets_bytes bytes;   /* the whole segment */
    int has_layout;           /* 0: opaque bytes, `tensor` is all zero */
    struct ets_tensor tensor; /* data as long as its sizes need */
};

/* One run of bytes of the file. */
struct ets_data_segment {
    uint64_t offset; /* in the file (the stored one counts from segment_base) */
    uint64_t size;
    struct ets_bytes bytes;
};

/* 1 where the identifier FT01 stands at byte 4, else 0. */
ETS_API int ets_data_file_sniff(struct ets_bytes bytes);

/*
 * Verifies `bytes`, borrowed as long as the view is used. Statuses: WRONG_KIND (the message says of
 * which kind), TRUNCATED, MALFORMED (also: a segment shorter than its tensor), UNSUPPORTED
 * (version, scalar type or rank), LIMIT. Messages name the entry or segment. `data` is untouched on
 * failure.
 */
ETS_API enum ets_status ets_data_file_init(struct ets_data_file *data, struct ets_bytes bytes,
                                           struct ets_error *error);

/* Entries in file order. */
ETS_API void ets_data_file_entry(const struct ets_data_file *data, uint32_t index,
                                 struct ets_data_entry *entry_out);

/* The first entry of that key. Status: NOT_FOUND. */
ETS_API enum ets_status ets_data_file_find(const struct ets_data_file *data, struct ets_text key,
                                           struct ets_data_entry *entry_out,
                                           struct ets_error *error);

ETS_API void ets_data_file_segment(const struct ets_data_file *data, uint32_t index,
                                   struct ets_data_segment *segment_out);

#ifdef __cplusplus
}
#endif

#endif
