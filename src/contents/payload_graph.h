/*
 * An XNNPACK payload with its values by id, who makes them, and the bytes of its constants.
 *
 *     struct ets_named_index named;
 *     struct ets_payload_graph graph;
 *     if (ets_named_index_read(&arena, program, &named) &&
 *         ets_payload_graph_read(&arena, &named, blob, &graph, &error) == ETS_OK) ...
 */
#ifndef ETSCOPE_CONTENTS_PAYLOAD_GRAPH_H
#define ETSCOPE_CONTENTS_PAYLOAD_GRAPH_H

#include <stdbool.h>

#include "etscope/program.h"
#include "format/xnnpack.h"
#include "host/key_table.h"
#include "host/strings.h"

/* A program's named data by key; of several with one key the first counts. */
struct ets_named_index {
    const struct ets_program *program;
    struct ets_strings keys;
    uint32_t *entries; /* by number of a key */
};
/* False: no memory. */
bool ets_named_index_read(struct ets_arena *arena, const struct ets_program *program,
                          struct ets_named_index *index_out);
/* UINT32_MAX: none. */
uint32_t ets_named_index_find(const struct ets_named_index *index, struct ets_text key);

struct ets_payload_graph {
    const struct ets_named_index *named;
    struct ets_xnnpack xnnpack;
    struct ets_key_table ids;
    uint32_t *values;    /* by number of an id: the value + 1; 0: none has it */
    uint32_t *producers; /* likewise, the node + 1; 0: no node makes it */
};

/* Statuses: NO_MEMORY, those of ets_xnnpack_init. */
enum ets_status ets_payload_graph_read(struct ets_arena *arena, const struct ets_named_index *named,
                                       struct ets_bytes blob, struct ets_payload_graph *graph_out,
                                       struct ets_error *error);

/* A value by its id; false: none has it. */
bool ets_payload_value(const struct ets_payload_graph *graph, uint32_t id,
                       struct ets_xnnpack_value *value_out);
/* The node that makes a value; UINT32_MAX: none. */
uint32_t ets_payload_producer(const struct ets_payload_graph *graph, uint32_t id);
/* The bytes of a constant, in the payload or in named data of the program; empty: it is 0, or
 * nowhere in the program. `data_out`: the entry of named data, UINT32_MAX: none. May be NULL. */
struct ets_bytes ets_payload_constant(const struct ets_payload_graph *graph, uint32_t constant,
                                      uint32_t *data_out);

#endif
