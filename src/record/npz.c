/* Reads .npz files: a zip of .npy arrays, found by name. */
#include "record/numpy.h"

#include <string.h>

#include "base/error.h"
#include "record/zip.h"

enum { ENDING_BYTES = 4, NAME_IN_MESSAGE = 100 };

struct ets_npz {
    struct ets_arena arena;
    struct ets_zip zip;
};

/* "weight" of "weight.npy"; absent where the entry is another kind of file. */
static struct ets_text array_name(struct ets_text name)
{
    const size_t size = name.size < ENDING_BYTES ? 0 : name.size - ENDING_BYTES;
    if (size == 0 || memcmp(name.data + size, ".npy", ENDING_BYTES) != 0) {
        return (struct ets_text){NULL, 0};
    }
    return (struct ets_text){name.data, size};
}

static enum ets_status open_zip(struct ets_npz *npz, struct ets_bytes bytes,
                                struct ets_error *error)
{
    ETS_TRY(ets_zip_open(&npz->zip, bytes, 0, true, &npz->arena, error));
    for (size_t i = 0; i < npz->zip.entry_count; i++) {
        const struct ets_zip_entry *entry = &npz->zip.entries[i];
        if (array_name(entry->name).data != NULL) continue;
        const size_t shown =
            entry->name.size < NAME_IN_MESSAGE ? entry->name.size : NAME_IN_MESSAGE;
        return ets_fail(error, ETS_WRONG_KIND, entry->header_offset,
                        "not a .npz file: its entry %.*s is not a .npy", (int)shown,
                        entry->name.data);
    }
    return ETS_OK;
}

enum ets_status ets_npz_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                             struct ets_npz **npz_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_npz *npz = ets_arena_alloc(&arena, sizeof *npz);
    if (npz == NULL) {
        return ets_fail_memory(error, "the .npz file");
    }
    npz->arena = arena; /* holds its owner */
    const enum ets_status status = open_zip(npz, bytes, error);
    if (status != ETS_OK) ets_npz_close(npz);
    else *npz_out = npz;
    return status;
}

void ets_npz_close(struct ets_npz *npz)
{
    if (npz == NULL) return;
    struct ets_arena arena = npz->arena;
    ets_arena_reset(&arena);
}

size_t ets_npz_count(const struct ets_npz *npz)
{
    return npz->zip.entry_count;
}

struct ets_text ets_npz_name(const struct ets_npz *npz, size_t index)
{
    if (index >= npz->zip.entry_count) return (struct ets_text){NULL, 0};
    return array_name(npz->zip.entries[index].name);
}

size_t ets_npz_find(const struct ets_npz *npz, struct ets_text name)
{
    size_t index = 0;
    for (; index < npz->zip.entry_count; index++) {
        const struct ets_text each = array_name(npz->zip.entries[index].name);
        if (each.size == name.size && memcmp(each.data, name.data, name.size) == 0) break;
    }
    return index;
}

enum ets_status ets_npz_read(struct ets_npz *npz, size_t index, struct ets_tensor *tensor_out,
                             struct ets_error *error)
{
    struct ets_bytes bytes;
    struct ets_error inner;
    if (index >= npz->zip.entry_count) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the .npz file has no array %zu",
                        index);
    }
    struct ets_zip_entry *entry = &npz->zip.entries[index];
    ETS_TRY(ets_zip_read(&npz->zip, entry, &bytes, error));
    if (ets_npy_read(bytes, tensor_out, &inner) == ETS_OK) return ETS_OK;
    const struct ets_text name = array_name(entry->name);
    const bool is_stored = bytes.data == npz->zip.bytes.data + entry->payload_offset;
    const uint64_t within = inner.offset == ETS_NO_OFFSET || !is_stored ? 0 : inner.offset;
    return ets_fail(error, inner.status, entry->payload_offset + within, "array %.*s: %s",
                    (int)(name.size < NAME_IN_MESSAGE ? name.size : NAME_IN_MESSAGE), name.data,
                    inner.message);
}
