/* The graph inside of a delegate's call. */
#ifndef ETSCOPE_VIEWS_GRAPH_DELEGATE_GRAPH_H
#define ETSCOPE_VIEWS_GRAPH_DELEGATE_GRAPH_H

#include "contents/payload_graph.h"
#include "views/graph/model_graph.h"

struct ets_delegate_graph_source {
    const struct ets_method *method;
    const struct ets_instruction *instruction;
    const struct ets_delegation_step *step; /* NULL: no modules and source lines */
    const struct ets_named_index *named;
};

/*
 * Adds the payload's nodes as a graph inside of `node` of graph `outer`. Of a payload that cannot
 * be read, a note tells so, and the record's operators inside if it has them. Status: NO_MEMORY.
 */
enum ets_status ets_model_add_payload(struct ets_model *model, uint32_t outer, uint32_t node,
                                      const struct ets_delegate_graph_source *source,
                                      struct ets_error *error);

#endif
