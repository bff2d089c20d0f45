/* The graph inside of a delegate's call. */
#ifndef ETSCOPE_VIEWS_GRAPH_DELEGATE_GRAPH_H
#define ETSCOPE_VIEWS_GRAPH_DELEGATE_GRAPH_H

#include "payload/payload_store.h"
#include "views/graph/model_graph.h"

struct ets_delegate_graph_source {
    const struct ets_method *method;
    const struct ets_instruction *instruction;
    const struct ets_delegation_step *step; /* NULL: no modules and source lines */
};

/*
 * The payloads of a program while they are drawn. Calls that share one have it drawn each, until
 * what is drawn again is more than any honest program has.
 */
struct ets_delegate_graphs {
    struct ets_payload_store payloads;
    struct ets_key_table drawn; /* payloads, to the graphs of the first call: */
    struct ets_text *names;
    uint32_t name_room;
    uint64_t room; /* nodes and values that may still be drawn again */
};
void ets_delegate_graphs_init(struct ets_delegate_graphs *graphs, struct ets_arena *arena,
                              const struct ets_program *program);

/*
 * Adds the payload's nodes as a graph inside of `node` of graph `outer`. Of a payload that cannot
 * be read, a note tells so, and the record's operators inside if it has them. Status: NO_MEMORY.
 */
enum ets_status ets_model_add_payload(struct ets_model *model, uint32_t outer, uint32_t node,
                                      const struct ets_delegate_graph_source *source,
                                      struct ets_delegate_graphs *graphs, struct ets_error *error);

#endif
