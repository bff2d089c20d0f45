/*
 * A model's graphs as files that other tools open.
 *
 *     ets_write_dot(output, "model.pte", &model);      // dot -Tsvg model.dot -o model.svg
 *     ets_write_model_explorer(output, "model.pte", &model); // model-explorer model.json
 *
 * Names from files are escaped. Write errors are reported by the output's commit.
 */
#ifndef ETSCOPE_OUTPUT_GRAPH_GRAPH_FILES_H
#define ETSCOPE_OUTPUT_GRAPH_GRAPH_FILES_H

#include "etscope/file.h"
#include "host/output.h"
#include "views/graph/model_graph.h"

/* DOT, the language of Graphviz: a cluster for each graph and module. Nodes with times are coloured
 * by their share of the graph's longest. `ticks_per_us` converts times; 0: ticks are cycles. */
void ets_write_dot(struct ets_output *output, const char *title, const struct ets_model *model,
                   double ticks_per_us);

/* Model Explorer's graph file: a collection of all graphs. (ai-edge-model-explorer 0.1.34) */
void ets_write_model_explorer(struct ets_output *output, const char *title,
                              const struct ets_model *model);

/* Model Explorer's node data: the time of each node that has one, in us or, with 0, in cycles. */
void ets_write_model_explorer_data(struct ets_output *output, const struct ets_model *model,
                                   double ticks_per_us);

#endif
