/* Fills models for graph files: of a program and its record, with times of a trace. */
#ifndef ETSCOPE_OUTPUT_GRAPH_GRAPH_SOURCE_H
#define ETSCOPE_OUTPUT_GRAPH_GRAPH_SOURCE_H

#include "views/graph/model_graph.h"

/* Adds the program; `record` NULL: without modules and source lines. Statuses: those of delegations
 * and of ets_model_add_program. */
enum ets_status ets_graph_add_program(struct ets_model *model, const struct ets_program *program,
                                      struct ets_etrecord *record, struct ets_error *error);
/* Adds the medians of each method, of its longest block. Status: NO_MEMORY. */
enum ets_status ets_graph_add_times(struct ets_model *model,
                                    const struct ets_inspection *inspection, bool *has_times_out,
                                    struct ets_error *error);

#endif
