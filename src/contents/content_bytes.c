/* Compares runs of bytes by hashes that are kept. */
#include "contents/content_bytes.h"

#include <string.h>

#include "base/xxh64.h"

/* Honest files have each byte in one run, which is hashed once and compared once or twice. */
enum { READ_TIMES = 16, READ_FLOOR = 1 << 20 };

void ets_content_bytes_init(struct ets_content_bytes *contents, struct ets_arena *arena,
                            uint64_t file_bytes)
{
    *contents =
        (struct ets_content_bytes){.budget = READ_FLOOR + READ_TIMES * (file_bytes / 2 + 1)};
    ets_key_table_init(&contents->runs, arena, 2);
}

enum ets_status ets_content_spend(struct ets_content_bytes *contents, uint64_t bytes,
                                  struct ets_error *error)
{
    if (bytes > contents->budget) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "tensors, payloads or named data overlap: to compare them all would read "
                        "the files more than %d times",
                        READ_TIMES / 2);
    }
    contents->budget -= bytes;
    return ETS_OK;
}

enum ets_status ets_content_hash(struct ets_content_bytes *contents, struct ets_bytes bytes,
                                 uint64_t *hash_out, struct ets_error *error)
{
    const uint64_t key[2] = {(uint64_t)(uintptr_t)bytes.data, bytes.size};
    const uint32_t known = contents->runs.count;
    const uint32_t number = ets_key_table_add(&contents->runs, key);
    if (number == ETS_KEY_NONE) return ets_fail_memory(error, "hashes of constants");
    if (number == known) {
        contents->hashes = ets_arena_grow(contents->runs.arena, contents->hashes, number,
                                          &contents->capacity, sizeof *contents->hashes);
        if (contents->hashes == NULL) return ets_fail_memory(error, "hashes of constants");
        ETS_TRY(ets_content_spend(contents, bytes.size, error));
        contents->hashes[number] = ets_xxh64_of(bytes);
    }
    *hash_out = contents->hashes[number];
    return ETS_OK;
}

enum ets_status ets_content_equal(struct ets_content_bytes *contents, struct ets_bytes left,
                                  struct ets_bytes right, bool *equal_out, struct ets_error *error)
{
    uint64_t left_hash, right_hash;
    *equal_out = false;
    if (left.size != right.size) return ETS_OK;
    *equal_out = left.size == 0 || left.data == right.data;
    if (*equal_out) return ETS_OK;
    ETS_TRY(ets_content_hash(contents, left, &left_hash, error));
    ETS_TRY(ets_content_hash(contents, right, &right_hash, error));
    if (left_hash != right_hash) return ETS_OK;
    ETS_TRY(ets_content_spend(contents, left.size, error));
    *equal_out = memcmp(left.data, right.data, left.size) == 0;
    return ETS_OK;
}
