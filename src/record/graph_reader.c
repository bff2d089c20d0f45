/*
 * Code shared by the readers of a graph's parts: the list of graphs to read, and memory failures.
 */
#include "record/graph_reader.h"

#include <string.h>

#include "base/error.h"

enum ets_status ets_graph_no_memory(const struct ets_graph_reader *reader)
{
    return ets_fail(reader->error, ETS_NO_MEMORY, reader->offset, "%.*s: no memory for the graph",
                    ETS_TEXT(reader->entry));
}

/* `arena` has no realloc: old arrays stay allocated, in total at most the size of the last. */
uint32_t ets_graph_add_pending(struct ets_graph_reader *reader, const struct ets_json_value *json,
                               struct ets_text name)
{
    if (reader->pending_count == reader->pending_capacity) {
        const uint32_t capacity = reader->pending_capacity == 0 ? 4 : reader->pending_capacity * 2;
        struct ets_graph_pending *pending =
            ets_arena_alloc_array(reader->arena, capacity, sizeof *pending);
        if (pending == NULL) return ETS_GRAPH_NONE;
        if (reader->pending_count > 0) {
            memcpy(pending, reader->pending, reader->pending_count * sizeof *pending);
        }
        reader->pending = pending;
        reader->pending_capacity = capacity;
    }
    struct ets_graph *graph = ets_arena_alloc(reader->arena, sizeof *graph);
    if (graph == NULL) return ETS_GRAPH_NONE;
    graph->name = name;
    reader->pending[reader->pending_count++] = (struct ets_graph_pending){json, graph};
    return reader->pending_count - 2; /* the program's own graph is not counted */
}
