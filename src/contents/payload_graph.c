/* Reads an XNNPACK payload with what its ids and keys stand for. */
#include "contents/payload_graph.h"

#include "base/error.h"

bool ets_named_index_read(struct ets_arena *arena, const struct ets_program *program,
                          struct ets_named_index *index_out)
{
    uint32_t capacity = 0;
    *index_out = (struct ets_named_index){.program = program};
    if (ets_strings_init(&index_out->keys, arena) != 0) return false;
    for (uint32_t i = 0; i < program->named_data_count; i++) {
        struct ets_program_named_data data;
        ets_program_named_data(program, i, &data);
        const uint32_t key = ets_strings_add(&index_out->keys, data.key);
        if (key == UINT32_MAX) return false;
        index_out->entries =
            ets_arena_grow(arena, index_out->entries, key, &capacity, sizeof *index_out->entries);
        if (index_out->entries == NULL) return false;
        if (index_out->entries[key] == 0) index_out->entries[key] = i + 1;
    }
    return true;
}

uint32_t ets_named_index_find(const struct ets_named_index *index, struct ets_text key)
{
    if (index->entries == NULL) return UINT32_MAX;
    const uint32_t number = ets_strings_find(&index->keys, key);
    return number == UINT32_MAX ? number : index->entries[number] - 1;
}

/* Room at the number of an id in both lists; ETS_KEY_NONE: no memory. */
static uint32_t add_id(struct ets_payload_graph *graph, uint32_t id, uint32_t capacities[2])
{
    const uint64_t key = id;
    const uint32_t number = ets_key_table_add(&graph->ids, &key);
    if (number == ETS_KEY_NONE) return number;
    struct ets_arena *arena = graph->ids.arena;
    graph->values =
        ets_arena_grow(arena, graph->values, number, &capacities[0], sizeof *graph->values);
    graph->producers =
        ets_arena_grow(arena, graph->producers, number, &capacities[1], sizeof *graph->producers);
    return graph->values == NULL || graph->producers == NULL ? ETS_KEY_NONE : number;
}

static bool index_ids(struct ets_payload_graph *graph)
{
    uint32_t capacities[2] = {0, 0};
    for (uint32_t i = 0; i < graph->xnnpack.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&graph->xnnpack, i, &value);
        const uint32_t number = add_id(graph, value.id, capacities);
        if (number == ETS_KEY_NONE) return false;
        if (graph->values[number] == 0) graph->values[number] = i + 1;
    }
    for (uint32_t i = 0; i < graph->xnnpack.node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(&graph->xnnpack, i, &node);
        for (uint32_t k = 0; k < node.output_count; k++) {
            const uint32_t number = add_id(graph, node.outputs[k], capacities);
            if (number == ETS_KEY_NONE) return false;
            if (graph->producers[number] == 0) graph->producers[number] = i + 1;
        }
    }
    return true;
}

enum ets_status ets_payload_graph_read(struct ets_arena *arena, const struct ets_named_index *named,
                                       struct ets_bytes blob, struct ets_payload_graph *graph_out,
                                       struct ets_error *error)
{
    *graph_out = (struct ets_payload_graph){.named = named};
    ETS_TRY(ets_xnnpack_init(&graph_out->xnnpack, blob, error));
    ets_key_table_init(&graph_out->ids, arena, 1);
    if (!index_ids(graph_out)) return ets_fail_memory(error, "the values of a payload");
    return ETS_OK;
}

static uint32_t find_id(const struct ets_payload_graph *graph, uint32_t id)
{
    const uint64_t key = id;
    return graph->ids.count == 0 ? ETS_KEY_NONE : ets_key_table_find(&graph->ids, &key);
}

bool ets_payload_value(const struct ets_payload_graph *graph, uint32_t id,
                       struct ets_xnnpack_value *value_out)
{
    const uint32_t number = find_id(graph, id);
    if (number == ETS_KEY_NONE || graph->values[number] == 0) return false;
    ets_xnnpack_value(&graph->xnnpack, graph->values[number] - 1, value_out);
    return true;
}

uint32_t ets_payload_producer(const struct ets_payload_graph *graph, uint32_t id)
{
    const uint32_t number = find_id(graph, id);
    return number == ETS_KEY_NONE ? UINT32_MAX : graph->producers[number] - 1;
}

struct ets_bytes ets_payload_constant(const struct ets_payload_graph *graph, uint32_t constant,
                                      uint32_t *data_out)
{
    struct ets_xnnpack_constant found;
    struct ets_program_named_data data = {.bytes = {NULL, 0}};
    if (data_out != NULL) *data_out = UINT32_MAX;
    if (constant == 0 || constant >= graph->xnnpack.constant_count) return data.bytes;
    ets_xnnpack_constant(&graph->xnnpack, constant, &found);
    if (found.key.data == NULL) return found.bytes;
    const uint32_t entry = ets_named_index_find(graph->named, found.key);
    if (data_out != NULL) *data_out = entry;
    if (entry != UINT32_MAX) ets_program_named_data(graph->named->program, entry, &data);
    return data.bytes;
}
