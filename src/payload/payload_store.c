/* Reads the payloads of a program, each once, and finds the bytes of their constants. */
#include "payload/payload_store.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "payload/payload_kind.h"
#include "payload/payload_reader.h"

/* Delegates may share a payload, and hostile files have them overlap. */
enum { PROGRAM_TIMES = 16, LEAST_ROOM = 1 << 16, REASON_ROOM = 256 };

struct ets_payload_entry {
    const struct ets_payload_graph *graph; /* NULL: it cannot be read, for a reason: */
    const char *reason;
    uint64_t scratch_bytes;
};

void ets_payload_store_init(struct ets_payload_store *store, struct ets_arena *arena,
                            const struct ets_program *program)
{
    const uint64_t room = PROGRAM_TIMES * (uint64_t)program->bytes.size;
    *store = (struct ets_payload_store){
        .arena = arena, .program = program, .room = room > LEAST_ROOM ? room : LEAST_ROOM};
    ets_key_table_init(&store->blobs, arena, 3);
}

/* Of several entries with one key the first counts. */
static bool index_keys(struct ets_payload_store *store)
{
    uint32_t capacity = 0;
    if (store->has_keys) return true;
    if (ets_strings_init(&store->keys, store->arena) != 0) return false;
    for (uint32_t i = 0; i < store->program->named_data_count; i++) {
        struct ets_program_named_data data;
        ets_program_named_data(store->program, i, &data);
        const uint32_t key = ets_strings_add(&store->keys, data.key);
        if (key == UINT32_MAX) return false;
        store->key_entries = ets_arena_grow(store->arena, store->key_entries, key, &capacity,
                                            sizeof *store->key_entries);
        if (store->key_entries == NULL) return false;
        if (store->key_entries[key] == 0) store->key_entries[key] = i + 1;
    }
    store->has_keys = true;
    return true;
}

/* *index_out: ETS_PAYLOAD_NONE for a key that the program has no data of. false: no memory. */
static bool find_key(struct ets_payload_store *store, struct ets_text key, uint32_t *index_out)
{
    *index_out = ETS_PAYLOAD_NONE;
    if (!index_keys(store)) return false;
    const uint32_t number = ets_strings_find(&store->keys, key);
    if (number == UINT32_MAX || store->key_entries == NULL) return true;
    *index_out = store->key_entries[number] - 1;
    return true;
}

static bool find_data(struct ets_payload_store *store, struct ets_text key,
                      struct ets_bytes *bytes_out)
{
    struct ets_program_named_data data;
    uint32_t index;
    *bytes_out = (struct ets_bytes){NULL, 0};
    if (!find_key(store, key, &index)) return false;
    if (index == ETS_PAYLOAD_NONE) return true;
    ets_program_named_data(store->program, index, &data);
    *bytes_out = data.bytes;
    return true;
}

/* The bytes of constants that are named data. */
static bool find_constants(struct ets_payload_store *store, struct ets_payload_graph *graph)
{
    for (uint32_t i = 0; i < graph->constant_count; i++) {
        struct ets_payload_constant *constant = &graph->constants[i];
        struct ets_program_named_data data;
        constant->named_data = ETS_PAYLOAD_NONE;
        if (constant->key.data == NULL) continue;
        if (!find_key(store, constant->key, &constant->named_data)) return false;
        if (constant->named_data == ETS_PAYLOAD_NONE) continue;
        ets_program_named_data(store->program, constant->named_data, &data);
        constant->bytes = data.bytes;
    }
    return true;
}

/* Of several nodes that make a value the first counts. */
static void find_producers(struct ets_payload_graph *graph)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        graph->values[i].producer = ETS_PAYLOAD_NONE;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->output_count; k++) {
            if (node->outputs[k] >= graph->value_count) continue;
            struct ets_payload_value *value = &graph->values[node->outputs[k]];
            if (value->producer != ETS_PAYLOAD_NONE) continue;
            value->producer = i;
            value->producer_output = k;
        }
    }
}

/* A node that keeps no name is known by the first parameter that it takes. */
static void name_by_parameters(struct ets_payload_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct ets_payload_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count && node->edge_parameter.size == 0; k++) {
            if (node->inputs[k] >= graph->value_count) continue;
            const uint32_t constant = graph->values[node->inputs[k]].constant;
            if (constant >= graph->constant_count) continue;
            node->edge_parameter = graph->constants[constant].name;
        }
    }
}

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "what a delegate was given");
}

static enum ets_status keep_reason(struct ets_payload_store *store, struct ets_payload_entry *entry,
                                   const char *reason, struct ets_error *error)
{
    entry->reason = ets_arena_copy_text(store->arena, reason, strlen(reason));
    return entry->reason != NULL ? ETS_OK : no_memory(error);
}

/* What a payload is that nothing here reads. */
static enum ets_status keep_kind(struct ets_payload_store *store,
                                 const struct ets_delegate *delegate,
                                 struct ets_payload_entry *entry, struct ets_error *error)
{
    char kind_text[ETS_PAYLOAD_KIND_CHARS], text[128];
    const char *kind = ets_payload_kind_of(delegate->id, delegate->blob, kind_text);
    if (strcmp(kind, "unknown") == 0) {
        return keep_reason(store, entry, "this backend's payload cannot be read", error);
    }
    snprintf(text, sizeof text, "its payload (%s) does not tell its operators", kind);
    return keep_reason(store, entry, text, error);
}

static enum ets_status read(struct ets_payload_store *store, const struct ets_delegate *delegate,
                            const struct ets_payload_reader *reader,
                            struct ets_payload_entry *entry, struct ets_error *error)
{
    static const char beyond[] = "the limit for reading payloads was reached";
    const struct ets_bytes blob = delegate->blob;
    struct ets_error reason;
    if (reader == NULL) return keep_kind(store, delegate, entry, error);
    if (blob.size > store->room) return keep_reason(store, entry, beyond, error);
    struct ets_payload_builder builder = {
        .arena = store->arena,
        .store = store,
        .find_data = find_data,
        .room = store->room - blob.size,
        .graph = {.reader = reader, .bytes = blob},
    };
    if (reader->scratch_bytes != NULL) entry->scratch_bytes = reader->scratch_bytes(blob);
    const enum ets_status status = reader->read(&builder, blob, &reason);
    store->room = builder.room;
    if (builder.is_beyond) return keep_reason(store, entry, beyond, error);
    if (status == ETS_NO_MEMORY) return no_memory(error);
    if (status != ETS_OK) return keep_reason(store, entry, reason.message, error);
    struct ets_payload_graph *graph = ets_arena_alloc_array(store->arena, 1, sizeof *graph);
    if (graph == NULL) return no_memory(error);
    *graph = builder.graph;
    find_producers(graph);
    name_by_parameters(graph);
    if (!find_constants(store, graph)) return no_memory(error);
    entry->graph = graph;
    return ETS_OK;
}

/* The entry of a blob; *is_new: it was made. NULL: no memory. */
static struct ets_payload_entry *entry_of(struct ets_payload_store *store, struct ets_bytes blob,
                                          const struct ets_payload_reader *reader, bool *is_new)
{
    const uint64_t key[3] = {(uintptr_t)blob.data, blob.size, (uintptr_t)reader};
    const uint32_t known = store->blobs.count;
    const uint32_t number = ets_key_table_add(&store->blobs, key);
    if (number == ETS_KEY_NONE) return NULL;
    store->entries = ets_arena_grow(store->arena, store->entries, number, &store->entry_room,
                                    sizeof *store->entries);
    *is_new = number == known;
    return store->entries != NULL ? &store->entries[number] : NULL;
}

static enum ets_status find_entry(struct ets_payload_store *store,
                                  const struct ets_delegate *delegate,
                                  const struct ets_payload_entry **entry_out,
                                  struct ets_error *error)
{
    bool is_new;
    const struct ets_payload_reader *reader = ets_payload_reader_of(delegate->id);
    struct ets_payload_entry *entry = entry_of(store, delegate->blob, reader, &is_new);
    if (entry == NULL) return no_memory(error);
    *entry_out = entry;
    return is_new ? read(store, delegate, reader, entry, error) : ETS_OK;
}

enum ets_status ets_payload_store_read(struct ets_payload_store *store,
                                       const struct ets_delegate *delegate,
                                       const struct ets_payload_graph **graph_out,
                                       const char **reason_out, struct ets_error *error)
{
    const struct ets_payload_entry *entry;
    *graph_out = NULL;
    ETS_TRY(find_entry(store, delegate, &entry, error));
    *graph_out = entry->graph;
    if (reason_out != NULL) *reason_out = entry->reason;
    return ETS_OK;
}

enum ets_status ets_payload_store_scratch(struct ets_payload_store *store,
                                          const struct ets_delegate *delegate, uint64_t *bytes_out,
                                          struct ets_error *error)
{
    const struct ets_payload_entry *entry;
    const struct ets_payload_reader *reader = ets_payload_reader_of(delegate->id);
    *bytes_out = 0;
    if (reader == NULL || reader->scratch_bytes == NULL) return ETS_OK;
    ETS_TRY(find_entry(store, delegate, &entry, error));
    *bytes_out = entry->scratch_bytes;
    return ETS_OK;
}

bool ets_payload_tells_operations(const struct ets_payload_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].operation.size > 0) return true;
    }
    return false;
}

bool ets_payload_has_symbols(const struct ets_payload_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].symbol.size == 0) return false;
    }
    return graph->node_count > 0;
}
