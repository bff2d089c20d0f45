/* The nodes of a method's edge graph by debug handle. */
#ifndef ETSCOPE_CONTENTS_HANDLE_NODES_H
#define ETSCOPE_CONTENTS_HANDLE_NODES_H

#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "host/arena.h"
#include "payload/payload.h"
#include "record/parameter_readers.h"

struct ets_handle_node {
    int64_t handle;
    const struct ets_graph_node *node;
    const struct ets_graph *graph; /* which it is in: the method's, or a branch */
};

/* Ascending by handle, nodes of one handle in the order of the graph. */
struct ets_handle_nodes {
    struct ets_handle_node *items;
    uint32_t count;
    const struct ets_graph *graph; /* the method's; NULL: none */
    struct ets_parameter_readers readers;
};

/* The record's own name of a method, terminated; NULL: it does not know the method. */
const char *ets_record_method(const struct ets_etrecord *record, struct ets_text name);

/* Of a graph and its branches; nothing where the record has no edge graph of the method. Statuses:
 * NO_MEMORY, those of reading a graph. */
enum ets_status ets_handle_nodes_read(struct ets_arena *arena, struct ets_etrecord *record,
                                      const char *method, struct ets_handle_nodes *nodes_out,
                                      struct ets_error *error);

/* All nodes of `handle`; *count_out 0: none. */
const struct ets_handle_node *ets_handle_nodes_of(const struct ets_handle_nodes *nodes,
                                                  int64_t handle, uint32_t *count_out);

/* The first node of `handle`; NULL: none. */
const struct ets_graph_node *ets_handle_nodes_find(const struct ets_handle_nodes *nodes,
                                                   int64_t handle);

/* The handle that a payload's node states, or that of the record's node that it names or of the
 * one that takes its parameter; not positive: none. */
int64_t ets_handle_of_payload_node(const struct ets_handle_nodes *nodes,
                                   const struct ets_payload_node *node);

#endif
