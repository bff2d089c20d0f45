/*
 * What a record's edge graphs know of the layers behind debug handles: their module, and the names
 * of the parameters that they take.
 */
#ifndef ETSCOPE_CONTENTS_LAYER_NAMES_H
#define ETSCOPE_CONTENTS_LAYER_NAMES_H

#include "contents/handle_nodes.h"
#include "etscope/program.h"
#include "host/strings.h"

struct ets_layer_graph {
    const struct ets_graph *graph;
    struct ets_strings inputs; /* names; number - 1 is the index of the input */
};

struct ets_layer_method {
    const char *name;
    struct ets_layer_graph *graphs; /* the method's, and its branches */
    uint32_t graph_count;
    struct ets_handle_nodes nodes;
    uint64_t looks_left; /* at nodes, so that many instructions and many nodes of one handle do not
                            cost their product; then nothing more is known */
};

struct ets_layer_names {
    struct ets_etrecord *record; /* NULL: nothing is known */
    struct ets_layer_method *methods;
    uint32_t method_count;
};

/* Reads the graphs of all methods. Statuses: those of ets_etrecord_edge_graph, NO_MEMORY. */
enum ets_status ets_layer_names_init(struct ets_layer_names *names, struct ets_arena *arena,
                                     struct ets_etrecord *record, struct ets_error *error);

/*
 * NULL: the record has no such method, or another program's: it knows instructions that the method
 * does not have, or delegates where the method calls none or those of other backends.
 */
struct ets_layer_method *ets_layer_method(const struct ets_layer_names *names,
                                          const struct ets_method *method);

/* What a parameter must be like. */
struct ets_parameter_query {
    uint64_t element_count; /* 0: any */
    uint32_t least_rank, most_rank;
    int32_t scalar_type; /* -1: any */
    uint32_t position;   /* among `count` alike things that the node takes, in its order */
    uint32_t count;
};

/* program_bytes.c: what a record must have for a tensor: argument `index` of an instruction, of
 * which several may be alike. */
struct ets_parameter_query ets_parameter_query_of(const struct ets_method *method,
                                                  const struct ets_instruction *instruction,
                                                  uint32_t index,
                                                  const struct ets_program_tensor *tensor);

/* The module of the nodes with a handle; absent: not known. */
struct ets_text ets_layer_module(struct ets_layer_method *method, int64_t handle);

/*
 * The parameter, buffer or constant that the nodes with this handle take, if exactly `count` of
 * those that they take are as wished: "layers.0.linear.weight"; else absent.
 */
struct ets_text ets_layer_parameter(struct ets_layer_method *method, int64_t handle,
                                    const struct ets_parameter_query *query);

#endif
