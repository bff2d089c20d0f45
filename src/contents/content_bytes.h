/*
 * Whether two runs of bytes of two files are equal, however often that is asked: hashes are kept,
 * and what is read is bounded by the sizes of the files, as tensors of a hostile file may overlap.
 */
#ifndef ETSCOPE_CONTENTS_CONTENT_BYTES_H
#define ETSCOPE_CONTENTS_CONTENT_BYTES_H

#include <stdbool.h>

#include "base/error.h"
#include "host/key_table.h"

struct ets_content_bytes {
    struct ets_key_table runs; /* by address and size */
    uint64_t *hashes;          /* [runs.count] */
    uint32_t capacity;
    uint64_t budget; /* bytes that may still be read */
};

/* `file_bytes`: of both files together. The arena outlives it. */
void ets_content_bytes_init(struct ets_content_bytes *contents, struct ets_arena *arena,
                            uint64_t file_bytes);

/* Before `bytes` are read in another way. Status: LIMIT. */
enum ets_status ets_content_spend(struct ets_content_bytes *contents, uint64_t bytes,
                                  struct ets_error *error);

/* XXH64 of the bytes. Statuses: NO_MEMORY, LIMIT. */
enum ets_status ets_content_hash(struct ets_content_bytes *contents, struct ets_bytes bytes,
                                 uint64_t *hash_out, struct ets_error *error);

/* By hash, and equal hashes byte by byte. Statuses: NO_MEMORY, LIMIT. */
enum ets_status ets_content_equal(struct ets_content_bytes *contents, struct ets_bytes left,
                                  struct ets_bytes right, bool *equal_out, struct ets_error *error);

#endif
