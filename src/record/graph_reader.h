/*
 * Reads exported-program JSON (executorch/exir/serde, schema 5) into struct ets_graph.
 *
 * Texts are not copied: the JSON is decoded in place in one buffer of the graph's arena, and the
 * graph points into it. The structure that a graph requires is checked; additions of later schemas
 * are ignored.
 */
#ifndef ETSCOPE_RECORD_GRAPH_READER_H
#define ETSCOPE_RECORD_GRAPH_READER_H

#include "etscope/etrecord.h"
#include "host/arena.h"
#include "record/json.h"

/* A graph that was found but not read yet. Graphs are numbered breadth-first. */
struct ets_graph_pending {
    const struct ets_json_value *json;
    struct ets_graph *graph;
};

struct ets_graph_reader {
    struct ets_arena *arena;
    struct ets_json tape;   /* of the program; kept until the last subgraph is read */
    struct ets_json nested; /* of JSON texts inside it */
    struct ets_text entry;  /* name in the record, for messages */
    uint64_t offset;        /* of the JSON in the file */
    struct ets_error *error;
    struct ets_graph_pending *pending; /* [0] is the program's own graph */
    uint32_t pending_count, pending_capacity;
};

/*
 * Reads one program. `entry` names it in messages and in the graph, `offset` is the position of
 * `json` in the file. The graph's memory is in `arena`. Statuses: MALFORMED, LIMIT, NO_MEMORY.
 */
enum ets_status ets_graph_read(struct ets_text entry, struct ets_bytes json, uint64_t offset,
                               struct ets_arena *arena, const struct ets_graph **graph_out,
                               struct ets_error *error);

/* The parts, one file each. Those that return ets_status can fail with NO_MEMORY. */

/* graph_argument.c: {tag: value} */
enum ets_status ets_graph_read_argument(struct ets_graph_reader *reader,
                                        const struct ets_json_value *json,
                                        struct ets_graph_argument *argument);
int32_t ets_graph_scalar_type(const struct ets_json_value *json);

/* graph_source.c: the metadata texts of a node */
enum ets_status ets_graph_read_frames(struct ets_graph_reader *reader, struct ets_text trace,
                                      struct ets_graph_node *node);
enum ets_status ets_graph_read_modules(struct ets_graph_reader *reader, struct ets_text stack,
                                       struct ets_graph_node *node);
enum ets_status ets_graph_read_origins(struct ets_graph_reader *reader,
                                       const struct ets_json_value *json,
                                       struct ets_graph_node *node);

/* graph_reader.c: adds a subgraph; returns its number, or ETS_GRAPH_NONE (no memory). */
uint32_t ets_graph_add_pending(struct ets_graph_reader *reader, const struct ets_json_value *json,
                               struct ets_text name);

enum ets_status ets_graph_no_memory(const struct ets_graph_reader *reader);

#endif
