/* Opens an ETRecord: reads the zip's directory, finds the programs, reads the small maps. */
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "format/wrong_kind.h"
#include "record/etrecord_internal.h"

static const char MARKER[] = "ETRECORD_V0";

static enum ets_status list_entries(struct ets_etrecord *record, struct ets_error *error)
{
    const size_t count = record->zip.entry_count;
    record->entries = ets_arena_alloc_array(&record->arena, count, sizeof *record->entries);
    record->read = ets_arena_alloc_array(&record->arena, count, sizeof *record->read);
    record->graph_names = ets_arena_alloc_array(&record->arena, count, sizeof *record->graph_names);
    if (record->entries == NULL || record->read == NULL || record->graph_names == NULL) {
        return ets_fail_memory(error, "the record's entries");
    }
    for (size_t i = 0; i < count; i++) {
        const struct ets_zip_entry *entry = &record->zip.entries[i];
        const char *name = ets_arena_copy_text(&record->arena, entry->name.data, entry->name.size);
        if (name == NULL) {
            return ets_fail_memory(error, "the record's entries");
        }
        record->entries[i] = (struct ets_etrecord_entry){
            .name = {name, entry->name.size},
            .offset = entry->payload_offset,
            .size = entry->bytes,
        };
        ets_arena_init(&record->read[i].arena, record->arena.allocator, ETS_ETRECORD_MEMORY_LIMIT);
        struct ets_read_entry *read = &record->read[i];
        ETS_TRY(ets_etrecord_lists_program(record, entry->name, &read->is_program, error));
        if (read->is_program) record->graph_names[record->graph_count++] = name;
    }
    return ETS_OK;
}

static enum ets_status open_in(struct ets_etrecord *record, struct ets_bytes bytes,
                               struct ets_error *error)
{
    const enum ets_kind kind = ets_kind_sniff(bytes);
    if (kind != ETS_KIND_ETRECORD && kind != ETS_KIND_ZIP && kind != ETS_KIND_UNKNOWN) {
        return ets_fail_kind(error, "an ETRecord", bytes, 0);
    }
    ETS_TRY(ets_zip_open(&record->zip, bytes, 0, true, &record->arena, error));
    if (ets_etrecord_find(record, MARKER) == NULL) {
        return ets_fail(error, ETS_WRONG_KIND, 0,
                        "a zip file without the entry %s: not an ETRecord", MARKER);
    }
    ETS_TRY(list_entries(record, error));
    return ets_etrecord_read_maps(record, error);
}

enum ets_status ets_etrecord_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                                  struct ets_etrecord **record_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, ETS_ETRECORD_MEMORY_LIMIT);
    struct ets_etrecord *record = ets_arena_alloc(&arena, sizeof *record);
    if (record == NULL) {
        return ets_fail_memory(error, "the record");
    }
    record->arena = arena; /* the record lives in its own arena */
    const enum ets_status status = open_in(record, bytes, error);
    if (status != ETS_OK) {
        ets_etrecord_close(record);
        return status;
    }
    *record_out = record;
    return ETS_OK;
}
