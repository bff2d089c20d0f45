/* The entries of payloads that are zip files. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"

static struct ets_bytes stored_bytes(const struct ets_zip *zip, const struct ets_zip_entry *entry)
{
    return (struct ets_bytes){zip->bytes.data + entry->payload_offset, (size_t)entry->packed_bytes};
}

int dump_hash_zip(struct dump_request *request, struct ets_bytes payload)
{
    struct ets_zip zip;
    struct ets_error error;
    struct dump_zips *zips = &request->zips;
    if (payload.size < 4 || memcmp(payload.data, "PK\3\4", 4) != 0) return CLI_OK;
    if (ets_content_spend(&request->contents, payload.size, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    const uint64_t key[2] = {(uint64_t)(uintptr_t)payload.data, payload.size};
    if (zips->keys.words == 0) ets_key_table_init(&zips->keys, &request->arena, 2);
    if (ets_key_table_find(&zips->keys, key) != ETS_KEY_NONE) return CLI_OK;
    const enum ets_status status = ets_zip_open(&zip, payload, 0, false, &request->arena, &error);
    if (status != ETS_OK) return status == ETS_NO_MEMORY ? cli_fail(request->path, &error) : CLI_OK;
    const uint32_t number = ets_key_table_add(&zips->keys, key);
    if (number != ETS_KEY_NONE) {
        zips->items = ets_arena_grow(&request->arena, zips->items, number, &zips->capacity,
                                     sizeof *zips->items);
    }
    if (number == ETS_KEY_NONE || zips->items == NULL) {
        (void)ets_fail_memory(&error, "the entries of a payload");
        return cli_fail(request->path, &error);
    }
    zips->items[number] = zip;
    int code = CLI_OK;
    for (size_t i = 0; i < zip.entry_count && code == CLI_OK; i++) {
        code = dump_hash(request, stored_bytes(&zip, &zip.entries[i]), false);
    }
    return code;
}

void dump_put_zip(struct dump_request *request, struct ets_bytes payload)
{
    struct ets_json_writer *json = request->json;
    const uint64_t key[2] = {(uint64_t)(uintptr_t)payload.data, payload.size};
    const struct dump_zips *zips = &request->zips;
    const uint32_t number =
        zips->items == NULL ? ETS_KEY_NONE : ets_key_table_find(&zips->keys, key);
    if (number == ETS_KEY_NONE) {
        ets_json_put_null(json, "zip");
        return;
    }
    const struct ets_zip *zip = &zips->items[number];
    ets_json_begin_array(json, "zip");
    for (size_t i = 0; i < zip->entry_count; i++) {
        const struct ets_zip_entry *entry = &zip->entries[i];
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "name", entry->name);
        ets_json_put_count(json, "method", entry->method);
        ets_json_put_count(json, "unpacked_bytes", entry->bytes);
        ets_json_put_count(json, "crc32", entry->crc);
        dump_put_content(request, stored_bytes(zip, entry), false);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}
