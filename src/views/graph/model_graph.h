/*
 * A model as graphs of nodes and edges, as viewers of graphs show it.
 *
 *     struct ets_model model;
 *     ets_model_init(&model, &arena);
 *     if (ets_model_add_program(&model, &program, delegations, &error) == ETS_OK) {
 *         for (uint32_t g = 0; g < model.graph_count; g++) {
 *             const struct ets_model_graph *graph = &model.graphs[g];
 *             for (uint32_t i = 0; i < graph->node_count; i++) print(graph->nodes[i].label);
 *         }
 *     }
 *
 * Of a program, a graph is a method with its instructions, or what an XNNPACK delegate's payload
 * computes. Of a record, it is the edge program of a method, the ATen program, or a branch of one.
 * Nodes are in the order of execution. Identifiers are unique within their graph, and those of
 * graphs within the model. All memory is the arena's; texts may point into the files.
 */
#ifndef ETSCOPE_VIEWS_GRAPH_MODEL_GRAPH_H
#define ETSCOPE_VIEWS_GRAPH_MODEL_GRAPH_H

#include <stdbool.h>

#include "etscope/experimental/delegates.h"
#include "host/arena.h"

/* No graph, no instruction. */
#define ETS_MODEL_NONE UINT32_MAX

enum ets_model_node_kind {
    ETS_MODEL_INPUT = 0,
    ETS_MODEL_BUFFER = 1, /* a mutable buffer, as an earlier call left it */
    ETS_MODEL_OPERATOR = 2,
    ETS_MODEL_DELEGATE = 3,
    ETS_MODEL_OUTPUT = 4
};

/* A fact about a node. */
struct ets_model_note {
    const char *key;
    struct ets_text text;
    uint32_t number; /* among the node's notes with this key, from 0 */
};

/* What a node takes: an output of another node of the graph. */
struct ets_model_edge {
    uint32_t from;   /* node */
    uint32_t output; /* of that node */
    uint32_t input;  /* of the node that takes it */
};

struct ets_model_node {
    enum ets_model_node_kind kind;
    struct ets_text id;    /* "i12", "input_0", "aten_add_tensor" */
    struct ets_text label; /* "aten::add.out", "FullyConnected", "XnnpackBackend" */
    struct ets_text
        layer; /* "layers/0/linear", the module that all of the node comes from; or "" */
    struct ets_model_note *notes;
    uint32_t note_count, note_room;
    struct ets_model_edge *edges;
    uint32_t edge_count, edge_room;
    struct ets_text *outputs; /* "float32[1,16]"; absent: unknown */
    uint32_t output_count, output_room;
    uint32_t *inner; /* graphs: a delegate's payload, the branches of an operator */
    uint32_t inner_count, inner_room;
    uint32_t input_count; /* that edges have numbers of */
    double ticks;         /* median of the runs; NAN: not known */
};

struct ets_model_graph {
    struct ets_text id; /* "forward", "forward/i3" */
    uint32_t method;    /* of the program; ETS_MODEL_NONE: of a record */
    uint32_t call;      /* the instruction whose payload this is; ETS_MODEL_NONE: a whole method */
    struct ets_model_node *nodes;
    uint32_t node_count, node_room;
    uint32_t first_step; /* node of instruction 0, or of node 0 of a payload or graph */
    uint32_t step_count;
};

struct ets_model {
    struct ets_arena *arena;
    struct ets_model_graph *graphs;
    uint32_t graph_count, graph_room;
};

void ets_model_init(struct ets_model *model, struct ets_arena *arena);

/* Writes a key that no other note of the node has: "argument", "argument 2". */
void ets_model_note_key(const struct ets_model_note *note, char *key, size_t size);

/*
 * Adds every method of a program. `delegations` (NULL: none) adds modules and source lines where
 * they were opened with a record. Statuses: LIMIT (a method too large to tell what its instructions
 * take from each other), those of memory plans, NO_MEMORY.
 */
enum ets_status ets_model_add_program(struct ets_model *model, const struct ets_program *program,
                                      const struct ets_delegation *delegations,
                                      struct ets_error *error);

/* Adds the edge program of every method of a record. Statuses: NOT_FOUND (there is none), those of
 * ets_etrecord_edge_graph, NO_MEMORY. */
enum ets_status ets_model_add_record(struct ets_model *model, struct ets_etrecord *record,
                                     struct ets_error *error);
/* Adds the ATen program of a record, as "exported program". Statuses: NOT_FOUND (there is none),
 * those of ets_etrecord_aten_graph, NO_MEMORY. */
enum ets_status ets_model_add_exported(struct ets_model *model, struct ets_etrecord *record,
                                       struct ets_error *error);

/*
 * Fills the nodes' ticks from a block's runs of `method` (its name in the model). An event of a
 * delegate that computes several nodes counts at the first. In the graph of a record, an
 * operator counts at its first node; calls of delegates, where the graph has as many, in their
 * order, without what nodes inside of them took. Times of a delegate's own clock are
 * left out. Statuses: NOT_FOUND (the model has no such method), NO_MEMORY.
 */
enum ets_status ets_model_add_times(struct ets_model *model,
                                    const struct ets_inspection *inspection, uint32_t block,
                                    struct ets_error *error);

#endif
