/* The weights of a graph, and which values are made of them. */
#ifndef ETSCOPE_QUALITY_GRAPH_WEIGHTS_H
#define ETSCOPE_QUALITY_GRAPH_WEIGHTS_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "host/arena.h"
#include "host/strings.h"

struct ets_graph_place {
    uint32_t node;  /* that makes the value; ETS_GRAPH_NONE: it is an input, or not known */
    uint32_t input; /* of the graph; ETS_GRAPH_NONE: a node makes it, or it is not known */
};

struct ets_graph_weights {
    const struct ets_graph *graph;
    struct ets_strings values;         /* names of values */
    struct ets_graph_place *places;    /* [room] by the name's number */
    struct ets_strings names;          /* of parameters, buffers and constants */
    const struct ets_tensor **tensors; /* [name_room] by the name's number; NULL: no tensor */
    uint32_t room, name_room;
};

/* Only the values of a graph; there are no tensors. Status: NO_MEMORY. */
enum ets_status ets_graph_weights_index(const struct ets_graph *graph, struct ets_arena *arena,
                                        struct ets_graph_weights *weights_out,
                                        struct ets_error *error);

/* Statuses: NO_MEMORY, those of the record's reader. */
enum ets_status ets_graph_weights_read(struct ets_etrecord *record, const struct ets_graph *graph,
                                       struct ets_arena *arena,
                                       struct ets_graph_weights *weights_out,
                                       struct ets_error *error);

/* Where the value of this name is made. */
struct ets_graph_place ets_graph_weights_place(const struct ets_graph_weights *weights,
                                               struct ets_text name);

/* Where the tensor that an argument names is made, behind views, permutations and casts. */
struct ets_graph_place ets_graph_weights_behind(const struct ets_graph_weights *weights,
                                                const struct ets_graph_argument *argument);

/* The tensor of an input; NULL: a user's input, or none in the record. */
const struct ets_tensor *ets_graph_weights_tensor(const struct ets_graph_weights *weights,
                                                  uint32_t input);

/* Whether nothing that the user gives is behind what a node takes. */
bool ets_graph_weights_is_constant(const struct ets_graph_weights *weights, uint32_t node);

#endif
