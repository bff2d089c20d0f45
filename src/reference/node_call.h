/*
 * node_call.h - one node of a graph, computed from the values of its arguments.
 *
 * An operator's entry in the table (operators.c) says the kernel, the schema's arguments with their
 * defaults, or the expression that stands for it. What a graph leaves out has the schema's default.
 */
#ifndef ETSCOPE_REFERENCE_NODE_CALL_H
#define ETSCOPE_REFERENCE_NODE_CALL_H

#include "etscope/engine.h"
#include "etscope/etrecord.h"
#include "etscope/experimental/reference.h"

#include "reference/reference_value.h"

struct reference_operator; /* an entry of the table */

/* What evaluating nodes needs beside their arguments. */
struct reference_calls {
    const struct ets_engine *engine;
    struct reference_memory *memory;
    bool use_double;
};

/* Type and largest sizes of one output, lists counted through, as the graph tells them. */
struct reference_shape {
    int scalar_type; /* -1: not a tensor (a SymInt), or unknown */
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK]; /* evaluated; -1: unknown */
};

/*
 * How a node of this operator would be computed here: KERNEL or EXPRESSION with `*operator_out`
 * set, or UNCOVERED with the reason ("no kernel aten::lstm.out in the runtime", "torchao.choose...:
 * unknown operator"), which is of static storage or lives in `reason_room`. `*kernel_out`: the
 * kernel's name, or NULL.
 */
enum ets_reference_route ets_reference_operator_find(const struct reference_calls *calls,
                                                     const struct ets_graph_node *node,
                                                     const struct reference_operator **operator_out,
                                                     const char **kernel_out,
                                                     char reason_room[160]);

/*
 * Whether the node writes into its first argument ("aten.relu_.default"), whose storage must then
 * not be a borrowed one.
 */
bool ets_reference_operator_writes(const struct ets_graph_node *node);

/*
 * Computes one node. `arguments` are the values of node->inputs, in that order, numbers and lists
 * resolved (an item of a list of optional tensors that is None is NOTHING; none is UNAVAILABLE:
 * the caller sees to that). `shapes[output_count]` as above. Fills `outputs_out[output_count]`, all
 * or none.
 * `*is_single_out` is set to true where use_double was asked for and the record's types were used;
 * else it is left alone. Operators that work in place or give views give values that share the
 * argument's storage. RUNTIME: with the node's name, the kernel and the runtime's reason.
 */
enum ets_status ets_reference_node_call(const struct reference_calls *calls,
                                        const struct reference_operator *operator_,
                                        const struct ets_graph_node *node,
                                        const struct reference_value *arguments,
                                        const struct reference_shape *shapes, uint32_t output_count,
                                        struct reference_value *outputs_out, bool *is_single_out,
                                        struct ets_error *error);

#endif
