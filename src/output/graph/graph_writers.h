/* The formats of graph files. `ticks_per_us` converts times; 0: ticks are cycles. */
#ifndef ETSCOPE_OUTPUT_GRAPH_GRAPH_WRITERS_H
#define ETSCOPE_OUTPUT_GRAPH_GRAPH_WRITERS_H

#include "host/output.h"
#include "views/graph/model_graph.h"

/* The deepest group of modules, whose name is the rest of a longer path. */
enum { ETS_GRAPH_MOST_MODULES = 32 };

/* Nodes with times are coloured by their share of the graph's longest. */
void ets_write_dot(struct ets_output *output, const char *title, const struct ets_model *model,
                   double ticks_per_us);
/* False: no memory. */
bool ets_write_model_explorer(struct ets_output *output, const char *title,
                              const struct ets_model *model);
void ets_write_model_explorer_data(struct ets_output *output, const struct ets_model *model,
                                   double ticks_per_us);

#endif
