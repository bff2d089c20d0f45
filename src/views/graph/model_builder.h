/* Adds graphs, nodes, edges and notes to a model. Functions return NULL or false without memory. */
#ifndef ETSCOPE_VIEWS_GRAPH_MODEL_BUILDER_H
#define ETSCOPE_VIEWS_GRAPH_MODEL_BUILDER_H

#include "base/error.h"
#include "views/graph/model_graph.h"

/* The number of the new graph; ETS_MODEL_NONE: no memory. Moves the others. */
uint32_t ets_model_add_graph(struct ets_model *model, struct ets_text id);

/* The number of the new node; ETS_MODEL_NONE: no memory. Moves the others. */
uint32_t ets_model_add_node(struct ets_model *model, struct ets_model_graph *graph,
                            enum ets_model_node_kind kind, struct ets_text id,
                            struct ets_text label);

/* Absent and empty texts are left out. */
bool ets_model_note(struct ets_model *model, struct ets_model_node *node, const char *key,
                    struct ets_text text);
/* At most 511 bytes of text are kept. */
bool ets_model_print_note(struct ets_model *model, struct ets_model_node *node, const char *key,
                          const char *format, ...) ETS_PRINTF(4, 5);

bool ets_model_add_output(struct ets_model *model, struct ets_model_node *node,
                          struct ets_text type);
/* The same edge is added once. */
bool ets_model_add_edge(struct ets_model *model, struct ets_model_graph *graph, uint32_t to,
                        struct ets_model_edge edge);
bool ets_model_add_inner(struct ets_model *model, struct ets_model_node *node, uint32_t graph);

/* A text of the arena; absent: no memory. */
struct ets_text ets_model_print(struct ets_model *model, const char *format, ...) ETS_PRINTF(2, 3);

/* "float32[1,16]"; a size below 0 is "?". `names` (NULL: none) has texts of symbolic sizes. */
struct ets_text ets_model_shape(struct ets_model *model, const char *type, uint32_t rank,
                                const int64_t *sizes, const struct ets_text *names);

/*
 * Places a node: its layer is the module that contains all of `modules`, with slashes. Adds notes
 * of the modules and source lines.
 */
bool ets_model_place(struct ets_model *model, struct ets_model_node *node,
                     const struct ets_row_node *nodes, size_t node_count);

#endif
