/* The small maps of an ETRecord: read on opening, then searched by bisection. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/etrecord_internal.h"
#include "record/json.h"
#include "record/record_maps.h"

enum { MAP_HANDLES, MAP_DELEGATES, MAP_NUM_OUTS, MAP_COUNT };

static const char *const MAP_ENTRIES[MAP_COUNT] = {"debug_handle_map", "delegate_map",
                                                   "instruction_id_to_num_outs_map"};

/* One map as JSON, while the record is opened. */
struct map {
    const char *name;
    uint64_t offset; /* of the JSON in the file */
    struct ets_json tape;
    const struct ets_json_value *root; /* an object, or NULL: the record has no such map */
};

struct maps_reader {
    struct ets_etrecord *record;
    struct ets_arena *arena;
    struct map maps[MAP_COUNT];
    struct ets_error *error;
};

static enum ets_status no_memory(const struct maps_reader *reader)
{
    return ets_fail_memory(reader->error, "the record's maps");
}

static enum ets_status fail_map(const struct maps_reader *reader, const struct map *map,
                                struct ets_text key, const char *what)
{
    enum { SHOWN_KEY = 40 };
    return ets_fail(reader->error, ETS_MALFORMED, map->offset, "%s: %.*s: %s", map->name,
                    key.size < SHOWN_KEY ? (int)key.size : SHOWN_KEY,
                    key.data != NULL ? key.data : "", what);
}

/* The entry's JSON; `*root_out` NULL where the record has no such entry. */
static enum ets_status read_json(struct maps_reader *reader, const char *name,
                                 struct ets_json *tape, uint64_t *offset_out,
                                 const struct ets_json_value **root_out)
{
    *root_out = NULL;
    struct ets_zip_entry *entry = ets_etrecord_find(reader->record, name);
    if (entry == NULL) return ETS_OK;
    struct ets_bytes bytes;
    ETS_TRY(ets_zip_read(&reader->record->zip, entry, &bytes, reader->error));
    char *text = ets_arena_copy_text(reader->arena, (const char *)bytes.data, bytes.size);
    if (text == NULL) return no_memory(reader);
    struct ets_json_failure failure;
    const enum ets_status status = ets_json_parse(tape, text, bytes.size, &failure);
    if (status != ETS_OK) {
        return ets_fail(reader->error, status, entry->payload_offset + failure.offset, "%s: %s",
                        name, failure.text);
    }
    *offset_out = entry->payload_offset;
    *root_out = tape->values;
    return ETS_OK;
}

static enum ets_status read_roots(struct maps_reader *reader)
{
    for (size_t i = 0; i < MAP_COUNT; i++) {
        struct map *map = &reader->maps[i];
        map->name = MAP_ENTRIES[i];
        ETS_TRY(read_json(reader, map->name, &map->tape, &map->offset, &map->root));
        if (ets_json_is(map->root, ETS_JSON_NULL)) map->root = NULL;
        if (map->root != NULL && map->root->kind != ETS_JSON_OBJECT) {
            return fail_map(reader, map, (struct ets_text){NULL, 0}, "is not an object");
        }
    }
    return ETS_OK;
}

static enum ets_status read_graph_id(struct maps_reader *reader)
{
    struct ets_json tape;
    ets_json_init(&tape, reader->arena->allocator);
    const struct ets_json_value *root;
    uint64_t offset;
    const enum ets_status status = read_json(reader, "export_graph_id", &tape, &offset, &root);
    if (status == ETS_OK && ets_json_is(root, ETS_JSON_INT)) {
        reader->record->export_graph_id = (uint64_t)root->as.integer;
    } else if (status == ETS_OK && ets_json_is(root, ETS_JSON_UINT)) {
        reader->record->export_graph_id = root->as.uinteger;
    }
    ets_json_reset(&tape);
    return status;
}

/* Methods. */

static int compare_methods(const void *a, const void *b)
{
    const struct ets_method_maps *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static size_t count_names(const struct maps_reader *reader)
{
    size_t count = reader->record->zip.entry_count;
    for (size_t i = 0; i < MAP_COUNT; i++) {
        if (reader->maps[i].root != NULL) count += reader->maps[i].root->size;
    }
    return count;
}

static enum ets_status list_methods(struct maps_reader *reader)
{
    struct ets_etrecord *record = reader->record;
    struct ets_method_maps *methods =
        ets_arena_alloc_array(reader->arena, count_names(reader), sizeof *methods);
    if (methods == NULL) return no_memory(reader);
    size_t count = 0;
    for (size_t i = 0; i < record->zip.entry_count; i++) {
        const struct ets_text method = ets_etrecord_edge_method(record->zip.entries[i].name);
        if (method.data == NULL) continue;
        methods[count].name = ets_arena_copy_text(reader->arena, method.data, method.size);
        if (methods[count++].name == NULL) return no_memory(reader);
    }
    for (size_t i = 0; i < MAP_COUNT; i++) {
        if (reader->maps[i].root == NULL) continue;
        const struct ets_json_value *key = ets_json_first(reader->maps[i].root);
        for (uint32_t j = 0; j < reader->maps[i].root->size; j++, key = ets_json_next(key + 1)) {
            methods[count++].name = key->as.text;
        }
    }
    if (count > 1) qsort(methods, count, sizeof *methods, compare_methods);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (used == 0 || strcmp(methods[used - 1].name, methods[i].name) != 0) {
            methods[used++].name = methods[i].name;
        }
    }
    record->methods = methods;
    record->method_count = used;
    return ETS_OK;
}

struct ets_method_maps *ets_etrecord_find_maps(const struct ets_etrecord *record, const char *name)
{
    size_t low = 0, high = record->method_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(record->methods[middle].name, name);
        if (order == 0) return &record->methods[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* Instructions: keys are decimal texts. */

static int read_instruction(const struct ets_json_value *key, int64_t *instruction_out)
{
    const char *at = key->as.text, *end = at + key->size;
    const int negative = at < end && *at == '-';
    at += negative;
    if (at == end || end - at > 18) return 0;
    int64_t value = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return 0;
        value = value * 10 + (*at - '0');
    }
    *instruction_out = negative ? -value : value;
    return 1;
}

/*
 * Every entry struct starts with its instruction. Sorts by instruction and then by position, so
 * that the last of several equal keys comes last and counts, as in Python.
 */
static int compare_instructions(const void *a, const void *b)
{
    const int64_t *const *left = a, *const *right = b;
    if (**left != **right) return (**left > **right) - (**left < **right);
    return (*left > *right) - (*left < *right);
}

/* Sorts `count` elements of `size` bytes, each starting with its instruction, and drops duplicates.
 */
static enum ets_status sort_entries(struct maps_reader *reader, void **entries, uint32_t *count,
                                    size_t size)
{
    if (*count < 2) return ETS_OK;
    const int64_t **order = ets_arena_alloc_array(reader->arena, *count, sizeof *order);
    char *sorted = ets_arena_alloc_array(reader->arena, *count, size);
    if (order == NULL || sorted == NULL) return no_memory(reader);
    for (uint32_t i = 0; i < *count; i++) {
        order[i] = (const int64_t *)(const void *)((const char *)*entries + size * i);
    }
    qsort(order, *count, sizeof *order, compare_instructions);
    uint32_t used = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (i + 1 < *count && *order[i] == *order[i + 1]) continue;
        memcpy(sorted + size * used++, order[i], size);
    }
    *entries = sorted;
    *count = used;
    return ETS_OK;
}

/* A handle, or a list of handles; null is an empty list. */
static enum ets_status read_handles(struct maps_reader *reader, const struct map *map,
                                    struct ets_text key, const struct ets_json_value *json,
                                    const int64_t **handles_out, uint32_t *count_out)
{
    const int is_list = json->kind == ETS_JSON_ARRAY;
    const uint32_t count = is_list ? json->size : json->kind != ETS_JSON_NULL;
    int64_t *handles = ets_arena_alloc_array(reader->arena, count, sizeof *handles);
    if (handles == NULL) return no_memory(reader);
    const struct ets_json_value *item = is_list ? ets_json_first(json) : json;
    for (uint32_t i = 0; i < count; i++, item = ets_json_next(item)) {
        if (item->kind != ETS_JSON_INT) {
            return fail_map(reader, map, key, "a debug handle is not an integer");
        }
        handles[i] = item->as.integer;
    }
    *handles_out = handles;
    *count_out = count;
    return ETS_OK;
}

/* Reads the value of one instruction's key into its entry, whose instruction is set. */
typedef enum ets_status read_entry(struct maps_reader *reader, const struct map *map,
                                   struct ets_text key, const struct ets_json_value *json,
                                   void *entry);

/* Reads {instruction: value} as entries of `size` bytes, sorted by instruction. */
static enum ets_status read_entries(struct maps_reader *reader, const struct map *map,
                                    const struct ets_json_value *json, size_t size,
                                    read_entry *read, void **entries_out, uint32_t *count_out)
{
    char *entries = ets_arena_alloc_array(reader->arena, json->size, size);
    if (entries == NULL) return no_memory(reader);
    const struct ets_json_value *key = ets_json_first(json);
    for (uint32_t i = 0; i < json->size; i++, key = ets_json_next(key + 1)) {
        void *entry = entries + size * i;
        if (!read_instruction(key, entry)) {
            return fail_map(reader, map, ets_json_text(key), "is not an instruction number");
        }
        ETS_TRY(read(reader, map, ets_json_text(key), key + 1, entry));
    }
    *entries_out = entries;
    *count_out = json->size;
    return sort_entries(reader, entries_out, count_out, size);
}

static enum ets_status read_handle_entry(struct maps_reader *reader, const struct map *map,
                                         struct ets_text key, const struct ets_json_value *json,
                                         void *to)
{
    struct ets_handle_entry *entry = to;
    entry->is_list = json->kind == ETS_JSON_ARRAY;
    return read_handles(reader, map, key, json, &entry->handles, &entry->count);
}

static enum ets_status read_handle_map(struct maps_reader *reader, const struct map *map,
                                       const struct ets_json_value *json,
                                       struct ets_method_maps *method)
{
    void *entries;
    uint32_t count;
    ETS_TRY(read_entries(reader, map, json, sizeof *method->handles, read_handle_entry, &entries,
                         &count));
    int64_t *instructions = ets_arena_alloc_array(reader->arena, count, sizeof *instructions);
    if (instructions == NULL) return no_memory(reader);
    method->handles = entries;
    method->handle_count = count;
    for (uint32_t i = 0; i < count; i++) instructions[i] = method->handles[i].instruction;
    method->instructions = instructions;
    method->has_handles = 1;
    return ETS_OK;
}

static int compare_texts(struct ets_text a, struct ets_text b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.data, b.data, common);
    if (order != 0) return order;
    return (a.size > b.size) - (a.size < b.size);
}

static int compare_identifiers(const void *a, const void *b)
{
    const struct ets_delegate_handles *const *left = a, *const *right = b;
    const int order = compare_texts((*left)->identifier, (*right)->identifier);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* {identifier: handles} of one delegate call */
static enum ets_status read_identifiers(struct maps_reader *reader, const struct map *map,
                                        const struct ets_json_value *json,
                                        struct ets_delegate_entry *entry)
{
    if (!ets_json_is(json, ETS_JSON_OBJECT) || json->size == 0) return ETS_OK;
    struct ets_delegate_handles *handles =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *handles);
    const struct ets_delegate_handles **order =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *order);
    uint32_t *by_identifier = ets_arena_alloc_array(reader->arena, json->size, sizeof(uint32_t));
    if (handles == NULL || order == NULL || by_identifier == NULL) return no_memory(reader);
    const struct ets_json_value *key = ets_json_first(json);
    for (uint32_t i = 0; i < json->size; i++, key = ets_json_next(key + 1)) {
        handles[i].identifier = ets_json_text(key);
        ETS_TRY(read_handles(reader, map, handles[i].identifier, key + 1, &handles[i].handles,
                             &handles[i].count));
        order[i] = &handles[i];
    }
    qsort(order, json->size, sizeof *order, compare_identifiers);
    for (uint32_t i = 0; i < json->size; i++) by_identifier[i] = (uint32_t)(order[i] - handles);
    entry->handles = handles;
    entry->by_identifier = by_identifier;
    entry->count = json->size;
    return ETS_OK;
}

static enum ets_status read_delegate_entry(struct maps_reader *reader, const struct map *map,
                                           struct ets_text key, const struct ets_json_value *json,
                                           void *to)
{
    struct ets_delegate_entry *entry = to;
    (void)key;
    entry->backend = ets_json_text(ets_json_get(json, "name")).data;
    return read_identifiers(reader, map, ets_json_get(json, "delegate_map"), entry);
}

static enum ets_status read_delegate_map(struct maps_reader *reader, const struct map *map,
                                         const struct ets_json_value *json,
                                         struct ets_method_maps *method)
{
    void *entries;
    ETS_TRY(read_entries(reader, map, json, sizeof *method->delegates, read_delegate_entry,
                         &entries, &method->delegate_count));
    method->delegates = entries;
    method->has_delegates = 1;
    return ETS_OK;
}

static enum ets_status read_num_outs_entry(struct maps_reader *reader, const struct map *map,
                                           struct ets_text key, const struct ets_json_value *json,
                                           void *to)
{
    struct ets_num_outs_entry *entry = to;
    if (json->kind != ETS_JSON_INT || json->as.integer < 0) {
        return fail_map(reader, map, key, "is not a number of outputs");
    }
    entry->count = json->as.integer;
    return ETS_OK;
}

static enum ets_status read_num_outs_map(struct maps_reader *reader, const struct map *map,
                                         const struct ets_json_value *json,
                                         struct ets_method_maps *method)
{
    void *entries;
    ETS_TRY(read_entries(reader, map, json, sizeof *method->num_outs, read_num_outs_entry, &entries,
                         &method->num_outs_count));
    method->num_outs = entries;
    method->has_num_outs = 1;
    return ETS_OK;
}

static enum ets_status read_map(struct maps_reader *reader, size_t index)
{
    const struct map *map = &reader->maps[index];
    if (map->root == NULL) return ETS_OK;
    const struct ets_json_value *key = ets_json_first(map->root);
    for (uint32_t i = 0; i < map->root->size; i++, key = ets_json_next(key + 1)) {
        struct ets_method_maps *method = ets_etrecord_find_maps(reader->record, key->as.text);
        if (key[1].kind == ETS_JSON_NULL || method == NULL) continue;
        if (key[1].kind != ETS_JSON_OBJECT) {
            return fail_map(reader, map, ets_json_text(key), "is not an object");
        }
        switch (index) {
        case MAP_HANDLES: ETS_TRY(read_handle_map(reader, map, key + 1, method)); break;
        case MAP_DELEGATES: ETS_TRY(read_delegate_map(reader, map, key + 1, method)); break;
        default: ETS_TRY(read_num_outs_map(reader, map, key + 1, method)); break;
        }
    }
    return ETS_OK;
}

static enum ets_status read_all(struct maps_reader *reader)
{
    ETS_TRY(read_roots(reader));
    ETS_TRY(list_methods(reader));
    for (size_t i = 0; i < MAP_COUNT; i++) ETS_TRY(read_map(reader, i));
    return read_graph_id(reader);
}

enum ets_status ets_etrecord_read_maps(struct ets_etrecord *record, struct ets_error *error)
{
    struct maps_reader reader = {.record = record, .arena = &record->arena, .error = error};
    for (size_t i = 0; i < MAP_COUNT; i++) {
        ets_json_init(&reader.maps[i].tape, record->arena.allocator);
    }
    const enum ets_status status = read_all(&reader);
    for (size_t i = 0; i < MAP_COUNT; i++) ets_json_reset(&reader.maps[i].tape);
    return status;
}

/* Accessors. */

size_t ets_etrecord_method_count(const struct ets_etrecord *record)
{
    return record->method_count;
}

const char *ets_etrecord_method_name(const struct ets_etrecord *record, size_t index)
{
    return index < record->method_count ? record->methods[index].name : NULL;
}

/* The element of `instruction` in a sorted array of elements that start with it, or NULL. */
static const void *find_entry(const void *entries, uint32_t count, size_t size, int64_t instruction)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const void *entry = (const char *)entries + size * middle;
        int64_t found;
        memcpy(&found, entry, sizeof found);
        if (found == instruction) return entry;
        if (found < instruction) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

const struct ets_handle_entry *ets_method_maps_find(const struct ets_handle_entry *entries,
                                                    uint32_t count, int64_t instruction)
{
    return find_entry(entries, count, sizeof *entries, instruction);
}

void ets_etrecord_handles(const struct ets_etrecord *record, const char *method,
                          int64_t instruction, const int64_t **handles_out, size_t *count_out,
                          int *is_list_out)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    const struct ets_handle_entry *entry =
        maps == NULL ? NULL
                     : find_entry(maps->handles, maps->handle_count, sizeof *entry, instruction);
    *handles_out = entry != NULL ? entry->handles : NULL;
    *count_out = entry != NULL ? entry->count : 0;
    if (is_list_out != NULL) *is_list_out = entry != NULL && entry->is_list;
}

bool ets_etrecord_call_handles(const struct ets_etrecord *record, const char *method,
                               int64_t instruction, const int64_t **handles_out, size_t *count_out)
{
    ets_etrecord_handles(record, method, instruction, handles_out, count_out, NULL);
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    if (*handles_out != NULL || maps == NULL) return false;
    const struct ets_handle_entry *entry =
        ets_method_maps_find(maps->inferred, maps->inferred_count, instruction);
    if (entry == NULL) return false;
    *handles_out = entry->handles;
    *count_out = entry->count;
    return true;
}

void ets_etrecord_mapped_instructions(const struct ets_etrecord *record, const char *method,
                                      const int64_t **instructions_out, size_t *count_out)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    *instructions_out = maps != NULL ? maps->instructions : NULL;
    *count_out = maps != NULL ? maps->handle_count : 0;
}

static const struct ets_delegate_entry *find_delegate(const struct ets_etrecord *record,
                                                      const char *method, int64_t instruction)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    if (maps == NULL) return NULL;
    return find_entry(maps->delegates, maps->delegate_count, sizeof *maps->delegates, instruction);
}

const char *ets_etrecord_backend(const struct ets_etrecord *record, const char *method,
                                 int64_t instruction)
{
    const struct ets_delegate_entry *entry = find_delegate(record, method, instruction);
    return entry != NULL ? entry->backend : NULL;
}

void ets_etrecord_delegate_handles(const struct ets_etrecord *record, const char *method,
                                   int64_t instruction, struct ets_text identifier,
                                   const int64_t **handles_out, size_t *count_out)
{
    const struct ets_delegate_entry *entry = find_delegate(record, method, instruction);
    *handles_out = NULL;
    *count_out = 0;
    uint32_t low = 0, high = entry != NULL && identifier.data != NULL ? entry->count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct ets_delegate_handles *found = &entry->handles[entry->by_identifier[middle]];
        const int order = compare_texts(found->identifier, identifier);
        if (order == 0) {
            *handles_out = found->handles;
            *count_out = found->count;
            return;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
}

const char *ets_etrecord_delegate_identifier(const struct ets_etrecord *record, const char *method,
                                             int64_t instruction, size_t index)
{
    const struct ets_delegate_entry *entry = find_delegate(record, method, instruction);
    return entry != NULL && index < entry->count ? entry->handles[index].identifier.data : NULL;
}

int ets_etrecord_has_delegate_map(const struct ets_etrecord *record, const char *method)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    return maps != NULL && maps->has_delegates;
}

int ets_etrecord_has_num_outs_map(const struct ets_etrecord *record, const char *method)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    return maps != NULL && maps->has_num_outs;
}

int64_t ets_etrecord_num_outs(const struct ets_etrecord *record, const char *method,
                              int64_t instruction)
{
    const struct ets_method_maps *maps = ets_etrecord_find_maps(record, method);
    const struct ets_num_outs_entry *entry =
        maps == NULL ? NULL
                     : find_entry(maps->num_outs, maps->num_outs_count, sizeof *entry, instruction);
    return entry != NULL ? entry->count : 1;
}

uint64_t ets_etrecord_export_graph_id(const struct ets_etrecord *record)
{
    return record->export_graph_id;
}
