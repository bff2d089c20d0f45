/* The entries of an opened ETRecord by name: kind, bytes and graph. */
#include "etscope/etrecord.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "record/etrecord_internal.h"
#include "record/graph_reader.h"
#include "record/record_maps.h"

static const char EDGE_ENTRY[] = "edge_dialect_exported_program";
static const char TRANSFORMED_ENTRY[] = "edge_after_transform/";
static const char ATEN_ENTRY[] = "exported_program";
static const char DEFAULT_METHOD[] = "forward";

/* Entries that are not programs, by their whole name. */
static const char *const PLAIN_ENTRIES[] = {
    "ETRECORD_V0",       "debug_handle_map",       "delegate_map",
    "reference_outputs", "representative_inputs",  "instruction_id_to_num_outs_map",
    "export_graph_id",   "et_dialect_graph_module"};

/* Side files of programs, by the end of their name. */
static const char *const SIDE_FILES[] = {"state_dict", "constants", "example_inputs"};

static struct ets_text text_of(const char *text)
{
    return (struct ets_text){text, strlen(text)};
}

static int ends_with(struct ets_text text, const char *end)
{
    const size_t size = strlen(end);
    return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

/*
 * ExecuTorch's rule: an entry that has none of the fixed names and is not a side file is a program.
 * It also takes entries of later versions for programs, see ets_etrecord_lists_program.
 */
static int is_program(struct ets_text name)
{
    for (size_t i = 0; i < sizeof PLAIN_ENTRIES / sizeof PLAIN_ENTRIES[0]; i++) {
        if (ets_text_is(name, PLAIN_ENTRIES[i])) return 0;
    }
    for (size_t i = 0; i < sizeof SIDE_FILES / sizeof SIDE_FILES[0]; i++) {
        if (ends_with(name, SIDE_FILES[i])) return 0;
    }
    return name.size > 0 && name.data[name.size - 1] != '/';
}

struct ets_text ets_etrecord_edge_method(struct ets_text name)
{
    const size_t size = sizeof EDGE_ENTRY - 1;
    if (name.size < size || memcmp(name.data, EDGE_ENTRY, size) != 0 || !is_program(name)) {
        return (struct ets_text){NULL, 0};
    }
    if (name.size == size) return text_of(DEFAULT_METHOD); /* layouts before methods */
    if (name.data[size] != '/') return (struct ets_text){NULL, 0};
    return (struct ets_text){name.data + size + 1, name.size - size - 1};
}

struct ets_zip_entry *ets_etrecord_find(const struct ets_etrecord *record, const char *name)
{
    return ets_zip_find(&record->zip, text_of(name));
}

struct ets_read_entry *ets_etrecord_read_entry(struct ets_etrecord *record,
                                               const struct ets_zip_entry *entry)
{
    return &record->read[entry - record->zip.entries];
}

enum ets_status ets_etrecord_lists_program(struct ets_etrecord *record, struct ets_text name,
                                           int *is_out, struct ets_error *error)
{
    *is_out = is_program(name);
    if (!*is_out || memchr(name.data, '/', name.size) != NULL || ets_text_is(name, ATEN_ENTRY) ||
        ets_text_is(name, EDGE_ENTRY)) {
        return ETS_OK;
    }
    static const char suffix[] = "_state_dict";
    char *weights = ets_arena_alloc(&record->arena, name.size + sizeof suffix);
    if (weights == NULL) {
        return ets_fail_memory(error, "the record's entries");
    }
    memcpy(weights, name.data, name.size);
    memcpy(weights + name.size, suffix, sizeof suffix);
    const struct ets_text weights_name = {weights, name.size + sizeof suffix - 1};
    *is_out = ets_zip_find(&record->zip, weights_name) != NULL;
    return ETS_OK;
}

void ets_etrecord_close(struct ets_etrecord *record)
{
    if (record == NULL) return;
    for (size_t i = 0; record->read != NULL && i < record->zip.entry_count; i++) {
        if (record->read[i].arena.allocator != NULL) ets_arena_reset(&record->read[i].arena);
    }
    struct ets_arena arena = record->arena;
    ets_arena_reset(&arena);
}

void ets_etrecord_set_name(struct ets_etrecord *record, const char *name)
{
    record->name = name;
}

size_t ets_etrecord_entry_count(const struct ets_etrecord *record)
{
    return record->zip.entry_count;
}

const struct ets_etrecord_entry *ets_etrecord_entry(const struct ets_etrecord *record, size_t index)
{
    return index < record->zip.entry_count ? &record->entries[index] : NULL;
}

enum ets_status ets_etrecord_entry_bytes(struct ets_etrecord *record, const char *name,
                                         struct ets_bytes *bytes_out, struct ets_error *error)
{
    struct ets_zip_entry *entry = ets_etrecord_find(record, name);
    if (entry == NULL) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the record has no entry %s", name);
    }
    return ets_zip_read(&record->zip, entry, bytes_out, error);
}

static enum ets_status read_graph(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                  const struct ets_graph **graph_out, struct ets_error *error)
{
    struct ets_read_entry *read = ets_etrecord_read_entry(record, entry);
    if (read->graph == NULL) {
        struct ets_bytes json;
        enum ets_status status = ets_zip_read(&record->zip, entry, &json, error);
        if (status == ETS_OK) {
            status = ets_graph_read(entry->name, json, entry->payload_offset, &read->arena,
                                    &read->graph, error);
            if (status != ETS_OK) ets_arena_reset(&read->arena);
        }
        if (status != ETS_OK) return ets_etrecord_blame(record, status, error);
    }
    *graph_out = read->graph;
    return ETS_OK;
}

/* ExecuTorch's transform_passes run after it has recorded the edge program. What came out of them
 * is what was lowered. */
static struct ets_zip_entry *find_transformed(const struct ets_etrecord *record, const char *method)
{
    const size_t start = sizeof TRANSFORMED_ENTRY - 1, size = strlen(method);
    for (size_t i = 0; i < record->zip.entry_count; i++) {
        const struct ets_text name = record->zip.entries[i].name;
        if (name.size == start + size && memcmp(name.data, TRANSFORMED_ENTRY, start) == 0 &&
            memcmp(name.data + start, method, size) == 0) {
            return is_program(name) ? &record->zip.entries[i] : NULL;
        }
    }
    return NULL;
}

enum ets_status ets_etrecord_edge_graph(struct ets_etrecord *record, const char *method,
                                        const struct ets_graph **graph_out, struct ets_error *error)
{
    const size_t size = strlen(method);
    struct ets_zip_entry *transformed = find_transformed(record, method);
    if (transformed != NULL) return read_graph(record, transformed, graph_out, error);
    for (size_t i = 0; i < record->zip.entry_count; i++) {
        struct ets_zip_entry *entry = &record->zip.entries[i];
        const struct ets_text name = ets_etrecord_edge_method(entry->name);
        if (name.data != NULL && name.size == size && memcmp(name.data, method, size) == 0) {
            return read_graph(record, entry, graph_out, error);
        }
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                    "the record has no edge program for method %s%s", method,
                    ets_etrecord_why_no_graph(record));
}

const char *ets_etrecord_why_no_graph(const struct ets_etrecord *record)
{
    for (size_t i = 0; i < record->zip.entry_count; i++) {
        if (ets_etrecord_edge_method(record->zip.entries[i].name).data != NULL) {
            return ": ExecuTorch 1.2 and later record those of all methods";
        }
    }
    return "";
}

enum ets_status ets_etrecord_aten_graph(struct ets_etrecord *record,
                                        const struct ets_graph **graph_out, struct ets_error *error)
{
    struct ets_zip_entry *entry = ets_etrecord_find(record, ATEN_ENTRY);
    if (entry == NULL) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the record has no ATen program (%s)",
                        ATEN_ENTRY);
    }
    return read_graph(record, entry, graph_out, error);
}

enum ets_status ets_etrecord_graph(struct ets_etrecord *record, const char *name,
                                   const struct ets_graph **graph_out, struct ets_error *error)
{
    const size_t size = strlen(name);
    struct ets_zip_entry *entry = ets_etrecord_find(record, name);
    for (size_t i = 0; entry == NULL && i < record->zip.entry_count; i++) {
        const struct ets_text known = record->zip.entries[i].name;
        if (memchr(name, '/', size) == NULL && known.size == size + sizeof DEFAULT_METHOD &&
            memcmp(known.data, name, size) == 0 && known.data[size] == '/' &&
            ends_with(known, DEFAULT_METHOD)) {
            entry = &record->zip.entries[i];
        }
    }
    if (entry == NULL || !ets_etrecord_read_entry(record, entry)->is_program) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the record has no program %s", name);
    }
    return read_graph(record, entry, graph_out, error);
}

const char *ets_etrecord_graph_name(const struct ets_etrecord *record, size_t index)
{
    return index < record->graph_count ? record->graph_names[index] : NULL;
}

/* Bytes of the entry `program` with `suffix`; -1: there is none. */
static int64_t side_file_bytes(const struct ets_etrecord *record, const char *program,
                               const char *suffix)
{
    const size_t size = strlen(program), suffix_size = strlen(suffix);
    for (size_t i = 0; i < record->zip.entry_count; i++) {
        const struct ets_zip_entry *entry = &record->zip.entries[i];
        if (entry->name.size == size + suffix_size &&
            memcmp(entry->name.data, program, size) == 0 &&
            memcmp(entry->name.data + size, suffix, suffix_size) == 0) {
            return entry->bytes > INT64_MAX ? INT64_MAX : (int64_t)entry->bytes;
        }
    }
    return -1;
}

int ets_etrecord_has_weights(const struct ets_etrecord *record, const char *program)
{
    /* Records of 2023 have no constants entry. */
    return side_file_bytes(record, program, "_state_dict") > 0 &&
           side_file_bytes(record, program, "_constants") != 0;
}
