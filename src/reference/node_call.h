/*
 * node_call.h - computes one node of a graph from the values of its arguments.
 *
 * An operator's entry in the table (operators.c) has its kernel, the schema's arguments with their
 * defaults, or the expression that replaces it. Arguments that a graph leaves out have the schema's
 * default.
 */
#ifndef ETSCOPE_REFERENCE_NODE_CALL_H
#define ETSCOPE_REFERENCE_NODE_CALL_H

#include "etscope/engine.h"
#include "etscope/etrecord.h"
#include "reference/reference.h"

#include "reference/reference_value.h"

struct reference_operator; /* an entry of the table */

/* Parameters of evaluating nodes. */
struct reference_calls {
    const struct ets_engine *engine;
    struct reference_memory *memory;
    bool use_double;
};

/* Type and largest sizes of one output in the graph; items of lists are counted, too. */
struct reference_shape {
    int scalar_type; /* -1: not a tensor (a SymInt), or unknown */
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK]; /* evaluated; -1: unknown */
};

/*
 * How a node of this operator is computed: KERNEL or EXPRESSION with `*operator_out` set, or
 * UNCOVERED with the reason ("the runtime has no kernel aten::lstm.out", "torchao.choose...:
 * unknown operator"), which is static or in `reason_room`. `*kernel_out`: the kernel's name, or
 * NULL.
 */
enum ets_reference_route ets_reference_operator_find(const struct reference_calls *calls,
                                                     const struct ets_graph_node *node,
                                                     const struct reference_operator **operator_out,
                                                     const char **kernel_out,
                                                     char reason_room[160]);

/*
 * Whether the node writes into its first argument ("aten.relu_.default"). Its storage must then not
 * be borrowed.
 */
bool ets_reference_operator_writes(const struct ets_graph_node *node);

/* Whether the node, which is no wrapper, writes into its input `index`. The same holds for it. */
bool ets_reference_input_is_written(const struct ets_graph_node *node, uint32_t index);

/*
 * Computes one node. `arguments` are the values of node->inputs in order, with numbers and lists
 * resolved. A None in a list of optional tensors is NOTHING. The caller must ensure that none is
 * UNAVAILABLE. `shapes[output_count]` as above. Fills all of `outputs_out[output_count]`, or none.
 * Sets `*is_single_out` to true if use_double is set but the record's types were used; otherwise
 * does not change it. Results of views and operators in place share the argument's storage.
 * RUNTIME: the message has the node's name, the kernel and the runtime's reason.
 */
enum ets_status ets_reference_node_call(const struct reference_calls *calls,
                                        const struct reference_operator *operator_,
                                        const struct ets_graph_node *node,
                                        const struct reference_value *arguments,
                                        const struct reference_shape *shapes, uint32_t output_count,
                                        struct reference_value *outputs_out, bool *is_single_out,
                                        struct ets_error *error);

#endif
