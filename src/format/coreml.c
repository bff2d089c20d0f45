/* Reads the directory of a Core ML payload, and the records of its file of weights. */
#include "format/coreml.h"

#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "format/json_cursor.h"

enum { MOST_ENTRIES = 1 << 16 };

/* Bytes before the padding, which may follow in large payloads. */
static size_t end_of(struct ets_bytes payload)
{
    size_t end = payload.size;
    while (end > 0 && payload.data[end - 1] == 0) end--;
    return end;
}

size_t ets_coreml_directory_size(struct ets_bytes payload)
{
    const size_t end = end_of(payload);
    size_t depth = 0;
    bool in_text = false;
    if (end == 0 || payload.data[end - 1] != '{') return 0;
    for (size_t size = 0; size < end; size++) {
        const uint8_t letter = payload.data[end - 1 - size];
        if (in_text) {
            if (letter == '\\') size++;
            else in_text = letter != '"';
            continue;
        }
        in_text = letter == '"';
        depth += letter == '{';
        depth -= letter == '}';
        if (depth == 0) return size + 1;
    }
    return 0;
}

void ets_coreml_directory_read(struct ets_bytes payload, size_t size, char *text)
{
    const size_t end = end_of(payload);
    for (size_t i = 0; i < size; i++) text[i] = (char)payload.data[end - 1 - i];
}

static enum ets_status fail_directory(const struct ets_json_cursor *cursor, struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                    "the directory of the Core ML payload cannot be read at its byte %zu",
                    cursor->at);
}

static bool enter_nodes(struct ets_json_cursor *cursor)
{
    return ets_json_cursor_find(cursor, "nodes") && ets_json_cursor_enter(cursor, '[');
}

enum ets_status ets_coreml_count(struct ets_text directory, uint32_t *count_out,
                                 struct ets_error *error)
{
    struct ets_json_cursor cursor = {.text = directory};
    *count_out = 0;
    if (!enter_nodes(&cursor)) return fail_directory(&cursor, error);
    while (ets_json_cursor_item(&cursor)) {
        ets_json_cursor_skip(&cursor);
        if (++*count_out > MOST_ENTRIES) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the Core ML payload has more than %d files", MOST_ENTRIES);
        }
    }
    if (cursor.is_broken || *count_out == 0) return fail_directory(&cursor, error);
    return ETS_OK;
}

static bool read_region(struct ets_json_cursor *cursor, struct ets_coreml_entry *entry)
{
    struct ets_text key;
    if (!ets_json_cursor_enter(cursor, '{')) {
        ets_json_cursor_skip(cursor);
        return true;
    }
    while (ets_json_cursor_member(cursor, &key)) {
        uint64_t number;
        if (!ets_json_cursor_count(cursor, &number)) return false;
        if (ets_text_is(key, "offset")) entry->offset = number;
        if (ets_text_is(key, "size")) entry->size = number;
    }
    return !cursor->is_broken;
}

static bool read_entry(struct ets_json_cursor *cursor, struct ets_coreml_entry *entry)
{
    struct ets_text key;
    uint64_t kind = 0;
    *entry = (struct ets_coreml_entry){.size = 0};
    if (!ets_json_cursor_enter(cursor, '{')) return false;
    while (ets_json_cursor_member(cursor, &key)) {
        if (ets_text_is(key, "kind")) {
            if (!ets_json_cursor_count(cursor, &kind)) return false;
        } else if (ets_text_is(key, "dataRegion")) {
            if (!read_region(cursor, entry)) return false;
        } else if (ets_text_is(key, "children")) {
            ets_json_cursor_value(cursor, &entry->children);
        } else {
            ets_json_cursor_skip(cursor);
        }
    }
    entry->is_folder = kind == 1;
    return !cursor->is_broken;
}

enum ets_status ets_coreml_init(struct ets_coreml_files *files, struct ets_bytes payload,
                                struct ets_text directory, struct ets_coreml_entry *entries,
                                uint32_t count, struct ets_error *error)
{
    struct ets_json_cursor cursor = {.text = directory};
    *files = (struct ets_coreml_files){.bytes = payload, .entries = entries, .count = count};
    if (!enter_nodes(&cursor)) return fail_directory(&cursor, error);
    for (uint32_t i = 0; i < count; i++) {
        struct ets_coreml_entry *entry = &entries[i];
        if (!ets_json_cursor_item(&cursor) || !read_entry(&cursor, entry)) {
            return fail_directory(&cursor, error);
        }
        if (entry->is_folder) continue;
        if (!ets_range_fits(entry->offset, entry->size, payload.size)) {
            return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                            "file %u of the Core ML payload lies outside of it", i);
        }
        files->file_count++;
        files->file_bytes = ets_add_saturated_u64(files->file_bytes, entry->size);
    }
    return ETS_OK;
}

/* Children come before their parents, so paths end. */
static const struct ets_coreml_entry *find_child(const struct ets_coreml_files *files,
                                                 const struct ets_coreml_entry *parent,
                                                 struct ets_text name)
{
    struct ets_json_cursor cursor = {.text = parent->children};
    struct ets_text key;
    uint64_t number;
    if (!parent->is_folder || !ets_json_cursor_enter(&cursor, '{')) return NULL;
    while (ets_json_cursor_member(&cursor, &key)) {
        const bool is_number = ets_json_cursor_count(&cursor, &number);
        if (!ets_text_equal(key, name)) continue;
        const bool is_before = is_number && number < (uint64_t)(parent - files->entries);
        return is_before ? &files->entries[number] : NULL;
    }
    return NULL;
}

const struct ets_coreml_entry *ets_coreml_find(const struct ets_coreml_files *files,
                                               const char *path)
{
    const struct ets_coreml_entry *entry = &files->entries[files->count - 1];
    while (entry != NULL && *path != '\0') {
        size_t size = 0;
        while (path[size] != '\0' && path[size] != '/') size++;
        entry = find_child(files, entry, (struct ets_text){path, size});
        path += size + (path[size] == '/');
    }
    return entry;
}

struct ets_bytes ets_coreml_file(const struct ets_coreml_files *files, const char *path)
{
    const struct ets_coreml_entry *entry = ets_coreml_find(files, path);
    if (entry == NULL || entry->is_folder) return (struct ets_bytes){NULL, 0};
    return (struct ets_bytes){files->bytes.data + entry->offset, (size_t)entry->size};
}

bool ets_coreml_is_reference(struct ets_bytes payload)
{
    return payload.size >= 4 && memcmp(payload.data, "CMJR", 4) == 0;
}

enum ets_status ets_coreml_reference_read(struct ets_bytes payload,
                                          struct ets_coreml_reference *reference_out,
                                          struct ets_error *error)
{
    struct ets_json_cursor cursor = {.text = {(const char *)payload.data + 4, end_of(payload) - 4}};
    struct ets_text key;
    *reference_out = (struct ets_coreml_reference){.key = {NULL, 0}};
    if (ets_json_cursor_enter(&cursor, '{')) {
        while (ets_json_cursor_member(&cursor, &key)) {
            if (ets_text_is(key, "key")) ets_json_cursor_text(&cursor, &reference_out->key);
            else if (ets_text_is(key, "functionName"))
                ets_json_cursor_text(&cursor, &reference_out->function);
            else ets_json_cursor_skip(&cursor);
        }
    }
    if (!cursor.is_broken && reference_out->key.size > 0) return ETS_OK;
    return ets_fail(error, ETS_MALFORMED, cursor.at + 4,
                    "the payload does not name the Core ML model that it refers to");
}

struct ets_bytes ets_coreml_blob(struct ets_bytes weights, uint64_t offset)
{
    enum { RECORD_BYTES = 64, SIZE_AT = 8, DATA_AT = 16 };
    static const uint32_t sentinel = 0xDEADBEEF;
    const struct ets_bytes none = {NULL, 0};
    if (weights.data == NULL || !ets_range_fits(offset, RECORD_BYTES, weights.size)) return none;
    const uint8_t *record = weights.data + offset;
    const uint64_t size = ets_load_u64(record + SIZE_AT), at = ets_load_u64(record + DATA_AT);
    if (ets_load_u32(record) != sentinel || !ets_range_fits(at, size, weights.size)) return none;
    return (struct ets_bytes){weights.data + at, (size_t)size};
}
