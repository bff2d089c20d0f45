/* Storages that were pickled without torch.save: torch.save's layout before zips. */
#include "record/pickled_storage.h"

#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"

enum {
    LAYOUT_VERSION = 1001,
    COUNT_BYTES = 8, /* before the elements */
    MAX_HEADER_BYTES = 4096
};

/* Of all storages together: one that many tensors share is read again for each of them. */
#define MAX_HEADERS_BYTES ((uint64_t)8 << 20)

/* A pickle of the magic number, which has more than 64 bits. */
static const uint8_t MAGIC[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};

static enum ets_status fail(const struct ets_pickled_storages *storages, enum ets_status status,
                            const char *what)
{
    return ets_fail(storages->error, status, storages->offset, "%.*s: %s",
                    ETS_TEXT(storages->entry), what);
}

int ets_is_pickled_storage(const struct ets_pickle_object *object)
{
    if (object == NULL || object->kind != ETS_PICKLE_CALL ||
        !ets_pickle_is_global(object->as.call.callable, "torch.storage", "_load_from_bytes")) {
        return 0;
    }
    const struct ets_pickle_object *arguments = object->as.call.arguments;
    return arguments->as.list.count == 1 && arguments->as.list.items[0]->kind == ETS_PICKLE_BYTES;
}

/* Reads the pickle at the start of `*rest` and moves behind it. */
static enum ets_status read_next(struct ets_pickled_storages *storages, struct ets_bytes *rest,
                                 const struct ets_pickle_object **object_out)
{
    struct ets_bytes pickle = *rest;
    const uint64_t offset = storages->offset + (uint64_t)(pickle.data - storages->pickle.data);
    if (pickle.size > MAX_HEADER_BYTES) pickle.size = MAX_HEADER_BYTES;
    size_t size = 0;
    ETS_TRY(ets_pickle_read_first(pickle, offset, storages->entry, storages->headers, object_out,
                                  &size, storages->error));
    storages->header_bytes += size;
    if (storages->header_bytes > MAX_HEADERS_BYTES) {
        return fail(storages, ETS_LIMIT, "holds too many storages");
    }
    rest->data += size;
    rest->size -= size;
    return ETS_OK;
}

static enum ets_status skip_magic(struct ets_pickled_storages *storages, struct ets_bytes *rest)
{
    if (rest->size < sizeof MAGIC || memcmp(rest->data, MAGIC, sizeof MAGIC) != 0) {
        return fail(storages, ETS_MALFORMED,
                    "a pickled storage does not start with torch.save's magic number");
    }
    rest->data += sizeof MAGIC;
    rest->size -= sizeof MAGIC;
    return ETS_OK;
}

static enum ets_status check_version(struct ets_pickled_storages *storages,
                                     const struct ets_pickle_object *version)
{
    if (version->kind == ETS_PICKLE_INT && version->as.integer == LAYOUT_VERSION) return ETS_OK;
    return fail(storages, ETS_UNSUPPORTED, "a pickled storage is of an unknown version");
}

static enum ets_status check_machine(struct ets_pickled_storages *storages,
                                     const struct ets_pickle_object *machine)
{
    if (machine->kind != ETS_PICKLE_DICT) {
        return fail(storages, ETS_MALFORMED, "a pickled storage names no machine");
    }
    for (uint32_t i = 0; i + 2 <= machine->as.list.count; i += 2) {
        const struct ets_pickle_object *key = machine->as.list.items[i];
        const struct ets_pickle_object *value = machine->as.list.items[i + 1];
        if (key->kind == ETS_PICKLE_TEXT && ets_text_is(key->as.text, "little_endian") &&
            value->kind == ETS_PICKLE_BOOL && value->as.integer == 0) {
            return fail(storages, ETS_UNSUPPORTED, "was saved on a big-endian machine");
        }
    }
    return ETS_OK;
}

/* One storage has one key, after which its elements begin. */
static enum ets_status check_keys(struct ets_pickled_storages *storages,
                                  const struct ets_pickle_object *keys, struct ets_bytes rest)
{
    if (keys->kind != ETS_PICKLE_LIST || keys->as.list.count != 1) {
        return fail(storages, ETS_MALFORMED, "a pickled storage has several keys, or none");
    }
    if (rest.size < COUNT_BYTES) {
        return fail(storages, ETS_TRUNCATED, "a pickled storage ends before its elements");
    }
    return ETS_OK;
}

enum ets_status ets_pickled_storage_open(struct ets_pickled_storages *storages,
                                         const struct ets_pickle_object *call,
                                         const struct ets_pickle_object **persistent_out,
                                         struct ets_bytes *bytes_out)
{
    const struct ets_text text = call->as.call.arguments->as.list.items[0]->as.text;
    struct ets_bytes rest = {(const uint8_t *)text.data, text.size};
    const struct ets_pickle_object *object = NULL;
    ETS_TRY(skip_magic(storages, &rest));
    ETS_TRY(read_next(storages, &rest, &object));
    ETS_TRY(check_version(storages, object));
    ETS_TRY(read_next(storages, &rest, &object));
    ETS_TRY(check_machine(storages, object));
    ETS_TRY(read_next(storages, &rest, persistent_out));
    ETS_TRY(read_next(storages, &rest, &object));
    ETS_TRY(check_keys(storages, object, rest));
    *bytes_out = (struct ets_bytes){rest.data + COUNT_BYTES, rest.size - COUNT_BYTES};
    if ((*persistent_out)->kind == ETS_PICKLE_PERSISTENT) return ETS_OK;
    return fail(storages, ETS_MALFORMED, "a pickled storage has no persistent id");
}
